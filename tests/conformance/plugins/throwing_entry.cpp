// Throws where nothing may.
#include "plugin.hpp"

#include <stdexcept>

ORIEL_TEST_ENTRY {
  throw std::runtime_error("thrown by the entry point");
}
