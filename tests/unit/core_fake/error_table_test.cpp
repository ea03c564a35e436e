// The error table of the design's section 4, and what surrounds it: in which situation which call
// is answered with which code, and whether the window survives. One table for both ways of
// recording.

#include "bench.hpp"

#include <array>
#include <functional>
#include <thread>

namespace oriel::fake {
namespace {

// What a row may use. The window is open on `s` while a row of the first table acts.
struct World {
  explicit World(std::shared_ptr<Script> script)
      : bench(std::move(script), {.shared_streams = 1, .plugin_directories = {}}),
        s(must(bench.runtime.create_stream())),
        folded(must(bench.runtime.create_stream())),
        side(bench.stream()),
        d(bench.words(s, 1)),
        e(bench.words(s, 2)),
        claimed(bench.words(s, 3)),
        foreign_bench(std::make_shared<Script>(RecordingMode::kBuilds)),
        foreign_stream(foreign_bench.stream()),
        foreign(foreign_bench.words(foreign_stream, 1)),
        pinned(must(s.allocate_pinned<Word>(kWords))),
        before(must(bench.runtime.create_event())),
        fresh(must(bench.runtime.create_event())),
        other(must_graph(s.capture([&](Stream& it) { return bench.inc(it, e); }))) {
    Window refused(s);
    must(refused.prepare());
    must(refused.begin());
    must(bench.inc(s, claimed));
    refused.doom(Error(ErrorCode::kInvalidArgument, "given up"));
    static_cast<void>(refused.instantiate());
    must(s.record(before));
    must(s.synchronize());
  }

  Bench bench;
  Stream s;
  Stream folded;
  Stream side;
  Words d;
  Words e;
  Words claimed;
  Bench foreign_bench;
  Stream foreign_stream;
  Words foreign;
  PinnedBuffer<Word> pinned;
  Event before;
  Event fresh;
  Graph other;
  Window* window = nullptr;
};

enum class After { kGood, kDoomed };

struct Row {
  const char* situation;
  const char* code;
  After after;
  std::function<std::string(World&)> act;
};

std::vector<Row> recorded_rows() {
  return {
      {"launch", "ok", After::kGood, [](World& w) { return code_of(w.bench.inc(w.s, w.e)); }},
      {"copy", "ok", After::kGood, [](World& w) { return code_of(w.s.copy(w.e, w.pinned)); }},
      {"fill", "ok", After::kGood, [](World& w) { return code_of(w.s.fill(w.e, 1)); }},
      {"host function", "ok", After::kGood, [](World& w) { return code_of(w.s.call_host([] {})); }},
      {"record", "ok", After::kGood, [](World& w) { return code_of(w.s.record(w.fresh)); }},
      {"wait for the window's own event",
       "ok",
       After::kGood,
       [](World& w) {
         must(w.s.record(w.fresh));
         return code_of(w.s.wait(w.fresh));
       }},
      {"upload of what was armed",
       "ok",
       After::kGood,
       [](World& w) { return code_of(w.s.upload(w.d, std::vector<Word>(kWords, 1))); }},
      {"allocation of what was armed",
       "ok",
       After::kGood,
       [](World& w) { return code_of(w.s.allocate<Word>(kWords)); }},
      {"window_state",
       "recording",
       After::kGood,
       [](World& w) {
         return std::string(w.s.window_state() == WindowState::kRecording ? "recording" : "?");
       }},
  };
}

std::vector<Row> doomed_rows() {
  return {
      {"allocation of more than was armed",
       "would_allocate",
       After::kDoomed,
       [](World& w) { return code_of(w.s.allocate<Word>(100 * kWords)); }},
      {"pinned allocation of more than was armed",
       "would_allocate",
       After::kDoomed,
       [](World& w) { return code_of(w.s.allocate_pinned<Word>(100 * kWords)); }},
      {"launch with too few arguments",
       "invalid_argument",
       After::kDoomed,
       [](World& w) { return code_of(w.s.launch(w.bench.inc_kernel, Bench::over(kWords))); }},
      {"launch with a scalar for a buffer",
       "invalid_argument",
       After::kDoomed,
       [](World& w) {
         return code_of(w.s.launch(w.bench.inc_kernel, Bench::over(kWords), Word{1}));
       }},
      {"launch with an empty handle",
       "invalid_argument",
       After::kDoomed,
       [](World& w) { return code_of(w.bench.inc(w.s, Words())); }},
      {"launch that reads claimed memory",
       "unwritten",
       After::kDoomed,
       [](World& w) { return code_of(w.bench.copy(w.s, w.e, w.claimed)); }},
      {"copy from claimed memory",
       "unwritten",
       After::kDoomed,
       [](World& w) { return code_of(w.s.copy(w.e, w.claimed)); }},
      {"copy between sizes that differ",
       "invalid_argument",
       After::kDoomed,
       [](World& w) { return code_of(w.s.copy(w.e, w.d.view(0, 4))); }},
      {"upload of another size",
       "invalid_argument",
       After::kDoomed,
       [](World& w) { return code_of(w.s.upload(w.e, std::vector<Word>(4))); }},
      {"launch with a foreign buffer",
       "invalid_state",
       After::kDoomed,
       [](World& w) { return code_of(w.bench.inc(w.s, w.foreign)); }},
      {"launch of a foreign kernel",
       "invalid_state",
       After::kDoomed,
       [](World& w) { return code_of(w.foreign_bench.inc(w.s, w.e)); }},
      {"fill of a foreign buffer",
       "invalid_state",
       After::kDoomed,
       [](World& w) { return code_of(w.s.fill(w.foreign, 1)); }},
  };
}

std::vector<Row> refused_rows() {
  return {
      {"stream.synchronize",
       "not_permitted",
       After::kGood,
       [](World& w) { return code_of(w.s.synchronize()); }},
      {"stream.query",
       "not_permitted",
       After::kGood,
       [](World& w) { return code_of(w.s.query()); }},
      {"read", "not_permitted", After::kGood, [](World& w) { return code_of(w.s.read(w.e)); }},
      {"read of claimed memory",
       "not_permitted",
       After::kGood,
       [](World& w) { return code_of(w.s.read(w.claimed)); }},
      {"download",
       "not_permitted",
       After::kGood,
       [](World& w) {
         std::vector<Word> host(kWords);
         return code_of(w.s.download(std::span<Word>(host), w.e));
       }},
      {"runtime.synchronize",
       "not_permitted",
       After::kGood,
       [](World& w) { return code_of(w.bench.runtime.synchronize()); }},
      {"trim",
       "not_permitted",
       After::kGood,
       [](World& w) { return code_of(w.bench.runtime.trim()); }},
      {"trim on another thread",
       "not_permitted",
       After::kGood,
       [](World& w) {
         std::string code;
         std::thread([&] { code = code_of(w.bench.runtime.trim()); }).join();
         return code;
       }},
      {"set_limit",
       "not_permitted",
       After::kGood,
       [](World& w) { return code_of(w.bench.runtime.set_limit(Limit::kDeviceBytes, 0)); }},
      {"load",
       "not_permitted",
       After::kGood,
       [](World& w) { return code_of(w.bench.runtime.load(test_kernels())); }},
      {"event.query",
       "not_permitted",
       After::kGood,
       [](World& w) { return code_of(w.before.query()); }},
      {"event.synchronize",
       "not_permitted",
       After::kGood,
       [](World& w) { return code_of(w.before.synchronize()); }},
      {"elapsed",
       "not_permitted",
       After::kGood,
       [](World& w) { return code_of(elapsed(w.before, w.before)); }},
      {"replay on the recording stream",
       "not_permitted",
       After::kGood,
       [](World& w) { return code_of(w.other.replay(w.s)); }},
      {"update",
       "not_permitted",
       After::kGood,
       [](World& w) { return code_of(w.other.update(0, inout(w.e))); }},
      {"wait for an event from outside",
       "not_permitted",
       After::kGood,
       [](World& w) { return code_of(w.s.wait(w.before)); }},
      {"wait for another window's event",
       "not_permitted",
       After::kGood,
       [](World& w) {
         Window second(w.side);
         must(second.prepare());
         must(second.begin());
         must(w.side.record(w.fresh));
         return code_of(w.s.wait(w.fresh));
       }},
  };
}

std::vector<Row> order_rows() {
  return {
      {"begin again",
       "invalid_state",
       After::kGood,
       [](World& w) { return code_of(w.window->begin()); }},
      {"prepare again",
       "invalid_state",
       After::kGood,
       [](World& w) { return code_of(w.window->prepare()); }},
      {"prepare by a second object",
       "invalid_state",
       After::kGood,
       [](World& w) { return code_of(Window(w.s).prepare()); }},
      {"warmup_pass",
       "invalid_state",
       After::kGood,
       [](World& w) { return code_of(w.window->warmup_pass()); }},
      {"launch on the folded stream",
       "stream_busy",
       After::kGood,
       [](World& w) { return code_of(w.bench.inc(w.folded, w.e)); }},
      {"allocate on the folded stream",
       "stream_busy",
       After::kGood,
       [](World& w) { return code_of(w.folded.allocate<Word>(8)); }},
      {"synchronize the folded stream",
       "stream_busy",
       After::kGood,
       [](World& w) { return code_of(w.folded.synchronize()); }},
      {"replay on the folded stream",
       "stream_busy",
       After::kGood,
       [](World& w) { return code_of(w.other.replay(w.folded)); }},
      {"prepare on the folded stream",
       "stream_busy",
       After::kGood,
       [](World& w) { return code_of(Window(w.folded).prepare()); }},
      {"close on a stream without a window",
       "invalid_state",
       After::kGood,
       [](World& w) { return code_of(Window(w.side).instantiate()); }},
  };
}

std::vector<Row> free_rows() {
  return {
      {"drop a buffer",
       "ok",
       After::kGood,
       [](World& w) {
         w.e = {};
         return std::string("ok");
       }},
      {"drop a graph on another thread",
       "ok",
       After::kGood,
       [](World& w) {
         std::thread([&] { const Graph gone = std::move(w.other); }).join();
         return std::string("ok");
       }},
      {"drop an event",
       "ok",
       After::kGood,
       [](World& w) {
         { const Event gone = must(w.bench.runtime.create_event()); }
         return std::string("ok");
       }},
      {"create and drop a stream",
       "ok",
       After::kGood,
       [](World& w) {
         { const Stream gone = w.bench.stream(); }
         return std::string("ok");
       }},
      {"launch on a stream outside",
       "ok",
       After::kGood,
       [](World& w) { return code_of(w.bench.inc(w.side, w.e)); }},
      {"load on another thread",
       "ok",
       After::kGood,
       [](World& w) {
         std::string code;
         std::thread([&] { code = code_of(w.bench.runtime.load(test_kernels())); }).join();
         return code;
       }},
      {"replay on another stream",
       "ok",
       After::kGood,
       [](World& w) { return code_of(w.other.replay(w.side)); }},
  };
}

// Warms up with what recorded_rows need, opens, acts, and closes.
void run_row(RecordingMode mode, const Row& row) {
  INFO(name_of(mode) << ": " << row.situation);
  const test::Deadline deadline(row.situation);
  const auto script = std::make_shared<Script>(mode);
  {
    World world(script);
    {
      Window window(world.s);
      world.window = &window;
      must(window.prepare());
      must(world.bench.inc(world.s, world.d));
      must(world.s.upload(world.d, std::vector<Word>(kWords, 1)));
      static_cast<void>(must(world.s.allocate<Word>(kWords)));
      must(window.begin());
      const std::uint64_t asked = script->calls(Call::kProviderAllocate);
      CHECK(row.act(world) == row.code);
      CHECK(world.s.window_state() == WindowState::kRecording);
      if (row.after == After::kDoomed) {
        CHECK(script->calls(Call::kProviderAllocate) == asked);
        CHECK(code_of(world.bench.inc(world.s, world.d)) == "doomed");
        CHECK(code_of(window.instantiate()) == row.code);
      } else {
        CHECK(code_of(world.bench.inc(world.s, world.d)) == "ok");
        CHECK(code_of(window.instantiate()) == "ok");
      }
      world.window = nullptr;
    }
    must(world.s.fill(world.d, 1));
    CHECK(recover(world.bench, world.s) == "ok");
    CHECK(code_of(world.bench.runtime.close()) == "ok");
  }
  CHECK(script->live().total() == 0);
  CHECK(script->violations() == std::vector<std::string>{});
}

void run_table(const std::vector<Row>& rows) {
  for (const RecordingMode mode : both_modes()) {
    for (const Row& row : rows) {
      run_row(mode, row);
    }
  }
}

TEST_CASE("work in a window is recorded") {
  run_table(recorded_rows());
}
TEST_CASE("a work call that fails dooms the window") {
  run_table(doomed_rows());
}
TEST_CASE("what would wait, look or change the device is not permitted") {
  run_table(refused_rows());
}
TEST_CASE("calls out of order and of strangers change nothing") {
  run_table(order_rows());
}
TEST_CASE("freeing, and other streams, go on as if there were no window") {
  run_table(free_rows());
}

TEST_CASE("without a window the steps refuse out of order") {
  for (const RecordingMode mode : both_modes()) {
    World world(std::make_shared<Script>(mode));
    Window window(world.s);
    CHECK(code_of(window.begin()) == "invalid_state");
    CHECK(code_of(window.warmup_pass()) == "invalid_state");
    CHECK(code_of(window.instantiate()) == "invalid_state");
    must(window.prepare());
    CHECK(code_of(window.prepare()) == "invalid_state");
    CHECK(code_of(window.instantiate()) == "invalid_state");
    CHECK(code_of(window.begin()) == "invalid_state");
  }
}

TEST_CASE("an error of the driver arrives with its code and name") {
  struct Case {
    Call call;
    std::function<std::pair<std::string, Error>(World&)> act;
  };
  const auto told = [](const auto& result) {
    return std::pair(code_of(result), result ? Error() : result.error());
  };
  const std::vector<Case> cases = {
      {Call::kLaunch, [&](World& w) { return told(w.bench.inc(w.s, w.d)); }},
      {Call::kFill, [&](World& w) { return told(w.s.fill(w.d, 1)); }},
      {Call::kCopy, [&](World& w) { return told(w.s.copy(w.d, w.pinned)); }},
      {Call::kCallHost, [&](World& w) { return told(w.s.call_host([] {})); }},
      {Call::kRecord, [&](World& w) { return told(w.s.record(w.before)); }},
      {Call::kSynchronizeStream,
       [&](World& w) {
         must(w.bench.inc(w.s, w.d));
         return told(w.s.synchronize());
       }},
      {Call::kLoadModule, [&](World& w) { return told(w.bench.runtime.load(test_kernels())); }},
      {Call::kProviderAllocate, [&](World& w) { return told(w.s.allocate<Word>(1 << 20)); }},
      {Call::kReplay, [&](World& w) { return told(w.other.replay(w.s)); }},
      {Call::kUpdate, [&](World& w) { return told(w.other.update(0, inout(w.e))); }},
      {Call::kCreateStream,
       [&](World& w) { return told(w.bench.runtime.create_stream({.exclusive = true})); }},
  };
  const std::array<ErrorCode, 3> codes = {
      ErrorCode::kDriverError, ErrorCode::kOutOfMemory, ErrorCode::kDeviceLost};
  for (const RecordingMode mode : both_modes()) {
    for (const Case& it : cases) {
      for (const ErrorCode code : codes) {
        INFO(name_of(mode) << ": " << to_string(it.call) << " fails with " << to_string(code));
        const auto script = std::make_shared<Script>(mode);
        World world(script);
        Fault fault{code, 4711, "FAKE_4711"};
        fault.times = 10;  // the core tries some calls again
        script->fail(it.call, 1, fault);
        const auto [got, error] = it.act(world);
        CHECK(got == to_string(code));
        CHECK(error.native.value == 4711);
        CHECK(error.native.name == "FAKE_4711");
        CHECK(error.to_string().find("FAKE_4711") != std::string::npos);
      }
    }
  }
}

TEST_CASE("waiting on an event that was never recorded is out of order") {
  World world(std::make_shared<Script>(RecordingMode::kBuilds));
  CHECK(code_of(world.s.wait(world.fresh)) == "invalid_state");
  CHECK(code_of(world.fresh.query()) == "invalid_state");
  CHECK(code_of(world.fresh.synchronize()) == "invalid_state");
  CHECK(code_of(elapsed(world.fresh, world.before)) == "invalid_state");
  CHECK(code_of(world.side.wait(world.before)) == "ok");
}

TEST_CASE("a limit that there is not is refused and changes nothing") {
  World world(std::make_shared<Script>(RecordingMode::kBuilds));
  const Runtime& runtime = world.bench.runtime;
  CHECK(code_of(runtime.set_limit(static_cast<Limit>(77), 1)) == "invalid_argument");
  CHECK(code_of(world.s.allocate<Word>(1 << 20)) == "ok");
}

TEST_CASE("handles of another runtime are refused by every call") {
  World w(std::make_shared<Script>(RecordingMode::kBuilds));
  CHECK(code_of(w.s.copy(w.d, w.foreign)) == "invalid_state");
  CHECK(code_of(w.s.copy(w.foreign, w.d)) == "invalid_state");
  CHECK(code_of(w.s.fill(w.foreign, 1)) == "invalid_state");
  CHECK(code_of(w.s.read(w.foreign)) == "invalid_state");
  CHECK(code_of(w.s.upload(w.foreign, std::vector<Word>(kWords))) == "invalid_state");
  CHECK(code_of(w.bench.inc(w.s, w.foreign)) == "invalid_state");
  CHECK(code_of(w.foreign_bench.inc(w.s, w.d)) == "invalid_state");
  CHECK(code_of(w.foreign_stream.record(w.before)) == "invalid_state");
  CHECK(code_of(w.foreign_stream.wait(w.before)) == "invalid_state");
  CHECK(code_of(w.other.replay(w.foreign_stream)) == "invalid_state");
  CHECK(code_of(elapsed(w.before, must(w.foreign_bench.runtime.create_event()))) ==
        "invalid_state");
}

}  // namespace
}  // namespace oriel::fake
