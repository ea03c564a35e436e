#include "command_queue.hpp"

#include <algorithm>
#include <new>
#include <utility>

namespace oriel::host {
namespace {

constexpr std::size_t rounded(std::size_t bytes) noexcept {
  return (bytes + CommandQueue::kAlignment - 1) & ~(CommandQueue::kAlignment - 1);
}

}  // namespace

/// A piece of memory for commands, in a list in the order of writing. `next` and `limit` are set
/// when the writing thread leaves the block, before it publishes a command that lies behind.
struct alignas(CommandQueue::kAlignment) CommandQueue::Block {
  static constexpr std::size_t kOpen = ~std::size_t{0};

  std::size_t capacity;
  std::atomic<Block*> next{nullptr};
  std::atomic<std::size_t> limit{kOpen};  // where the commands end

  [[nodiscard]] std::byte* bytes() noexcept {
    return reinterpret_cast<std::byte*>(this) + sizeof(Block);
  }

  [[nodiscard]] static Block* make(std::size_t capacity) noexcept {
    void* memory = ::operator new(sizeof(Block) + capacity, std::nothrow);
    return memory != nullptr ? new (memory) Block{capacity} : nullptr;
  }
  static void destroy(Block* block) noexcept {
    block->~Block();
    ::operator delete(block);
  }
};

/// What stands before each command, which is the base of its class and so lies right behind.
struct alignas(CommandQueue::kAlignment) CommandQueue::Header {
  std::size_t bytes;  // header included
};

CommandQueue::~CommandQueue() {
  while (pending()) {
    pop();
  }
  Block* written = reading_ != nullptr ? reading_ : first_;
  for (Block* list : {written, spare_, returned_.load()}) {
    while (list != nullptr) {
      Block::destroy(std::exchange(list, list->next.load()));
    }
  }
}

CommandQueue::Block* CommandQueue::take_block(std::size_t bytes) noexcept {
  for (int attempt = 0; attempt < 2; ++attempt) {
    Block* previous = nullptr;
    for (Block* block = spare_; block != nullptr; previous = block, block = block->next.load()) {
      if (block->capacity >= bytes) {
        Block* next = block->next.load();
        if (previous != nullptr) {
          previous->next.store(next);
        } else {
          spare_ = next;
        }
        block->next.store(nullptr);
        block->limit.store(Block::kOpen);
        return block;
      }
    }
    // Nothing fits: take back what was read since, once.
    Block* returned = attempt == 0 ? returned_.exchange(nullptr) : nullptr;
    while (returned != nullptr) {
      Block* next = returned->next.load();
      returned->next.store(spare_);
      spare_ = std::exchange(returned, next);
    }
  }
  return Block::make(std::max(bytes, kBlockBytes));
}

std::byte* CommandQueue::reserve(std::size_t bytes) noexcept {
  write_bytes_ = sizeof(Header) + rounded(bytes);
  if (writing_ == nullptr || writing_->capacity - write_offset_ < write_bytes_) {
    Block* block = take_block(write_bytes_);
    if (block == nullptr) {
      return nullptr;
    }
    if (writing_ == nullptr) {
      first_ = block;
    } else {
      writing_->next.store(block);
      writing_->limit.store(write_offset_);
    }
    writing_ = block;
    write_offset_ = 0;
    ++block_changes_;
  }
  auto* header = new (writing_->bytes() + write_offset_) Header{write_bytes_};
  return reinterpret_cast<std::byte*>(header + 1);
}

std::uint64_t CommandQueue::publish() noexcept {
  write_offset_ += write_bytes_;
  return enqueued_.fetch_add(1) + 1;
}

CommandQueue::Header* CommandQueue::front_header() noexcept {
  if (reading_ == nullptr) {
    reading_ = first_;
  }
  if (read_offset_ == reading_->limit.load()) {
    Block* read = std::exchange(reading_, reading_->next.load());
    read_offset_ = 0;
    Block* newest = returned_.load();
    do {
      read->next.store(newest);
    } while (!returned_.compare_exchange_weak(newest, read));
  }
  return reinterpret_cast<Header*>(reading_->bytes() + read_offset_);
}

Command& CommandQueue::front() noexcept {
  return *reinterpret_cast<Command*>(front_header() + 1);
}

std::uint64_t CommandQueue::pop() noexcept {
  Header* header = front_header();
  reinterpret_cast<Command*>(header + 1)->~Command();
  read_offset_ += header->bytes;
  return completed_.fetch_add(1) + 1;
}

}  // namespace oriel::host
