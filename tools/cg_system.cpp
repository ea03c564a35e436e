#include "cg_system.hpp"

#include <cmath>
#include <utility>

namespace oriel::tools {

Outcome<CgSystem> make_cg_system(CsrMatrix matrix, std::string name) {
  const auto refuse = [&name](const Error& error) {
    return stop(ExitCode::kUsage, name + ": " + error.message);
  };
  if (auto symmetric = check_symmetric(matrix); !symmetric) {
    return refuse(symmetric.error());
  }
  // The diagonal is checked as the file gives it, and used as it is after scaling.
  if (auto positive = positive_diagonal(matrix); !positive) {
    return refuse(positive.error());
  }
  normalise(matrix);
  auto diagonal = positive_diagonal(matrix);
  if (!diagonal) {
    return stop(ExitCode::kCheckFailed,
                name + ": the entries are too far apart in size: " + diagonal.error().message);
  }
  CgSystem system{std::move(name), std::move(matrix), std::move(*diagonal), {}, 0};
  const std::vector<double> ones(system.matrix.size, 1.0);
  system.rhs = multiply(system.matrix, ones);
  system.rhs_norm = norm(system.rhs);
  if (system.rhs_norm == 0) {
    return stop(ExitCode::kCheckFailed,
                system.name +
                    ": every row of the matrix sums to zero, so it is singular and there "
                    "is no right-hand side A * ones to solve for");
  }
  return system;
}

std::vector<double> true_residual(const CgSystem& system, std::span<const double> x) {
  std::vector<double> residual = multiply(system.matrix, x);
  for (std::size_t i = 0; i < residual.size(); ++i) {
    residual[i] = system.rhs[i] - residual[i];
  }
  return residual;
}

double norm(std::span<const double> vector) {
  double squares = 0;
  for (const double value : vector) {
    squares += value * value;
  }
  return std::sqrt(squares);
}

}  // namespace oriel::tools
