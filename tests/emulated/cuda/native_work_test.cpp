// Calls that are made on the stream's native handle, past Oriel.

#include "fixture.hpp"

#include <dlfcn.h>

namespace oriel::emulated {
namespace {

// A function that Oriel itself doesn't call.
template <class Function>
Function* function_named(const char* name) {
  driver();
  void* library = ::dlopen(ORIEL_EMULATED_CUDA, RTLD_NOW | RTLD_LOCAL);
  auto* function = reinterpret_cast<Function*>(::dlsym(library, name));
  REQUIRE(function != nullptr);
  return function;
}

CUstream handle_of(const Stream& stream) {
  return static_cast<CUstream>(must(stream.native_handle()));
}

int fill_past_oriel(CUstream stream, const Words& words, Word value) {
  return cuda_functions().memset_d32_async(words.device_address(), value, words.size(), stream);
}

TEST_CASE("work on the handle of a window's stream is recorded, once it was announced") {
  World world;
  Fixture& fixture = world.fixture;
  Stream& s = world.s;
  const Words d = fixture.words(s, 1);
  Window window(s);
  fixture.open(window);
  must(fixture.inc(s, d));
  const CUstream native = handle_of(s);  // asking for it announces the work
  CHECK(fill_past_oriel(native, d, 40) == CUDA_SUCCESS);
  must(fixture.inc(s, d));
  Graph graph = must_graph(window.instantiate());
  CHECK(graph.node_count() == 2);   // Oriel's own
  must(graph.update(1, inout(d)));  // whose nodes it still tells from the others
  must(graph.replay(s));
  fixture.expect(s, d, 41);
}

TEST_CASE("work on a handle from before the window is a node too many") {
  World world;
  Fixture& fixture = world.fixture;
  Stream& s = world.s;
  const Words d = fixture.words(s, 1);
  const CUstream native = handle_of(s);
  const emulator::Live before = driver().live();
  Window window(s);
  fixture.open(window);
  must(fixture.inc(s, d));
  CHECK(fill_past_oriel(native, d, 40) == CUDA_SUCCESS);
  const auto closed = window.instantiate();
  REQUIRE(code_of(closed) == "doomed");
  CHECK(contains(closed.error().error.message, "2 node(s) where 1"));
  CHECK(driver().live().executables == before.executables);
  must(s.fill(d, 1));
  fixture.recovery_check(s);
}

TEST_CASE("an allocation that a library records makes the graph worthless, announced or not") {
  World world;
  Fixture& fixture = world.fixture;
  Stream& s = world.s;
  const Words d = fixture.words(s, 1);
  auto* allocate = function_named<CUresult(CUdeviceptr*, std::size_t, CUstream)>("cuMemAllocAsync");
  const emulator::Live before = driver().live();
  Window window(s);
  fixture.open(window);
  must(fixture.inc(s, d));
  CUdeviceptr memory = 0;
  CHECK(allocate(&memory, 1 << 20, handle_of(s)) == CUDA_SUCCESS);
  const auto closed = window.instantiate();
  REQUIRE(code_of(closed) == "doomed");
  CHECK(contains(closed.error().error.message, "1 allocation node"));
  CHECK(driver().live().executables == before.executables);
  CHECK(driver().live().graphs == before.graphs);
  must(s.fill(d, 1));
  fixture.recovery_check(s);
}

TEST_CASE("a library that waits in a window breaks it, and CUDA's code and name are told") {
  World world;
  Fixture& fixture = world.fixture;
  Stream& s = world.s;
  const Words d = fixture.words(s, 1);
  Window window(s);
  fixture.open(window);
  must(fixture.inc(s, d, "first"));
  CHECK(cuda_functions().stream_query(handle_of(s)) == CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
  CHECK(code_of(fixture.inc(s, d, "second")) == "doomed");
  CHECK(code_of(fixture.inc(s, d, "third")) == "doomed");
  const auto closed = window.instantiate();
  REQUIRE(code_of(closed) == "doomed");
  const Error& first = closed.error().error;
  CHECK(first.operation == "second");
  CHECK(first.native.value == 901);
  CHECK(contains(first.to_string(), "CUDA_ERROR_STREAM_CAPTURE_INVALIDATED (901)"));
  CHECK(driver().control().call_count("cuStreamEndCapture") == 1);
  CHECK(driver().live().captures == 0);
  must(s.fill(d, 1));
  fixture.recovery_check(s);
}

TEST_CASE("a window that only the library broke is refused at the close with CUDA's code") {
  World world;
  Fixture& fixture = world.fixture;
  Stream& s = world.s;
  const Words d = fixture.words(s, 1);
  Window window(s);
  fixture.open(window);
  must(fixture.inc(s, d));
  CHECK(cuda_functions().stream_synchronize(handle_of(s)) == CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED);
  const auto closed = window.instantiate();
  REQUIRE(code_of(closed) == "doomed");
  CHECK(closed.error().error.native.value == 901);
  must(s.fill(d, 1));
  fixture.recovery_check(s);
}

TEST_CASE("a capture that a caller began on the handle is not broken by Oriel") {
  World world;
  Fixture& fixture = world.fixture;
  Stream& s = world.s;
  const Words d = fixture.words(s, 1);
  fixture.sync(s);
  const cuda::DriverLibrary& cuda = cuda_functions();
  const CUstream native = handle_of(s);
  REQUIRE(cuda.stream_begin_capture(native, CU_STREAM_CAPTURE_MODE_RELAXED) == CUDA_SUCCESS);
  CHECK(fill_past_oriel(native, d, 9) == CUDA_SUCCESS);
  CHECK(code_of(s.synchronize()) == "not_permitted");
  CHECK(code_of(s.query()) == "not_permitted");
  Window window(s);
  must(window.prepare());
  CHECK(code_of(window.begin()) == "not_permitted");
  CUgraph graph = nullptr;
  CHECK(cuda.stream_end_capture(native, &graph) == CUDA_SUCCESS);
  CHECK(cuda.graph_destroy(graph) == CUDA_SUCCESS);
  fixture.expect(s, d, 1);
  fixture.recovery_check(s);
}

}  // namespace
}  // namespace oriel::emulated
