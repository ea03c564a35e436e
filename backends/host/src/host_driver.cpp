#include "host_driver.hpp"

#include "device_facts.hpp"
#include "host_event.hpp"
#include "host_executable.hpp"
#include "host_module.hpp"
#include "host_stream.hpp"
#include "stream_commands.hpp"

#include <new>
#include <string>
#include <system_error>
#include <utility>

namespace oriel::host {
namespace {

Capabilities host_capabilities() noexcept {
  Capabilities capabilities;
  capabilities.recording = RecordingMode::kBuilds;
  capabilities.fork_join = true;
  capabilities.update = true;
  capabilities.host_functions = true;
  capabilities.external_events = false;
  capabilities.event_timing = true;
  capabilities.double_precision = true;
  capabilities.printf_per_replay = true;
  capabilities.fill_pattern_bytes = 16;
  return capabilities;
}

// The handles that come in are those that went out.
HostStream& host(core::DriverStream& stream) noexcept {
  return static_cast<HostStream&>(stream);
}
EventState& host(core::DriverEvent& event) noexcept {
  return static_cast<HostEvent&>(event).state();
}
HostExecutable& host(core::DriverExecutable& executable) noexcept {
  return static_cast<HostExecutable&>(executable);
}
const LoadedKernel& host(const core::DriverKernel& kernel) noexcept {
  return static_cast<const LoadedKernel&>(kernel);
}

tl::unexpected<Error> no_memory(const char* what) {
  return fail(ErrorCode::kOutOfMemory,
              std::string("the host has no memory for ") + what + "; free some and try again");
}

Result<void> enqueued(std::uint64_t position) {
  if (position == 0) {
    return no_memory("another command");
  }
  return {};
}

// What `make` returns, or out_of_memory: no exception leaves a driver.
template <class Make>
auto guarded(const char* what, Make make) -> decltype(make()) {
  try {
    return make();
  } catch (const std::bad_alloc&) {
    return no_memory(what);
  } catch (const std::system_error& error) {
    return fail(ErrorCode::kOutOfMemory,
                std::string("the system can't serve ") + what + ": " + error.what());
  }
}

}  // namespace

Result<std::unique_ptr<core::GraphDriver>> HostDriver::open(std::uint32_t ordinal,
                                                            const HostOptions& options) {
  using Opened = Result<std::unique_ptr<core::GraphDriver>>;
  return guarded("a device", [&]() -> Opened {
    return std::make_unique<HostDriver>(device_facts(ordinal), Executor::start(options.workers));
  });
}

HostDriver::HostDriver(DeviceInfo info, std::shared_ptr<Executor> executor)
    : info_(std::move(info)), capabilities_(host_capabilities()), executor_(std::move(executor)) {}

HostDriver::~HostDriver() {
  executor_->stop();
}

// ---- Streams and events.

Result<std::unique_ptr<core::DriverStream>> HostDriver::create_stream() {
  return guarded("a stream", [&]() -> Result<std::unique_ptr<core::DriverStream>> {
    return std::make_unique<HostStream>(executor_);
  });
}

Result<void> HostDriver::wait_for(const Mark& mark) {
  if (!executor_->wait(mark)) {
    return fail(ErrorCode::kInvalidState,
                "a host function waits for work that comes after itself; wait outside of it");
  }
  return {};
}

bool HostDriver::passed(const Mark& mark) {
  if (mark.passed()) {
    return true;
  }
  executor_->hurry();
  return false;
}

Result<void> HostDriver::synchronize(core::DriverStream& stream) {
  return wait_for(host(stream).end());
}

Result<bool> HostDriver::query(core::DriverStream& stream) {
  return passed(host(stream).end());
}

Result<std::unique_ptr<core::DriverEvent>> HostDriver::create_event() {
  return guarded("an event", [&]() -> Result<std::unique_ptr<core::DriverEvent>> {
    return std::make_unique<HostEvent>(executor_);
  });
}

Result<void> HostDriver::record(core::DriverEvent& event, core::DriverStream& stream) {
  if (!host(event).record(host(stream).work())) {
    return no_memory("another command");
  }
  return {};
}

Result<void> HostDriver::wait(core::DriverStream& stream, core::DriverEvent& event) {
  WorkStream& work = host(stream).work();
  Mark mark = host(event).mark();
  if (mark.stream.get() == &work || mark.passed()) {
    return {};  // in order anyway
  }
  return enqueued(work.enqueue<Wait>(sizeof(Wait), std::move(mark)));
}

Result<bool> HostDriver::query(core::DriverEvent& event) {
  return passed(host(event).mark());
}

Result<void> HostDriver::synchronize(core::DriverEvent& event) {
  return wait_for(host(event).mark());
}

Result<double> HostDriver::elapsed(core::DriverEvent& from, core::DriverEvent& to) {
  return std::chrono::duration<double>(host(to).time() - host(from).time()).count();
}

// ---- Work.

Result<void> HostDriver::launch(core::DriverStream& stream, const core::LaunchCommand& command) {
  const LoadedKernel& kernel = host(*command.kernel);
  return enqueued(host(stream).work().enqueue<Launch>(Launch::bytes(kernel), kernel, command));
}

Result<void> HostDriver::copy(core::DriverStream& stream, const core::CopyCommand& command) {
  return enqueued(host(stream).work().enqueue<Copy>(sizeof(Copy), command));
}

Result<void> HostDriver::fill(core::DriverStream& stream, const core::FillCommand& command) {
  return enqueued(host(stream).work().enqueue<Fill>(sizeof(Fill), command));
}

Result<void> HostDriver::call_host(core::DriverStream& stream, const core::HostCommand& command) {
  return enqueued(host(stream).work().enqueue<CallHost>(sizeof(CallHost), command));
}

Result<std::unique_ptr<core::DriverModule>> HostDriver::load_module(const KernelBundle& bundle) {
  return guarded("a module", [&] { return HostModule::load(bundle); });
}

// ---- Capture: nothing reaches the driver before the close.

Result<void> HostDriver::begin(core::DriverStream& stream,
                               core::CaptureMode /*mode*/,
                               std::size_t /*expected_nodes*/) {
  if (host(stream).recording) {
    return fail(ErrorCode::kInvalidState, "the stream is recording already; instantiate first");
  }
  host(stream).recording = true;
  return {};
}

Result<core::Instantiated> HostDriver::instantiate(core::DriverStream& stream,
                                                   const core::Recording& recording,
                                                   bool doomed) {
  host(stream).recording = false;
  return guarded("a graph", [&]() -> Result<core::Instantiated> {
    core::Instantiated made;
    made.nodes = recording.node_count();
    if (!doomed) {
      made.executable = std::make_unique<HostExecutable>(recording);
    }
    return made;
  });
}

Result<void> HostDriver::upload(core::DriverExecutable& /*executable*/,
                                core::DriverStream& /*stream*/) {
  return {};
}

Result<void> HostDriver::replay(core::DriverExecutable& executable, core::DriverStream& stream) {
  return enqueued(host(stream).work().enqueue<Replay>(sizeof(Replay), host(executable).schedule()));
}

Result<void> HostDriver::update(core::DriverExecutable& executable,
                                NodeId node,
                                std::span<void* const> values) {
  return guarded("another version of the graph", [&]() -> Result<void> {
    host(executable).update(node, values);
    return {};
  });
}

}  // namespace oriel::host
