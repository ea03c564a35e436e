#pragma once

namespace oriel::tools {

/// The `oriel` command: parses, runs, prints, and returns the exit status. Reports go to standard
/// output, errors to standard error as one line. With --json standard output is exactly one object,
/// also where something went wrong. Nothing is thrown.
[[nodiscard]] int run_command(int argc, const char* const* argv) noexcept;

}  // namespace oriel::tools
