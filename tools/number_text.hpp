#pragma once

#include <oriel/error.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace oriel::tools {

/// A whole number in decimal digits, within [least, most], whatever the locale. The error says what
/// is wrong with it: negative, too large, or not a whole number.
[[nodiscard]] Result<std::uint64_t> parse_whole(std::string_view text,
                                                std::uint64_t least,
                                                std::uint64_t most);

/// A whole number with an optional sign.
[[nodiscard]] Result<double> parse_integer(std::string_view text);

/// A finite decimal number, whatever the locale. What is too small for a double is zero.
[[nodiscard]] Result<double> parse_real(std::string_view text);

/// `text` in quotes for an error: cut to a sensible length, unprintable bytes replaced.
[[nodiscard]] std::string in_quotes(std::string_view text);

}  // namespace oriel::tools
