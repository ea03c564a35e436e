#pragma once

#include <oriel/error.hpp>

#include <cstdint>
#include <vector>

namespace oriel {

/// Names a piece of pool memory without keeping it: which pool, which slice, which use of it.
struct WrittenSlice {
  std::uint64_t address = 0;
  std::uint64_t bytes = 0;
};

/// A window that closed without a graph: the first thing that went wrong, and the memory that its
/// launches would have written. That memory is claimed: reading it answers `unwritten`, naming this
/// error, until something writes it whole. `written` is empty when there was nothing to close.
struct Refused {
  Error error;
  std::vector<WrittenSlice> written;
};

}  // namespace oriel
