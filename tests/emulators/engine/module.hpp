#pragma once

#include "context.hpp"
#include "handle_table.hpp"

#include <oriel/kernel.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace oriel::emulator {

/// An entry point of a module. Work that was enqueued keeps the object, but not the code: it may
/// not run once `unloaded` is set.
struct Kernel {
  Handle handle = 0;
  Context* context = nullptr;
  std::string name;
  const oriel_host_kernel* host = nullptr;  ///< Null: there is no host image of the module.
  bool loaded = false;                      ///< Its code is on the device, not only in the image.
  bool unloaded = false;
  std::map<int, int> attributes;      ///< What was set, by the vendor's number.
  std::vector<std::size_t> offsets;   ///< Of the arguments among the values of a launch.
  std::size_t value_bytes = 0;        ///< Of all arguments.
  std::vector<std::size_t> pointers;  ///< Offsets of those that are buffers.

  [[nodiscard]] std::size_t argument_bytes(std::size_t index) const noexcept {
    const oriel_host_parameter& parameter = host->parameters[index];
    return parameter.is_buffer != 0 ? sizeof(std::uint64_t) : parameter.bytes;
  }
  /// Fills in what follows from the host image.
  void lay_out() {
    for (std::uint32_t i = 0; host != nullptr && i < host->parameter_count; ++i) {
      offsets.push_back(value_bytes);
      if (host->parameters[i].is_buffer != 0) {
        pointers.push_back(value_bytes);
      }
      value_bytes += (argument_bytes(i) + 15) / 16 * 16;
    }
  }
};

struct Module {
  Handle handle = 0;
  Context* context = nullptr;
  std::map<std::string, std::shared_ptr<Kernel>> kernels;
};

}  // namespace oriel::emulator
