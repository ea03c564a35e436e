#pragma once

#include <oriel/graph.hpp>
#include <oriel/options.hpp>
#include <oriel/refused.hpp>

#include <cstdint>
#include <memory>

namespace oriel {

class Stream;

/// A graph, or why there is none.
using CaptureResult = tl::expected<Graph, Refused>;

/// The three steps of a window on one stream, closed whatever happens. Out of order each step
/// refuses with `invalid_state` and changes nothing.
///
/// A window that goes out of scope while open (an exception passes, say) is abandoned: nothing that
/// it recorded runs, nothing is claimed, the stream is idle. It never closes a window that it does
/// not own any more.
class Window {
 public:
  explicit Window(const Stream& stream) noexcept;
  Window(const Window&) = delete;
  Window& operator=(const Window&) = delete;
  ~Window();

  /// Arms the stream's pools. Then run the step once, for real: the warm-up. Errors:
  /// `invalid_state` (a window is open), `stream_busy` (another logical stream's is).
  [[nodiscard]] Result<void> prepare(const WindowOptions& options = {});
  /// Ends one warm-up pass and starts another; only the last one counts. Waits for the stream.
  [[nodiscard]] Result<void> warmup_pass();
  /// Opens the window: from here work is recorded, not run. Waits for the warm-up. On the driver's
  /// refusal the window is undone, so that prepare may be called again.
  [[nodiscard]] Result<void> begin();
  /// Closes the window, whatever state it is in.
  [[nodiscard]] CaptureResult instantiate();

  /// Refuses the window's graph for a reason of the caller's: instantiate answers with it unless
  /// something went wrong before. For a step that gave up half way.
  void doom(Error error) noexcept;

 private:
  std::shared_ptr<core::Runtime> runtime_;
  StreamId stream_;
  std::uint64_t serial_ = 0;  // the window this object prepared, 0 if none or closed
};

}  // namespace oriel
