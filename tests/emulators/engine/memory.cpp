#include "memory.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <utility>

namespace oriel::emulator {
namespace {

constexpr std::size_t kAlignment = 512;  // of what drivers give out, at least 256
constexpr int kGuardByte = 0xB7;

std::string describe(const Block& block) {
  char text[80];
  std::snprintf(text,
                sizeof text,
                "%s block of %zu bytes at %#llx",
                block.kind == BlockKind::kDevice ? "device" : "pinned",
                block.bytes,
                static_cast<unsigned long long>(block.address));
  return text;
}

bool all(const std::byte* bytes, std::size_t count, int value) noexcept {
  return count == 0 ||
         (bytes[0] == std::byte(value) && std::memcmp(bytes, bytes + 1, count - 1) == 0);
}

}  // namespace

void Block::Free::operator()(std::byte* memory) const noexcept {
  std::free(memory);
}

BlockRef Memory::reserve(BlockKind kind, std::size_t bytes, int device) {
  constexpr std::size_t kFront = kAlignment;  // the guard, rounded up
  static_assert(kFront >= Block::kGuard);
  const std::size_t whole = kFront + bytes + Block::kGuard;
  const std::size_t rounded = (whole + kAlignment - 1) / kAlignment * kAlignment;
  auto* storage = static_cast<std::byte*>(std::aligned_alloc(kAlignment, rounded));
  if (storage == nullptr) {
    return nullptr;
  }
  auto block = std::make_shared<Block>();
  block->storage.reset(storage);
  block->address = reinterpret_cast<std::uint64_t>(storage + kFront);
  block->bytes = bytes;
  block->kind = kind;
  block->device = device;
  std::memset(storage + kFront - Block::kGuard, kGuardByte, Block::kGuard);
  std::memset(storage + kFront + bytes, kGuardByte, Block::kGuard);
  fill(*block, kFreedByte);
  known_.emplace(block->address, block);
  return block;
}

BlockRef Memory::adopt(void* memory, std::size_t bytes) {
  auto block = std::make_shared<Block>();
  block->address = reinterpret_cast<std::uint64_t>(memory);
  block->bytes = bytes;
  block->kind = BlockKind::kRegistered;
  block->live = true;
  block->allocated = true;
  known_.emplace(block->address, block);
  return block;
}

void Memory::make_live(Block& block) noexcept {
  if (!block.live) {
    check_freed(block);
    fill(block, kFreshByte);
    block.live = true;
  }
}

void Memory::make_dead(Block& block) {
  if (block.live && block.storage != nullptr) {
    check_guards(block);
    fill(block, kFreedByte);
  }
  block.live = false;
}

void Memory::forget(std::uint64_t address) {
  const auto found = known_.find(address);
  BlockRef block = std::move(found->second);
  known_.erase(found);
  make_dead(*block);
  if (block->storage == nullptr) {
    return;
  }
  freed_bytes_ += block->bytes;
  freed_[block->address] = block;
  freed_order_.push_back(std::move(block));
  shrink_quarantine();
}

const BlockRef* Memory::around(const Blocks& blocks, std::uint64_t address) {
  auto next = blocks.upper_bound(address);
  if (next == blocks.begin()) {
    return nullptr;
  }
  const BlockRef& block = std::prev(next)->second;
  // A pointer to the end of a block is the block's, as it is for C; but right behind the program's
  // own memory there may be other memory.
  const std::size_t last = block->bytes - (block->storage == nullptr && block->bytes != 0 ? 1 : 0);
  return address - block->address <= last ? &block : nullptr;
}

const BlockRef* Memory::find(std::uint64_t address) const {
  return around(known_, address);
}

bool Memory::was_freed(std::uint64_t address) const {
  return around(freed_, address) != nullptr;
}

std::vector<BlockRef> Memory::of_graphs() const {
  std::vector<BlockRef> blocks;
  for (const auto& [address, block] : known_) {
    if (block->of_graph) {
      blocks.push_back(block);
    }
  }
  return blocks;
}

std::vector<BlockRef> Memory::abandoned() const {
  std::vector<BlockRef> blocks = of_graphs();
  // One reference is the table's, one this list's.
  std::erase_if(blocks,
                [](const BlockRef& block) { return block->allocated || block.use_count() > 2; });
  return blocks;
}

void Memory::check_quarantine() {
  for (const BlockRef& block : freed_order_) {
    check_freed(*block);
  }
  for (const auto& [address, block] : known_) {
    if (!block->live) {
      check_freed(*block);
    }
  }
}

std::size_t Memory::count(BlockKind kind) const noexcept {
  const auto counts = [kind](const auto& entry) {
    return entry.second->allocated && entry.second->kind == kind;
  };
  return static_cast<std::size_t>(std::count_if(known_.begin(), known_.end(), counts));
}

void Memory::fill(Block& block, int byte) const noexcept {
  if (block.storage != nullptr) {
    block.filled = std::min<std::size_t>(block.bytes, options_.poison_bytes);
    std::memset(reinterpret_cast<void*>(block.address), byte, block.filled);
  }
}

void Memory::check_freed(Block& block) {
  if (block.storage != nullptr &&
      !all(reinterpret_cast<const std::byte*>(block.address), block.filled, kFreedByte)) {
    violations_.add("A " + describe(block) + " was written while it was free.");
    fill(block, kFreedByte);  // reported once
  }
}

void Memory::check_guards(const Block& block) {
  const auto* start = reinterpret_cast<const std::byte*>(block.address);
  if (!all(start - Block::kGuard, Block::kGuard, kGuardByte) ||
      !all(start + block.bytes, Block::kGuard, kGuardByte)) {
    violations_.add("There was a write out of the bounds of a " + describe(block) + ".");
  }
}

void Memory::shrink_quarantine() {
  while (freed_bytes_ > kQuarantineBytes || freed_order_.size() > kQuarantineBlocks) {
    Block& oldest = *freed_order_.front();
    check_freed(oldest);
    freed_bytes_ -= oldest.bytes;
    freed_.erase(oldest.address);
    freed_order_.pop_front();
  }
}

}  // namespace oriel::emulator
