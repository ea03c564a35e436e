#include "attributed.hpp"

#include <oriel/core/backends.hpp>
#include <oriel/core/runtime.hpp>
#include <oriel/runtime.hpp>

#include <utility>

namespace oriel {

Result<Runtime> Runtime::open(std::string_view device, const RuntimeOptions& options) {
  auto driver = attributed("open", core::open_device(device, options));
  if (!driver) {
    return fail(std::move(driver.error()));
  }
  return open(std::move(*driver), options);
}

Result<Runtime> Runtime::open(std::unique_ptr<core::GraphDriver> driver,
                              const RuntimeOptions& options) {
  auto core = attributed("open", core::Runtime::open(std::move(driver), options));
  if (!core) {
    return fail(std::move(core.error()));
  }
  return Runtime(std::move(*core));
}

Result<Stream> Runtime::create_stream(const StreamOptions& options) const {
  auto id = attributed("create_stream", core_->create_stream(options));
  if (!id) {
    return fail(std::move(id.error()));
  }
  return Stream(core_, *id);
}

Result<Event> Runtime::create_event() const {
  auto event = attributed("create_event", core_->create_event());
  if (!event) {
    return fail(std::move(event.error()));
  }
  return Event(std::move(*event));
}

Result<Module> Runtime::load(const KernelBundle& bundle) const {
  auto module = attributed("load", core_->load(bundle));
  if (!module) {
    return fail(std::move(module.error()));
  }
  return Module(std::move(*module));
}

Result<void> Runtime::synchronize() const {
  return attributed("synchronize", core_->synchronize());
}

Result<std::size_t> Runtime::trim() const {
  return attributed("trim", core_->trim());
}

Result<void> Runtime::set_limit(Limit limit, std::size_t bytes) const {
  return attributed("set_limit", core_->set_limit(limit, bytes));
}

const DeviceInfo& Runtime::info() const noexcept {
  return core_->info();
}

const Capabilities& Runtime::capabilities() const noexcept {
  return core_->capabilities();
}

RuntimeStats Runtime::stats() const {
  return core_->stats();
}

Result<void> Runtime::close() const {
  return attributed("close", core_->close());
}

}  // namespace oriel
