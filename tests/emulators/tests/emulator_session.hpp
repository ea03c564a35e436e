// The emulated libcuda as tests use it: opened by its path, functions looked up by their exported
// names.
#pragma once

#include "emulators/control.hpp"
#include "emulators/cuda/cuda_header.hpp"

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace oriel::emulator::test {

/// Null if the library doesn't export it.
[[nodiscard]] void* find_symbol(const char* name);
/// The same, but stops the test if it isn't there.
[[nodiscard]] void* require_symbol(const char* name);

template <class F>
[[nodiscard]] F* resolve(const char* name) {
  return reinterpret_cast<F*>(require_symbol(name));
}

/// The exported function of exactly this name: CU(cuMemAlloc_v2)(&address, 16).
#define CU(name) (::oriel::emulator::test::resolve<decltype(::name)>(#name))

[[nodiscard]] const Control& control();

/// PTX with entries of the test's kernel bundle, for devices from this architecture on.
[[nodiscard]] std::string kernel_image(int architecture = 80);

/// The driver initialised, with device 0's primary context current on this thread, and the options,
/// faults, log and violations as at a fresh start. Ends with a check that nothing is left and no
/// rule was broken.
class Session {
 public:
  Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;
  ~Session();

  /// The violations of the test are its point: forgets and counts them.
  std::size_t take_violations();
  void set(const char* option, const char* value);

  // All of these are given back at the end.
  [[nodiscard]] CUstream stream(unsigned flags = CU_STREAM_NON_BLOCKING);
  [[nodiscard]] CUevent event(unsigned flags = CU_EVENT_DEFAULT);
  [[nodiscard]] CUdeviceptr memory(std::size_t words);
  [[nodiscard]] std::uint32_t* pinned(std::size_t words);
  [[nodiscard]] CUfunction kernel(const char* name);
  CUgraph keep(CUgraph graph);
  CUgraphExec keep(CUgraphExec executable);
  [[nodiscard]] CUgraphExec instantiate(CUgraph graph, unsigned long long flags = 0);

  [[nodiscard]] CUcontext context() const noexcept { return context_; }

 private:
  CUcontext context_ = nullptr;
  CUmodule module_ = nullptr;
  std::vector<CUstream> streams_;
  std::vector<CUevent> events_;
  std::vector<CUdeviceptr> memory_;
  std::vector<void*> pinned_;
  std::vector<CUgraph> graphs_;
  std::vector<CUgraphExec> executables_;
};

/// A launch of one of the test's kernels with one group of `words` items.
CUresult launch(CUfunction function,
                CUstream stream,
                std::uint32_t words,
                std::vector<void*> arguments);
CUresult launch_add(CUfunction function,
                    CUstream stream,
                    CUdeviceptr words,
                    std::uint32_t value,
                    std::uint32_t count = 4);

/// The words, read synchronously.
[[nodiscard]] std::vector<std::uint32_t> read(CUdeviceptr words, std::size_t count = 4);

[[nodiscard]] CUstreamCaptureStatus status(CUstream stream);
CUresult begin(CUstream stream, CUstreamCaptureMode mode = CU_STREAM_CAPTURE_MODE_THREAD_LOCAL);
/// Ends a capture that has to succeed.
[[nodiscard]] CUgraph end(CUstream stream);
/// Ends a capture that was broken, and checks that it gives 901 and no graph.
void end_broken(CUstream stream);
[[nodiscard]] std::size_t node_count(CUgraph graph);
[[nodiscard]] std::vector<CUgraphNodeType> node_types(CUgraph graph);

/// Runs it on another thread, with the session's context current, and waits.
void on_other_thread(const Session& session, const std::function<void()>& body);

/// A host function that stays in the stream until it is let through.
class Gate {
 public:
  void open();
  /// Enqueues it.
  CUresult put(CUstream stream);

 private:
  static void wait(void* gate);

  std::mutex mutex_;
  std::condition_variable changed_;
  bool open_ = false;
};

}  // namespace oriel::emulator::test
