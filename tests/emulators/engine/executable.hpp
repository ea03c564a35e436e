#pragma once

#include "graph.hpp"

namespace oriel::emulator {

/// A graph as it was when it was instantiated. It may be destroyed while it runs: its launches hold
/// it. An update puts another snapshot in place, so launches under way keep theirs.
struct Executable {
  Handle handle = 0;
  Context* context = nullptr;
  std::uint64_t flags = 0;
  bool frees_on_launch = false;
  bool has_memory = false;
  bool has_events = false;  ///< Records or waits for events outside.
  std::shared_ptr<const Graph> body;
  Ticket last;  ///< Of its last launch; the next one waits for it, on whatever stream.
};

enum class UpdateResult : std::uint8_t {
  kSuccess,
  kTopology,
  kNodeKind,
  kParameters,
  kNotSupported,
};
struct UpdateReport {
  UpdateResult result = UpdateResult::kSuccess;
  Handle node = 0;  ///< Of the new graph, where the two differ.
};

[[nodiscard]] Situation instantiate(Machine& machine,
                                    const std::shared_ptr<Graph>& graph,
                                    bool frees_on_launch,
                                    std::shared_ptr<Executable>& out);
[[nodiscard]] Situation launch(Machine& machine,
                               const std::shared_ptr<Executable>& executable,
                               Stream& stream);
[[nodiscard]] UpdateReport update(Executable& executable, const Graph& graph);
/// Replaces the work of the node that was made from `source`.
[[nodiscard]] Situation set_work(Executable& executable,
                                 Handle source,
                                 NodeKind kind,
                                 WorkRef work);

/// Forgets graphs' memory that no graph or executable has any more.
void collect_memory(Machine& machine);
/// Gives back to the device what graphs keep and don't use now.
void trim_memory(Machine& machine, const Device& device);

}  // namespace oriel::emulator
