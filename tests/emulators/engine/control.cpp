// What tests ask of the driver, beside the vendor's functions.
#include "../control.hpp"

#include "machine.hpp"

#include <string_view>

namespace oriel::emulator {
namespace {

std::string_view text(const char* given) noexcept {
  return given != nullptr ? given : "";
}

void arm(Machine& machine, std::string_view function, std::uint64_t k, std::int32_t code, bool on) {
  if (!function.empty() && Function::find(function) == nullptr) {
    machine.violations.add("A fault was asked for in " + std::string(function) +
                           ", which this driver doesn't have.");
  }
  machine.faults.arm(function, k, code, on);
}

void fail_call(const char* function, std::uint64_t k, std::int32_t code, bool on) {
  Machine& machine = Machine::instance();
  const std::lock_guard lock(machine.mutex);
  arm(machine, text(function), k, code, on);
}

void pretend(const char* function) {
  Machine& machine = Machine::instance();
  const std::lock_guard lock(machine.mutex);
  if (!machine.faults.pretend(text(function))) {
    machine.violations.add("Pretending was asked for in " + std::string(text(function)) +
                           ", which this driver doesn't have.");
  }
}

void clear_faults() {
  Machine& machine = Machine::instance();
  const std::lock_guard lock(machine.mutex);
  machine.faults.clear();
}

bool fault_hit() {
  Machine& machine = Machine::instance();
  const std::lock_guard lock(machine.mutex);
  return machine.faults.hit();
}

std::size_t call_count(const char* function) {
  Machine& machine = Machine::instance();
  const std::lock_guard lock(machine.mutex);
  return machine.log.count(text(function));
}

bool call(std::size_t index, Call* out) {
  Machine& machine = Machine::instance();
  const std::lock_guard lock(machine.mutex);
  return machine.log.get(index, *out);
}

void clear_log() {
  Machine& machine = Machine::instance();
  const std::lock_guard lock(machine.mutex);
  machine.log.clear();
}

void live(Live* out) {
  Machine& machine = Machine::instance();
  const std::lock_guard lock(machine.mutex);
  *out = {};
  for (const Device& device : machine.devices) {
    out->contexts += device.primary_retains;
  }
  for (const auto& [handle, context] : machine.contexts) {
    out->contexts += context->primary ? 0 : 1;
  }
  for (const auto& [handle, graph] : machine.graphs) {
    out->graphs += graph->of_capture || graph->parent != nullptr ? 0 : 1;
  }
  out->streams = machine.streams.size();
  out->events = machine.events.size();
  out->modules = machine.modules.size();
  out->device_blocks = machine.memory.count(BlockKind::kDevice);
  out->pinned_blocks =
      machine.memory.count(BlockKind::kPinned) + machine.memory.count(BlockKind::kRegistered);
  out->executables = machine.executables.size();
  out->captures = machine.captures.size();
}

const char* violation(std::size_t index) {
  Machine& machine = Machine::instance();
  const std::lock_guard lock(machine.mutex);
  if (index == 0) {  // where a reader starts
    machine.memory.check_quarantine();
  }
  return machine.violations.at(index);
}

void clear_violations() {
  Machine& machine = Machine::instance();
  const std::lock_guard lock(machine.mutex);
  machine.memory.check_quarantine();  // what was broken before doesn't show up after
  machine.violations.clear();
}

bool set_option(const char* name, const char* value) {
  Machine& machine = Machine::instance();
  const std::lock_guard lock(machine.mutex);
  if (!machine.options.set(text(name), text(value))) {
    return false;
  }
  machine.follow_options(text(name));
  return true;
}

constexpr Control kControl{sizeof(Control),
                           fail_call,
                           pretend,
                           clear_faults,
                           fault_hit,
                           call_count,
                           call,
                           clear_log,
                           live,
                           violation,
                           clear_violations,
                           set_option};

}  // namespace

const Control& control() noexcept {
  return kControl;
}

}  // namespace oriel::emulator
