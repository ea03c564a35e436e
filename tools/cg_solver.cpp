#include "cg_solver.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>

namespace oriel::tools {
namespace {

Result<void> run_iterations(std::uint64_t count, const CgIterate& iterate) {
  for (std::uint64_t i = 0; i < count; ++i) {
    ORIEL_TRY(iterate());
  }
  return {};
}

/// Reads x, and gives the true residual; notes both in `solution`.
template <class Real>
Result<std::vector<double>> take_stock(const CgDevice<Real>& device,
                                       const Stream& stream,
                                       const CgSystem& system,
                                       CgSolution& solution) {
  auto x = device.solution(stream);
  if (!x) {
    return fail(std::move(x.error()));
  }
  solution.x = std::move(*x);
  std::vector<double> residual = true_residual(system, solution.x);
  solution.residual = norm(residual) / system.rhs_norm;
  return residual;
}

/// How a solve ends whose true residual was just computed; kLimit stands for not yet.
CgOutcome verdict(const CgSolution& solution, double believed, double tolerance) {
  if (solution.residual <= tolerance) {
    return CgOutcome::kConverged;
  }
  if (!std::isfinite(solution.residual) || std::isnan(solution.curvature) ||
      !std::isfinite(believed)) {
    return CgOutcome::kNotFinite;
  }
  // Below the tolerance a p'Ap of zero is only underflow, which a restart mends.
  if (solution.curvature <= 0 && believed > tolerance) {
    return CgOutcome::kBreakdown;
  }
  return CgOutcome::kLimit;
}

}  // namespace

template <class Real>
Result<CgSolution> solve(const CgDevice<Real>& device,
                         const Stream& stream,
                         const CgSystem& system,
                         const CgLimits& limits,
                         const CgIterate& iterate,
                         const CgObserver& observe) {
  const auto began = std::chrono::steady_clock::now();
  CgSolution solution;
  ORIEL_TRY(device.start(stream, system.rhs));
  while (true) {
    const std::uint64_t left = limits.max_iterations - solution.iterations;
    const std::uint64_t count = std::min(limits.check_every, left);
    ORIEL_TRY(run_iterations(count, iterate));
    solution.iterations += count;
    const auto status = device.status(stream);
    if (!status) {
      return fail(status.error());
    }
    const double believed = status->residual_norm / system.rhs_norm;
    solution.curvature = status->curvature;
    observe(solution.iterations, believed);
    const bool last = solution.iterations == limits.max_iterations;
    if (believed > limits.tolerance && std::isfinite(believed) && solution.curvature > 0 && !last) {
      continue;
    }
    auto residual = take_stock(device, stream, system, solution);
    if (!residual) {
      return fail(std::move(residual.error()));
    }
    solution.outcome = verdict(solution, believed, limits.tolerance);
    if (solution.outcome != CgOutcome::kLimit || last) {
      break;
    }
    ORIEL_TRY(device.restart(stream, *residual));
    ++solution.restarts;
  }
  solution.seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
  return solution;
}

template Result<CgSolution> solve(const CgDevice<float>&,
                                  const Stream&,
                                  const CgSystem&,
                                  const CgLimits&,
                                  const CgIterate&,
                                  const CgObserver&);
template Result<CgSolution> solve(const CgDevice<double>&,
                                  const Stream&,
                                  const CgSystem&,
                                  const CgLimits&,
                                  const CgIterate&,
                                  const CgObserver&);

}  // namespace oriel::tools
