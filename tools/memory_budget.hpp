#pragma once

#include "failure.hpp"

#include <oriel/runtime.hpp>

#include <cstdint>
#include <optional>

namespace oriel::tools {

/// Bytes of host memory that this process may still use: what the machine has available and, where
/// it runs in a container, what that leaves. Nothing where the system doesn't say.
[[nodiscard]] std::optional<std::uint64_t> available_host_bytes();

/// What a run needs at its peak.
struct MemoryNeed {
  std::uint64_t host_bytes = 0;
  std::uint64_t device_bytes = 0;
};

/// Refuses what can't fit, before anything is allocated: Linux promises memory that it doesn't have
/// and kills whoever touches it, so there is no error to wait for.
[[nodiscard]] Outcome<void> check_memory(const MemoryNeed& need, const DeviceInfo& device);

/// "1.5 MiB".
[[nodiscard]] std::string bytes_text(std::uint64_t bytes);

}  // namespace oriel::tools
