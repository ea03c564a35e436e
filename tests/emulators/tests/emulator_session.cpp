#include "emulator_session.hpp"

#include "support/catch.hpp"

#include <stdexcept>
#include <utility>

#include <dlfcn.h>

namespace oriel::emulator::test {
namespace {

void* library() {
  static void* handle = dlopen(ORIEL_EMULATED_CUDA, RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) {
    throw std::runtime_error("There is no " ORIEL_EMULATED_CUDA ".");
  }
  return handle;
}

constexpr std::pair<const char*, const char*> kDefaults[] = {
    {"delay_us", "20"},
    {"memory_bytes", "8589934592"},
    {"pinned_bytes", "8589934592"},
    {"driver_version", "13000"},
    {"devices", "2"},
    {"architecture", "90"},
    {"stub", "0"},
    {"sticky", "1"},
    {"lose_device_after", "0"},
};

void reset() {
  for (const auto& [name, value] : kDefaults) {
    REQUIRE(control().set_option(name, value));
  }
  control().clear_faults();
  control().clear_log();
  control().clear_violations();
}

}  // namespace

void* find_symbol(const char* name) {
  return dlsym(library(), name);
}

void* require_symbol(const char* name) {
  void* symbol = find_symbol(name);
  if (symbol == nullptr) {  // no check of Catch's: any thread may ask
    throw std::runtime_error(std::string("The library has no ") + name + ".");
  }
  return symbol;
}

const Control& control() {
  return *resolve<decltype(oriel_emulator)>("oriel_emulator")();
}

std::string kernel_image(int architecture) {
  return ".version 7.0\n.target sm_" + std::to_string(architecture) + R"(
.address_size 64
.visible .entry emulator_fill() { ret; }
.visible .entry emulator_add() { ret; }
.visible .entry emulator_copy() { ret; }
.visible .entry emulator_stray() { ret; }
)";
}

Session::Session() {
  reset();
  REQUIRE(CU(cuInit)(0) == CUDA_SUCCESS);
  REQUIRE(CU(cuDevicePrimaryCtxRetain)(&context_, 0) == CUDA_SUCCESS);
  REQUIRE(CU(cuCtxSetCurrent)(context_) == CUDA_SUCCESS);
}

Session::~Session() {
  const char* violation = control().violation(0);
  CHECK(std::string(violation != nullptr ? violation : "") == "");
  reset();
  CHECK(CU(cuCtxSynchronize)() == CUDA_SUCCESS);
  for (CUgraphExec executable : executables_) {
    CHECK(CU(cuGraphExecDestroy)(executable) == CUDA_SUCCESS);
  }
  for (CUgraph graph : graphs_) {
    CHECK(CU(cuGraphDestroy)(graph) == CUDA_SUCCESS);
  }
  for (CUdeviceptr memory : memory_) {
    CHECK(CU(cuMemFree_v2)(memory) == CUDA_SUCCESS);
  }
  for (void* memory : pinned_) {
    CHECK(CU(cuMemFreeHost)(memory) == CUDA_SUCCESS);
  }
  for (CUevent event : events_) {
    CHECK(CU(cuEventDestroy_v2)(event) == CUDA_SUCCESS);
  }
  for (CUstream stream : streams_) {
    CHECK(CU(cuStreamDestroy_v2)(stream) == CUDA_SUCCESS);
  }
  if (module_ != nullptr) {
    CHECK(CU(cuModuleUnload)(module_) == CUDA_SUCCESS);
  }
  CHECK(CU(cuCtxSetCurrent)(nullptr) == CUDA_SUCCESS);
  CHECK(CU(cuDevicePrimaryCtxRelease_v2)(0) == CUDA_SUCCESS);
  Live live;
  control().live(&live);
  CHECK(live.total() == 0);
  violation = control().violation(0);
  CHECK(std::string(violation != nullptr ? violation : "") == "");
  control().clear_violations();
}

std::size_t Session::take_violations() {
  std::size_t count = 0;
  while (control().violation(count) != nullptr) {
    ++count;
  }
  control().clear_violations();
  return count;
}

void Session::set(const char* option, const char* value) {
  REQUIRE(control().set_option(option, value));
}

CUstream Session::stream(unsigned flags) {
  CUstream stream = nullptr;
  REQUIRE(CU(cuStreamCreate)(&stream, flags) == CUDA_SUCCESS);
  streams_.push_back(stream);
  return stream;
}

CUevent Session::event(unsigned flags) {
  CUevent event = nullptr;
  REQUIRE(CU(cuEventCreate)(&event, flags) == CUDA_SUCCESS);
  events_.push_back(event);
  return event;
}

CUdeviceptr Session::memory(std::size_t words) {
  CUdeviceptr address = 0;
  REQUIRE(CU(cuMemAlloc_v2)(&address, words * 4) == CUDA_SUCCESS);
  memory_.push_back(address);
  REQUIRE(CU(cuMemsetD32_v2)(address, 0, words) == CUDA_SUCCESS);
  REQUIRE(CU(cuCtxSynchronize)() == CUDA_SUCCESS);
  return address;
}

std::uint32_t* Session::pinned(std::size_t words) {
  void* memory = nullptr;
  REQUIRE(CU(cuMemHostAlloc)(&memory, words * 4, 0) == CUDA_SUCCESS);
  pinned_.push_back(memory);
  return static_cast<std::uint32_t*>(memory);
}

CUfunction Session::kernel(const char* name) {
  if (module_ == nullptr) {
    REQUIRE(CU(cuModuleLoadData)(&module_, kernel_image().c_str()) == CUDA_SUCCESS);
  }
  CUfunction function = nullptr;
  REQUIRE(CU(cuModuleGetFunction)(&function, module_, name) == CUDA_SUCCESS);
  return function;
}

CUgraph Session::keep(CUgraph graph) {
  graphs_.push_back(graph);
  return graph;
}

CUgraphExec Session::keep(CUgraphExec executable) {
  executables_.push_back(executable);
  return executable;
}

CUgraphExec Session::instantiate(CUgraph graph, unsigned long long flags) {
  CUgraphExec executable = nullptr;
  REQUIRE(CU(cuGraphInstantiateWithFlags)(&executable, graph, flags) == CUDA_SUCCESS);
  return keep(executable);
}

CUresult launch(CUfunction function,
                CUstream stream,
                std::uint32_t words,
                std::vector<void*> arguments) {
  return CU(cuLaunchKernel)(function, 1, 1, 1, words, 1, 1, 0, stream, arguments.data(), nullptr);
}

CUresult launch_add(CUfunction function,
                    CUstream stream,
                    CUdeviceptr words,
                    std::uint32_t value,
                    std::uint32_t count) {
  return launch(function, stream, count, {&words, &value});
}

std::vector<std::uint32_t> read(CUdeviceptr words, std::size_t count) {
  std::vector<std::uint32_t> values(count);
  REQUIRE(CU(cuMemcpyDtoH_v2)(values.data(), words, count * 4) == CUDA_SUCCESS);
  return values;
}

CUstreamCaptureStatus status(CUstream stream) {
  CUstreamCaptureStatus state{};
  REQUIRE(CU(cuStreamIsCapturing)(stream, &state) == CUDA_SUCCESS);
  return state;
}

CUresult begin(CUstream stream, CUstreamCaptureMode mode) {
  return CU(cuStreamBeginCapture_v2)(stream, mode);
}

CUgraph end(CUstream stream) {
  CUgraph graph = nullptr;
  REQUIRE(CU(cuStreamEndCapture)(stream, &graph) == CUDA_SUCCESS);
  REQUIRE(graph != nullptr);
  return graph;
}

void end_broken(CUstream stream) {
  auto graph = reinterpret_cast<CUgraph>(std::uintptr_t{1});
  CHECK(CU(cuStreamEndCapture)(stream, &graph) == CUDA_ERROR_STREAM_CAPTURE_INVALIDATED);
  CHECK(graph == nullptr);
  CHECK(status(stream) == CU_STREAM_CAPTURE_STATUS_NONE);
}

std::size_t node_count(CUgraph graph) {
  std::size_t count = 0;
  REQUIRE(CU(cuGraphGetNodes)(graph, nullptr, &count) == CUDA_SUCCESS);
  return count;
}

std::vector<CUgraphNodeType> node_types(CUgraph graph) {
  std::size_t count = node_count(graph);
  std::vector<CUgraphNode> nodes(count);
  REQUIRE(CU(cuGraphGetNodes)(graph, nodes.data(), &count) == CUDA_SUCCESS);
  std::vector<CUgraphNodeType> types(count);
  for (std::size_t i = 0; i < count; ++i) {
    REQUIRE(CU(cuGraphNodeGetType)(nodes[i], &types[i]) == CUDA_SUCCESS);
  }
  return types;
}

void on_other_thread(const Session& session, const std::function<void()>& body) {
  std::thread thread([&] {
    CHECK(CU(cuCtxSetCurrent)(session.context()) == CUDA_SUCCESS);
    body();
  });
  thread.join();
}

void Gate::open() {
  const std::lock_guard lock(mutex_);
  open_ = true;
  changed_.notify_all();
}

CUresult Gate::put(CUstream stream) {
  return CU(cuLaunchHostFunc)(stream, wait, this);
}

void Gate::wait(void* gate) {
  auto& self = *static_cast<Gate*>(gate);
  std::unique_lock lock(self.mutex_);
  self.changed_.wait(lock, [&] { return self.open_; });
}

}  // namespace oriel::emulator::test
