#pragma once

#include <oriel/access.hpp>
#include <oriel/core/slice.hpp>
#include <oriel/device_info.hpp>
#include <oriel/ids.hpp>
#include <oriel/kernel_bundle.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

namespace oriel::core {

class DriverKernel;

/// The four kinds of work, each with its arguments resolved: what a driver is given eagerly and
/// what a recording's nodes hold. Pointers are borrowed for the call, or from the recording.

struct LaunchCommand {
  DriverKernel* kernel = nullptr;
  const KernelSignature* signature = nullptr;  ///< Lives as long as the kernel's module.
  Dim3 grid;                                   ///< Groups.
  Dim3 group;                                  ///< Work items in a group.
  /// values[i] points to the i-th argument's bytes: a 64-bit address for a buffer.
  std::span<void* const> values;
};

/// Both ends are device memory or pinned memory of the pools; never other host memory.
struct CopyCommand {
  std::uint64_t destination = 0;
  std::uint64_t source = 0;
  std::size_t bytes = 0;
  MemoryKind destination_kind = MemoryKind::kDevice;
  MemoryKind source_kind = MemoryKind::kDevice;
};

/// Repeats a pattern of 1, 2, 4, 8 or 16 bytes; `bytes` is a multiple of it.
struct FillCommand {
  std::uint64_t destination = 0;
  std::size_t bytes = 0;
  MemoryKind kind = MemoryKind::kDevice;
  std::uint32_t pattern_bytes = 1;
  std::byte pattern[16] = {};
};

/// Calls `function(payload)` on a thread of the driver's, in stream order. It never throws.
struct HostCommand {
  void (*function)(void* payload) noexcept = nullptr;
  void* payload = nullptr;
};

/// One buffer that a command names.
struct Use {
  Slice* slice = nullptr;
  std::size_t offset = 0;  ///< Bytes into the slice.
  std::size_t bytes = 0;
  Access access = Access::kRead;

  [[nodiscard]] bool whole() const noexcept { return offset == 0 && bytes >= slice->bytes; }
};

enum class NodeKind : std::uint8_t { kLaunch, kCopy, kFill, kHost };

/// A node as the recording shows it. Everything it points to belongs to the recording and stays
/// where it is once that is sealed.
struct Node {
  NodeKind kind = NodeKind::kLaunch;
  std::string_view label;
  StreamId stream;                       ///< The logical stream it was recorded on.
  unsigned lane = 0;                     ///< The slot of its device stream.
  std::span<const NodeId> dependencies;  ///< Earlier nodes that must be done before it.
  std::span<const Use> uses;
  LaunchCommand launch;  ///< The one that `kind` names is set.
  CopyCommand copy;
  FillCommand fill;
  HostCommand host;
};

}  // namespace oriel::core
