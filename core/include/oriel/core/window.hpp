#pragma once

#include <oriel/core/device.hpp>
#include <oriel/core/graph.hpp>
#include <oriel/refused.hpp>

#include <memory>

namespace oriel::core {

/// A capture window on one device stream: arming its pools before it opens, opening it, and making
/// a graph of what it recorded. The three steps are ordered, and StreamCapture refuses them out of
/// order; this type is where each one's shared half lives.
///
/// Made for one call, under the runtime's lock; begin lets go of it while it waits.
class Window {
 public:
  Window(Device& device, DeviceStream& stream, Lock& lock) noexcept
      : device_(device), stream_(stream), lock_(lock) {}

  /// Arms both pools before the warm-up run: from here until the window closes every allocation is
  /// capture memory, and the info cache keeps everything. Error: `invalid_state`.
  [[nodiscard]] Result<void> prepare(StreamId owner, const WindowOptions& options = {});
  /// Ends one warm-up pass and begins another. Errors: `invalid_state`, and what the wait reports.
  [[nodiscard]] Result<void> warmup_pass();
  /// Waits for the warm-up and everything that touched its memory, frees what it held, and asks the
  /// driver to record. On any error but `invalid_state` the window is undone: pools disarmed, state
  /// idle, so that prepare may be called again.
  [[nodiscard]] Result<void> begin();
  /// Closes the window and makes a graph. The window leaves capture mode first, so nothing that
  /// follows can wedge the stream. A caller that is not the owner closes it all the same, and is
  /// refused.
  [[nodiscard]] tl::expected<std::unique_ptr<Graph>, Refused> instantiate(StreamId caller);
  /// Closes the window without a graph and without claims: nothing happened.
  void abandon() noexcept;

 private:
  using Closed = tl::expected<std::unique_ptr<Graph>, Refused>;

  [[nodiscard]] Result<void> wait_for_warmup();
  void release_members() noexcept;
  void note_submissions() noexcept;
  [[nodiscard]] Result<void> check_close(StreamId caller) const;
  void judge(StreamId caller);
  void doom_unjoined(std::uint64_t lanes);
  void doom_empty();
  void check_counts(const Recording& recording, const Instantiated& made);
  [[nodiscard]] Refused refuse(Graph& graph);
  void order_forks() noexcept;
  [[nodiscard]] std::vector<WrittenSlice> claim_outputs(const Graph& graph, const Error& error);
  [[nodiscard]] std::vector<SliceRef> take_pins();
  void dismantle() noexcept;

  Device& device_;
  DeviceStream& stream_;
  Lock& lock_;
};

}  // namespace oriel::core
