#pragma once

#include "call_log.hpp"
#include "capture.hpp"
#include "context.hpp"
#include "event.hpp"
#include "executable.hpp"
#include "graph.hpp"
#include "memory.hpp"
#include "module.hpp"
#include "options.hpp"
#include "rules.hpp"
#include "stream.hpp"
#include "violations.hpp"

#include <array>
#include <condition_variable>
#include <cstddef>
#include <memory>
#include <mutex>
#include <string_view>
#include <vector>

namespace oriel::emulator {

/// The state of the whole emulated driver, behind one lock. It is made at first use and never
/// destroyed, since calls and workers may come as long as the process lives.
///
/// Everything is done under `mutex`, but for running kernels, host functions and copies. Functions
/// that get a Machine expect it held.
struct Machine {
  static Machine& instance();

  /// After the option of this name was set.
  void follow_options(std::string_view name);

  std::mutex mutex;
  std::condition_variable progress;  ///< Some work was done.

  const Rules& rules = vendor_rules();
  Options options;
  CallLog log;
  Faults faults;
  Violations violations;
  Memory memory{options, violations};

  bool initialized = false;
  bool exiting = false;       ///< No work is started any more, no call answered.
  std::size_t workers = 0;    ///< Threads.
  std::uint64_t lose_in = 0;  ///< Calls until the device is lost; 0: never.
  bool lost = false;
  std::size_t pinned_bytes = 0;
  std::uint64_t capture_ids = 0;

  std::array<Device, Options::kMaxDevices> devices;
  HandleTable<Context> contexts{1};
  HandleTable<Stream> streams{2};
  HandleTable<Event> events{3};
  HandleTable<Module> modules{4};
  HandleTable<Kernel> kernels{5};
  HandleTable<Graph> graphs{6};
  HandleTable<Node> nodes{7};
  HandleTable<Executable> executables{8};
  std::vector<std::shared_ptr<Capture>> captures;         ///< Under way.
  std::vector<std::shared_ptr<Context>> former_contexts;  ///< Destroyed; see Context.

 private:
  Machine();
};

/// What belongs to a calling thread.
struct ThreadState {
  std::uint64_t number = 0;  ///< From 1.
  CaptureMode mode = CaptureMode::kGlobal;
  bool in_host_function = false;
  std::vector<Context*> contexts;  ///< The stack; the last is the current one.
};
[[nodiscard]] ThreadState& this_thread() noexcept;

// Streams.

/// Makes one that isn't in the table of handles yet.
[[nodiscard]] std::shared_ptr<Stream> make_stream(Context& context, StreamKind kind, bool blocking);
/// The calling thread's own.
[[nodiscard]] Stream& per_thread_stream(Context& context);
/// Captures the work, or enqueues it. The stream is admitted.
Ticket submit(Machine& machine, Stream& stream, NodeKind kind, WorkRef work);
/// Enqueues it on a stream that isn't capturing.
Ticket enqueue(Machine& machine, Stream& stream, WorkRef work, std::vector<Ticket> after = {});
/// Waits until it has passed; the lock is let go meanwhile. False when the process ends first.
bool wait_for(Machine& machine, std::unique_lock<std::mutex>& lock, const Ticket& ticket);
/// All streams of the context that a call can reach, and closed ones at work.
[[nodiscard]] std::vector<Stream*> streams_of(Machine& machine, Context& context);
/// Waits for all streams of the context, as it was at the call.
bool drain(Machine& machine, std::unique_lock<std::mutex>& lock, Context& context);
/// Nobody uses it any more; its work is still done.
void close_stream(Machine& machine, Stream& stream);

// Events.

[[nodiscard]] Situation record_event(Machine& machine,
                                     const std::shared_ptr<Event>& event,
                                     Stream& stream,
                                     bool external);
[[nodiscard]] Situation wait_event(Machine& machine,
                                   Stream& stream,
                                   const std::shared_ptr<Event>& event,
                                   bool external);
/// Records all work of the context so far, and lets all later work wait; nothing captures there.
Situation record_context(Machine& machine, const std::shared_ptr<Event>& event, Context& context);
Situation wait_context(Machine& machine, Context& context, const Event& event);
/// What a query, a wait on the host and the like meet.
[[nodiscard]] Situation admit_event(Machine& machine, Event& event);

// Memory.

/// Allocates at once. Null with the reason in `situation`.
[[nodiscard]] BlockRef allocate_now(
    Machine& machine, BlockKind kind, std::size_t bytes, Device& device, Situation& situation);
/// The same, but some work is yet to make it live.
[[nodiscard]] BlockRef reserve_now(
    Machine& machine, BlockKind kind, std::size_t bytes, Device& device, Situation& situation);
/// An address for a graph's node; memory is taken for it by launches. Null when there is none.
[[nodiscard]] BlockRef reserve_for_graph(Machine& machine, std::size_t bytes, const Device& device);
/// Gives the bytes back that a device block took, at the call that frees it.
void release_bytes(Machine& machine, Block& block);

/// What tests ask of the driver.
[[nodiscard]] const Control& control() noexcept;

// Errors of work.

/// Notes a broken rule and sets the context's error.
void fail_work(Machine& machine, Context& context, Situation error, std::string text);

}  // namespace oriel::emulator
