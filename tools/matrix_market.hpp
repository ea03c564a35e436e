#pragma once

#include "csr_matrix.hpp"

#include <filesystem>
#include <string_view>

namespace oriel::tools {

/// Reads a square matrix from a Matrix Market file: coordinate; real, integer or pattern (ones);
/// general or symmetric (one half, which is mirrored). Duplicates are added up. The file is not
/// trusted: nothing is allocated that its own length does not back. Error: `invalid_argument`, with
/// the file and the line.
[[nodiscard]] Result<CsrMatrix> read_matrix_market(const std::filesystem::path& file);

/// The same from the file's text; errors name the line only.
[[nodiscard]] Result<CsrMatrix> parse_matrix_market(std::string_view text);

}  // namespace oriel::tools
