#include "poisson_matrix.hpp"

namespace oriel::tools {

CsrMatrix poisson_matrix(std::uint32_t side) {
  CsrMatrix matrix;
  matrix.size = side * side;
  matrix.rows.reserve(std::size_t{matrix.size} + 1);
  matrix.columns.reserve(poisson_entries(side));
  matrix.values.reserve(poisson_entries(side));
  const auto add = [&matrix](std::uint32_t column, double value) {
    matrix.columns.push_back(column);
    matrix.values.push_back(value);
  };
  matrix.rows.push_back(0);
  for (std::uint32_t row = 0; row < matrix.size; ++row) {
    const std::uint32_t x = row % side;
    const std::uint32_t y = row / side;
    if (y > 0) {
      add(row - side, -1);
    }
    if (x > 0) {
      add(row - 1, -1);
    }
    add(row, 4);
    if (x + 1 < side) {
      add(row + 1, -1);
    }
    if (y + 1 < side) {
      add(row + side, -1);
    }
    matrix.rows.push_back(static_cast<std::uint32_t>(matrix.columns.size()));
  }
  return matrix;
}

}  // namespace oriel::tools
