#include "cg_report.hpp"

#include "json_text.hpp"
#include "report_text.hpp"

namespace oriel::tools {
namespace {

std::string iterations_text(std::uint64_t iterations) {
  return std::to_string(iterations) + (iterations == 1 ? " iteration" : " iterations");
}

/// Why the solve is no success, "" if it is one.
std::string solve_failure(const CgReport& report) {
  const CgSolution& solution = report.replayed;
  const std::string after = " after " + iterations_text(solution.iterations);
  switch (solution.outcome) {
    case CgOutcome::kConverged:
      return "";
    case CgOutcome::kLimit:
      return "not converged" + after + ": the true residual is " +
             scientific_text(solution.residual) + " and the tolerance " +
             scientific_text(report.limits.tolerance) + "; raise --max-iterations or --tolerance" +
             (report.single ? ", or use --precision double" : "");
    case CgOutcome::kBreakdown:
      return "the matrix is not positive definite: conjugate gradients met p'Ap = " +
             scientific_text(solution.curvature) + after;
    case CgOutcome::kNotFinite:
      return "a value became infinite or not a number" + after +
             ": the matrix can't be solved in this precision";
  }
  return "";
}

std::string failure(const CgReport& report) {
  std::string why = solve_failure(report);
  if (why.empty() && !report.bit_identical) {
    why = "the replayed and the eager solution differ, by up to " +
          scientific_text(report.largest_difference) + " after " +
          iterations_text(report.replayed.iterations) + " and " +
          iterations_text(report.eager_iterations);
  }
  return why;
}

std::string text(const CgReport& report) {
  const CgSolution& solution = report.replayed;
  ReportTable table{"Conjugate gradients with Jacobi preconditioning", {}};
  const std::string size = std::to_string(report.size);
  table.rows = {
      {"matrix",
       report.matrix + ", " + size + " x " + size + ", " + std::to_string(report.entries) +
           " entries"},
      {"device", device_text(report.device)},
      {"precision", report.single ? "single" : "double"},
      {"converged",
       std::string(solution.outcome == CgOutcome::kConverged ? "yes" : "NO") + ", " +
           iterations_text(solution.iterations) +
           (solution.restarts == 0 ? ""
                                   : ", " + std::to_string(solution.restarts) +
                                         (solution.restarts == 1 ? " restart" : " restarts") +
                                         " from the true residual")},
      {"residual",
       scientific_text(solution.residual) + " (true, relative), tolerance " +
           scientific_text(report.limits.tolerance)},
      {"eager run",
       report.bit_identical ? "bit-identical solution"
                            : "DIFFERS by up to " + scientific_text(report.largest_difference)},
      {"graph", graph_text(report.nodes, report.memory)},
      {"eager", seconds_text(report.times.eager_seconds) + " an iteration"},
      {"replayed", seconds_text(report.times.replayed_seconds) + " an iteration"},
      {"ratio", ratio_text(report.times.ratio())}};
  return table.text();
}

std::string json(const CgReport& report, const std::string& why) {
  const CgSolution& solution = report.replayed;
  Json out = {
      {"command", "run cg"},
      {"ok", why.empty()},
      {"matrix", {{"name", report.matrix}, {"size", report.size}, {"entries", report.entries}}},
      {"device", device_json(report.device)},
      {"precision", report.single ? "single" : "double"},
      {"tolerance", report.limits.tolerance},
      {"max_iterations", report.limits.max_iterations},
      {"check_every", report.limits.check_every},
      {"converged", solution.outcome == CgOutcome::kConverged},
      {"iterations", solution.iterations},
      {"restarts", solution.restarts},
      {"true_residual", solution.residual},
      {"bit_identical", report.bit_identical},
      {"largest_difference", report.largest_difference},
      {"graph", graph_json(report.nodes, report.memory)},
      {"eager_seconds_per_iteration", report.times.eager_seconds},
      {"replayed_seconds_per_iteration", report.times.replayed_seconds},
      {"ratio", report.times.ratio()}};
  if (!why.empty()) {
    out["error"] = {{"exit_code", static_cast<int>(ExitCode::kCheckFailed)}, {"message", why}};
  }
  return json_text(out);
}

}  // namespace

Reply cg_reply(const CgReport& report, bool as_json) {
  const std::string why = failure(report);
  Reply reply;
  reply.text = as_json ? json(report, why) : text(report);
  if (!why.empty()) {
    reply.failed = Failure{ExitCode::kCheckFailed, report.matrix + ": " + why};
  }
  return reply;
}

}  // namespace oriel::tools
