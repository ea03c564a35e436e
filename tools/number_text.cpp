#include "number_text.hpp"

#include <charconv>
#include <cmath>
#include <system_error>

namespace oriel::tools {
namespace {

tl::unexpected<Error> wrong(std::string message) {
  return fail(ErrorCode::kInvalidArgument, std::move(message));
}

/// std::from_chars knows no plus sign, files do.
std::string_view without_plus(std::string_view text) {
  const bool signed_twice = text.size() > 1 && (text[1] == '-' || text[1] == '+');
  return !text.empty() && text[0] == '+' && !signed_twice ? text.substr(1) : text;
}

bool all_digits(std::string_view text) {
  return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

/// Whether an out-of-range number is so by being too small.
bool vanishes(std::string_view text) {
  const std::size_t exponent = text.find_first_of("eE");
  if (exponent == std::string_view::npos) {
    // Without an exponent it is too small exactly if nothing but zeros stands before the point.
    return text.substr(0, text.find('.')).find_first_of("123456789") == std::string_view::npos;
  }
  return exponent + 1 < text.size() && text[exponent + 1] == '-';
}

}  // namespace

Result<std::uint64_t> parse_whole(std::string_view text, std::uint64_t least, std::uint64_t most) {
  if (text.size() > 1 && text[0] == '-' && all_digits(text.substr(1))) {
    return wrong(in_quotes(text) + " is negative");
  }
  text = without_plus(text);
  if (!all_digits(text)) {
    return wrong(in_quotes(text) + " is not a whole number");
  }
  std::uint64_t value = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (code == std::errc::result_out_of_range || value > most) {
    return wrong(in_quotes(text) + " is too large, the most is " + std::to_string(most));
  }
  if (value < least) {
    return wrong(in_quotes(text) + " is too small, the least is " + std::to_string(least));
  }
  return value;
}

Result<double> parse_integer(std::string_view text) {
  const std::string_view digits = without_plus(text);
  std::int64_t value = 0;
  const char* const last = digits.data() + digits.size();
  const auto [end, code] = std::from_chars(digits.data(), last, value);
  if (code == std::errc::result_out_of_range) {
    return wrong(in_quotes(text) + " is out of range");
  }
  if (code != std::errc() || end != last) {
    return wrong(in_quotes(text) + " is not a whole number");
  }
  return static_cast<double>(value);
}

Result<double> parse_real(std::string_view text) {
  const std::string_view digits = without_plus(text);
  double value = 0;
  const char* const last = digits.data() + digits.size();
  const auto [end, code] = std::from_chars(digits.data(), last, value);
  if ((code != std::errc() && code != std::errc::result_out_of_range) || end != last) {
    return wrong(in_quotes(text) + " is not a number");
  }
  if (code == std::errc::result_out_of_range) {
    if (vanishes(digits)) {
      return 0.0;
    }
    return wrong(in_quotes(text) + " is out of range");
  }
  if (!std::isfinite(value)) {
    return wrong(in_quotes(text) + " is not a finite number");
  }
  return value;
}

std::string in_quotes(std::string_view text) {
  constexpr std::size_t kMost = 40;
  std::string out = "'";
  for (const char c : text.substr(0, kMost)) {
    out += c >= 0x20 && c < 0x7F ? c : '?';
  }
  return out + (text.size() > kMost ? "...'" : "'");
}

}  // namespace oriel::tools
