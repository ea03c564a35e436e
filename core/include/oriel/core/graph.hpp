#pragma once

#include <oriel/core/graph_driver.hpp>
#include <oriel/core/module_state.hpp>
#include <oriel/core/recording.hpp>
#include <oriel/options.hpp>

#include <cstdint>
#include <memory>
#include <vector>

namespace oriel::core {

class Device;

/// An executable plus everything it pins.
///
/// Invariant: `pins` is the set of slices that its commands name, each once, no more and no less;
/// modules and payloads of the recording are kept beside them. It is destroyed under the runtime's
/// lock, once its last replay is done and no window of the device records.
class Graph {
 public:
  Graph(Device& device, std::unique_ptr<Recording> recording) noexcept;
  Graph(const Graph&) = delete;
  Graph& operator=(const Graph&) = delete;
  ~Graph();

  [[nodiscard]] Recording& recording() noexcept { return *recording_; }
  [[nodiscard]] const Recording& recording() const noexcept { return *recording_; }
  [[nodiscard]] GraphMemory memory() const noexcept;

  /// Pins these slices, each once, instead of those pinned before, which are returned.
  std::vector<SliceRef> pin(std::vector<SliceRef> slices);
  /// Sorts the slices into what a replay reads before it writes and what it writes.
  void learn_access();

  std::unique_ptr<DriverExecutable> executable;
  std::vector<std::shared_ptr<LoadedModule>> modules;
  std::vector<SliceRef> pins;
  std::vector<Slice*> inputs;  ///< Read before this graph wrote them whole.
  struct Output {
    Slice* slice;
    bool whole;
  };
  std::vector<Output> outputs;  ///< Written, each once.
  bool replayed = false;
  unsigned last_slot = 0;  ///< The device stream of the last replay.

 private:
  Device& device_;
  std::unique_ptr<Recording> recording_;
};

}  // namespace oriel::core
