#pragma once

#include "arena.hpp"
#include "ref.hpp"

#include <oriel/core/recording.hpp>
#include <oriel/kernel_bundle.hpp>
#include <oriel/kernel_launch.h>

#include <cstddef>
#include <span>
#include <vector>

namespace oriel::host {

class LoadedKernel;

/// A recording made flat: what a replay calls, one after the other, in the order of the recording,
/// with nothing left to look up.
///
/// Invariant: every pointer of a step leads into this schedule's own arena, to code, or to a host
/// function's payload, which the recording keeps. Only `set_values` changes anything, and only
/// while the caller holds the only Ref; so a replay, which holds one, sees one state of it.
class Schedule : public Counted {
 public:
  /// The values of launches are those of `values_from` where that is given, a schedule of the same
  /// recording. Throws std::bad_alloc.
  [[nodiscard]] static Ref<Schedule> make(const core::Recording& recording,
                                          const Schedule* values_from = nullptr);

  void run() const noexcept;

  /// Puts other values into node `node`, a launch of `kernel`.
  void set_values(NodeId node, const LoadedKernel& kernel, std::span<void* const> values) noexcept;

  [[nodiscard]] std::size_t size() const noexcept { return steps_.size(); }

 private:
  /// One node. All kinds are called like a kernel; for those that are none, `arguments` is the
  /// address of their command in the arena.
  struct Step {
    oriel_host_function* function;
    void* const* arguments;
    oriel_host_launch launch;
  };

  [[nodiscard]] static std::size_t bytes_of(const core::Node& node) noexcept;
  [[nodiscard]] static Step make_step(const core::Node& node,
                                      std::span<void* const> values,
                                      std::byte* memory) noexcept;

  std::vector<Step> steps_;
  Arena arena_;
};

}  // namespace oriel::host
