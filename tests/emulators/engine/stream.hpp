#pragma once

#include "context.hpp"
#include "handle_table.hpp"

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

namespace oriel::emulator {

struct Capture;
struct Node;
struct Stream;
struct Work;
using Clock = std::chrono::steady_clock;

/// A dependency on a node. `data` is what the vendor says about the edge, 0 for an ordinary one;
/// only ordinary ones join a fork.
struct Edge {
  Node* node = nullptr;
  std::uint32_t data = 0;
};

/// A place in a stream, as soon as it is enqueued; passed when all work up to it is done.
struct Ticket {
  std::shared_ptr<Stream> stream;  ///< Null: nothing, which has passed.
  std::uint64_t number = 0;

  [[nodiscard]] bool passed() const noexcept;
};

enum class StreamKind : std::uint8_t { kExplicit, kLegacy, kPerThread };

/// A queue of work, and the thread that runs it, which starts with the first work and ends when the
/// stream is closed and its queue empty. All members belong to the machine's lock.
///
/// Invariant: completed <= enqueued, and the queue holds the work between them in order. A stream
/// that captures has no new work in its queue.
struct Stream : std::enable_shared_from_this<Stream> {
  struct Item {
    std::shared_ptr<const Work> work;  ///< Null: only waits.
    std::vector<Ticket> after;
    Clock::time_point not_before;
  };

  Handle handle = 0;
  Context* context = nullptr;
  StreamKind kind = StreamKind::kExplicit;
  bool blocking = true;  ///< Takes part in the legacy stream's implicit order.
  unsigned flags = 0;
  int priority = 0;

  std::deque<Item> queue;
  std::uint64_t enqueued = 0;
  std::uint64_t completed = 0;
  bool closed = false;
  bool has_worker = false;
  std::condition_variable wake;  ///< Something was enqueued, or the stream was closed.

  std::shared_ptr<Capture> capture;  ///< Null: not capturing.
  std::vector<Edge> frontier;        ///< What its next captured work depends on.

  [[nodiscard]] bool idle() const noexcept { return completed == enqueued; }
  [[nodiscard]] Ticket last() { return {shared_from_this(), enqueued}; }
};

inline bool Ticket::passed() const noexcept {
  return stream == nullptr || stream->completed >= number;
}

}  // namespace oriel::emulator
