#pragma once

#include "stream.hpp"

namespace oriel::emulator {

/// An event. It is captured while `capture` is there and hasn't ended, otherwise what its ticket
/// says; with neither it was never recorded, and counts as passed.
struct Event {
  Handle handle = 0;
  Context* context = nullptr;
  unsigned flags = 0;
  bool timing = true;

  Ticket ticket;
  std::uint64_t generation = 0;  ///< Of the last record; only that one sets the time.
  bool recorded = false;
  Clock::time_point at;

  std::shared_ptr<Capture> capture;
  std::vector<Edge> nodes;  ///< What a stream that waits for it in the capture depends on.
};

}  // namespace oriel::emulator
