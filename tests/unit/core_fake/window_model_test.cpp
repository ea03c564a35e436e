// Random sequences of calls, by a window's owner and by a stranger folded onto the same device
// stream, against a small model of what the design says.

#include "bench.hpp"

#include <array>
#include <optional>

#include <rapidcheck.h>

namespace oriel::fake {
namespace {

enum class Op : std::uint8_t {
  kPrepare,
  kWarmupPass,
  kBegin,
  kInstantiate,
  kAbandon,
  kLaunch,
  kAllocateWarm,
  kAllocateNew,
  kFree,
  kSynchronize,
  kCount,
};
constexpr std::array<const char*, static_cast<std::size_t>(Op::kCount)> kOpNames = {"prepare",
                                                                                    "warmup_pass",
                                                                                    "begin",
                                                                                    "instantiate",
                                                                                    "abandon",
                                                                                    "launch",
                                                                                    "allocate_warm",
                                                                                    "allocate_new",
                                                                                    "free",
                                                                                    "synchronize"};

constexpr unsigned kActors = 2;

// What the device stream's window is, by the book.
struct Model {
  WindowState state = WindowState::kIdle;
  unsigned owner = 0;
  std::string first_error;  // the code that doomed it, "" if none
  bool warm = false;        // the present or last warm-up pass made a warm allocation
  Word recorded = 0;        // launches in the window
  Word value = 0;           // of every word of the data

  void close() {
    state = WindowState::kIdle;
    first_error.clear();
    warm = false;
    recorded = 0;
  }
};

// One run: a real runtime and the model side by side.
class Run {
 public:
  explicit Run(RecordingMode mode)
      : script_(std::make_shared<Script>(mode)),
        bench_(script_, {.shared_streams = 1, .plugin_directories = {}}),
        streams_{must(bench_.runtime.create_stream()), must(bench_.runtime.create_stream())},
        data_(bench_.words(streams_[0], 0)) {
    for (unsigned actor = 0; actor < kActors; ++actor) {
      windows_[actor].emplace(streams_[actor]);
    }
  }

  void apply(Op op, unsigned actor) {
    switch (op) {
      case Op::kPrepare:
        return prepare(actor);
      case Op::kWarmupPass:
        return warmup_pass(actor);
      case Op::kBegin:
        return begin(actor);
      case Op::kInstantiate:
        return instantiate(actor);
      case Op::kAbandon:
        return abandon(actor);
      case Op::kLaunch:
        return launch(actor);
      case Op::kAllocateWarm:
        return allocate_warm(actor);
      case Op::kAllocateNew:
        return allocate_new(actor);
      case Op::kFree:
        held_.clear();
        return;
      case Op::kSynchronize:
        return synchronize(actor);
      case Op::kCount:
        return;
    }
  }

  void check_state() {
    for (unsigned actor = 0; actor < kActors; ++actor) {
      const bool owns = model_.state != WindowState::kIdle && model_.owner == actor;
      RC_ASSERT(streams_[actor].window_state() == (owns ? model_.state : WindowState::kIdle));
    }
    RC_ASSERT(bench_.runtime.stats().open_windows ==
              (model_.state == WindowState::kIdle ? 0U : 1U));
  }

  void finish() {
    for (auto& window : windows_) {
      window.reset();
    }
    model_.close();
    RC_ASSERT(all_are(must(streams_[0].read(data_)), model_.value));
    RC_ASSERT(recover(bench_, streams_[0]) == "ok");
    RC_ASSERT(recover(bench_, streams_[1]) == "ok");
    held_.clear();
    data_ = {};
    RC_ASSERT(code_of(bench_.runtime.close()) == "ok");
    RC_ASSERT(script_->live().total() == 0U);
    const std::vector<std::string> violations = script_->violations();
    RC_ASSERT(violations == std::vector<std::string>{});
  }

 private:
  [[nodiscard]] bool idle() const { return model_.state == WindowState::kIdle; }
  [[nodiscard]] bool strange(unsigned actor) const { return !idle() && model_.owner != actor; }

  void prepare(unsigned actor) {
    const std::string want = idle() ? "ok" : strange(actor) ? "stream_busy" : "invalid_state";
    RC_ASSERT(code_of(windows_[actor]->prepare()) == want);
    if (want == "ok") {
      model_.state = WindowState::kPrepared;
      model_.owner = actor;
    }
  }
  [[nodiscard]] std::string step_code(unsigned actor) const {
    return strange(actor)                           ? "stream_busy"
           : model_.state == WindowState::kPrepared ? "ok"
                                                    : "invalid_state";
  }
  void warmup_pass(unsigned actor) {
    const std::string want = step_code(actor);
    RC_ASSERT(code_of(windows_[actor]->warmup_pass()) == want);
    model_.warm = model_.warm && want != "ok";
  }
  void begin(unsigned actor) {
    const std::string want = step_code(actor);
    RC_ASSERT(code_of(windows_[actor]->begin()) == want);
    if (want == "ok") {
      model_.state = WindowState::kRecording;
      model_.recorded = 0;
    }
  }
  void instantiate(unsigned actor) {
    CaptureResult result = windows_[actor]->instantiate();
    if (model_.state != WindowState::kRecording) {
      RC_ASSERT(code_of(result) == "invalid_state");
      RC_ASSERT(result.error().written.empty());
      model_.close();
      return;
    }
    std::string want = model_.first_error;
    if (want.empty()) {
      // A stranger gets no graph, and nothing makes none.
      want = strange(actor) || model_.recorded == 0 ? "invalid_state" : "ok";
    }
    RC_ASSERT(code_of(result) == want);
    const Word recorded = model_.recorded;
    model_.close();
    if (result) {
      RC_ASSERT(result->node_count() == recorded);
      must(result->replay(streams_[actor]));
      model_.value += recorded;
      return;
    }
    RC_ASSERT(result.error().written.size() == (recorded == 0 ? 0U : 1U));
    if (recorded != 0) {
      RC_ASSERT(code_of(streams_[actor].read(data_)) == "unwritten");
      must(streams_[actor].fill(data_, 0));
      model_.value = 0;
    }
  }
  void abandon(unsigned actor) {
    windows_[actor].reset();
    windows_[actor].emplace(streams_[actor]);
    if (!strange(actor)) {
      model_.close();
    }
  }
  // What a work call answers where the window doesn't refuse it; "" if the call decides.
  [[nodiscard]] std::string work_code(unsigned actor) const {
    return strange(actor) ? "stream_busy" : !model_.first_error.empty() ? "doomed" : "";
  }
  void launch(unsigned actor) {
    std::string want = work_code(actor);
    want = want.empty() ? "ok" : want;
    RC_ASSERT(code_of(bench_.inc(streams_[actor], data_)) == want);
    if (want == "ok") {
      ++(model_.state == WindowState::kRecording ? model_.recorded : model_.value);
    }
  }
  void allocate_warm(unsigned actor) {
    const std::string want = work_code(actor);
    const auto buffer = streams_[actor].allocate<Word>(2 * kWords);  // dropped at once
    const std::string got = code_of(buffer);
    if (!want.empty()) {
      RC_ASSERT(got == want);
    } else if (model_.state != WindowState::kRecording || model_.warm) {
      RC_ASSERT(got == "ok");
      model_.warm = model_.warm || model_.state == WindowState::kPrepared;
    } else {
      // Memory of an earlier window may still be there to serve it.
      RC_ASSERT(got == "ok" || got == "would_allocate");
      model_.first_error = got == "ok" ? "" : got;
    }
  }
  void allocate_new(unsigned actor) {
    std::string want = work_code(actor);
    sizes_ += 64;  // never asked for before
    auto buffer = streams_[actor].allocate<Word>(sizes_);
    if (want.empty()) {
      want = model_.state == WindowState::kRecording ? "would_allocate" : "ok";
    }
    RC_ASSERT(code_of(buffer) == want);
    if (want == "would_allocate") {
      model_.first_error = want;
    } else if (buffer) {
      held_.push_back(std::move(*buffer));
    }
  }
  void synchronize(unsigned actor) {
    const std::string want = strange(actor)                            ? "stream_busy"
                             : model_.state == WindowState::kRecording ? "not_permitted"
                                                                       : "ok";
    RC_ASSERT(code_of(streams_[actor].synchronize()) == want);
  }

  std::shared_ptr<Script> script_;
  Bench bench_;
  std::array<Stream, kActors> streams_;
  Words data_;
  std::array<std::optional<Window>, kActors> windows_;
  std::vector<Words> held_;
  std::size_t sizes_ = 16 * kWords;
  Model model_;
};

// One byte a call: mostly the owner's, mostly on the way to a graph.
std::pair<Op, unsigned> decode(std::uint8_t code) {
  constexpr std::array<Op, 16> kMix = {Op::kPrepare,
                                       Op::kPrepare,
                                       Op::kBegin,
                                       Op::kBegin,
                                       Op::kLaunch,
                                       Op::kLaunch,
                                       Op::kLaunch,
                                       Op::kInstantiate,
                                       Op::kInstantiate,
                                       Op::kWarmupPass,
                                       Op::kAbandon,
                                       Op::kAllocateWarm,
                                       Op::kAllocateNew,
                                       Op::kAllocateWarm,
                                       Op::kSynchronize,
                                       Op::kFree};
  return {kMix[code % kMix.size()], code / 16U % 8U == 0 ? 1U : 0U};
}

void run_sequence(RecordingMode mode, const std::vector<std::uint8_t>& codes) {
  const test::Deadline deadline("a random sequence");
  Run run(mode);
  for (const std::uint8_t code : codes) {
    const auto [op, actor] = decode(code);
    RC_LOG() << kOpNames[static_cast<std::size_t>(op)] << " by " << actor << "\n";
    run.apply(op, actor);
    run.check_state();
  }
  run.finish();
}

TEST_CASE("a capturing driver's windows follow the model") {
  CHECK(rc::check("windows follow the model", [](const std::vector<std::uint8_t>& codes) {
    run_sequence(RecordingMode::kCaptures, codes);
  }));
}

TEST_CASE("a building driver's windows follow the model") {
  CHECK(rc::check("windows follow the model", [](const std::vector<std::uint8_t>& codes) {
    run_sequence(RecordingMode::kBuilds, codes);
  }));
}

}  // namespace
}  // namespace oriel::fake
