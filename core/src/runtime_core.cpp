#include "text.hpp"

#include <oriel/core/runtime.hpp>

#include <algorithm>
#include <utility>

/// Opening, closing, modules and the figures.

namespace oriel::core {

Result<std::shared_ptr<Runtime>> Runtime::open(std::unique_ptr<GraphDriver> driver,
                                               const RuntimeOptions& options) {
  if (driver == nullptr) {
    return fail(ErrorCode::kInvalidArgument, "a runtime needs a driver; this one is null");
  }
  if (options.shared_streams < 1 || options.shared_streams > 32) {
    return fail(ErrorCode::kInvalidArgument,
                "shared_streams must be 1 to 32, not " + std::to_string(options.shared_streams));
  }
  return std::make_shared<Runtime>(std::move(driver), options);
}

Runtime::Runtime(std::unique_ptr<GraphDriver> driver, const RuntimeOptions& options)
    : device_(std::move(driver)), options_(options) {
  // Stream numbers start at 1, as users count.
  logical_.emplace_back();
}

Runtime::~Runtime() {
  static_cast<void>(shut_down());
}

bool Runtime::closed() noexcept {
  Lock lock(device_);
  return closed_;
}

Result<void> Runtime::close() {
  if (inside_host_function()) {
    return fail(ErrorCode::kNotPermitted,
                "close was called from a host function; those must not call Oriel");
  }
  return shut_down();
}

/// In this order: no new calls; windows abandoned; work waited for; graphs, queues, modules and
/// events destroyed; last the streams and the driver, but for streams whose memory callers still
/// hold: those go with the last buffer.
Result<void> Runtime::shut_down() {
  Lock lock(device_);
  device_.changed.wait(lock.native(), [&] { return closed_ || !moving_any(); });
  if (closed_) {
    return fail(ErrorCode::kInvalidState, "the runtime was closed before");
  }
  closed_ = true;
  device_.for_each(device_.slots(), [&](DeviceStream& stream) {
    if (stream.capture.state() != WindowState::kIdle) {
      abandon_window(stream, lock);
    }
  });
  Result<void> waited = wait_for_all(lock);
  device_.wait_for_guests(lock);
  device_.set_closed();
  for (auto& graph : captures_.take_all()) {
    device_.bury(std::move(graph));
  }
  device_.for_each(device_.slots(), [&](DeviceStream& stream) {
    stream.infos.clear();
    device_.drain(stream);
    stream.drops.forget_fences();
    stream.order_event.reset();
    stream.fork_event.reset();
    stream.pool(MemoryKind::kDevice).trim();
    stream.pool(MemoryKind::kPinned).trim();
  });
  for (const auto& module : modules_) {
    if (auto loaded = module.lock()) {
      loaded->driver.reset();
    }
  }
  for (EventState* event : events_) {
    event->driver.reset();
  }
  device_.destroy_idle_streams();
  auto failed = report_failures();
  return waited ? std::move(failed) : std::move(waited);
}

bool Runtime::moving_any() noexcept {
  bool moving = false;
  device_.for_each(device_.slots(),
                   [&](DeviceStream& stream) { moving = moving || stream.capture.moving(); });
  return moving;
}

namespace {

Result<void> check_bundle(const KernelBundle& bundle) {
  for (const KernelSignature& kernel : bundle.kernels) {
    if (kernel.parameters.size() > KernelSignature::kMostParameters) {
      return fail(ErrorCode::kInvalidArgument,
                  "kernel " + in_quotes(kernel.name) + " has " +
                      std::to_string(kernel.parameters.size()) + " parameters; at most " +
                      std::to_string(KernelSignature::kMostParameters) + " are possible");
    }
  }
  return {};
}

}  // namespace

Result<std::shared_ptr<ModuleState>> Runtime::load(const KernelBundle& bundle) {
  Lock lock(device_);
  ORIEL_TRY(admit_call("load"));
  ORIEL_TRY(refuse_in_window("load"));
  ORIEL_TRY(check_bundle(bundle));
  auto loaded = std::shared_ptr<LoadedModule>(new LoadedModule, [this](LoadedModule* module) {
    --live_modules_;
    delete module;
  });
  ++live_modules_;
  loaded->bundle = bundle;
  auto driver = guarded([&] { return device_.driver().load_module(loaded->bundle); });
  if (!driver) {
    return fail(std::move(driver.error()));
  }
  loaded->driver = std::move(*driver);
  std::erase_if(modules_, [](const auto& module) { return module.expired(); });
  modules_.push_back(loaded);
  auto module = std::make_shared<ModuleState>();
  module->runtime = shared_from_this();
  module->loaded = std::move(loaded);
  return module;
}

ModuleState::~ModuleState() {
  if (runtime) {
    runtime->destroy_module(std::move(loaded));
  }
}

void Runtime::destroy_module(std::shared_ptr<LoadedModule> module) noexcept {
  Lock lock(device_);
  const std::uint64_t streams = module->streams;
  device_.retire(std::move(module), streams);
}

RuntimeStats Runtime::stats() {
  Lock lock(device_);
  RuntimeStats stats;
  device_.for_each(device_.slots(), [&](DeviceStream& stream) {
    const PoolStats device = stream.pool(MemoryKind::kDevice).stats();
    const PoolStats pinned = stream.pool(MemoryKind::kPinned).stats();
    stats.device_reserved += device.reserved;
    stats.device_in_use += device.in_use;
    stats.pinned_reserved += pinned.reserved;
    stats.pinned_in_use += pinned.in_use;
    stats.live_slices += device.live_slices + pinned.live_slices;
    stats.provider_allocations += device.provider_allocations + pinned.provider_allocations;
    stats.provider_releases += device.provider_releases + pinned.provider_releases;
  });
  stats.graph_device_bytes = device_.graph_bytes[static_cast<int>(MemoryKind::kDevice)];
  stats.graph_pinned_bytes = device_.graph_bytes[static_cast<int>(MemoryKind::kPinned)];
  stats.live_streams = live_logical_;
  stats.live_events = events_.size();
  stats.live_modules = live_modules_;
  stats.live_graphs = captures_.size();
  stats.open_windows = device_.active_windows();
  stats.queued_drops = device_.queued_drops();
  stats.claims = device_.claims();
  return stats;
}

}  // namespace oriel::core
