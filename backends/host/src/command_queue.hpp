#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace oriel::host {

struct Mark;

/// One command of a stream, in the memory of its CommandQueue.
class Command {
 public:
  Command() = default;
  Command(const Command&) = delete;
  Command& operator=(const Command&) = delete;
  virtual ~Command() = default;

  virtual void run() noexcept = 0;

  /// What must have passed before the command may run; null if nothing.
  [[nodiscard]] const Mark* gate() const noexcept { return gate_; }

 protected:
  explicit Command(const Mark* gate) noexcept : gate_(gate) {}

 private:
  const Mark* gate_ = nullptr;
};

/// The commands of one stream in order, lying one after the other in blocks of memory. One thread
/// at a time puts in and one at a time takes out; they meet in two counters and nothing else.
///
/// Invariant: completed() <= enqueued(), and the commands between them lie in the blocks from the
/// reading to the writing one, in order. A block that was read is kept for writing, so a queue
/// whose backlog has been as large before allocates nothing.
class CommandQueue {
 public:
  CommandQueue() = default;
  CommandQueue(const CommandQueue&) = delete;
  CommandQueue& operator=(const CommandQueue&) = delete;
  ~CommandQueue();

  // The writing thread.

  /// Memory for the next command, aligned to kAlignment; null if there is none left. Nothing is
  /// enqueued before publish().
  [[nodiscard]] std::byte* reserve(std::size_t bytes) noexcept;
  /// The command that was made in the reserved memory counts. Returns its number, from 1.
  std::uint64_t publish() noexcept;
  /// How often the writing thread went on to another block.
  [[nodiscard]] std::uint64_t block_changes() const noexcept { return block_changes_; }

  // The reading thread.

  /// The oldest command; only while pending().
  [[nodiscard]] Command& front() noexcept;
  /// Destroys it and counts it as completed. Returns its number.
  std::uint64_t pop() noexcept;

  // Any thread.

  [[nodiscard]] std::uint64_t enqueued() const noexcept { return enqueued_.load(); }
  [[nodiscard]] std::uint64_t completed() const noexcept { return completed_.load(); }
  [[nodiscard]] bool pending() const noexcept { return completed() != enqueued(); }

  static constexpr std::size_t kAlignment = 16;
  static constexpr std::size_t kBlockBytes = 16 * 1024;

 private:
  struct Block;
  struct Header;

  [[nodiscard]] Block* take_block(std::size_t bytes) noexcept;
  [[nodiscard]] Header* front_header() noexcept;

  Block* writing_ = nullptr;
  std::size_t write_offset_ = 0;
  std::size_t write_bytes_ = 0;  // of the command that was reserved
  Block* spare_ = nullptr;       // read blocks that the writing thread has taken back
  std::uint64_t block_changes_ = 0;

  Block* first_ = nullptr;  // where reading starts; set before the first publish
  alignas(64) Block* reading_ = nullptr;
  std::size_t read_offset_ = 0;

  // Sequentially consistent: who publishes looks at the stream's state next, who completes looks at
  // who waits, and each must see the other's write or be seen.
  alignas(64) std::atomic<std::uint64_t> enqueued_{0};
  alignas(64) std::atomic<std::uint64_t> completed_{0};
  std::atomic<Block*> returned_{nullptr};  // read blocks, newest first
};

}  // namespace oriel::host
