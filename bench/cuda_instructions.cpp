// oriel_bench_cuda_instructions MODE COUNT: runs COUNT operations, so that an instruction counter
// can be held to them. MODE is who and what: oriel, raw or bare, and eager, recorded or replay.
//
//   oriel-*  through Oriel
//   raw-*    the driver calls that Oriel makes for the operation, and nothing else
//   bare-*   the one driver call that can't be done without
//
// The method: operations run in batches, and every batch inside of oriel_bench_counted(), the one
// function that callgrind collects in (--toggle-collect). From what it collects on the main thread
// the cost of all calls into the driver is taken away, as the profile has it, because that depends
// on what the driver's own threads are at; what is left is the caller's own, exact to an
// instruction or two. What must be there but is no operation stays outside of that function: for a
// recorded launch the warm-up, the begin and the close of its window, and for the others the wait
// that keeps the stream's queue short. First-time costs, such as the lookup of symbols, go away in
// the difference of two COUNTs, and what any caller needs, a loop and arguments, in the difference
// from raw-*. The emulated driver logs every call, and after each batch the log must hold exactly
// those that are claimed here.
#include "emulators/control.hpp"
#include "failure.hpp"
#include "number_text.hpp"
#include "oriel_chain.hpp"
#include "raw_chain.hpp"

#include <algorithm>
#include <cstdio>
#include <exception>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <dlfcn.h>

/// The one function that is collected in, known by its name.
extern "C" [[gnu::noinline]] void oriel_bench_counted(void (*batch)(void*), void* work);

extern "C" void oriel_bench_counted(void (*batch)(void*), void* work) {
  batch(work);
  // Were the call this function's end it would become a jump, and the collector miss its return.
  asm volatile("" ::: "memory");
}

namespace oriel::bench {
namespace {

constexpr std::uint64_t kBatch = 100;
constexpr std::uint64_t kWindow = 1000;  // launches; a batch of recorded ones is a window
constexpr Chain kChain{10, 64};          // its links are a graph's nodes
constexpr float kIncrement = 1;

/// The driver calls of one operation, by exported name.
using Calls = std::vector<const char*>;

/// The emulated driver's log.
class CallLog {
 public:
  /// Error: the driver is no emulated one.
  static Result<CallLog> of(const cuda::DriverLibrary& driver) {
    void* library = dlopen(driver.name.c_str(), RTLD_NOW | RTLD_NOLOAD);
    void* entry = library != nullptr ? dlsym(library, "oriel_emulator") : nullptr;
    if (entry == nullptr) {
      return fail(ErrorCode::kUnsupported,
                  "instructions are counted on the emulated driver only: have ORIEL_CUDA_LIBRARY "
                  "name it");
    }
    return CallLog(reinterpret_cast<decltype(&oriel_emulator)>(entry)());
  }

  void clear() const { control_->clear_log(); }
  /// An error unless it holds `calls` once for each of `operations`, and nothing else.
  [[nodiscard]] Result<void> check(const Calls& calls, std::uint64_t operations) const {
    for (const char* call : calls) {
      ORIEL_TRY(check_count(call, control_->call_count(call), operations));
    }
    return check_count("any function", control_->call_count(""), operations * calls.size());
  }

 private:
  explicit CallLog(const emulator::Control* control) : control_(control) {}

  static Result<void> check_count(const std::string& call, std::uint64_t found, std::uint64_t due) {
    if (found != due) {
      return fail(ErrorCode::kDriverError,
                  "a batch made " + std::to_string(found) + " calls of " + call + " and not " +
                      std::to_string(due) + ", so the figures would not be of what they say");
    }
    return {};
  }

  const emulator::Control* control_;
};

/// Runs `operation()`, which returns whether it succeeded, `count` times where it is counted.
template <class Operation>
Result<void> run_batch(const CallLog& log,
                       const Calls& calls,
                       std::uint64_t count,
                       Operation&& operation) {
  struct Work {
    Operation& operation;
    std::uint64_t count;
    bool good = true;
  } work{operation, count};
  log.clear();
  oriel_bench_counted(
      [](void* it) {
        Work& todo = *static_cast<Work*>(it);
        for (std::uint64_t i = 0; i < todo.count; ++i) {
          todo.good = todo.operation() && todo.good;
        }
      },
      &work);
  if (!work.good) {
    return fail(ErrorCode::kDriverError, "an operation failed");
  }
  return log.check(calls, count);
}

/// Batches until `total` operations are done, each between `open` and `close`.
template <class Open, class Operation, class Close>
Result<void> run_batches(const CallLog& log,
                         const Calls& calls,
                         std::uint64_t total,
                         std::uint64_t batch,
                         Open&& open,
                         Operation&& operation,
                         Close&& close) {
  for (std::uint64_t done = 0; done < total; done += batch) {
    const std::uint64_t count = std::min(batch, total - done);
    ORIEL_TRY(open(count));
    ORIEL_TRY(run_batch(log, calls, count, operation));
    ORIEL_TRY(close());
  }
  return {};
}

/// Oriel's way.
class OrielOperations {
 public:
  OrielOperations(const CallLog& log, OrielChain chain) : log_(log), chain_(std::move(chain)) {}

  Result<void> eager(std::uint64_t total) {
    return run_eager({"cuCtxGetCurrent", "cuLaunchKernel"}, total, [this] { return launch(); });
  }

  Result<void> replay(std::uint64_t total) {
    auto graph = chain_.capture();
    if (!graph) {
      return fail(std::move(graph.error()));
    }
    return run_eager({"cuCtxGetCurrent", "cuGraphLaunch"}, total, [&] {
      return graph->replay(chain_.stream()).has_value();
    });
  }

  Result<void> recorded(std::uint64_t total) {
    Window window(chain_.stream());
    return run_batches(
        log_,
        {"cuCtxGetCurrent", "cuLaunchKernel", "cuStreamGetCaptureInfo_v3"},
        total,
        kWindow,
        [&](std::uint64_t count) { return open(window, count); },
        [this] { return launch(); },
        [&]() -> Result<void> {
          if (auto graph = window.instantiate(); !graph) {
            return fail(std::move(graph.error().error));
          }
          return chain_.stream().synchronize();
        });
  }

 private:
  /// Batches that run, each waited for.
  template <class Operation>
  Result<void> run_eager(const Calls& calls, std::uint64_t total, Operation&& operation) {
    return run_batches(
        log_,
        calls,
        total,
        kBatch,
        [](std::uint64_t) { return Result<void>(); },
        operation,
        [this] { return chain_.stream().synchronize(); });
  }
  bool launch() const { return chain_.launch(kIncrement).has_value(); }

  Result<void> open(Window& window, std::uint64_t count) const {
    ORIEL_TRY(window.prepare());
    for (std::uint64_t i = 0; i < count; ++i) {
      ORIEL_TRY(chain_.launch(kIncrement));
    }
    return window.begin();
  }

  const CallLog& log_;
  OrielChain chain_;
};

/// The driver's calls alone: all that Oriel makes, or the bare one.
class RawOperations {
 public:
  RawOperations(const CallLog& log, RawChain& chain, bool bare)
      : log_(log), chain_(chain), driver_(chain.raw().driver()), bare_(bare) {}

  Result<void> eager(std::uint64_t total) {
    const auto bare = [this] { return launch(); };
    const auto same = [this] { return enter() && launch(); };
    return bare_ ? run_eager({"cuLaunchKernel"}, total, bare)
                 : run_eager({"cuCtxGetCurrent", "cuLaunchKernel"}, total, same);
  }

  Result<void> replay(std::uint64_t total) {
    auto graph = chain_.capture();
    if (!graph) {
      return fail(std::move(graph.error()));
    }
    const auto bare = [&] { return driver_.graph_launch(*graph, chain_.stream()) == CUDA_SUCCESS; };
    const auto same = [&] { return enter() && bare(); };
    ORIEL_TRY(bare_ ? run_eager({"cuGraphLaunch"}, total, bare)
                    : run_eager({"cuCtxGetCurrent", "cuGraphLaunch"}, total, same));
    return check(driver_.graph_exec_destroy(*graph));
  }

  Result<void> recorded(std::uint64_t total) {
    const auto open = [this](std::uint64_t) {
      return check(driver_.stream_begin_capture(chain_.stream(), CU_STREAM_CAPTURE_MODE_RELAXED));
    };
    const auto close = [this]() -> Result<void> {
      CUgraph graph = nullptr;
      ORIEL_TRY(check(driver_.stream_end_capture(chain_.stream(), &graph)));
      return check(driver_.graph_destroy(graph));
    };
    const auto bare = [this] { return launch(); };
    const auto same = [this] { return enter() && launch() && look(); };
    const Calls calls{"cuCtxGetCurrent", "cuLaunchKernel", "cuStreamGetCaptureInfo_v3"};
    return bare_ ? run_batches(log_, {"cuLaunchKernel"}, total, kWindow, open, bare, close)
                 : run_batches(log_, calls, total, kWindow, open, same, close);
  }

 private:
  /// Batches that run, each waited for.
  template <class Operation>
  Result<void> run_eager(const Calls& calls, std::uint64_t total, Operation&& operation) {
    return run_batches(
        log_,
        calls,
        total,
        kBatch,
        [](std::uint64_t) { return Result<void>(); },
        operation,
        [this] { return chain_.synchronize(); });
  }
  [[nodiscard]] bool enter() const {
    CUcontext current = nullptr;
    return driver_.ctx_get_current(&current) == CUDA_SUCCESS;
  }
  [[nodiscard]] bool launch() const { return chain_.launch(kIncrement) == CUDA_SUCCESS; }
  /// Asks for the last node, as Oriel does after a recorded launch.
  [[nodiscard]] bool look() const {
    CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;
    const CUgraphNode* nodes = nullptr;
    std::size_t count = 0;
    return driver_.capture_info_v3(
               chain_.stream(), &status, nullptr, nullptr, &nodes, nullptr, &count) == CUDA_SUCCESS;
  }
  [[nodiscard]] Result<void> check(CUresult code) const {
    return chain_.raw().check(code, "a call around the operations");
  }

  const CallLog& log_;
  RawChain& chain_;
  const cuda::DriverLibrary& driver_;
  bool bare_;
};

template <class Operations>
Result<void> run_what(Operations operations, std::string_view what, std::uint64_t total) {
  if (what == "eager") {
    return operations.eager(total);
  }
  return what == "recorded" ? operations.recorded(total) : operations.replay(total);
}

/// Both devices are open whoever runs, so that start-up is alike.
Result<void> run(std::string_view who, std::string_view what, std::uint64_t total) {
  const auto runtime = Runtime::open("cuda");
  if (!runtime) {
    return fail(runtime.error());
  }
  const auto raw = RawCuda::open(0);
  if (!raw) {
    return fail(raw.error());
  }
  const auto log = CallLog::of((*raw)->driver());
  if (!log) {
    return fail(log.error());
  }
  if (who == "oriel") {
    auto chain = OrielChain::create(*runtime, kChain);
    if (!chain) {
      return fail(std::move(chain.error()));
    }
    return run_what(OrielOperations(*log, std::move(*chain)), what, total);
  }
  RawChain chain(*raw, kChain);
  ORIEL_TRY(chain.start());
  return run_what(RawOperations(*log, chain, who == "bare"), what, total);
}

bool is_one_of(std::string_view text, std::initializer_list<std::string_view> words) {
  return std::find(words.begin(), words.end(), text) != words.end();
}

int run_program(const std::vector<std::string>& arguments) {
  const std::string mode = arguments.size() == 2 ? arguments[0] : "";
  const std::string who = mode.substr(0, mode.find('-'));
  const std::string what = mode.substr(std::min(mode.size(), who.size() + 1));
  const auto total = tools::parse_whole(arguments.size() == 2 ? arguments[1] : "", 1, 100'000'000);
  if (!is_one_of(who, {"oriel", "raw", "bare"}) ||
      !is_one_of(what, {"eager", "recorded", "replay"}) || !total) {
    std::fputs(
        "usage: oriel_bench_cuda_instructions (oriel|raw|bare)-(eager|recorded|replay) COUNT\n",
        stderr);
    return 1;
  }
  if (const auto done = run(who, what, *total); !done) {
    std::fprintf(stderr,
                 "oriel_bench_cuda_instructions: %s\n",
                 tools::one_line(done.error().to_string()).c_str());
    return 2;
  }
  return 0;
}

}  // namespace
}  // namespace oriel::bench

int main(int argc, char** argv) {
  try {
    return oriel::bench::run_program({argv + 1, argv + argc});
  } catch (const std::exception& error) {
    std::fprintf(stderr, "oriel_bench_cuda_instructions: %s\n", error.what());
    return 2;
  }
}
