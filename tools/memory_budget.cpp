#include "memory_budget.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <fstream>
#include <limits>
#include <string>

namespace oriel::tools {
namespace {

/// The number that a one-line system file holds; nothing for "max" or no file.
std::optional<std::uint64_t> number_in(const char* file) {
  std::ifstream stream(file);
  std::uint64_t number = 0;
  if (stream >> number) {
    return number;
  }
  return std::nullopt;
}

std::optional<std::uint64_t> machine_available() {
  std::ifstream stream("/proc/meminfo");
  std::string name;
  std::uint64_t kib = 0;
  std::string unit;
  while (stream >> name >> kib && std::getline(stream, unit)) {
    if (name == "MemAvailable:") {
      return kib * 1024;
    }
  }
  return std::nullopt;
}

std::optional<std::uint64_t> container_available() {
  // Version 2 of control groups, then version 1.
  for (const auto& [most, used] :
       {std::array{"/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory.current"},
        std::array{"/sys/fs/cgroup/memory/memory.limit_in_bytes",
                   "/sys/fs/cgroup/memory/memory.usage_in_bytes"}}) {
    const auto limit = number_in(most);
    const auto usage = number_in(used);
    if (limit && usage) {
      return *limit - std::min(*limit, *usage);
    }
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::uint64_t> available_host_bytes() {
  const auto machine = machine_available();
  const auto container = container_available();
  if (!machine || !container) {
    return machine ? machine : container;
  }
  return std::min(*machine, *container);
}

Outcome<void> check_memory(const MemoryNeed& need, const DeviceInfo& device) {
  const auto refuse = [](const char* where, std::uint64_t needed, std::uint64_t there) {
    return stop(ExitCode::kUsage,
                "out of memory: the problem needs about " + bytes_text(needed) + " of " + where +
                    " memory and " + bytes_text(there) + " are available; make it smaller");
  };
  if (device.memory_bytes != 0 && need.device_bytes > device.memory_bytes) {
    return refuse("device", need.device_bytes, device.memory_bytes);
  }
  const bool shares = device.backend == "host" || device.emulated;
  const std::uint64_t host = need.host_bytes + (shares ? need.device_bytes : 0);
  const auto available = available_host_bytes();
  if (available && host > *available) {
    return refuse("host", host, *available);
  }
  return {};
}

std::string bytes_text(std::uint64_t bytes) {
  constexpr std::array kUnits{"KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  if (bytes < 1024) {
    return std::to_string(bytes) + " B";
  }
  double amount = static_cast<double>(bytes) / 1024;
  std::size_t unit = 0;
  while (amount >= 1024 && unit + 1 < kUnits.size()) {
    amount /= 1024;
    ++unit;
  }
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.1f %s", amount, kUnits[unit]);
  return text.data();
}

}  // namespace oriel::tools
