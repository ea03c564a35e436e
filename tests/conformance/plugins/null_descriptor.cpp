// Has nothing to describe.
#include "plugin.hpp"

ORIEL_TEST_ENTRY {
  return nullptr;
}
