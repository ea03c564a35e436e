#pragma once

#include <cstdint>

namespace oriel {

/// A handle by index and generation: an index is used again only with a new generation, so a stale
/// handle is told from a live one and never resolves to a stranger. Zero is no handle.
template <class Tag>
struct Id {
  std::uint32_t index = 0;
  std::uint32_t generation = 0;

  [[nodiscard]] constexpr bool valid() const noexcept { return generation != 0; }
  friend constexpr bool operator==(Id, Id) noexcept = default;
};

/// A logical stream: what a caller holds. Many fold onto one device stream.
using StreamId = Id<struct StreamTag>;
/// A graph registered with a runtime.
using GraphId = Id<struct GraphTag>;
/// The position of a node in its recording, from 0.
using NodeId = std::uint32_t;

}  // namespace oriel
