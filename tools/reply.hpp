#pragma once

#include "failure.hpp"

#include <optional>
#include <string>

namespace oriel::tools {

/// What a subcommand has to say: the report for standard output, a person's or JSON, and the check
/// that failed, if one did.
struct Reply {
  std::string text;
  std::optional<Failure> failed;
};

}  // namespace oriel::tools
