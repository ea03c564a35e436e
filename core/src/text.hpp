#pragma once

#include <oriel/ids.hpp>

#include <cstdint>
#include <string>
#include <string_view>

namespace oriel::core {

/// How errors name things. Only built once something has gone wrong.
[[nodiscard]] inline std::string name_of(StreamId stream) {
  return "stream " + std::to_string(stream.index);
}
[[nodiscard]] inline std::string in_quotes(std::string_view label) {
  return "\"" + std::string(label) + "\"";
}

}  // namespace oriel::core
