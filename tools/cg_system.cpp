#include "cg_system.hpp"

#include <cmath>
#include <utility>

namespace oriel::tools {
namespace {

/// Uneven on purpose: a constant vector is an eigenvector of every matrix whose rows have one sum,
/// and would be found at once, whatever the matrix's other eigenvalues are.
std::vector<double> known_solution(std::size_t size) {
  std::vector<double> x(size);
  for (std::size_t i = 0; i < size; ++i) {
    x[i] = 1 + static_cast<double>(i % 7) / 7;
  }
  return x;
}

}  // namespace

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
  system.rhs = multiply(system.matrix, known_solution(system.matrix.size));
  system.rhs_norm = norm(system.rhs);
  if (system.rhs_norm == 0) {
    return stop(ExitCode::kCheckFailed,
                system.name + ": the right-hand side is zero, so the matrix is singular");
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
