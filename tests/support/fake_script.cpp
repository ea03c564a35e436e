#include "fake_script.hpp"

#include <chrono>
#include <stdexcept>
#include <utility>

namespace oriel::fake {
namespace {

constexpr std::chrono::seconds kBlockLimit{10};

constexpr std::array<std::string_view, kCallCount> kCallNames = {"create_stream",
                                                                 "synchronize_stream",
                                                                 "query_stream",
                                                                 "create_event",
                                                                 "record",
                                                                 "wait",
                                                                 "query_event",
                                                                 "synchronize_event",
                                                                 "elapsed",
                                                                 "launch",
                                                                 "copy",
                                                                 "fill",
                                                                 "call_host",
                                                                 "load_module",
                                                                 "begin",
                                                                 "instantiate",
                                                                 "upload",
                                                                 "replay",
                                                                 "update",
                                                                 "provider_allocate",
                                                                 "provider_release",
                                                                 "destroy_stream",
                                                                 "destroy_event",
                                                                 "destroy_module",
                                                                 "destroy_executable"};

}  // namespace

std::string_view to_string(Call call) noexcept {
  return kCallNames[static_cast<std::size_t>(call)];
}

Script::Script(RecordingMode recording) {
  capabilities.recording = recording;
  capabilities.fork_join = true;
  capabilities.update = true;
  capabilities.host_functions = true;
  capabilities.event_timing = true;
  capabilities.double_precision = true;
  capabilities.printf_per_replay = true;
  capabilities.fill_pattern_bytes = 16;
}

void Script::fail(Call call, std::uint64_t k, Fault fault) {
  const std::scoped_lock lock(mutex_);
  const auto index = static_cast<std::size_t>(call);
  faults_[index] = {calls_[index] + k, std::move(fault)};
}

void Script::clear_faults() {
  const std::scoped_lock lock(mutex_);
  faults_.fill({});
  fault_met_ = false;
}

bool Script::fault_met() const {
  const std::scoped_lock lock(mutex_);
  return fault_met_;
}

void Script::block(Call call) {
  const std::scoped_lock lock(mutex_);
  block_ = static_cast<int>(call);
  blocked_ = false;
}

bool Script::wait_until_blocked() {
  std::unique_lock lock(mutex_);
  return changed_.wait_for(lock, kBlockLimit, [this] { return blocked_; });
}

void Script::unblock() {
  const std::scoped_lock lock(mutex_);
  block_ = -1;
  changed_.notify_all();
}

void Script::set_scratch(std::string_view kernel, std::size_t bytes) {
  const std::scoped_lock lock(mutex_);
  scratch_.insert_or_assign(std::string(kernel), bytes);
}

void Script::set_allocation_nodes(std::size_t count) {
  const std::scoped_lock lock(mutex_);
  allocation_nodes_ = count;
}

void Script::set_node_skew(int skew) {
  const std::scoped_lock lock(mutex_);
  node_skew_ = skew;
}

std::uint64_t Script::calls(Call call) const {
  const std::scoped_lock lock(mutex_);
  return calls_[static_cast<std::size_t>(call)];
}

std::uint64_t Script::calls_in_window(Call call) const {
  const std::scoped_lock lock(mutex_);
  return calls_in_window_[static_cast<std::size_t>(call)];
}

Live Script::live() const {
  const std::scoped_lock lock(mutex_);
  return live_;
}

bool Script::window_open() const {
  const std::scoped_lock lock(mutex_);
  return windows_ != 0;
}

std::vector<std::string> Script::violations() const {
  const std::scoped_lock lock(mutex_);
  return violations_;
}

Result<void> Script::enter(Call call) {
  std::unique_lock lock(mutex_);
  const auto index = static_cast<std::size_t>(call);
  const std::uint64_t count = ++calls_[index];
  if (windows_ != 0) {
    ++calls_in_window_[index];
  }
  if (call == Call::kBegin) {
    ++windows_;
  }
  if (block_ == static_cast<int>(index)) {
    blocked_ = true;
    changed_.notify_all();
    changed_.wait_for(lock, kBlockLimit, [&] { return block_ != static_cast<int>(index); });
  }
  const Armed& armed = faults_[index];
  if (armed.at == 0 || count < armed.at || count - armed.at >= armed.fault.times) {
    return {};
  }
  fault_met_ = true;
  if (call == Call::kBegin) {
    --windows_;
  }
  const Fault fault = faults_[index].fault;
  if (fault.throws) {
    throw std::runtime_error("the fake driver was told to throw in " +
                             std::string(fake::to_string(call)));
  }
  Error error(fault.code, "the fake driver was told to fail");
  error.native = {fault.native, fault.name};
  return oriel::fail(std::move(error));
}

void Script::note_violation(std::string text) {
  const std::scoped_lock lock(mutex_);
  if (violations_.size() < 32) {
    violations_.push_back(std::move(text));
  }
}

}  // namespace oriel::fake
