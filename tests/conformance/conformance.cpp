#define CATCH_CONFIG_EXTERNAL_INTERFACES
#include "conformance/conformance.hpp"

#include "conformance/fixture.hpp"
#include "support/catch_runner.hpp"

#include <cctype>
#include <cstdio>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string_view>
#include <vector>

namespace oriel::conformance {
namespace {

#ifdef ORIEL_CATCH_V2
using Listener = Catch::TestEventListenerBase;
using AssertionEnded = bool;
#else
using Listener = Catch::EventListenerBase;
using AssertionEnded = void;
#endif

struct Failure {
  std::string name;
  std::string message;
};

struct Absence {
  std::string scenario;
  std::string capability;
};

// What a run found out.
struct Report {
  bool active = false;  // the suite runs, not a unit test that links it
  bool quiet = false;
  std::size_t passed = 0;
  std::size_t failed = 0;
  std::size_t declared_unsupported = 0;
  std::map<std::string, std::string> scenarios;
  std::vector<Failure> failures;
  std::vector<Absence> unsupported;
};

Report& report() {
  static Report it;
  return it;
}

// "B01" of "B01 an allocation ...", "" where the name starts with no id.
std::string scenario_of(std::string_view name) {
  const auto digit = [&](std::size_t at) {
    return at < name.size() && std::isdigit(static_cast<unsigned char>(name[at])) != 0;
  };
  const bool is_id = !name.empty() && name[0] == 'B' && digit(1) && digit(2) && !digit(3);
  return is_id ? std::string(name.substr(0, 3)) : std::string();
}

std::string describe(const Catch::AssertionStats& stats) {
  const auto& result = stats.assertionResult;
  std::ostringstream text;
  text << result.getSourceInfo().file << ':' << result.getSourceInfo().line << ": ";
  if (result.hasExpression()) {
    text << std::string(result.getExpression()) << " is "
         << std::string(result.getExpandedExpression());
  }
  for (const auto& info : stats.infoMessages) {
    text << "; " << info.message;
  }
  return text.str();
}

// Collects what the session does, one line a test as it goes.
class Collector : public Listener {
 public:
  using Listener::Listener;

  void testCaseStarting(const Catch::TestCaseInfo& info) override {
    Listener::testCaseStarting(info);
    test::set_current_test(info.name);
    name_ = info.name;
    messages_.clear();
    declared_capabilities().clear();
  }

  AssertionEnded assertionEnded(const Catch::AssertionStats& stats) override {
    if (!stats.assertionResult.isOk()) {
      messages_ += (messages_.empty() ? "" : "\n") + describe(stats);
    }
    return AssertionEnded(true);
  }

  void testCaseEnded(const Catch::TestCaseStats& stats) override {
    Listener::testCaseEnded(stats);
    if (!report().active) {
      return;
    }
    if (stats.totals.assertions.total() == 0 && messages_.empty()) {
      messages_ = "it asserted nothing";
    }
    const bool failed = stats.totals.testCases.failed != 0 || !messages_.empty();
    note(failed ? "failed" : declared_capabilities().empty() ? "passed" : "declared_unsupported");
  }

 private:
  void note(const std::string& verdict) {
    Report& it = report();
    const std::string scenario = scenario_of(name_);
    if (!scenario.empty()) {
      merge(it.scenarios[scenario], verdict);
    }
    if (verdict == "failed") {
      ++it.failed;
      it.failures.push_back({name_, messages_});
    } else {
      ++(verdict == "passed" ? it.passed : it.declared_unsupported);
    }
    for (const std::string& capability : declared_capabilities()) {
      it.unsupported.push_back({scenario.empty() ? name_ : scenario, capability});
    }
    if (!it.quiet) {
      std::printf("%-20s %s\n", verdict.c_str(), name_.c_str());
      if (verdict == "failed") {
        std::printf("%s\n", messages_.c_str());
      }
      std::fflush(stdout);
    }
  }

  // Several tests may share an id: one failure is the scenario's, and one pass beats a declaration.
  static void merge(std::string& known, const std::string& verdict) {
    if (known.empty() || verdict == "failed" ||
        (known == "declared_unsupported" && verdict == "passed")) {
      known = verdict;
    }
  }

  std::string name_;
  std::string messages_;
};

CATCH_REGISTER_LISTENER(Collector)

// Messages hold what the device said, which need not be text.
void print(const nlohmann::json& json) {
  const auto lenient = nlohmann::json::error_handler_t::replace;
  std::printf("%s\n", json.dump(2, ' ', false, lenient).c_str());
}

void print_list(const std::vector<std::string>& names, bool as_json) {
  if (!as_json) {
    for (const std::string& name : names) {
      std::printf("%s\n", name.c_str());
    }
    return;
  }
  nlohmann::json tests = nlohmann::json::array();
  for (const std::string& name : names) {
    tests.push_back({{"name", name}, {"scenario", scenario_of(name)}});
  }
  print({{"tests", tests}});
}

void print_json(const Options& options, const DeviceInfo& device) {
  const Report& it = report();
  nlohmann::json failures = nlohmann::json::array();
  for (const Failure& failure : it.failures) {
    failures.push_back({{"name", failure.name}, {"message", failure.message}});
  }
  nlohmann::json unsupported = nlohmann::json::array();
  std::map<std::string, std::size_t> capabilities;
  for (const Absence& absence : it.unsupported) {
    unsupported.push_back({{"scenario", absence.scenario}, {"capability", absence.capability}});
    ++capabilities[absence.capability];
  }
  const nlohmann::json all = {{"backend", options.backend},
                              {"device", device.name},
                              {"passed", it.passed},
                              {"failed", it.failed},
                              {"declared_unsupported", it.declared_unsupported},
                              {"scenarios", it.scenarios},
                              {"failures", failures},
                              {"unsupported", unsupported},
                              {"absent_capabilities", capabilities}};
  print(all);
}

void print_summary(const Options& options, const DeviceInfo& device) {
  const Report& it = report();
  std::printf("%s (%s%s): %zu passed, %zu failed, %zu declared unsupported\n",
              options.backend.c_str(),
              device.name.c_str(),
              device.emulated ? ", emulated" : "",
              it.passed,
              it.failed,
              it.declared_unsupported);
}

// The device under test, or why it can't be opened.
Result<DeviceInfo> look_at_device(const Options& options) {
  RuntimeOptions runtime_options;
  runtime_options.plugin_directories = options.plugin_directories;
  auto runtime = Runtime::open(options.backend, runtime_options);
  if (!runtime) {
    return fail(runtime.error());
  }
  DeviceInfo device = runtime->info();
  if (auto closed = runtime->close(); !closed) {
    return fail(closed.error());
  }
  return device;
}

void run_tests(const Options& options) {
  report() = {};
  report().active = true;
  report().quiet = options.json;
  test::run_quietly(options.filter);
}

// A full disk must not look like success.
Answer written(int status) {
  if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0) {
    return {1, "can't write to standard output"};
  }
  return {status, ""};
}

}  // namespace

Answer run(const Options& options) {
  suite_options() = options;
  const std::vector<std::string> names = test::test_names(options.filter);
  if (names.empty()) {
    return {1, "no test matches '" + options.filter + "' (see --list)"};
  }
  if (options.list) {
    print_list(names, options.json);
    return written(0);
  }
  const Result<DeviceInfo> device = look_at_device(options);
  if (!device) {
    return {3, device.error().to_string()};
  }
  run_tests(options);
  if (options.json) {
    print_json(options, *device);
  } else {
    print_summary(options, *device);
  }
  return written(report().failed == 0 ? 0 : 2);
}

}  // namespace oriel::conformance
