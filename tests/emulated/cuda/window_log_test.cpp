// What the driver is asked while a window is open, by its own account.

#include "fixture.hpp"
#include "suite_kernels.hpp"

namespace oriel::emulated {
namespace {

TEST_CASE("in a window the driver sees what is recorded and nothing else") {
  World world;
  Fixture& fixture = world.fixture;
  Stream& s = world.s;
  Stream& fork = fixture.stream(1);
  const Words d = fixture.words(s, 1);
  const Words e = fixture.words(s, 1);
  std::vector<Word> host(d.size());
  std::optional<Graph> old = must_graph(s.capture([&](Stream& it) { return fixture.inc(it, d); }));
  std::optional<Words> dropped = fixture.words(s, 1);
  std::optional<Event> event = must(fixture.runtime().create_event());
  std::optional<Stream> extra = must(fixture.runtime().create_stream({.exclusive = true}));
  std::optional<Module> module = must(fixture.runtime().load(suite_kernels::bundle()));
  must(s.record(*event));
  const Event forked = must(fixture.runtime().create_event());
  const Event joined = must(fixture.runtime().create_event());
  must(old->replay(s));
  fixture.sync(s);
  const auto step = [&](const Stream& it) -> Result<void> {
    auto scratch = it.allocate<Word>(d.size());
    ORIEL_TRY(scratch);
    ORIEL_TRY(it.fill(*scratch, 3));
    ORIEL_TRY(it.copy(e, *scratch));
    ORIEL_TRY(it.upload(*scratch, std::vector<Word>(d.size(), 4)));
    ORIEL_TRY(it.call_host([] {}));
    return fixture.scale_add(it, d, *scratch, 1);
  };
  Window window(s);
  fixture.open(window, s, step);
  must(step(s));
  // All that a window refuses, and all that it puts off.
  CHECK(code_of(s.synchronize()) == "not_permitted");
  CHECK(code_of(s.query()) == "not_permitted");
  CHECK(code_of(s.read(d)) == "not_permitted");
  CHECK(code_of(s.download(std::span<Word>(host), d)) == "not_permitted");
  CHECK(code_of(fixture.runtime().synchronize()) == "not_permitted");
  CHECK(code_of(fixture.runtime().trim()) == "not_permitted");
  CHECK(code_of(fixture.runtime().load(suite_kernels::bundle())) == "not_permitted");
  CHECK(code_of(event->query()) == "not_permitted");
  CHECK(code_of(event->synchronize()) == "not_permitted");
  CHECK(code_of(old->replay(s)) == "not_permitted");
  old.reset();
  dropped.reset();
  event.reset();
  extra.reset();
  module.reset();
  must(s.record(forked));
  must(fork.wait(forked));
  must(fixture.inc(fork, e));
  must(fork.record(joined));
  must(s.wait(joined));
  Graph graph = must_graph(window.instantiate());
  CHECK(graph.node_count() == 6);

  const std::vector<std::string> recorded = {"cuCtxGetCurrent",
                                             "cuEventRecord",
                                             "cuLaunchHostFunc",
                                             "cuLaunchKernel",
                                             "cuMemcpyAsync",
                                             "cuMemsetD32Async",
                                             "cuMemsetD8Async",
                                             "cuStreamEndCapture",
                                             "cuStreamGetCaptureInfo_v3",
                                             "cuStreamWaitEvent"};
  for (const std::string& name : driver().called_in_capture()) {
    INFO(name);
    CHECK(std::find(recorded.begin(), recorded.end(), name) != recorded.end());
  }
  CHECK(driver().control().call_count("cuStreamEndCapture") == 2);  // the first window's, and this
  must(graph.replay(s));
  fixture.expect(s, e, 4);
}

TEST_CASE("memory that a window can't serve is refused without a word to the driver") {
  World world;
  Fixture& fixture = world.fixture;
  Stream& s = world.s;
  const Words d = fixture.words(s, 1);
  Window window(s);
  fixture.open(window);
  must(fixture.inc(s, d));
  CHECK(code_of(s.allocate<Word>(1 << 22)) == "would_allocate");
  CHECK(code_of(s.allocate_pinned<Word>(1 << 22)) == "doomed");
  CHECK(code_of(window.instantiate()) == "would_allocate");
  for (const std::string& name : driver().called_in_capture()) {
    INFO(name);
    CHECK(name.find("Alloc") == std::string::npos);
  }
  must(s.fill(d, 1));
  fixture.recovery_check(s);
}

TEST_CASE("every kernel is loaded before a window can launch it") {
  World world;
  Fixture& fixture = world.fixture;
  // An old driver breaks a capture in which a kernel is first loaded.
  const Option old("driver_version", "12010", "13000");
  for (const KernelSignature& signature : suite_kernels::bundle().kernels) {
    INFO(signature.name);
    CHECK(fixture.kernel(signature.name).signature().name == signature.name);
  }
  Stream& s = world.s;
  const Words d = fixture.words(s, 1);
  const Words e = fixture.words(s, 1);
  Window window(s);
  fixture.open(window);
  must(fixture.inc(s, d));
  must(fixture.copy(s, e, d));
  must(fixture.scale_add(s, e, d, 1));
  must(fixture.slow_inc(s, e));
  Graph graph = must_graph(window.instantiate());
  must(graph.replay(s));
  fixture.expect(s, e, 5);
}

}  // namespace
}  // namespace oriel::emulated
