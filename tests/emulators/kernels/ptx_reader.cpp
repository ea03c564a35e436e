#include "emulators/kernels/device_code.hpp"

#include <cctype>
#include <charconv>
#include <optional>
#include <string>
#include <string_view>

namespace oriel::emulator {
namespace {

bool is_word_character(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '$' || c == '.' ||
         c == '%';
}

// Splits PTX into words and single other characters; comments and text in quotes are left out.
class Words {
 public:
  explicit Words(std::string_view text) : text_(text) {}

  /// The next word, empty at the end.
  std::string_view next() {
    skip_gaps();
    std::size_t size = 0;
    while (size < text_.size() && is_word_character(text_[size])) {
      ++size;
    }
    return take(size == 0 && !text_.empty() ? 1 : size);
  }

 private:
  void skip_gaps() {
    while (!text_.empty()) {
      if (text_.starts_with("//")) {
        skip_past("\n", 2);
      } else if (text_.starts_with("/*")) {
        skip_past("*/", 2);
      } else if (text_.starts_with('"')) {
        skip_past("\"", 1);
      } else if (std::isspace(static_cast<unsigned char>(text_.front())) != 0) {
        text_.remove_prefix(1);
      } else {
        return;
      }
    }
  }

  void skip_past(std::string_view end, std::size_t from) {
    const std::size_t at = text_.find(end, from);
    text_.remove_prefix(at == std::string_view::npos ? text_.size() : at + end.size());
  }

  std::string_view take(std::size_t size) {
    const std::string_view word = text_.substr(0, size);
    text_.remove_prefix(size);
    return word;
  }

  std::string_view text_;
};

// 80 of "sm_80" and of "sm_80a"; 0 of anything else.
std::uint32_t architecture_of(std::string_view target) {
  std::uint32_t number = 0;
  if (target.starts_with("sm_")) {
    target.remove_prefix(3);
    std::from_chars(target.data(), target.data() + target.size(), number);
  }
  return number;
}

}  // namespace

std::optional<DeviceCode> read_ptx(std::string_view text) {
  text = text.substr(0, text.find('\0'));
  Words words(text);
  if (words.next() != ".version") {  // it has to come first
    return std::nullopt;
  }
  DeviceCode code;
  code.portable = true;
  for (std::string_view word = words.next(); !word.empty(); word = words.next()) {
    if (word == ".target" && code.architecture == 0) {
      code.architecture = architecture_of(words.next());
    } else if (word == ".entry") {
      code.kernels.emplace_back(words.next());
    }
  }
  if (code.architecture == 0 || (!code.kernels.empty() && code.kernels.back().empty())) {
    return std::nullopt;
  }
  return code;
}

}  // namespace oriel::emulator
