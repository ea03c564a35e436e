#pragma once

#include <oriel/access.hpp>
#include <oriel/buffer.hpp>
#include <oriel/kernel_bundle.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>

namespace oriel {

/// One argument of a launch, borrowed for the call.
struct Argument {
  enum class Kind : std::uint8_t { kBuffer, kScalar, kInfo };

  Kind kind = Kind::kScalar;
  ElementType type = ElementType::kBytes;
  Access access = Access::kRead;
  const RawBuffer* buffer = nullptr;  ///< Of kind kBuffer.
  const void* data = nullptr;         ///< The bytes of kinds kScalar and kInfo.
  std::size_t bytes = 0;              ///< Of the scalar, of the info, or of one buffer element.
  std::size_t element_bytes = 0;      ///< Of kind kInfo: one element.

  [[nodiscard]] std::size_t bytes_of_element() const noexcept {
    return kind == Kind::kInfo ? element_bytes : bytes;
  }
};

/// The element type that stands for T; kBytes for structures.
template <class T>
[[nodiscard]] constexpr ElementType element_type() noexcept {
  if constexpr (std::is_floating_point_v<T>) {
    return sizeof(T) == 4 ? ElementType::kFloat32 : ElementType::kFloat64;
  } else if constexpr (std::is_integral_v<T> && !std::is_same_v<T, bool>) {
    constexpr int size = sizeof(T) == 1 ? 0 : sizeof(T) == 2 ? 1 : sizeof(T) == 4 ? 2 : 3;
    return static_cast<ElementType>(2 * size + (std::is_unsigned_v<T> ? 1 : 0));
  } else {
    return ElementType::kBytes;
  }
}

namespace detail {
template <class T>
[[nodiscard]] Argument buffer_argument(const TypedBuffer<T>& buffer, Access access) noexcept {
  return {Argument::Kind::kBuffer, element_type<T>(), access, &buffer, nullptr, sizeof(T), 0};
}
}  // namespace detail

/// The kernel reads `buffer`.
template <class T>
[[nodiscard]] Argument in(const TypedBuffer<T>& buffer) noexcept {
  return detail::buffer_argument(buffer, Access::kRead);
}
/// The kernel writes all of `buffer` and reads none of it.
template <class T>
[[nodiscard]] Argument out(const TypedBuffer<T>& buffer) noexcept {
  return detail::buffer_argument(buffer, Access::kWrite);
}
/// The kernel reads and writes `buffer`, or writes part of it.
template <class T>
[[nodiscard]] Argument inout(const TypedBuffer<T>& buffer) noexcept {
  return detail::buffer_argument(buffer, Access::kReadWrite);
}
/// Small constant data (shapes, strides) as a read-only buffer: cached by content on the device, so
/// that the same bytes are staged once.
template <class T>
requires std::is_trivially_copyable_v<T>
[[nodiscard]] Argument info(std::span<const T> words) noexcept {
  return {Argument::Kind::kInfo,
          element_type<T>(),
          Access::kRead,
          nullptr,
          words.data(),
          words.size_bytes(),
          sizeof(T)};
}

/// A scalar, copied by value at the call.
template <class T>
requires(std::is_trivially_copyable_v<T> && !std::is_same_v<T, Argument> && !std::is_pointer_v<T> &&
         !std::is_same_v<T, bool>) [[nodiscard]] Argument argument(const T& scalar) noexcept {
  return {
      Argument::Kind::kScalar, element_type<T>(), Access::kRead, nullptr, &scalar, sizeof(T), 0};
}
[[nodiscard]] inline const Argument& argument(const Argument& ready) noexcept {
  return ready;
}

}  // namespace oriel
