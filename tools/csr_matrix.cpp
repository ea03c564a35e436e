#include "csr_matrix.hpp"

#include <algorithm>
#include <cmath>
#include <string>

namespace oriel::tools {
namespace {

std::string place(std::size_t row, std::size_t column) {
  return "(" + std::to_string(row + 1) + ", " + std::to_string(column + 1) + ")";
}

/// The value at (row, column), or null if the matrix has no entry there.
const double* find(const CsrMatrix& matrix, std::uint32_t row, std::uint32_t column) {
  const auto begin = matrix.columns.begin() + matrix.rows[row];
  const auto end = matrix.columns.begin() + matrix.rows[row + 1];
  const auto it = std::lower_bound(begin, end, column);
  if (it == end || *it != column) {
    return nullptr;
  }
  return &matrix.values[static_cast<std::size_t>(it - matrix.columns.begin())];
}

}  // namespace

Result<CsrMatrix> csr_from_entries(std::uint32_t size, std::vector<MatrixEntry> entries) {
  // Stable, so that duplicates are added in the order of the file.
  std::stable_sort(entries.begin(), entries.end(), [](const auto& a, const auto& b) {
    return a.row != b.row ? a.row < b.row : a.column < b.column;
  });
  CsrMatrix matrix;
  matrix.size = size;
  matrix.rows.assign(std::size_t{size} + 1, 0);
  matrix.columns.reserve(entries.size());
  matrix.values.reserve(entries.size());
  const MatrixEntry* last = nullptr;
  for (const MatrixEntry& entry : entries) {
    if (last != nullptr && last->row == entry.row && last->column == entry.column) {
      matrix.values.back() += entry.value;
      if (!std::isfinite(matrix.values.back())) {
        return fail(ErrorCode::kInvalidArgument,
                    "the duplicates of entry " + place(entry.row, entry.column) +
                        " add up to more than a double can hold");
      }
    } else {
      matrix.columns.push_back(entry.column);
      matrix.values.push_back(entry.value);
      ++matrix.rows[std::size_t{entry.row} + 1];
    }
    last = &entry;
  }
  for (std::size_t row = 0; row < size; ++row) {
    matrix.rows[row + 1] += matrix.rows[row];
  }
  return matrix;
}

Result<void> check_symmetric(const CsrMatrix& matrix) {
  for (std::uint32_t row = 0; row < matrix.size; ++row) {
    for (std::uint32_t k = matrix.rows[row]; k < matrix.rows[row + 1]; ++k) {
      const std::uint32_t column = matrix.columns[k];
      const double* mirrored = find(matrix, column, row);
      // A stored zero mirrors an absent entry.
      if ((mirrored == nullptr ? 0.0 : *mirrored) != matrix.values[k]) {
        return fail(ErrorCode::kInvalidArgument,
                    "the matrix is not symmetric: entry " + place(row, column) +
                        " differs from entry " + place(column, row));
      }
    }
  }
  return {};
}

Result<std::vector<double>> positive_diagonal(const CsrMatrix& matrix) {
  std::vector<double> diagonal(matrix.size);
  for (std::uint32_t row = 0; row < matrix.size; ++row) {
    const double* value = find(matrix, row, row);
    const char* wrong = value == nullptr ? "is missing"
                        : *value == 0    ? "is zero"
                        : *value < 0     ? "is negative"
                                         : nullptr;
    if (wrong != nullptr) {
      return fail(ErrorCode::kInvalidArgument,
                  "diagonal element " + place(row, row) + " " + wrong +
                      ", and Jacobi preconditioning needs a positive diagonal");
    }
    diagonal[row] = *value;
  }
  return diagonal;
}

void normalise(CsrMatrix& matrix) {
  double largest = 0;
  for (const double value : matrix.values) {
    largest = std::max(largest, std::fabs(value));
  }
  if (largest == 0) {
    return;
  }
  const int exponent = std::ilogb(largest);
  for (double& value : matrix.values) {
    value = std::scalbn(value, -exponent);
  }
}

std::vector<double> multiply(const CsrMatrix& matrix, std::span<const double> x) {
  std::vector<double> product(matrix.size);
  for (std::size_t row = 0; row < matrix.size; ++row) {
    double sum = 0;
    for (std::uint32_t k = matrix.rows[row]; k < matrix.rows[row + 1]; ++k) {
      sum += matrix.values[k] * x[matrix.columns[k]];
    }
    product[row] = sum;
  }
  return product;
}

}  // namespace oriel::tools
