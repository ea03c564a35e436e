#include "conformance_command.hpp"

#ifdef ORIEL_HAS_CONFORMANCE
#include "conformance/conformance.hpp"
#endif

namespace oriel::tools {

#ifdef ORIEL_HAS_CONFORMANCE

Outcome<int> conformance_command(const ConformanceOptions& options) {
  if (!options.list) {
    // Asked here too, so that a backend that isn't there is reported as by every other subcommand.
    if (const auto opened = open_backend(options.choice); !opened) {
      return stop(opened.error());
    }
  }
  conformance::Options suite;
  suite.backend = options.choice.backend;
  suite.json = options.json;
  suite.filter = options.filter;
  suite.list = options.list;
  suite.plugin_directories = options.choice.runtime_options().plugin_directories;
  conformance::Answer answer = conformance::run(suite);
  if (!answer.error.empty()) {
    return stop(static_cast<ExitCode>(answer.status), std::move(answer.error));
  }
  return answer.status;
}

#else

Outcome<int> conformance_command(const ConformanceOptions&) {
  return stop(ExitCode::kUsage, "this build of the command has no conformance suite");
}

#endif

}  // namespace oriel::tools
