#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace oriel::emulator::test {

using Bytes = std::vector<std::byte>;

// Byte by byte: g++ 12 sees overflows in what a vector does at once.
inline void append(Bytes& bytes, const void* from, std::size_t size) {
  for (std::size_t i = 0; i < size; ++i) {
    bytes.push_back(static_cast<const std::byte*>(from)[i]);
  }
}

template <class Value>
void append(Bytes& bytes, const Value& value) {
  append(bytes, &value, sizeof(value));
}

inline void append(Bytes& bytes, const Bytes& more) {
  append(bytes, more.data(), more.size());
}

/// A cubin with a symbol table and no code: `kernels` are kernels, and "helper" is a function that
/// is none. `abi` 7 is what toolkits up to 12 write, 8 what 13 does.
Bytes make_cubin(std::uint32_t architecture,
                 const std::vector<std::string>& kernels,
                 unsigned char abi);

/// One entry of a fatbin. `kind` is 1 for PTX and 2 for a cubin.
struct Entry {
  std::uint16_t kind = 1;
  std::uint32_t architecture = 0;
  Bytes content;
  bool compressed = false;
};
Bytes make_fatbin(const std::vector<Entry>& entries);

inline Bytes bytes_of(const std::string& text) {
  const auto* from = reinterpret_cast<const std::byte*>(text.c_str());
  return {from, from + text.size() + 1};
}

}  // namespace oriel::emulator::test
