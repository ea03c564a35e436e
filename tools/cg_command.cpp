#include "cg_command.hpp"

#include "cg_device.hpp"
#include "cg_report.hpp"
#include "cg_solver.hpp"
#include "cg_system.hpp"
#include "dot_file.hpp"
#include "matrix_market.hpp"
#include "memory_budget.hpp"
#include "poisson_matrix.hpp"
#include "progress.hpp"
#include "report_text.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <filesystem>

namespace oriel::tools {
namespace {

/// What a problem needs at its peak: the matrix in double and its copies on the way to the device,
/// and on the host and the device the vectors.
MemoryNeed need_of(std::uint64_t rows, std::uint64_t entries, std::uint64_t real_bytes) {
  const std::uint64_t staging = entries * real_bytes;
  return {entries * 12 + rows * (4 + 6 * 8) + entries * real_bytes + staging,
          entries * (real_bytes + 4) + rows * (6 * real_bytes + 4)};
}

std::uint64_t real_bytes(const CgOptions& options) {
  return options.single ? 4 : 8;
}

Outcome<CsrMatrix> load_matrix(const CgOptions& options, const DeviceInfo& device) {
  if (options.poisson != 0) {
    const std::uint64_t side = options.poisson;
    const auto fits =
        check_memory(need_of(side * side, poisson_entries(side), real_bytes(options)), device);
    if (!fits) {
      return stop(fits.error());
    }
    return poisson_matrix(static_cast<std::uint32_t>(side));
  }
  std::error_code ignored;  // a file that can't be looked at is the reader's to report
  const auto bytes = std::filesystem::file_size(options.matrix, ignored);
  if (!ignored) {
    // The text and the entries read from it.
    if (const auto fits = check_memory({bytes + bytes / 2 * 3, 0}, device); !fits) {
      return stop(fits.error());
    }
  }
  auto matrix = read_matrix_market(options.matrix);
  if (!matrix) {
    return stop(ExitCode::kUsage, matrix.error().message);
  }
  const auto fits =
      check_memory(need_of(matrix->size, matrix->entries(), real_bytes(options)), device);
  if (!fits) {
    return stop(fits.error());
  }
  return std::move(*matrix);
}

std::string matrix_name(const CgOptions& options) {
  if (options.poisson == 0) {
    return options.matrix;
  }
  const std::string side = std::to_string(options.poisson);
  return "Poisson " + side + " x " + side;
}

/// The solve of one precision on one device, from the matrix to the report.
template <class Real>
class CgRun {
 public:
  CgRun(const CgOptions& options, const CgSystem& system, Stream stream, CgDevice<Real> device)
      : options_(options), system_(system), stream_(std::move(stream)), device_(std::move(device)) {
    report_.limits = {options.tolerance.value_or(options.single ? 1e-4 : 1e-8),
                      options.max_iterations,
                      options.check_every};
  }

  Outcome<CgReport> run() {
    // The warm-up of the window is an iteration too, so that it needs a start.
    if (auto started = device_.start(stream_, system_.rhs); !started) {
      return stop(started.error());
    }
    auto graph = stream_.capture([this](Stream& stream) { return device_.iterate(stream); });
    if (!graph) {
      return stop(graph.error().error);
    }
    if (auto written = write_dot(*graph, options_.dot_file); !written) {
      return stop(written.error());
    }
    report_.nodes = graph->node_count();
    report_.memory = graph->memory();
    const Step replay = [this, &graph] { return graph->replay(stream_); };
    const Step eager = [this] { return device_.iterate(stream_); };
    if (auto solved = solve_both(replay, eager); !solved) {
      return stop(solved.error());
    }
    if (auto timed = time_both(replay, eager); !timed) {
      return stop(timed.error());
    }
    return std::move(report_);
  }

 private:
  Result<CgSolution> solve_by(const Step& step, const char* how) {
    return solve(device_,
                 stream_,
                 system_,
                 report_.limits,
                 step,
                 [this, how](std::uint64_t iterations, double residual) {
                   if (progress_.due()) {
                     progress_.show("run cg, " + std::string(how) + ": " +
                                    std::to_string(iterations) + " iterations, residual " +
                                    scientific_text(residual));
                   }
                 });
  }

  Result<void> solve_both(const Step& replay, const Step& eager) {
    auto replayed = solve_by(replay, "replayed");
    if (!replayed) {
      return fail(replayed.error());
    }
    auto again = solve_by(eager, "eager");
    if (!again) {
      return fail(again.error());
    }
    compare(replayed->x, again->x);
    report_.replayed = std::move(*replayed);
    report_.eager_iterations = again->iterations;
    return {};
  }

  void compare(const std::vector<double>& replayed, const std::vector<double>& eager) {
    report_.bit_identical =
        std::memcmp(replayed.data(), eager.data(), replayed.size() * sizeof(double)) == 0;
    for (std::size_t i = 0; i < replayed.size(); ++i) {
      report_.largest_difference =
          std::max(report_.largest_difference, std::fabs(replayed[i] - eager[i]));
    }
  }

  /// Blocks of about 30 ms, each from the same start, so that both do the same arithmetic.
  Result<void> time_both(const Step& replay, const Step& eager) {
    constexpr double kBlockSeconds = 0.03;
    constexpr std::size_t kBlocks = 9;
    const auto done = static_cast<double>(report_.replayed.iterations);
    const double each = std::max(report_.replayed.seconds / done, 1e-9);
    const auto steps = static_cast<std::uint64_t>(std::clamp(kBlockSeconds / each, 1.0, done));
    SideBySidePlan plan;
    plan.reset = [this]() -> Result<void> {
      progress_.show("run cg: timing");
      ORIEL_TRY(device_.start(stream_, system_.rhs));
      return stream_.synchronize();
    };
    plan.eager = eager;
    plan.replayed = replay;
    plan.finish = [this] { return stream_.synchronize(); };
    plan.check = [](bool) { return Result<void>(); };
    plan.blocks.assign(kBlocks, steps);
    const auto times = measure(plan);
    if (!times) {
      return fail(times.error());
    }
    report_.times = *times;
    return {};
  }

  const CgOptions& options_;
  const CgSystem& system_;
  Stream stream_;
  CgDevice<Real> device_;
  Progress progress_;
  CgReport report_;
};

template <class Real>
Outcome<CgReport> run_on(const CgOptions& options, const Runtime& runtime, const CgSystem& system) {
  auto stream = runtime.create_stream();
  if (!stream) {
    return stop(stream.error());
  }
  auto device = CgDevice<Real>::create(runtime, *stream, system.matrix, system.diagonal);
  if (!device) {
    return stop(device.error());
  }
  return CgRun<Real>(options, system, *stream, std::move(*device)).run();
}

}  // namespace

Outcome<Reply> cg_command(const CgOptions& options) {
  const auto runtime = open_backend(options.choice);
  if (!runtime) {
    return stop(runtime.error());
  }
  if (!options.single && !runtime->capabilities().double_precision) {
    return stop(ExitCode::kUsage,
                "device " + device_text(runtime->info()) +
                    " has no double precision; use --precision single");
  }
  auto matrix = load_matrix(options, runtime->info());
  if (!matrix) {
    return stop(matrix.error());
  }
  const auto system = make_cg_system(std::move(*matrix), matrix_name(options));
  if (!system) {
    return stop(system.error());
  }
  auto report = options.single ? run_on<float>(options, *runtime, *system)
                               : run_on<double>(options, *runtime, *system);
  if (!report) {
    return stop(report.error());
  }
  report->matrix = system->name;
  report->size = system->matrix.size;
  report->entries = system->matrix.entries();
  report->device = runtime->info();
  report->single = options.single;
  return cg_reply(*report, options.json);
}

}  // namespace oriel::tools
