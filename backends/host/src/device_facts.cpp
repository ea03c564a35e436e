#include "device_facts.hpp"

#include <cstddef>
#include <fstream>
#include <string>

#include <unistd.h>

namespace oriel::host {
namespace {

// The processors' name as Linux gives it, "CPU" where it doesn't.
std::string processor_name() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    const std::size_t colon = line.find(": ");
    if (line.rfind("model name", 0) == 0 && colon != std::string::npos) {
      return line.substr(colon + 2);
    }
  }
  return "CPU";
}

std::size_t memory_bytes() noexcept {
  const long pages = ::sysconf(_SC_PHYS_PAGES);
  const long page = ::sysconf(_SC_PAGESIZE);
  return pages > 0 && page > 0 ? static_cast<std::size_t>(pages) * static_cast<std::size_t>(page)
                               : 0;
}

}  // namespace

DeviceInfo device_facts(std::uint32_t ordinal) {
  DeviceInfo info;
  info.backend = "host";
  info.ordinal = ordinal;
  info.name = processor_name();
  info.memory_bytes = memory_bytes();
  return info;
}

}  // namespace oriel::host
