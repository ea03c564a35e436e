// Fails, or throws out of, every call of the driver in turn in one scenario that uses them all.
// What may come of it: the driver's own error, or right bytes; never a leak, a stuck stream or a
// lie.

#include "bench.hpp"

#include <array>
#include <optional>

namespace oriel::fake {
namespace {

// What a scenario saw: nothing (all went well), or its first error.
using Outcome = std::optional<Error>;

struct Failed {
  Error error;
};

// As must, but keeps the error.
template <class T>
T step(tl::expected<T, Error> result) {
  if (!result) {
    throw Failed{std::move(result.error())};
  }
  return std::move(*result);
}
Graph step(CaptureResult result) {
  if (!result) {
    throw Failed{std::move(result.error().error)};
  }
  return std::move(*result);
}

void expect(bool good, const char* what) {
  if (!good) {
    throw Failed{Error(ErrorCode::kInvalidArgument, std::string("the test's own: ") + what)};
  }
}

// Everything the driver can be asked, with known results.
void use_everything(const Runtime& runtime) {
  const Module module = step(runtime.load(test_kernels()));
  const Kernel inc = step(module.kernel("inc"));
  const Kernel scale_add = step(module.kernel("scale_add"));
  Stream s = step(runtime.create_stream({.exclusive = true}));
  Stream t = step(runtime.create_stream({.exclusive = true}));
  const LaunchConfig all = Bench::over(kWords);
  const Words d = step(s.allocate<Word>(kWords));
  const Words e = step(s.allocate<Word>(kWords));
  const PinnedBuffer<Word> pinned = step(s.allocate_pinned<Word>(kWords));
  step(s.fill(d, 1));
  step(s.upload(e, std::vector<Word>(kWords, 2)));
  const Event first = step(runtime.create_event());
  const Event second = step(runtime.create_event());
  step(s.record(first));
  step(t.wait(first));
  step(t.launch(inc, all, inout(e)));
  step(t.record(second));
  step(s.wait(second));
  const auto forked = [&](Stream& it) -> Result<void> {
    auto scratch = it.allocate<Word>(8 * kWords);
    ORIEL_TRY(scratch);
    ORIEL_TRY(it.fill(*scratch, 3));
    ORIEL_TRY(it.record(first));
    ORIEL_TRY(t.wait(first));
    ORIEL_TRY(t.launch(inc, all, inout(e)));
    ORIEL_TRY(t.record(second));
    ORIEL_TRY(it.wait(second));
    ORIEL_TRY(it.launch(scale_add, all, inout(d), in(e), Word{1}));
    ORIEL_TRY(it.call_host([] {}));
    return it.copy(pinned, d);
  };
  Graph graph = step(s.capture(forked));  // e = 4, d = 5
  step(graph.replay(s));                  // e = 5, d = 10
  step(graph.replay(t));                  // e = 6, d = 16
  step(t.record(second));
  step(s.wait(second));
  step(s.synchronize());
  expect(pinned.host()[0] == 16, "a replay's bytes");
  step(graph.update(2, inout(d), in(e), Word{10}));
  step(graph.replay(s));  // e = 7, d = 86
  step(s.record(first));
  step(first.synchronize());
  step(first.query());
  step(elapsed(first, first));
  step(s.query());
  expect(all_are(step(s.read(d)), 86), "the updated replay's bytes");
  step(runtime.synchronize());
  step(runtime.trim());
}

Outcome run_scenario(const std::shared_ptr<Script>& script) {
  const test::Deadline deadline("a scenario with a fault");
  auto runtime = Runtime::open(make_driver(script));
  if (!runtime) {
    return std::move(runtime.error());
  }
  Outcome outcome;
  try {
    use_everything(*runtime);
  } catch (Failed& failed) {
    outcome = std::move(failed.error);
  }
  auto closed = runtime->close();
  if (!closed && !outcome) {
    outcome = std::move(closed.error());
  }
  return outcome;
}

// Whether the error, or one listed after it, is the fault's.
bool is_fault(const Error& error, const Fault& fault) {
  if (fault.throws) {
    return error.code == ErrorCode::kDriverError &&
           error.to_string().find("told to throw") != std::string::npos;
  }
  return error.code == fault.code && error.native.value == fault.native &&
         error.native.name == fault.name;
}

void inject_everywhere(RecordingMode mode, const Fault& fault) {
  for (std::size_t index = 0; index < kFailingCallCount; ++index) {
    const auto call = static_cast<Call>(index);
    if (fault.throws && call == Call::kProviderAllocate) {
      continue;  // providers promise not to throw, and the pools that call them are noexcept
    }
    bool met = true;
    for (std::uint64_t k = 1; met && k < 200; ++k) {
      INFO(name_of(mode) << ": call " << k << " of " << to_string(call)
                         << (fault.throws ? " throws" : " fails"));
      const auto script = std::make_shared<Script>(mode);
      script->fail(call, k, fault);
      const Outcome outcome = run_scenario(script);
      met = script->fault_met();
      if (outcome) {
        INFO(outcome->to_string());
        CHECK(met);
        CHECK(is_fault(*outcome, fault));
      }
      CHECK_FALSE(script->window_open());
      CHECK(script->live().streams == 0);
      CHECK(script->live().events == 0);
      CHECK(script->live().modules == 0);
      CHECK(script->live().executables == 0);
      CHECK(script->live().blocks == 0);
      CHECK(script->violations() == std::vector<std::string>{});
    }
    CHECK_FALSE(met);
  }
}

TEST_CASE("the scenario works when nothing fails, and makes every call") {
  for (const RecordingMode mode : both_modes()) {
    const auto script = std::make_shared<Script>(mode);
    const Outcome outcome = run_scenario(script);
    INFO((outcome ? outcome->to_string() : std::string()));
    CHECK_FALSE(outcome);
    CHECK(script->live().total() == 0);
    for (std::size_t index = 0; index < kFailingCallCount; ++index) {
      const auto call = static_cast<Call>(index);
      INFO(to_string(call));
      // Queries of idle streams are the core's to answer if it can.
      if (call != Call::kQueryStream) {
        CHECK(script->calls(call) > 0);
      }
    }
    CHECK(script->calls_in_window(Call::kDestroyEvent) == 0);
    CHECK(script->calls_in_window(Call::kProviderAllocate) == 0);
    CHECK(script->calls_in_window(Call::kProviderRelease) == 0);
    CHECK(script->violations() == std::vector<std::string>{});
  }
}

TEST_CASE("every call of a capturing driver may fail") {
  inject_everywhere(RecordingMode::kCaptures, {ErrorCode::kDriverError, 700, "FAKE_700"});
}
TEST_CASE("every call of a building driver may fail") {
  inject_everywhere(RecordingMode::kBuilds, {ErrorCode::kOutOfMemory, 2, "FAKE_2"});
}
TEST_CASE("every call of a capturing driver may throw") {
  inject_everywhere(RecordingMode::kCaptures, {ErrorCode::kDriverError, 0, "", true});
}
TEST_CASE("every call of a building driver may throw") {
  inject_everywhere(RecordingMode::kBuilds, {ErrorCode::kDriverError, 0, "", true});
}

}  // namespace
}  // namespace oriel::fake
