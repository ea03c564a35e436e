#include "argument_layout.hpp"

#include <cstring>

namespace oriel::host {
namespace {

constexpr std::size_t rounded(std::size_t bytes, std::size_t alignment) noexcept {
  return (bytes + alignment - 1) & ~(alignment - 1);
}

}  // namespace

ArgumentLayout::ArgumentLayout(const KernelSignature& signature) {
  values_.reserve(signature.parameters.size());
  std::size_t offset = signature.parameters.size() * sizeof(void*);
  for (const KernelParameter& parameter : signature.parameters) {
    const std::size_t bytes =
        parameter.kind == ParameterKind::kBuffer ? sizeof(std::uint64_t) : parameter.bytes;
    // A type of 8 bytes or less asks for no more alignment; no type of ours asks for more than 16.
    offset = rounded(offset, bytes <= 8 ? 8 : kAlignment);
    values_.push_back({static_cast<std::uint32_t>(offset), static_cast<std::uint32_t>(bytes)});
    offset += bytes;
  }
  bytes_ = rounded(offset, kAlignment);
}

void** ArgumentLayout::write(std::byte* memory, std::span<void* const> values) const noexcept {
  auto** pointers = reinterpret_cast<void**>(memory);
  for (std::size_t i = 0; i < values_.size(); ++i) {
    std::byte* copy = memory + values_[i].offset;
    // The two usual sizes as plain moves: a call of memcpy would be most of a launch.
    if (values_[i].bytes == 8) {
      std::memcpy(copy, values[i], 8);
    } else if (values_[i].bytes == 4) {
      std::memcpy(copy, values[i], 4);
    } else {
      std::memcpy(copy, values[i], values_[i].bytes);
    }
    pointers[i] = copy;
  }
  return pointers;
}

}  // namespace oriel::host
