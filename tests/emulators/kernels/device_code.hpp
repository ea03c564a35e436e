#pragma once

#include "emulators/kernels/kernel_library.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace oriel::emulator {

/// Bytes of an image, from its start to where its headers say that it ends.
using ImageBytes = std::span<const std::byte>;

/// The value at `offset`, which may be unaligned; nothing if it doesn't lie within the bytes.
template <class Value>
[[nodiscard]] std::optional<Value> read_at(ImageBytes bytes, std::uint64_t offset) {
  if (offset > bytes.size() || bytes.size() - offset < sizeof(Value)) {
    return std::nullopt;
  }
  Value value;
  std::memcpy(&value, bytes.data() + offset, sizeof(Value));
  return value;
}

/// Reads no further than the first byte that differs.
template <std::size_t kSize>
[[nodiscard]] bool starts_with(const std::byte* image,
                               const std::array<unsigned char, kSize>& start) {
  return std::equal(start.begin(), start.end(), image, [](unsigned char wanted, std::byte found) {
    return std::byte{wanted} == found;
  });
}

/// PTX text: one kind of code, or nothing if it isn't PTX.
[[nodiscard]] std::optional<DeviceCode> read_ptx(std::string_view text);

/// A cubin whose size is known.
[[nodiscard]] std::optional<DeviceCode> read_cubin(ImageBytes bytes);
/// The size that a cubin's header gives; nothing if it isn't a cubin's.
[[nodiscard]] std::optional<std::size_t> cubin_size(const std::byte* image);

/// A fatbin, or the structure that nvcc's programs have around one.
[[nodiscard]] std::vector<DeviceCode> read_fatbin(const std::byte* image);

/// Whether the image starts so; like starts_with().
[[nodiscard]] bool is_cubin(const std::byte* image);
[[nodiscard]] bool is_fatbin(const std::byte* image);

}  // namespace oriel::emulator
