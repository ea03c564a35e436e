// Catch2's implementation (version 2 compiles it here, once for all programs), and the count of
// test cases: a program that finds ORIEL_TEST_COUNTS in its environment writes "<passed> <failed>"
// to that file at the end. The numbers come from Catch2 itself, so no reporter's words need to be
// parsed.
#define CATCH_CONFIG_RUNNER
#include "support/catch_runner.hpp"

#include "support/catch.hpp"

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

}  // namespace

int run_catch(int argc, const char* const* argv) {
  return Catch::Session().run(argc, argv);
}

}  // namespace oriel::test
