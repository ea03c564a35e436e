#pragma once

#include "graph.hpp"
#include "stream.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace oriel::emulator {

enum class CaptureMode : std::uint8_t { kGlobal, kThreadLocal, kRelaxed };

/// One capture sequence: the stream it began on, those that joined it, and the graph it writes.
///
/// Invariant: it is in the machine's list from its begin to its end, and exactly the streams in
/// `members` point to it in that time; the first of them is its origin. Once invalidated it stays
/// so.
struct Capture {
  std::uint64_t id = 0;  ///< Unlike for all of the process.
  CaptureMode mode = CaptureMode::kGlobal;
  std::uint64_t thread = 0;  ///< That began it.
  Context* context = nullptr;
  std::shared_ptr<Graph> graph;
  bool into_graph = false;  ///< The graph is the program's own.
  bool invalidated = false;
  bool ended = false;
  std::vector<Stream*> members;
};

/// What a call is about to do with a stream.
enum class Use : std::uint8_t {
  kWork,    ///< Enqueue, query, wait.
  kAsk,     ///< Only ask for the state of its capture.
  kBegin,   ///< Begin a capture.
  kEnd,     ///< End one.
  kHandle,  ///< Nothing but its properties.
};

struct BeginRequest {
  CaptureMode mode = CaptureMode::kGlobal;
  std::uint64_t thread = 0;
  std::shared_ptr<Graph> graph;  ///< Null: a new one.
  std::vector<Edge> after;       ///< In it.
};

[[nodiscard]] bool is_captured(const Event& event) noexcept;

/// Answers with what the situation's rule says: the captures are invalidated, or not.
Situation break_captures(Situation situation, std::span<Capture* const> captures) noexcept;
Situation break_capture(Situation situation, Capture& capture) noexcept;

/// Whether the stream may be used so at all: the legacy stream beside captures, invalidated
/// captures.
[[nodiscard]] Situation admit(Machine& machine, Stream& stream, Use use);
/// The same for a potentially unsafe call on this thread, which answers `situation` if it is
/// restricted.
[[nodiscard]] Situation admit_unsafe(Machine& machine,
                                     Situation situation,
                                     std::uint64_t thread,
                                     CaptureMode thread_mode);
/// The same for what concerns all of a context.
[[nodiscard]] Situation admit_context(Machine& machine,
                                      Situation situation,
                                      const Context& context);

[[nodiscard]] Situation begin_capture(Machine& machine, Stream& stream, BeginRequest request);
/// `graph` is null unless it succeeds.
[[nodiscard]] Situation end_capture(Machine& machine,
                                    Stream& stream,
                                    std::uint64_t thread,
                                    std::shared_ptr<Graph>& graph);
/// Puts work behind what the stream has captured.
void capture_work(Machine& machine, Stream& stream, NodeKind kind, WorkRef work);

}  // namespace oriel::emulator
