#pragma once

#include <oriel/error.hpp>

#include <cstdint>
#include <vector>

namespace oriel {

/// Names a piece of pool memory without keeping it, so that it may be in other hands by the time
/// that this is read: `generation` tells.
struct WrittenSlice {
  std::uint64_t address = 0;     ///< As the device sees it.
  std::uint64_t bytes = 0;       ///< What was asked for.
  std::uint32_t index = 0;       ///< Position in its pool's table, for good.
  std::uint32_t generation = 0;  ///< Changes each time the slice is handed out.
};

/// A window that closed without a graph: the first thing that went wrong, and the memory that its
/// launches would have written. That memory is claimed: reading it answers `unwritten`, naming this
/// error, until something writes it whole. `written` is empty when there was nothing to close.
struct Refused {
  Error error;
  std::vector<WrittenSlice> written;
};

}  // namespace oriel
