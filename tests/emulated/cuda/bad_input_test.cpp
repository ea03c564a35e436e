// Libraries, drivers, devices, images and memory that are not as they should be.

#include "fixture.hpp"
#include "suite_kernels.hpp"

#include <array>
#include <cstring>

#include <dlfcn.h>

namespace oriel::emulated {
namespace {

Error opening(const char* device = "cuda") {
  driver();
  auto runtime = Runtime::open(device);
  REQUIRE_FALSE(runtime);
  return runtime.error();
}

std::string reason_in_list() {
  for (const BackendStatus& status : list_backends()) {
    if (status.name == "cuda") {
      CHECK_FALSE(status.available);
      return status.reason;
    }
  }
  return "not listed";
}

TEST_CASE("the emulated driver is shown to be one") {
  driver();
  for (const BackendStatus& status : list_backends()) {
    if (status.name == "cuda") {
      REQUIRE(status.devices.size() == 2);
      CHECK(status.devices[0].emulated);
      CHECK(status.devices[0].driver_version == "13.0");
      CHECK(status.devices[1].ordinal == 1);
    }
  }
}

TEST_CASE("no libcuda is unavailable, with the places that were searched") {
  if (void* installed = ::dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL)) {
    CHECK(::dlclose(installed) == 0);  // this machine has one: nothing is missing
  } else {
    const OtherLibrary none(nullptr);
    const Error error = opening();
    CHECK(error.code == ErrorCode::kUnavailable);
    CHECK(contains(error.message, "libcuda.so.1 not found"));
    CHECK(contains(error.message, "ORIEL_CUDA_LIBRARY"));
    CHECK(contains(reason_in_list(), "libcuda.so.1 not found"));
  }
  const OtherLibrary nowhere("/nowhere/libcuda.so.1");
  CHECK(opening().code == ErrorCode::kUnavailable);
  CHECK(contains(opening().message, "/nowhere/libcuda.so.1"));
}

TEST_CASE("the toolkit's stub is unavailable, and said to be the stub") {
  driver();
  const Option stub("stub", "1", "0");
  const Error error = opening();
  CHECK(error.code == ErrorCode::kUnavailable);
  CHECK(error.native.value == 34);
  CHECK(contains(error.message, "stub"));
}

TEST_CASE("a driver without a device is unavailable") {
  driver();
  const Option none("devices", "0", "2");
  const Error error = opening();
  CHECK(error.code == ErrorCode::kUnavailable);
  CHECK(contains(error.to_string(), "no device"));
}

TEST_CASE("a driver that is too old is incompatible, with both versions") {
  driver();
  const Option old("driver_version", "11080", "13000");
  const Error error = opening();
  CHECK(error.code == ErrorCode::kIncompatible);
  CHECK(contains(error.message, "11.8"));
  CHECK(contains(error.message, "12.0"));
}

TEST_CASE("a library that lacks required functions is incompatible, and all are named") {
  const OtherLibrary other(ORIEL_TEST_VENDORS "/whole.so");
  const Error error = opening();
  CHECK(error.code == ErrorCode::kIncompatible);
  for (const char* name : {"cuInit",
                           "cuMemAlloc_v2",
                           "cuStreamBeginCapture_v2",
                           "cuGraphExecKernelNodeSetParams_v2"}) {
    CHECK(contains(error.message, name));
  }
  CHECK_FALSE(contains(error.message, "cuFuncLoad"));  // a feature, not a need
}

TEST_CASE("a device that there is not is an invalid argument that says how many there are") {
  const Error error = opening("cuda:2");
  CHECK(error.code == ErrorCode::kInvalidArgument);
  CHECK(contains(error.message, "there are 2"));
}

TEST_CASE("kernels for another architecture are unsupported") {
  driver();
  const Option older("architecture", "70", "90");  // older than any image that is made
  const Runtime runtime = must(Runtime::open("cuda"));
  const auto module = runtime.load(suite_kernels::bundle());
  REQUIRE(code_of(module) == "unsupported");
  CHECK(module.error().native.value == 209);
  CHECK(contains(module.error().message, "architecture"));
}

TEST_CASE("a bundle without a usable image is unsupported and says what it has") {
  driver();
  const Runtime runtime = must(Runtime::open("cuda"));
  SECTION("no image at all") {
    KernelBundle bundle = suite_kernels::bundle();
    bundle.images.clear();
    CHECK(code_of(runtime.load(bundle)) == "unsupported");
  }
  SECTION("an image of another vendor's") {
    KernelBundle bundle = suite_kernels::bundle();
    bundle.images = {{ImageFormat::kSpirv, "", bundle.images.front().bytes}};
    const auto module = runtime.load(bundle);
    REQUIRE(code_of(module) == "unsupported");
    CHECK(contains(module.error().message, "SPIR-V"));
  }
  SECTION("an image that is nothing") {
    static constexpr std::array<std::byte, 64> kZeros{};
    KernelBundle bundle = suite_kernels::bundle();
    bundle.images = {{ImageFormat::kFatbin, "", kZeros}};
    const auto module = runtime.load(bundle);
    REQUIRE(code_of(module) == "unsupported");
    CHECK(module.error().native.value == 200);
  }
  SECTION("an image without one of the kernels") {
    KernelBundle bundle = suite_kernels::bundle();
    KernelSignature more = bundle.kernels.front();
    more.name = "not_compiled";
    bundle.kernels.push_back(more);
    const auto module = runtime.load(bundle);
    REQUIRE(code_of(module) == "unsupported");
    CHECK(contains(module.error().message, "not_compiled"));
  }
}

TEST_CASE("memory that ran out is out_of_memory at each kind of call") {
  World world;
  Fixture& fixture = world.fixture;
  Stream& s = world.s;
  const Runtime& runtime = fixture.runtime();
  const Words d = fixture.words(s, 1);
  const auto out_of_memory = [&](const char* function, const auto& action) {
    INFO(function);
    driver().control().fail_call(function, 1, 2, true);
    const auto result = action();
    CHECK(driver().control().fault_hit());
    driver().control().clear_faults();
    CHECK(code_of(result) == "out_of_memory");
    must(s.fill(d, 1));
  };
  out_of_memory("cuMemAlloc_v2", [&] { return s.allocate<Word>(1 << 22); });
  out_of_memory("cuMemHostAlloc", [&] { return s.allocate_pinned<Word>(1 << 22); });
  out_of_memory("cuModuleLoadData", [&] { return runtime.load(suite_kernels::bundle()); });
  out_of_memory("cuStreamCreate", [&] { return runtime.create_stream({.exclusive = true}); });
  out_of_memory("cuEventCreate", [&] { return runtime.create_event(); });
  const auto capture = [&] { return s.capture([&](Stream& it) { return it.fill(d, 1); }); };
  out_of_memory("cuGraphInstantiateWithFlags", capture);
  out_of_memory("cuGraphUpload", capture);
  fixture.recovery_check(s);
}

TEST_CASE("a device whose memory is full says so, and works once some is free") {
  World world;
  Stream& s = world.s;
  const Option small("memory_bytes", "67108864", "8589934592");
  Words most = must(s.allocate<Word>(std::size_t{10} << 20));
  const auto more = s.allocate<Word>(std::size_t{10} << 20);
  REQUIRE(code_of(more) == "out_of_memory");
  CHECK(more.error().native.name == "CUDA_ERROR_OUT_OF_MEMORY");
  most = {};
  CHECK(code_of(s.allocate<Word>(std::size_t{12} << 20)) == "ok");
}

TEST_CASE("an update that CUDA refuses leaves the graph as it was") {
  World world;
  Fixture& fixture = world.fixture;
  Stream& s = world.s;
  const Words d = fixture.words(s, 0);
  const Words x = fixture.words(s, 1);
  Graph graph = must_graph(s.capture([&](Stream& it) { return fixture.scale_add(it, d, x, 2); }));
  driver().control().fail_call("cuGraphExecKernelNodeSetParams_v2", 1, 910, false);
  const Result<void> refused = graph.update(0, inout(d), in(x), Word{5});
  driver().control().clear_faults();
  REQUIRE(code_of(refused) == "driver_error");
  CHECK(refused.error().native.name == "CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE");
  must(graph.replay(s));
  fixture.expect(s, d, 4);
  must(graph.update(0, inout(d), in(x), Word{5}));
  must(graph.replay(s));
  fixture.expect(s, d, 9);
}

TEST_CASE("a driver that answers success and does nothing is found out") {
  World world;
  Fixture& fixture = world.fixture;
  Stream& s = world.s;
  const Words d = fixture.words(s, 1);
  fixture.sync(s);
  const emulator::Control& control = driver().control();
  Window window(s);
  fixture.open(window);
  must(fixture.inc(s, d));
  SECTION("launches: the nodes are counted") {
    control.pretend("cuLaunchKernel");
    must(fixture.inc(s, d));
    control.clear_faults();
    const auto closed = window.instantiate();
    REQUIRE(code_of(closed) == "doomed");
    CHECK(contains(closed.error().error.message, "1 node(s) where 2"));
  }
  SECTION("the close: there is no graph") {
    auto* const before = static_cast<CUstream>(must(s.native_handle()));
    control.pretend("cuStreamEndCapture");
    const auto closed = window.instantiate();
    control.clear_faults();
    let_go(before);
    fixture.breaks_rules();  // a stream was destroyed while it was captured
    REQUIRE(code_of(closed) == "driver_error");
    CHECK(contains(closed.error().error.message, "made nothing"));
  }
  SECTION("instantiating: there is no executable") {
    control.pretend("cuGraphInstantiateWithFlags");
    const auto closed = window.instantiate();
    control.clear_faults();
    REQUIRE(code_of(closed) == "driver_error");
    CHECK(contains(closed.error().error.message, "made nothing"));
  }
  must(s.fill(d, 1));
  fixture.recovery_check(s);
  for (const char* function : {"cuStreamCreate", "cuEventCreate", "cuMemAlloc_v2"}) {
    INFO(function);
    control.pretend(function);
    const std::string made = std::string(function) == "cuMemAlloc_v2"
                                 ? code_of(s.allocate<Word>(1 << 22))
                             : std::string(function) == "cuStreamCreate"
                                 ? code_of(fixture.runtime().create_stream({.exclusive = true}))
                                 : code_of(fixture.runtime().create_event());
    control.clear_faults();
    CHECK(made == "driver_error");
  }
}

TEST_CASE("a driver that answers success to everything gives no runtime") {
  driver().control().pretend("");
  const auto runtime = Runtime::open("cuda");
  driver().control().clear_faults();
  CHECK_FALSE(runtime);
}

TEST_CASE("a lost device is device_lost in every call, and closing is no trouble") {
  driver();
  std::optional<Runtime> runtime = must(Runtime::open("cuda"));
  std::optional<Stream> s = must(runtime->create_stream());
  const Module module = must(runtime->load(suite_kernels::bundle()));
  const Kernel inc = must(module.kernel("inc"));
  Words d = must(s->allocate<Word>(64));
  must(s->fill(d, 1));
  const auto step = [&](Stream& it) { return it.launch(inc, {1, 64, {}}, inout(d)); };
  std::optional<Graph> graph = must_graph(s->capture(step));
  must(s->synchronize());
  driver().control().fail_call("", 1, 700, true);
  CHECK(code_of(step(*s)) == "device_lost");
  CHECK(code_of(s->fill(d, 1)) == "device_lost");
  CHECK(code_of(s->synchronize()) == "device_lost");
  CHECK(code_of(s->read(d)) == "device_lost");
  CHECK(code_of(graph->replay(*s)) == "device_lost");
  CHECK(code_of(s->capture([&](Stream& it) { return it.fill(d, 1); })) == "device_lost");
  const auto more = s->allocate<Word>(1 << 22);
  REQUIRE(code_of(more) == "device_lost");
  CHECK(more.error().native.value == 700);
  CHECK(s->window_state() == WindowState::kIdle);
  static_cast<void>(runtime->close());
  graph.reset();
  d = {};
  s.reset();
  runtime.reset();
  driver().control().clear_faults();
  CHECK(code_of(Runtime::open("cuda")) == "ok");
}

}  // namespace
}  // namespace oriel::emulated
