#include "chain_command.hpp"

#include "chain_kernels.hpp"
#include "chain_model.hpp"
#include "dot_file.hpp"
#include "json_text.hpp"
#include "memory_budget.hpp"
#include "progress.hpp"
#include "report_text.hpp"
#include "side_by_side.hpp"

#include <oriel/oriel.hpp>

#include <algorithm>
#include <optional>
#include <vector>

namespace oriel::tools {
namespace {

constexpr std::uint64_t kMostBlocks = 20;

/// `steps` in blocks that differ by at most one.
std::vector<std::uint64_t> split(std::uint64_t steps) {
  const std::uint64_t count = std::min(steps, kMostBlocks);
  std::vector<std::uint64_t> blocks(count, steps / count);
  for (std::uint64_t i = 0; i < steps % count; ++i) {
    ++blocks[i];
  }
  return blocks;
}

struct ChainReport {
  SideBySide times;
  std::size_t nodes = 0;
  GraphMemory memory;
  std::string mismatch;  ///< The first wrong element, "" if all were right.
};

/// The chain on one device, and what it must have come to so far.
class ChainRun {
 public:
  ChainRun(const ChainOptions& options, Stream stream, Kernel link, Buffer<float> x)
      : options_(options),
        stream_(std::move(stream)),
        link_(std::move(link)),
        x_(std::move(x)),
        step_(chain_step(options.nodes)) {}

  Outcome<ChainReport> run(std::uint32_t group_items) {
    const auto width = static_cast<std::uint32_t>(options_.width);
    config_.group = std::min(group_items, width);
    config_.grid = (width - 1) / config_.group.x + 1;
    if (auto started = start(); !started) {
      return stop(started.error());
    }
    auto graph = stream_.capture([this](Stream&) { return enqueue(); });
    if (!graph) {
      return stop(graph.error().error);
    }
    done_ = step_;  // the warm-up
    if (auto written = write_dot(*graph, options_.dot_file); !written) {
      return stop(written.error());
    }
    report_.nodes = graph->node_count();
    report_.memory = graph->memory();
    const auto times = measure(plan(*graph));
    if (!times) {
      return stop(times.error());
    }
    report_.times = *times;
    return std::move(report_);
  }

 private:
  Result<void> start() const {
    std::vector<float> first(x_.size());
    for (std::size_t i = 0; i < first.size(); ++i) {
      first[i] = static_cast<float>(i % ChainMap::kModulus);
    }
    return stream_.upload(x_, first);
  }

  Result<void> enqueue() const {
    const auto width = static_cast<std::uint32_t>(options_.width);
    for (std::uint64_t node = 0; node < options_.nodes; ++node) {
      const auto increment = static_cast<float>(chain_increment(node));
      ORIEL_TRY(stream_.launch(link_, config_, inout(x_), increment, width));
    }
    return {};
  }

  SideBySidePlan plan(Graph& graph) {
    SideBySidePlan plan;
    plan.blocks = split(options_.steps);
    plan.reset = [] { return Result<void>(); };
    plan.eager = [this] {
      done_ = done_.then(step_);
      return enqueue();
    };
    plan.replayed = [this, &graph] {
      done_ = done_.then(step_);
      return graph.replay(stream_);
    };
    plan.finish = [this] { return stream_.synchronize(); };
    plan.check = [this](bool replayed) { return check(replayed); };
    return plan;
  }

  Result<void> check(bool replayed) {
    ++blocks_done_;
    progress_.show("run chain: " + std::to_string(blocks_done_) + " of " +
                   std::to_string(2 * split(options_.steps).size()) + " blocks");
    const auto values = stream_.read(x_);
    if (!values) {
      return fail(values.error());
    }
    for (std::size_t i = 0; i < values->size() && report_.mismatch.empty(); ++i) {
      const auto expected = static_cast<float>(done_(i % ChainMap::kModulus));
      if ((*values)[i] != expected) {
        report_.mismatch = "element " + std::to_string(i) + " is " + std::to_string((*values)[i]) +
                           " and not " + std::to_string(expected) + " after a block of " +
                           (replayed ? "replayed" : "eager") + " steps";
      }
    }
    return {};
  }

  const ChainOptions& options_;
  Stream stream_;
  Kernel link_;
  Buffer<float> x_;
  ChainMap step_;
  ChainMap done_;  // everything run so far
  LaunchConfig config_;
  std::uint64_t blocks_done_ = 0;
  Progress progress_;
  ChainReport report_;
};

std::string text(const ChainOptions& options, const DeviceInfo& device, const ChainReport& report) {
  const auto nodes = static_cast<double>(options.nodes);
  const auto times = [nodes](double step) {
    return seconds_text(step) + " a step, " + seconds_text(step / nodes) + " a node";
  };
  return ReportTable{
      "A chain of " + std::to_string(options.nodes) + " kernels over " +
          std::to_string(options.width) + " floats, " + std::to_string(options.steps) + " steps",
      {{"device", device_text(device)},
       {"results", report.mismatch.empty() ? "all right" : "WRONG: " + report.mismatch},
       {"graph", graph_text(report.nodes, report.memory)},
       {"eager", times(report.times.eager_seconds)},
       {"replayed", times(report.times.replayed_seconds)},
       {"ratio", ratio_text(report.times.ratio())}}}
      .text();
}

std::string json(const ChainOptions& options, const DeviceInfo& device, const ChainReport& report) {
  const auto nodes = static_cast<double>(options.nodes);
  Json out = {{"command", "run chain"},
              {"ok", report.mismatch.empty()},
              {"device", device_json(device)},
              {"nodes", options.nodes},
              {"steps", options.steps},
              {"width", options.width},
              {"graph", graph_json(report.nodes, report.memory)},
              {"eager_seconds_per_step", report.times.eager_seconds},
              {"replayed_seconds_per_step", report.times.replayed_seconds},
              {"eager_seconds_per_node", report.times.eager_seconds / nodes},
              {"replayed_seconds_per_node", report.times.replayed_seconds / nodes},
              {"ratio", report.times.ratio()}};
  if (!report.mismatch.empty()) {
    out["error"] = {{"exit_code", static_cast<int>(ExitCode::kCheckFailed)},
                    {"message", report.mismatch}};
  }
  return json_text(out);
}

Outcome<ChainReport> run_on(const ChainOptions& options, const Runtime& runtime) {
  auto stream = runtime.create_stream();
  if (!stream) {
    return stop(stream.error());
  }
  auto module = runtime.load(chain_kernels::bundle());
  if (!module) {
    return stop(module.error());
  }
  auto link = module->kernel("chain_link");
  if (!link) {
    return stop(link.error());
  }
  auto x = stream->allocate<float>(options.width, "x");
  if (!x) {
    return stop(x.error());
  }
  constexpr std::uint32_t kGroup = 256;
  return ChainRun(options, *stream, *link, *x)
      .run(std::min(kGroup, runtime.capabilities().max_group_items));
}

}  // namespace

Outcome<Reply> chain_command(const ChainOptions& options) {
  const auto runtime = open_backend(options.choice);
  if (!runtime) {
    return stop(runtime.error());
  }
  const DeviceInfo& device = runtime->info();
  // On the device, and on the host the start, the staging and what is read back.
  const std::uint64_t bytes = options.width * sizeof(float);
  if (auto fits = check_memory({3 * bytes, bytes}, device); !fits) {
    return stop(fits.error());
  }
  const auto report = run_on(options, *runtime);
  if (!report) {
    return stop(report.error());
  }
  Reply reply;
  reply.text = options.json ? json(options, device, *report) : text(options, device, *report);
  if (!report->mismatch.empty()) {
    reply.failed = Failure{ExitCode::kCheckFailed, report->mismatch};
  }
  return reply;
}

}  // namespace oriel::tools
