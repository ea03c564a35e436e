#include "command_line.hpp"

#include "cg_command.hpp"
#include "chain_command.hpp"
#include "conformance_command.hpp"
#include "devices_command.hpp"
#include "json_text.hpp"
#include "number_text.hpp"
#include "poisson_matrix.hpp"

#include <CLI/CLI.hpp>
#include <cstdio>
#include <filesystem>
#include <functional>
#include <new>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>

namespace oriel::tools {
namespace {

constexpr std::uint64_t kMostCount = 1'000'000'000'000;
constexpr std::uint64_t kMostWidth = 1 << 30;

/// A check for CLI11: "" if the text is a whole number from 1 to `most`.
std::function<std::string(const std::string&)> whole_up_to(std::uint64_t most) {
  return [most](const std::string& text) {
    const auto number = parse_whole(text, 1, most);
    return number ? std::string() : number.error().message;
  };
}

std::string check_tolerance(const std::string& text) {
  const auto number = parse_real(text);
  if (!number) {
    return number.error().message;
  }
  return *number > 0 && *number < 1 ? std::string() : in_quotes(text) + " is not between 0 and 1";
}

/// Refuses an empty text: an option that is given has something to say.
CLI::Validator not_empty(const std::string& what) {
  return {
      [what](const std::string& text) { return text.empty() ? what + " is empty" : std::string(); },
      ""};
}

std::string check_precision(const std::string& text) {
  return text == "double" || text == "single" ? std::string()
                                              : in_quotes(text) + " is neither double nor single";
}

std::string check_folder(const std::string& text) {
  std::error_code ignored;
  return std::filesystem::is_directory(text, ignored) ? std::string()
                                                      : in_quotes(text) + " is not a folder";
}

/// An option whose text `check` judges ("" is good) and `take` takes. Numbers go this way too, so
/// that no locale and no silent wrap gets in.
CLI::Option* add_checked(CLI::App& app,
                         const std::string& name,
                         std::function<std::string(const std::string&)> check,
                         const std::function<void(const std::string&)>& take,
                         const std::string& help) {
  return app.add_option_function<std::string>(name, take, help)
      ->check(CLI::Validator(std::move(check), ""));
}

CLI::Option* add_count(CLI::App& app,
                       const std::string& name,
                       std::uint64_t& value,
                       std::uint64_t most,
                       const std::string& help) {
  const auto take = [&value, most](const std::string& text) {
    value = parse_whole(text, 1, most).value_or(1);
  };
  return add_checked(app, name, whole_up_to(most), take, help)->type_name("N");
}

void add_plugin_paths(CLI::App& app, std::vector<std::string>& paths) {
  app.add_option("--plugin-path", paths, "Look for plugins in this folder first (may be repeated)")
      ->check(CLI::Validator(check_folder, ""))
      ->allow_extra_args(false)
      ->type_name("DIR");
}

void add_backend(CLI::App& app, BackendChoice& choice) {
  app.add_option("--backend",
                 choice.backend,
                 "\"host\", \"cuda:1\", or the path of a plugin (default host)")
      ->check(not_empty("the name of a backend"))
      ->type_name("NAME");
  add_plugin_paths(app, choice.plugin_paths);
}

void add_report(CLI::App& app, bool& json, std::string& dot_file) {
  app.add_flag("--json", json, "Report as one JSON object");
  app.add_option("--dot", dot_file, "Write the graph to this file as Graphviz")
      ->check(not_empty("the name of the file"))
      ->type_name("FILE");
}

/// The options of all subcommands, and which of them was given. It outlives the parser.
struct CommandLine {
  CLI::App app{"Records a stream's work into a graph once and replays it."};
  CLI::App* devices_app = nullptr;
  CLI::App* cg_app = nullptr;
  CLI::App* chain_app = nullptr;
  CLI::App* conformance_app = nullptr;
  DevicesOptions devices;
  CgOptions cg;
  ChainOptions chain;
  ConformanceOptions conformance;

  CommandLine() {
    app.name("oriel");
    app.set_version_flag("--version", std::string("oriel " ORIEL_TOOLS_VERSION));
    app.require_subcommand(1);
    app.footer(
        "Exit status: 0 done, 1 wrong options or bad input, 2 the result failed its check,\n"
        "3 the backend can't be used.");
    add_devices();
    CLI::App* run = app.add_subcommand("run", "Run a workload eagerly and by replays");
    run->require_subcommand(1);
    add_cg(*run);
    add_chain(*run);
    add_conformance();
  }

 private:
  void add_devices() {
    devices_app = app.add_subcommand("devices", "List every backend and its devices");
    devices_app->add_flag("--json", devices.json, "Report as one JSON object");
    add_plugin_paths(*devices_app, devices.plugin_paths);
  }

  void add_cg(CLI::App& run) {
    cg_app = run.add_subcommand(
        "cg",
        "Conjugate gradients with Jacobi preconditioning: A x = b, with b = A x* for "
        "x*(i) = 1 + (i mod 7) / 7, and x = 0 at the start. One iteration is one window; the true "
        "residual decides.");
    auto* matrix =
        cg_app
            ->add_option(
                "--matrix", cg.matrix, "A from a Matrix Market file: symmetric positive definite")
            ->check(not_empty("the name of the file"))
            ->type_name("FILE");
    add_count(*cg_app,
              "--poisson",
              cg.poisson,
              kMostPoissonSide,
              "A is the five-point Laplacian on an N x N grid")
        ->excludes(matrix);
    add_checked(
        *cg_app,
        "--precision",
        check_precision,
        [this](const std::string& text) { cg.single = text == "single"; },
        "double (default) or single")
        ->type_name("P");
    add_checked(
        *cg_app,
        "--tolerance",
        check_tolerance,
        [this](const std::string& text) { cg.tolerance = parse_real(text).value_or(0); },
        "Of ||b - A x|| / ||b|| (default 1e-8, in single precision 1e-4)")
        ->type_name("T");
    add_count(*cg_app,
              "--max-iterations",
              cg.max_iterations,
              kMostCount,
              "Never do more than N iterations (default 10000)");
    add_count(*cg_app,
              "--check-every",
              cg.check_every,
              kMostCount,
              "Read the residual after every N iterations (default 10)");
    add_backend(*cg_app, cg.choice);
    add_report(*cg_app, cg.json, cg.dot_file);
  }

  void add_chain(CLI::App& run) {
    chain_app = run.add_subcommand("chain", "A chain of tiny kernels: what a launch costs");
    add_count(*chain_app,
              "--nodes",
              chain.nodes,
              ChainOptions::kMostNodes,
              "Kernels in the chain (default 100)");
    add_count(*chain_app,
              "--steps",
              chain.steps,
              ChainOptions::kMostSteps,
              "Eager steps, and as many replays (default 1000)");
    add_count(*chain_app, "--width", chain.width, kMostWidth, "Floats (default 64)");
    add_backend(*chain_app, chain.choice);
    add_report(*chain_app, chain.json, chain.dot_file);
  }

  void add_conformance() {
    conformance_app =
        app.add_subcommand("conformance", "Run the suite that every backend must pass");
    add_backend(*conformance_app, conformance.choice);
    conformance_app
        ->add_option("--filter", conformance.filter, "Only tests that match, for example \"B01*\"")
        ->check(not_empty("the filter"))
        ->type_name("PATTERN");
    conformance_app->add_flag("--list", conformance.list, "Print the tests' names and run none");
    conformance_app->add_flag("--json", conformance.json, "Report as one JSON object");
  }
};

/// Prints all of it, or says that it could not: a full disk must not look like success.
Outcome<void> print(std::string_view text) {
  const bool written = std::fwrite(text.data(), 1, text.size(), stdout) == text.size();
  if (!written || std::fflush(stdout) != 0) {
    return stop(ExitCode::kUsage, "can't write to standard output");
  }
  return {};
}

int report(const Failure& failure) {
  std::fprintf(stderr, "oriel: %s\n", one_line(failure.message).c_str());
  return static_cast<int>(failure.exit);
}

/// A failure that left no report: with --json the object says so.
int fail_command(const Failure& failure, bool json) {
  if (json) {
    const Json object = {
        {"ok", false},
        {"error",
         {{"exit_code", static_cast<int>(failure.exit)}, {"message", one_line(failure.message)}}}};
    if (const auto printed = print(json_text(object)); !printed) {
      return report(printed.error());
    }
  }
  return report(failure);
}

int finish(const Outcome<Reply>& reply, bool json) {
  if (!reply) {
    return fail_command(reply.error(), json);
  }
  if (const auto printed = print(reply->text); !printed) {
    return report(printed.error());
  }
  return reply->failed ? report(*reply->failed) : 0;
}

/// Runs the subcommand that was given.
int dispatch(const CommandLine& line) {
  if (line.devices_app->parsed()) {
    return finish(devices_command(line.devices), line.devices.json);
  }
  if (line.cg_app->parsed()) {
    if (line.cg.matrix.empty() && line.cg.poisson == 0) {
      return fail_command({ExitCode::kUsage, "run cg needs --matrix FILE or --poisson N"},
                          line.cg.json);
    }
    return finish(cg_command(line.cg), line.cg.json);
  }
  if (line.chain_app->parsed()) {
    return finish(chain_command(line.chain), line.chain.json);
  }
  const auto status = conformance_command(line.conformance);
  return status ? *status : fail_command(status.error(), line.conformance.json);
}

bool asks_for_json(int argc, const char* const* argv) {
  for (int i = 1; i < argc; ++i) {
    if (std::string_view(argv[i]) == "--json") {
      return true;
    }
  }
  return false;
}

int parse_and_run(int argc, const char* const* argv) {
  CommandLine line;
  try {
    line.app.parse(argc, argv);
  } catch (const CLI::Success& asked) {  // --help and --version
    std::ostringstream answer;
    const int status = line.app.exit(asked, answer, answer);
    const auto printed = print(answer.str());
    return printed ? status : report(printed.error());
  } catch (const CLI::ParseError& error) {
    // The parser complains of a missing subcommand where an unknown word is what is wrong.
    const auto unknown = line.app.remaining(true);
    const std::string what = unknown.empty()
                                 ? error.what()
                                 : "there is no option or subcommand " + in_quotes(unknown[0]);
    return fail_command({ExitCode::kUsage, what + " (see oriel --help)"},
                        asks_for_json(argc, argv));
  }
  return dispatch(line);
}

}  // namespace

int run_command(int argc, const char* const* argv) noexcept {
  const auto failed = [&](ExitCode exit, const char* message) {
    try {
      return fail_command({exit, message}, asks_for_json(argc, argv));
    } catch (...) {
      std::fputs("oriel: out of memory\n", stderr);
      return static_cast<int>(exit);
    }
  };
  try {
    return parse_and_run(argc, argv);
  } catch (const std::bad_alloc&) {
    return failed(ExitCode::kUsage, "out of memory: make the problem smaller");
  } catch (const std::length_error&) {
    return failed(ExitCode::kUsage, "out of memory: make the problem smaller");
  } catch (const std::exception& error) {
    return failed(ExitCode::kCheckFailed, error.what());
  }
}

}  // namespace oriel::tools
