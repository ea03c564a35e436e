#include "memory_commands.hpp"

#include <algorithm>
#include <cstddef>
#include <cstring>

namespace oriel::host {
namespace {

std::byte* at(std::uint64_t address) noexcept {
  return reinterpret_cast<std::byte*>(static_cast<std::uintptr_t>(address));
}

bool is_one_byte(const core::FillCommand& command) noexcept {
  return std::all_of(command.pattern, command.pattern + command.pattern_bytes, [&](std::byte byte) {
    return byte == command.pattern[0];
  });
}

}  // namespace

void run_fill(const core::FillCommand& command) noexcept {
  std::byte* out = at(command.destination);
  if (command.bytes == 0) {
    return;
  }
  if (is_one_byte(command)) {
    std::memset(out, std::to_integer<int>(command.pattern[0]), command.bytes);
    return;
  }
  // A line that every pattern divides, so that the loop moves vectors.
  constexpr std::size_t kLine = 64;
  std::byte line[kLine];
  for (std::size_t i = 0; i < kLine; i += command.pattern_bytes) {
    std::memcpy(line + i, command.pattern, command.pattern_bytes);
  }
  std::size_t done = 0;
  for (; done + kLine <= command.bytes; done += kLine) {
    std::memcpy(out + done, line, kLine);
  }
  std::memcpy(out + done, line, command.bytes - done);
}

void run_copy(const core::CopyCommand& command) noexcept {
  if (command.bytes != 0) {
    std::memmove(at(command.destination), at(command.source), command.bytes);
  }
}

}  // namespace oriel::host
