#pragma once

#include <oriel/core/graph_driver.hpp>
#include <oriel/core/lanes.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>

namespace oriel::core {

class Runtime;

/// What an event stands for. `kRecorded` is an edge inside the window `window`, which no replay
/// signals; `kEager` marks work that really runs (during a warm-up of `window`, if not 0).
enum class EventKind : std::uint8_t { kNever, kEager, kRecorded };

/// One event. Guarded by the runtime's lock, except `driver`, which is constant until close.
struct EventState {
  std::shared_ptr<Runtime> runtime;
  std::unique_ptr<DriverEvent> driver;
  EventKind kind = EventKind::kNever;
  StreamId recorder;           ///< The logical stream that it was last recorded on.
  unsigned recorder_slot = 0;  ///< Its device stream.
  std::uint64_t window = 0;    ///< Serial of the window it was recorded in, prepared or recording.
  std::uint32_t pass = 0;      ///< The pass of that window.
  unsigned origin = 0;         ///< Slot of that window's device stream.
  LaneMark mark;               ///< Where, in that window.
  std::uint64_t streams = 0;   ///< Device streams that recorded it or wait for it.

  std::size_t registered = 0;  ///< Position in the runtime's list.

  EventState() = default;
  EventState(const EventState&) = delete;
  EventState& operator=(const EventState&) = delete;
  ~EventState();
};

}  // namespace oriel::core
