#pragma once

#include <oriel/error.hpp>

#include <cstdint>
#include <span>
#include <vector>

namespace oriel::tools {

/// One entry of a matrix, counted from 0.
struct MatrixEntry {
  std::uint32_t row = 0;
  std::uint32_t column = 0;
  double value = 0;
};

/// A square matrix by compressed rows. `rows` has size + 1 offsets that never fall; within a row
/// the columns rise strictly; every value is finite.
struct CsrMatrix {
  /// The most rows and the most entries: both are indexed with 32 bits on the device.
  static constexpr std::uint64_t kMostRows = 0xFFFFFFFE;
  static constexpr std::uint64_t kMostEntries = 0xFFFFFFFF;

  std::uint32_t size = 0;
  std::vector<std::uint32_t> rows;
  std::vector<std::uint32_t> columns;
  std::vector<double> values;

  [[nodiscard]] std::size_t entries() const noexcept { return values.size(); }
};

/// Sorts the entries and adds up duplicates in the order given. Errors: `invalid_argument` (a sum
/// is not finite).
[[nodiscard]] Result<CsrMatrix> csr_from_entries(std::uint32_t size,
                                                 std::vector<MatrixEntry> entries);

/// Whether the matrix equals its transpose exactly; the error names the first pair that differs.
[[nodiscard]] Result<void> check_symmetric(const CsrMatrix& matrix);

/// The diagonal. Errors: `invalid_argument` (an element is missing, zero or negative).
[[nodiscard]] Result<std::vector<double>> positive_diagonal(const CsrMatrix& matrix);

/// Scales by a power of two so that the largest magnitude lies in [1, 2). This is exact but for the
/// smallest values, keeps the solution of A x = A c, and keeps sums of squares in range.
void normalise(CsrMatrix& matrix);

/// A x.
[[nodiscard]] std::vector<double> multiply(const CsrMatrix& matrix, std::span<const double> x);

}  // namespace oriel::tools
