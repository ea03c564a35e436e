#include "options.hpp"

#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <utility>

namespace oriel::emulator {
namespace {

constexpr std::pair<std::string_view, std::uint64_t Options::*> kNumbers[] = {
    {"delay_us", &Options::delay_us},
    {"memory_bytes", &Options::memory_bytes},
    {"pinned_bytes", &Options::pinned_bytes},
    {"poison_bytes", &Options::poison_bytes},
    {"driver_version", &Options::driver_version},
    {"devices", &Options::devices},
    {"architecture", &Options::architecture},
    {"lose_device_after", &Options::lose_device_after},
};
constexpr std::pair<std::string_view, bool Options::*> kSwitches[] = {
    {"stub", &Options::stub},
    {"sticky", &Options::sticky},
    {"report", &Options::report},
};

bool read_number(std::string_view text, std::uint64_t& number) {
  const char* end = text.data() + text.size();
  const auto [stopped, error] = std::from_chars(text.data(), end, number);
  return error == std::errc{} && stopped == end && !text.empty();
}

bool is_fault(std::string_view text) {
  const std::size_t code = text.rfind(':');
  const std::size_t k = code == 0 || code == text.npos ? text.npos : text.rfind(':', code - 1);
  std::uint64_t number = 0;
  return text.empty() || (k != text.npos && read_number(text.substr(code + 1), number) &&
                          read_number(text.substr(k + 1, code - k - 1), number));
}

void set_from_environment(Options& options, std::string_view name) {
  std::string variable = "ORIEL_EMULATOR_";
  for (const char c : name) {
    variable += static_cast<char>(c >= 'a' && c <= 'z' ? c - 'a' + 'A' : c);
  }
  // Read once, under the lock, before the program's threads can have reason to change it.
  const char* value = std::getenv(variable.c_str());  // NOLINT(concurrency-mt-unsafe): see above
  if (value != nullptr && !options.set(name, value)) {
    std::fprintf(stderr, "Emulated driver: %s can't be \"%s\".\n", variable.c_str(), value);
  }
}

}  // namespace

bool Options::set(std::string_view name, std::string_view value) {
  std::uint64_t number = 0;
  const bool is_number = read_number(value, number);
  for (const auto& [known, member] : kNumbers) {
    if (name == known) {
      if (!is_number || (name == "devices" && number > kMaxDevices)) {
        return false;
      }
      this->*member = number;
      return true;
    }
  }
  for (const auto& [known, member] : kSwitches) {
    if (name == known) {
      if (!is_number || number > 1) {
        return false;
      }
      this->*member = number == 1;
      return true;
    }
  }
  if (name == "fail" && is_fault(value)) {
    fail = value;
    return true;
  }
  return false;
}

void Options::read_environment() {
  for (const auto& [name, member] : kNumbers) {
    set_from_environment(*this, name);
  }
  for (const auto& [name, member] : kSwitches) {
    set_from_environment(*this, name);
  }
  set_from_environment(*this, "fail");
}

}  // namespace oriel::emulator
