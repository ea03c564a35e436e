#pragma once

#include "csr_matrix.hpp"
#include "failure.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace oriel::tools {

/// The system to solve, ready: A symmetric and normalised, its diagonal positive, b = A times
/// x*(i) = 1 + (i mod 7) / 7 and not zero.
struct CgSystem {
  std::string name;  ///< Of the matrix, for people.
  CsrMatrix matrix;
  std::vector<double> diagonal;
  std::vector<double> rhs;
  double rhs_norm = 0;
};

/// Checks the matrix and makes the system. A matrix that isn't symmetric or has no positive
/// diagonal is bad input; one for which b is zero (it is singular) fails the check.
[[nodiscard]] Outcome<CgSystem> make_cg_system(CsrMatrix matrix, std::string name);

/// b - A x, computed in double on the host.
[[nodiscard]] std::vector<double> true_residual(const CgSystem& system, std::span<const double> x);

/// The Euclidean norm.
[[nodiscard]] double norm(std::span<const double> vector);

}  // namespace oriel::tools
