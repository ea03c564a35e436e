// Catch2's implementation (version 2 compiles it here, once for all programs), and the count of
// test cases: a program that finds ORIEL_TEST_COUNTS in its environment writes "<passed> <failed>"
// to that file at the end. The numbers come from Catch2 itself, so no reporter's words need to be
// parsed.
#define CATCH_CONFIG_RUNNER
#include "support/catch_runner.hpp"

#include "support/catch.hpp"

#include <array>
#include <cstdlib>
#include <fstream>

namespace oriel::test {
namespace {

#ifdef ORIEL_CATCH_V2
using Listener = Catch::TestEventListenerBase;
#else
using Listener = Catch::EventListenerBase;
#endif

class CaseCounter : public Listener {
 public:
  using Listener::Listener;

  void testRunEnded(const Catch::TestRunStats& stats) override {
    // NOLINTNEXTLINE(concurrency-mt-unsafe): the tests have ended
    const char* path = std::getenv("ORIEL_TEST_COUNTS");
    if (path == nullptr) {
      return;
    }
    const Catch::Counts& cases = stats.totals.testCases;
    std::ofstream(path) << cases.passed + cases.failedButOk << ' ' << cases.failed << '\n';
  }
};

CATCH_REGISTER_LISTENER(CaseCounter)

// Catch2 has one session a process; what it was told before is forgotten.
Catch::Session& fresh_session(const std::string& filter) {
  static Catch::Session session;
  Catch::ConfigData settings;
  if (!filter.empty()) {
    settings.testsOrTags.push_back(filter);
  }
  session.useConfigData(settings);
  return session;
}

}  // namespace

int run_catch(int argc, const char* const* argv) {
  Catch::Session& session = fresh_session("");
  const int status = session.applyCommandLine(argc, argv);
  return status == 0 ? session.run() : status;
}

void run_quietly(const std::string& filter) {
  Catch::Session& session = fresh_session(filter);
  const std::array<const char*, 3> no_report{"tests", "--out", "/dev/null"};
  session.applyCommandLine(static_cast<int>(no_report.size()), no_report.data());
  session.run();
}

std::vector<std::string> test_names(const std::string& filter) {
  Catch::Session& session = fresh_session(filter);
  const auto& config = session.config();
  if (!filter.empty() && !config.testSpec().hasFilters()) {
    return {};
  }
  std::vector<std::string> names;
  const auto& all = Catch::getAllTestCasesSorted(config);
  for (const auto& test : Catch::filterTests(all, config.testSpec(), config)) {
    names.push_back(test.getTestCaseInfo().name);
  }
  return names;
}

}  // namespace oriel::test
