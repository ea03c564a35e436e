#include "fixture.hpp"
#include "host_provider.hpp"

#include <oriel/core/plugin.hpp>

#include <limits>
#include <string_view>

namespace oriel::host {

const core::PluginDescriptor* plugin() noexcept;

TEST_CASE("The plugin describes itself, is always available and lists two devices") {
  const core::PluginDescriptor& descriptor = *plugin();
  CHECK(descriptor.struct_size == sizeof(core::PluginDescriptor));
  CHECK(descriptor.abi == core::kPluginAbi);
  CHECK(std::string_view(descriptor.name) == "host");
  CHECK(std::string_view(descriptor.build_tag) == core::build_tag());
  CHECK(descriptor.probe(default_log()));
  const auto devices = taken(descriptor.list(default_log()));
  REQUIRE(devices.size() == 2);
  for (std::uint32_t ordinal = 0; ordinal < 2; ++ordinal) {
    CHECK(devices[ordinal].backend == "host");
    CHECK(devices[ordinal].ordinal == ordinal);
    CHECK_FALSE(devices[ordinal].name.empty());
    CHECK(devices[ordinal].memory_bytes > 0);
    CHECK_FALSE(devices[ordinal].emulated);
  }
}

TEST_CASE("Host devices are made on demand, up to number 63") {
  const core::PluginDescriptor& descriptor = *plugin();
  CHECK(taken(descriptor.open(63, default_log()))->info().ordinal == 63);
  const auto beyond = descriptor.open(64, default_log());
  REQUIRE_FALSE(beyond);
  CHECK(beyond.error().code == ErrorCode::kInvalidArgument);
  CHECK(beyond.error().message.find("64") != std::string::npos);
}

TEST_CASE("The host builds graphs and can do all but signal events out of them") {
  const Device device;
  const Capabilities& capabilities = device.driver->capabilities();
  CHECK(capabilities.recording == RecordingMode::kBuilds);
  CHECK(capabilities.fork_join);
  CHECK(capabilities.update);
  CHECK(capabilities.host_functions);
  CHECK(capabilities.event_timing);
  CHECK(capabilities.double_precision);
  CHECK(capabilities.printf_per_replay);
  CHECK_FALSE(capabilities.external_events);
  CHECK(capabilities.fill_pattern_bytes == 16);
}

TEST_CASE("A bundle without a host image of a kernel is refused, naming what it has") {
  const Device device;
  KernelBundle bundle;
  bundle.name = "elsewhere";
  bundle.kernels.push_back({"axpy", {}, false});
  bundle.images.push_back({ImageFormat::kPtx, "sm_80", {}});
  const auto loaded = device.driver->load_module(bundle);
  REQUIRE_FALSE(loaded);
  CHECK(loaded.error().code == ErrorCode::kUnsupported);
  CHECK(loaded.error().message.find("axpy") != std::string::npos);
  CHECK(loaded.error().message.find("PTX") != std::string::npos);
}

TEST_CASE("A hand-made bundle may list its host images in another order") {
  const Device device;
  KernelBundle bundle = host_kernels::bundle();
  std::reverse(bundle.host.begin(), bundle.host.end());
  CHECK(device.driver->load_module(bundle));
}

TEST_CASE(
    "Host memory of both kinds is aligned and writable, and only pinned memory has a host view") {
  const MemoryKind kind = GENERATE(MemoryKind::kDevice, MemoryKind::kPinned);
  HostProvider provider(kind);
  CHECK(provider.kind() == kind);
  CHECK(provider.alignment() == 64);
  const alloc::Block block = taken(provider.allocate(provider.granularity()));
  CHECK(block.address % provider.alignment() == 0);
  CHECK(block.bytes >= provider.granularity());
  CHECK((block.host != nullptr) == (kind == MemoryKind::kPinned));
  std::memset(reinterpret_cast<void*>(block.address), 1, block.bytes);
  provider.release(block);
}

TEST_CASE("More memory than there can be is out_of_memory, also where sizes would wrap") {
  constexpr std::size_t kMost = std::numeric_limits<std::size_t>::max();
  HostProvider provider(MemoryKind::kDevice);
  const Device device;
  const auto stream = device.stream();
  for (const std::size_t bytes :
       {kMost, kMost - 4096, kMost - 4095, kMost / 2 + 1, std::size_t{1} << 60}) {
    CAPTURE(bytes);
    const auto block = provider.allocate(bytes);
    REQUIRE_FALSE(block);
    CHECK(block.error().code == ErrorCode::kOutOfMemory);
    CHECK(block.error().native.name == "ENOMEM");
    const auto slice = stream->device_pool().allocate(bytes, 0);
    REQUIRE_FALSE(slice);
    CHECK(slice.error().code == ErrorCode::kOutOfMemory);
  }
}

TEST_CASE("A stream brings a pool of each kind") {
  const Device device;
  const auto stream = device.stream();
  CHECK(stream->native_handle() == nullptr);
  CHECK(stream->device_pool().kind() == MemoryKind::kDevice);
  CHECK(stream->pinned_pool().kind() == MemoryKind::kPinned);
  core::Slice* slice = taken(stream->device_pool().allocate(1000, 0));
  CHECK(slice->address % 64 == 0);
  slice->references = 0;
  stream->device_pool().release(*slice);
}

}  // namespace oriel::host
