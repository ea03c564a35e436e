#pragma once

#include <oriel/kernel_bundle.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace oriel::host {

/// How a kernel's arguments lie in a piece of memory aligned to kAlignment: first a pointer to each
/// value, which is what a host image is called with, then the values.
class ArgumentLayout {
 public:
  static constexpr std::size_t kAlignment = 16;

  explicit ArgumentLayout(const KernelSignature& signature);

  /// Of the whole piece, a multiple of kAlignment.
  [[nodiscard]] std::size_t bytes() const noexcept { return bytes_; }
  [[nodiscard]] std::size_t count() const noexcept { return values_.size(); }

  /// Copies the values into `memory` and points at the copies.
  void** write(std::byte* memory, std::span<void* const> values) const noexcept;

 private:
  struct Value {
    std::uint32_t offset;  // from the start of the piece
    std::uint32_t bytes;
  };
  std::vector<Value> values_;
  std::size_t bytes_ = 0;
};

}  // namespace oriel::host
