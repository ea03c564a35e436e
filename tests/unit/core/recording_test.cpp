#include "support/catch.hpp"

#include <oriel/core/recording.hpp>

#include <array>
#include <cstring>
#include <memory>

using namespace oriel;
using namespace oriel::core;

namespace {

struct Sample {
  Slice slice;
  double scalar = 2.5;
  std::uint64_t address = 4096;
  std::array<void*, 2> values{&address, &scalar};
  std::array<std::uint32_t, 2> sizes{8, 8};
  Use use{&slice, 0, 64, Access::kReadWrite};

  Sample() {
    slice.index = 5;
    slice.bytes = 64;
  }
  NodeId add(Recording& recording, std::string_view label, std::span<const NodeId> after = {}) {
    const LaunchCommand command{nullptr, nullptr, 2, 32, values};
    return recording.append({label, {3, 1}, 0, after, std::span(&use, 1)}, command, sizes).value();
  }
};

double scalar_of(const Node& node) {
  double value = 0;
  std::memcpy(&value, node.launch.values[1], sizeof value);
  return value;
}

}  // namespace

TEST_CASE("a recorded launch keeps copies of its arguments, label, uses and dependencies") {
  Sample sample;
  Recording recording;
  std::string label = "first";
  const NodeId first = sample.add(recording, label);
  const std::array<NodeId, 1> after{first};
  sample.add(recording, "second", after);
  label = "xxxxx";
  sample.scalar = 9;
  recording.seal();

  const Node node = recording.node(0);
  CHECK(node.label == "first");
  CHECK(scalar_of(node) == 2.5);
  CHECK(node.launch.grid == Dim3(2));
  CHECK(node.launch.group == Dim3(32));
  CHECK(node.stream == StreamId{3, 1});
  REQUIRE(node.uses.size() == 1);
  CHECK(node.uses[0].slice == &sample.slice);
  CHECK(node.dependencies.empty());
  const Node second = recording.node(1);
  REQUIRE(second.dependencies.size() == 1);
  CHECK(second.dependencies[0] == first);
}

TEST_CASE("a sealed recording refuses every append and stays as it is") {
  Sample sample;
  Recording recording;
  sample.add(recording, "only");
  recording.seal();
  const NodeOrigin origin{"late", {}, 0, {}, {}};
  const auto refused = [](const Result<NodeId>& result) {
    return !result && result.error().code == ErrorCode::kInvalidState;
  };
  CHECK(refused(recording.append(origin, LaunchCommand{}, {})));
  CHECK(refused(recording.append(origin, CopyCommand{})));
  CHECK(refused(recording.append(origin, FillCommand{})));
  CHECK(refused(recording.append(origin, HostCommand{}, nullptr)));
  CHECK(recording.node_count() == 1);
}

TEST_CASE("the arguments of a sealed recording stay where they are when they are replaced") {
  Sample sample;
  Recording recording;
  const NodeId id = sample.add(recording, "axpy");
  recording.seal();
  void* const where = recording.node(id).launch.values[1];
  sample.scalar = 7;
  sample.use.bytes = 32;
  recording.replace(id, sample.values, std::span(&sample.use, 1));
  CHECK(recording.node(id).launch.values[1] == where);
  CHECK(scalar_of(recording.node(id)) == 7);
  CHECK(recording.node(id).uses[0].bytes == 32);
}

TEST_CASE("a host node's payload lives with the recording, until it is taken") {
  auto payload = std::make_shared<int>(1);
  std::weak_ptr<int> watch = payload;
  Recording recording;
  REQUIRE(recording.append({"host", {}, 0, {}, {}}, HostCommand{}, std::move(payload)));
  CHECK_FALSE(watch.expired());
  recording.take_payloads().clear();
  CHECK(watch.expired());
}

TEST_CASE("a recording counts its size, so that another like it can be given room beforehand") {
  Sample sample;
  Recording recording;
  const NodeId first = sample.add(recording, "ab");
  const std::array<NodeId, 1> after{first};
  sample.add(recording, "cde", after);
  const Recording::Size size = recording.size();
  CHECK(size.nodes == 2);
  CHECK(size.uses == 2);
  CHECK(size.dependencies == 1);
  CHECK(size.values == 4);
  CHECK(size.value_bytes == 4 * Recording::kValueAlignment);
  CHECK(size.label_bytes == 5);
}

TEST_CASE("the Graphviz form names each node, its buffers and its edges, and escapes labels") {
  Sample sample;
  Recording recording;
  const NodeId first = sample.add(recording, "say \"hi\"");
  const std::array<NodeId, 1> after{first};
  sample.add(recording, "then", after);
  const std::string dot = recording.to_dot();
  CHECK(dot.find("digraph oriel {") == 0);
  CHECK(dot.find("say \\\"hi\\\"") != std::string::npos);
  CHECK(dot.find("inout buffer 5") != std::string::npos);
  CHECK(dot.find("n0 -> n1;") != std::string::npos);
}
