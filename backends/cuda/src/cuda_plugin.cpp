#include "cuda_api.hpp"
#include "cuda_errors.hpp"

#include <oriel/core/plugin.hpp>
#include <oriel/stream_capture/driver.hpp>

#include <string>
#include <vector>

namespace oriel::cuda {
namespace {

Result<void> probe(LogSink& /*log*/) {
  auto library = DriverLibrary::open();
  if (!library) {
    return fail(std::move(library.error()));
  }
  return {};
}

Result<std::vector<DeviceInfo>> list(LogSink& /*log*/) {
  auto library = DriverLibrary::open();
  if (!library) {
    return fail(std::move(library.error()));
  }
  auto count = device_count(**library);
  if (!count) {
    return fail(std::move(count.error()));
  }
  std::vector<DeviceInfo> devices;
  for (std::uint32_t ordinal = 0; ordinal < *count; ++ordinal) {
    auto info = device_info(**library, ordinal);
    if (!info) {
      return fail(std::move(info.error()));
    }
    devices.push_back(std::move(*info));
  }
  return devices;
}

Result<std::unique_ptr<core::GraphDriver>> open(std::uint32_t ordinal, LogSink& log) {
  auto library = DriverLibrary::open();
  if (!library) {
    return fail(std::move(library.error()));
  }
  auto count = device_count(**library);
  if (!count) {
    return fail(std::move(count.error()));
  }
  if (ordinal >= *count) {
    return fail(ErrorCode::kInvalidArgument,
                "there is no device cuda:" + std::to_string(ordinal) + "; there are " +
                    std::to_string(*count) + ", from cuda:0");
  }
  auto api = CudaApi::open(std::move(*library), ordinal);
  if (!api) {
    return fail(std::move(api.error()));
  }
  return std::make_unique<stream_capture::CaptureDriver<CudaApi>>(std::move(*api), log);
}

}  // namespace

/// The backend's descriptor, for the core's list of linked backends and for the plugin.
const core::PluginDescriptor* plugin() noexcept;

const core::PluginDescriptor* plugin() noexcept {
  static const core::PluginDescriptor descriptor = [] {
    core::PluginDescriptor made;
    made.name = "cuda";
    made.build_tag = core::build_tag();
    made.probe = &probe;
    made.list = &list;
    made.open = &open;
    return made;
  }();
  return &descriptor;
}

}  // namespace oriel::cuda
