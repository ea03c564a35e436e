// What Oriel adds to CUDA: chains of small kernels, eagerly and as graphs, by the bare driver API
// and by Oriel, side by side in one run. Raw and Oriel's graphs hold the same nodes.
#include "cuda_report.hpp"
#include "failure.hpp"
#include "number_text.hpp"
#include "oriel_chain.hpp"
#include "raw_chain.hpp"
#include "rounds.hpp"

#include <CLI/CLI.hpp>
#include <cstdio>
#include <exception>
#include <string>
#include <vector>

namespace oriel::bench {
namespace {

struct Options {
  std::uint64_t device = 0;
  std::uint64_t width = 1024;
  std::vector<std::uint64_t> links;
  Rounds rounds;
  std::string torch_file;
  bool json = false;
};

/// An option that takes whole numbers from `least` to `most`, whatever the locale.
template <class Take>
CLI::Option* add_number(CLI::App& app,
                        const std::string& name,
                        std::uint64_t least,
                        std::uint64_t most,
                        Take take,
                        const std::string& help) {
  const auto parse = [least, most](const std::string& text) {
    return tools::parse_whole(text, least, most);
  };
  const auto check = [parse](const std::string& text) {
    const auto number = parse(text);
    return number ? std::string() : number.error().message;
  };
  return app
      .add_option_function<std::vector<std::string>>(
          name,
          [parse, take, least](const std::vector<std::string>& texts) {
            for (const std::string& text : texts) {
              take(parse(text).value_or(least));
            }
          },
          help)
      ->check(CLI::Validator(check, ""))
      ->expected(1)
      ->type_name("N");
}

void add_options(CLI::App& app, Options& options) {
  add_number(
      app, "--device", 0, 63, [&](std::uint64_t n) { options.device = n; }, "Of CUDA's devices");
  add_number(
      app,
      "--links",
      1,
      100'000,
      [&](std::uint64_t n) { options.links.push_back(n); },
      "Kernels in a chain; may be repeated (default 10, 150 and 1000)")
      ->take_all();
  add_number(
      app,
      "--rounds",
      1,
      10'000,
      [&](std::uint64_t n) { options.rounds.count = n; },
      "Rounds that the medians are of (default 21)");
  add_number(
      app,
      "--width",
      1,
      1 << 20,
      [&](std::uint64_t n) { options.width = n; },
      "Floats (default 1024)");
  app.add_option("--torch", options.torch_file, "Show the times that torch_chain.py left here too")
      ->type_name("FILE");
  app.add_flag("--json", options.json, "Report as one JSON object");
}

template <class Create>
Result<void> add(std::vector<std::unique_ptr<Contestant>>& contestants, Create&& create) {
  auto made = create();
  if (!made) {
    return fail(std::move(made.error()));
  }
  contestants.push_back(std::move(*made));
  return {};
}

Result<ChainTimes> run_chain(const Runtime& runtime,
                             const std::shared_ptr<const RawCuda>& raw,
                             const Chain& chain,
                             const Rounds& rounds) {
  std::vector<std::unique_ptr<Contestant>> contestants;
  ORIEL_TRY(add(contestants, [&] { return RawEager::create(raw, chain); }));
  ORIEL_TRY(add(contestants, [&] { return OrielEager::create(runtime, chain); }));
  ORIEL_TRY(add(contestants, [&] { return RawGraph::create(raw, chain); }));
  ORIEL_TRY(add(contestants, [&] { return OrielGraph::create(runtime, chain); }));
  const auto medians = measure(contestants, chain, rounds);
  if (!medians) {
    return fail(medians.error());
  }
  const std::vector<double>& times = *medians;
  return ChainTimes{chain.links, times[0], times[1], times[2], times[3], {}};
}

Result<CudaReport> run(const Options& options) {
  CudaReport report;
  TorchTimes torch;
  if (!options.torch_file.empty()) {
    auto read = read_torch_times(options.torch_file);
    if (!read) {
      return fail(std::move(read.error()));
    }
    torch = std::move(*read);
    report.has_torch = true;
  }
  // Oriel first: it says best why a device can't be used.
  const auto runtime = Runtime::open("cuda:" + std::to_string(options.device));
  if (!runtime) {
    return fail(runtime.error());
  }
  const auto raw = RawCuda::open(static_cast<std::uint32_t>(options.device));
  if (!raw) {
    return fail(raw.error());
  }
  report.device = runtime->info();
  report.width = options.width;
  report.rounds = options.rounds.count;
  for (const std::uint64_t links : options.links) {
    const Chain chain{links, static_cast<std::uint32_t>(options.width)};
    auto times = run_chain(*runtime, *raw, chain, options.rounds);
    if (!times) {
      return fail(std::move(times.error()));
    }
    if (const auto known = torch.find(links); known != torch.end()) {
      times->torch_graph = known->second;
    }
    report.chains.push_back(*times);
  }
  return report;
}

int stop_with(const tools::Failure& failure) {
  std::fprintf(stderr, "oriel_bench_cuda: %s\n", tools::one_line(failure.message).c_str());
  return static_cast<int>(failure.exit);
}

int run_program(int argc, char** argv) {
  Options options;
  CLI::App app{"Chains of small kernels by CUDA's driver API and by Oriel, side by side."};
  add_options(app, options);
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& asked) {
    return app.exit(asked);
  } catch (const CLI::ParseError& error) {
    return stop_with({tools::ExitCode::kUsage, error.what()});
  }
  if (options.links.empty()) {
    options.links = {10, 150, 1000};
  }
  const auto report = run(options);
  if (!report) {
    return stop_with(tools::stop(report.error()).value());
  }
  const std::string text = options.json ? report->json() : report->text();
  if (std::fputs(text.c_str(), stdout) < 0 || std::fflush(stdout) != 0) {
    return stop_with({tools::ExitCode::kUsage, "can't write to standard output"});
  }
  return 0;
}

}  // namespace
}  // namespace oriel::bench

int main(int argc, char** argv) {
  try {
    return oriel::bench::run_program(argc, argv);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "oriel_bench_cuda: %s\n", error.what());
    return 2;
  }
}
