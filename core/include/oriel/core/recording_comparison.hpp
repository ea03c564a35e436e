#pragma once

#include <oriel/core/recording.hpp>

#include <cstdint>

namespace oriel::core {

/// In what two recordings differ, the lightest first.
enum class Difference : std::uint8_t {
  kNone,       ///< Both do the same to the same memory.
  kArguments,  ///< Only arguments of launches differ: one can become the other by updates.
  kTopology,   ///< Calls, their order, kernels, shapes, copies or fills differ.
};

struct Comparison {
  Difference difference = Difference::kNone;
  NodeId node = 0;        ///< The first node of that difference.
  const char* what = "";  ///< What of it differs, for a sentence.
};

/// Compares two sealed recordings. Labels and logical streams don't count.
[[nodiscard]] Comparison compare(const Recording& one, const Recording& other);

}  // namespace oriel::core
