#pragma once

#include "csr_matrix.hpp"

#include <cstdint>

namespace oriel::tools {

/// The largest grid whose matrix has entries that 32 bits can index.
inline constexpr std::uint64_t kMostPoissonSide = 29308;

/// Minus the Laplacian on a side x side grid by the five-point stencil, zero at the border: 4 on
/// the diagonal, -1 to each neighbour. `side` is at least 1 and at most kMostPoissonSide.
[[nodiscard]] CsrMatrix poisson_matrix(std::uint32_t side);

/// Entries of that matrix.
[[nodiscard]] constexpr std::uint64_t poisson_entries(std::uint64_t side) {
  return 5 * side * side - 4 * side;
}
static_assert(poisson_entries(kMostPoissonSide) <= CsrMatrix::kMostEntries);
static_assert(poisson_entries(kMostPoissonSide + 1) > CsrMatrix::kMostEntries);

}  // namespace oriel::tools
