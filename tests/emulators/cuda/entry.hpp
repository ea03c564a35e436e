// What every exported function goes through: the lock, the log, faults on command, and the checks
// that come before a function's own.
#pragma once

#include "../engine/machine.hpp"
#include "cuda_header.hpp"

#include <memory>
#include <mutex>
#include <new>

namespace oriel::emulator::cuda {

/// What a function asks of the calls before it.
enum class Need : std::uint8_t {
  kNothing,  ///< Works on any machine.
  kInit,     ///< cuInit.
  kContext,  ///< A current context without an error of its work.
  // Whoever gives something back is told of errors, but it is given back all the same: else a
  // program could not help leaking after one.
  kRelease,      ///< cuInit.
  kReleaseHere,  ///< A current context.
};

/// One call under way. It holds the machine's lock.
class Caller {
 public:
  /// `per_thread`: the null stream is the thread's own, as for the `_ptsz` twins.
  Caller(Function& function, bool per_thread);

  /// False when the call is answered already.
  [[nodiscard]] bool open(Need need);
  CUresult close(Situation situation) noexcept;
  [[nodiscard]] CUresult result() const noexcept { return result_; }

  /// The object behind a handle. If there is none, the answer is kInvalidHandle, and it is a
  /// violation unless the handle is null.
  template <class T, class VendorHandle>
  [[nodiscard]] Situation find(const HandleTable<T>& table, VendorHandle handle, T*& out) {
    out = table.find(reinterpret_cast<Handle>(handle));
    return out != nullptr ? Situation::kSuccess
                          : refuse(reinterpret_cast<Handle>(handle),
                                   table.was_live(reinterpret_cast<Handle>(handle)));
  }
  template <class T, class VendorHandle>
  [[nodiscard]] Situation find(const HandleTable<T>& table,
                               VendorHandle handle,
                               std::shared_ptr<T>& out) {
    out = table.share(reinterpret_cast<Handle>(handle));
    return out != nullptr ? Situation::kSuccess
                          : refuse(reinterpret_cast<Handle>(handle),
                                   table.was_live(reinterpret_cast<Handle>(handle)));
  }
  /// A stream that may be used so; the special handles are understood.
  [[nodiscard]] Situation find_stream(CUstream handle, Use use, Stream*& out);
  [[nodiscard]] Situation find_device(CUdevice ordinal, Device*& out);
  /// Whether this thread may make a potentially unsafe call.
  [[nodiscard]] Situation admit_unsafe(Situation otherwise = Situation::kUnsafeCall);

  /// Waits on the host and answers with the error of the context's work, if there is one.
  [[nodiscard]] Situation wait(const Ticket& ticket);
  [[nodiscard]] Situation wait(Context& waited);
  void violate(const char* what);

  Machine& machine;
  ThreadState& thread;
  std::unique_lock<std::mutex> lock;
  Context* context = nullptr;  ///< The current one, where it is needed.
  Context* owner = nullptr;    ///< Of what is given back.

 private:
  [[nodiscard]] Situation refuse(Handle handle, bool was_live);
  [[nodiscard]] Situation check(Need need);
  [[nodiscard]] static Situation take_error(const Machine& machine, Context& context) noexcept;

  Function& function_;
  std::uint64_t number_ = 0;
  bool per_thread_ = false;
  bool releases_ = false;
  CUresult result_ = CUDA_SUCCESS;
};

template <class Body>
CUresult enter(Function& function, Need need, bool per_thread, Body&& body) noexcept {
  Caller caller(function, per_thread);
  if (!caller.open(need)) {
    return caller.result();
  }
  try {
    return caller.close(body(caller));
  } catch (const std::bad_alloc&) {
    return caller.close(Situation::kOutOfMemory);
  }
}

template <class VendorHandle>
[[nodiscard]] VendorHandle to_vendor(Handle handle) noexcept {
  return reinterpret_cast<VendorHandle>(handle);
}

[[nodiscard]] inline bool is_power_of_two(std::size_t value) noexcept {
  return value != 0 && (value & (value - 1)) == 0;
}

}  // namespace oriel::emulator::cuda

// Macros in columns read better than what clang-format makes of them.
// clang-format off

#define ORIEL_AFTER_CALLER_(...) \
  ([[maybe_unused]] Caller& caller __VA_OPT__(,) __VA_ARGS__)
#define ORIEL_WITH_CALLER_(...) (oriel_caller __VA_OPT__(,) __VA_ARGS__)

/// Starts the body of an exported function, in this namespace, which has the parameter `Caller& caller` beside its own
/// and returns a Situation:
///
///   ORIEL_CUDA_CALL(cuStreamQuery, kContext, (CUstream handle), (handle)) { ... }
#define ORIEL_CUDA_CALL(name, need, parameters, arguments)                                        \
  ORIEL_CUDA_BODY_(name, parameters)                                                               \
  ORIEL_CUDA_EXPORT_(name, name, false, need, parameters, arguments)                               \
  Situation name##_body ORIEL_AFTER_CALLER_ parameters

/// The same for two exported functions, the second one named with `twin`, _ptsz or _ptds, behind it:
/// there the null stream is the thread's own.
#define ORIEL_CUDA_STREAM_CALL(name, twin, need, parameters, arguments)                           \
  ORIEL_CUDA_BODY_(name, parameters)                                                               \
  ORIEL_CUDA_EXPORT_(name, name, false, need, parameters, arguments)                               \
  ORIEL_CUDA_EXPORT_(name, name##twin, true, need, parameters, arguments)                          \
  Situation name##_body ORIEL_AFTER_CALLER_ parameters

#define ORIEL_CUDA_BODY_(name, parameters)                                                         \
  static Situation name##_body ORIEL_AFTER_CALLER_ parameters;

#define ORIEL_CUDA_EXPORT_(name, exported, per_thread, need, parameters, arguments)                \
  static Function exported##_function{#exported};                                 \
  extern "C" __attribute__((visibility("default"))) CUresult CUDAAPI exported parameters {         \
    return enter(                                                           \
        exported##_function, Need::need, per_thread,                              \
        [&](Caller& oriel_caller) {                                         \
          return name##_body ORIEL_WITH_CALLER_ arguments;                                         \
        });                                                                                        \
  }

// clang-format on
