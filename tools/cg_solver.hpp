#pragma once

#include "cg_device.hpp"
#include "cg_system.hpp"

#include <cstdint>
#include <functional>
#include <vector>

namespace oriel::tools {

/// When to look and when to stop.
struct CgLimits {
  double tolerance = 0;  ///< Of ||b - A x|| / ||b||.
  std::uint64_t max_iterations = 0;
  std::uint64_t check_every = 1;
};

enum class CgOutcome : std::uint8_t {
  kConverged,  ///< The true residual is within the tolerance.
  kLimit,      ///< The iterations ran out.
  kBreakdown,  ///< p'Ap was not positive: the matrix is not positive definite.
  kNotFinite,  ///< A value overflowed or is not a number.
};

/// What a solve came to. `residual` is the true one, whatever the recurrence believes.
struct CgSolution {
  CgOutcome outcome = CgOutcome::kLimit;
  std::uint64_t iterations = 0;
  std::uint64_t restarts = 0;  ///< Residual replacements: the recurrence had drifted.
  double residual = 0;
  double curvature = 1;  ///< The p'Ap that broke it down.
  std::vector<double> x;
  double seconds = 0;
};

/// Runs one iteration: by launches, or by a replay.
using CgIterate = std::function<Result<void>()>;
/// Told of the iterations done and the relative residual that the recurrence believes in.
using CgObserver = std::function<void(std::uint64_t, double)>;

/// Solves from x = 0. The residual of the recurrence is read every `check_every` iterations. Once
/// it is within the tolerance the true residual is computed on the host; where that is not, the
/// search restarts from it. Never more than max_iterations, which is met exactly.
template <class Real>
[[nodiscard]] Result<CgSolution> solve(const CgDevice<Real>& device,
                                       const Stream& stream,
                                       const CgSystem& system,
                                       const CgLimits& limits,
                                       const CgIterate& iterate,
                                       const CgObserver& observe);

}  // namespace oriel::tools
