#include "entry.hpp"

#include <string>

namespace oriel::emulator::cuda {

Caller::Caller(Function& function, bool per_thread)
    : machine(Machine::instance()),
      thread(this_thread()),
      lock(machine.mutex),
      function_(function),
      per_thread_(per_thread) {
  number_ = machine.log.start(function, thread.number, !machine.captures.empty());
}

bool Caller::open(Need need) {
  std::int32_t code = 0;
  if (machine.faults.answers(function_, code)) {
    result_ = static_cast<CUresult>(code);
    machine.log.finish(number_, code, true);
    return false;
  }
  const Situation situation = check(need);
  if (failed(situation)) {
    close(situation);
    return false;
  }
  return true;
}

CUresult Caller::close(Situation situation) noexcept {
  if (releases_ && !failed(situation)) {
    if (machine.lost) {
      situation = Situation::kDeviceLost;
    } else if (owner != nullptr) {
      situation = take_error(machine, *owner);
    }
  }
  const std::int32_t code = machine.rules.code(situation);
  result_ = static_cast<CUresult>(code);
  machine.log.finish(number_, code, false);
  return result_;
}

Situation Caller::check(Need need) {
  if (machine.options.stub) {
    return Situation::kStubLibrary;
  }
  if (machine.lose_in != 0 && --machine.lose_in == 0) {
    machine.lost = true;
    machine.progress.notify_all();
  }
  if (need == Need::kNothing) {
    return Situation::kSuccess;
  }
  if (machine.exiting) {
    return Situation::kDeinitialized;
  }
  if (thread.in_host_function) {
    violate("was called from a host function");
    return Situation::kCallFromHostFunction;
  }
  if (!machine.initialized) {
    return Situation::kNotInitialized;
  }
  const bool releases = need == Need::kRelease || need == Need::kReleaseHere;
  if (machine.lost && !releases) {
    return Situation::kDeviceLost;
  }
  releases_ = releases;
  if (need == Need::kInit || need == Need::kRelease) {
    return Situation::kSuccess;
  }
  if (thread.contexts.empty() || thread.contexts.back() == nullptr) {
    return Situation::kNoCurrentContext;
  }
  context = thread.contexts.back();
  if (context->destroyed) {
    releases_ = false;
    return Situation::kContextDestroyed;
  }
  if (releases) {
    owner = context;
    return Situation::kSuccess;
  }
  return take_error(machine, *context);
}

Situation Caller::take_error(const Machine& machine, Context& context) noexcept {
  const Situation error = context.error;
  if (!machine.options.sticky) {
    context.error = Situation::kSuccess;
  }
  return error;
}

Situation Caller::find_stream(CUstream handle, Use use, Stream*& out) {
  const bool own = handle == CU_STREAM_PER_THREAD || (handle == nullptr && per_thread_);
  if (own || handle == nullptr || handle == CU_STREAM_LEGACY) {
    out = own ? &per_thread_stream(*context) : context->legacy.get();
  } else if (const Situation situation = find(machine.streams, handle, out); failed(situation)) {
    return situation;
  }
  return admit(machine, *out, use);
}

Situation Caller::find_device(CUdevice ordinal, Device*& out) {
  if (ordinal < 0 || static_cast<std::uint64_t>(ordinal) >= machine.options.devices) {
    return Situation::kInvalidDevice;
  }
  out = &machine.devices[static_cast<std::size_t>(ordinal)];
  return Situation::kSuccess;
}

Situation Caller::admit_unsafe(Situation otherwise) {
  return emulator::admit_unsafe(machine, otherwise, thread.number, thread.mode);
}

Situation Caller::wait(const Ticket& ticket) {
  if (!wait_for(machine, lock, ticket)) {
    return Situation::kDeinitialized;
  }
  return machine.lost ? Situation::kDeviceLost : take_error(machine, *context);
}

Situation Caller::wait(Context& waited) {
  if (!drain(machine, lock, waited)) {
    return Situation::kDeinitialized;
  }
  return machine.lost ? Situation::kDeviceLost : take_error(machine, waited);
}

void Caller::violate(const char* what) {
  machine.violations.add(std::string(function_.name) + " " + what + ".");
}

Situation Caller::refuse(Handle handle, bool was_live) {
  if (handle != 0) {
    violate(was_live ? "was given an object that was destroyed"
                     : "was given a handle that this driver never gave out for such an object");
  }
  return Situation::kInvalidHandle;
}

}  // namespace oriel::emulator::cuda
