#pragma once

#include <cstddef>
#include <optional>
#include <string>

namespace oriel::alloc {

/// `bytes` rounded up to a multiple of `step`; nothing if that has no 64-bit number. The one
/// function by which sizes become keys and page sizes, so that no two paths can disagree.
[[nodiscard]] std::optional<std::size_t> round_up(std::size_t bytes, std::size_t step) noexcept;

/// A size as messages show it: "17 B", "1.2 MiB". Never rounds up to the next unit.
[[nodiscard]] std::string readable_bytes(std::size_t bytes);

}  // namespace oriel::alloc
