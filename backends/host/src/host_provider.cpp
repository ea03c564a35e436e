#include "host_provider.hpp"

#include <cerrno>
#include <cstdint>
#include <limits>
#include <string>

#include <sys/mman.h>
#include <unistd.h>

namespace oriel::host {
namespace {

Error no_memory(std::size_t bytes, int code) {
  Error error(ErrorCode::kOutOfMemory,
              "the host has no " + std::to_string(bytes) + " bytes; free memory and try again");
  error.native = {code, code == ENOMEM ? "ENOMEM" : "errno"};
  return error;
}

}  // namespace

std::size_t HostProvider::granularity() const noexcept {
  static const auto page = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  return page;
}

Result<alloc::Block> HostProvider::allocate(std::size_t bytes) {
  const std::size_t page = granularity();
  // More than half of the address space: rounding it up might leave next to nothing.
  if (bytes > static_cast<std::size_t>(std::numeric_limits<std::ptrdiff_t>::max()) - page) {
    return fail(no_memory(bytes, ENOMEM));
  }
  const std::size_t whole = (bytes + page - 1) / page * page;
  void* memory = ::mmap(nullptr, whole, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED) {
    return fail(no_memory(bytes, errno));
  }
  alloc::Block block;
  block.address = reinterpret_cast<std::uintptr_t>(memory);
  block.host = kind_ == MemoryKind::kPinned ? static_cast<std::byte*>(memory) : nullptr;
  block.bytes = whole;
  return block;
}

void HostProvider::release(const alloc::Block& block) noexcept {
  ::munmap(reinterpret_cast<void*>(static_cast<std::uintptr_t>(block.address)), block.bytes);
}

}  // namespace oriel::host
