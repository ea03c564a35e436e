#pragma once

#include <oriel/core/lanes.hpp>
#include <oriel/core/module_state.hpp>
#include <oriel/core/recording.hpp>
#include <oriel/options.hpp>

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <thread>
#include <vector>

namespace oriel::core {

/// Slices that a window used. Slices the window's own pools armed are listed by address alone: the
/// pools may hand them out again within the window, and the close takes back what the graph needs.
/// All others are kept from the first use on.
struct Touched {
  std::vector<Slice*> armed;
  std::vector<SliceRef> external;
};

/// The lifecycle of one device stream's window, and the only thing that moves it:
/// idle -> prepared -> recording -> idle.
///
/// Invariant: both active states remember the owner and a serial that no other window of the
/// runtime has; a recording exists exactly while recording. A transition out of order is refused
/// with `invalid_state` and changes nothing. The first failure is kept for good.
///
/// Thread rule: called under the runtime's lock.
class StreamCapture {
 public:
  [[nodiscard]] WindowState state() const noexcept { return state_; }
  [[nodiscard]] bool recording() const noexcept { return state_ == WindowState::kRecording; }
  /// A thread is waiting for the warm-up, to begin, start another pass, or give up; no other may
  /// move the window.
  [[nodiscard]] bool moving() const noexcept { return moving_; }
  [[nodiscard]] StreamId owner() const noexcept { return owner_; }
  [[nodiscard]] std::uint64_t serial() const noexcept { return serial_; }
  [[nodiscard]] std::uint32_t pass() const noexcept { return pass_; }
  [[nodiscard]] const WindowOptions& options() const noexcept { return options_; }
  /// The thread that began it.
  [[nodiscard]] std::thread::id thread() const noexcept { return thread_; }
  /// Whether this thread began it or made its last call: who must not wait for it to close.
  [[nodiscard]] bool is_in_hand_of_this_thread() const noexcept {
    const auto self = std::this_thread::get_id();
    return self == thread_ || self == last_thread_;
  }

  // Transitions.
  [[nodiscard]] Result<void> prepare(StreamId owner,
                                     unsigned origin,
                                     std::uint64_t serial,
                                     const WindowOptions& options);
  [[nodiscard]] Result<void> restart_pass();
  /// Before `step` (begin, or another pass) waits for the warm-up: until that is over only
  /// stop_moving(), open() or close() moves it.
  [[nodiscard]] Result<void> start_moving(const char* step);
  /// The wait is over and nothing opens: another pass begins.
  void stop_moving() noexcept { moving_ = false; }
  /// The window is given up, whatever its state; close() follows.
  void start_closing() noexcept { moving_ = true; }
  /// The warm-up is over: recording, with room for what it did.
  void open();
  /// The driver refused; or the window is over. Forgets everything.
  void close() noexcept;

  // Who is in it.
  [[nodiscard]] Lanes& lanes() noexcept { return lanes_; }
  [[nodiscard]] const Lanes& lanes() const noexcept { return lanes_; }
  /// Whether calls of this logical stream belong to the window.
  [[nodiscard]] bool admits(StreamId stream) const noexcept;
  /// A logical stream was pulled in.
  void admit(StreamId stream);

  // What it did. In a warm-up nodes are counted, in the window recorded.
  [[nodiscard]] Recording& recorded() noexcept { return *recording_; }
  [[nodiscard]] std::unique_ptr<Recording> take_recording() noexcept;
  /// A warm-up command: gives it the id it will have in the recording.
  [[nodiscard]] NodeId count(const Recording::Size& size) noexcept;
  /// Work calls of the present pass so far, refused ones included, and of the last warm-up pass:
  /// what errors number.
  void next_call() noexcept {
    ++calls_;
    last_thread_ = std::this_thread::get_id();
  }
  [[nodiscard]] std::size_t calls() const noexcept { return calls_; }
  [[nodiscard]] std::size_t warmed_calls() const noexcept { return warmed_calls_; }
  /// Nodes that the last pass of the warm-up would have recorded.
  [[nodiscard]] std::size_t warmed_nodes() const noexcept { return warmed_.nodes; }

  [[nodiscard]] Touched& touched() noexcept { return touched_; }
  [[nodiscard]] std::vector<std::shared_ptr<LoadedModule>>& modules() noexcept { return modules_; }
  /// Streams with earlier work on memory that the warm-up used.
  [[nodiscard]] std::uint64_t& foreign_streams() noexcept { return foreign_streams_; }

  // What went wrong.
  [[nodiscard]] bool doomed() const noexcept { return first_.has_value(); }
  void doom(Error error);
  [[nodiscard]] const std::optional<Error>& first_error() const noexcept { return first_; }
  void announce_native_work() noexcept { native_work_ = true; }
  [[nodiscard]] bool native_work() const noexcept { return native_work_; }

  /// Per slot, how much its stream had been given when the window opened: tells which idle streams
  /// got work meanwhile.
  std::array<std::uint64_t, kMaxLanes> submitted_at_open{};
  /// Slots of streams outside the window whose events the warm-up waited for.
  std::uint64_t warmup_waits = 0;

 private:
  void forget() noexcept;

  WindowState state_ = WindowState::kIdle;
  bool moving_ = false;
  bool native_work_ = false;
  StreamId owner_;
  std::uint64_t serial_ = 0;
  std::uint32_t pass_ = 0;
  WindowOptions options_;
  std::thread::id thread_;
  std::thread::id last_thread_;
  Lanes lanes_;
  std::vector<StreamId> members_;
  std::unique_ptr<Recording> recording_;
  Recording::Size warmed_;
  std::size_t calls_ = 0;
  std::size_t warmed_calls_ = 0;
  Touched touched_;
  std::vector<std::shared_ptr<LoadedModule>> modules_;
  std::uint64_t foreign_streams_ = 0;
  std::optional<Error> first_;
};

}  // namespace oriel::core
