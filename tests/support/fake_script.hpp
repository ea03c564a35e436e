#pragma once

#include <oriel/device_info.hpp>
#include <oriel/error.hpp>

#include <array>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

namespace oriel::fake {

/// What the core asks of a driver, destruction and the pools' provider included.
enum class Call : std::uint8_t {
  kCreateStream,
  kSynchronizeStream,
  kQueryStream,
  kCreateEvent,
  kRecord,
  kWait,
  kQueryEvent,
  kSynchronizeEvent,
  kElapsed,
  kLaunch,
  kCopy,
  kFill,
  kCallHost,
  kLoadModule,
  kBegin,
  kInstantiate,
  kUpload,
  kReplay,
  kUpdate,
  kProviderAllocate,
  kProviderRelease,
  kDestroyStream,
  kDestroyEvent,
  kDestroyModule,
  kDestroyExecutable,
};
inline constexpr std::size_t kCallCount = static_cast<std::size_t>(Call::kDestroyExecutable) + 1;
/// Calls from here on can't fail.
inline constexpr std::size_t kFailingCallCount = static_cast<std::size_t>(Call::kProviderRelease);

[[nodiscard]] std::string_view to_string(Call call) noexcept;

/// How a call fails when the script says so.
struct Fault {
  ErrorCode code = ErrorCode::kDriverError;
  std::int64_t native = 719;
  std::string name = "FAKE_ERROR_INJECTED";
  bool throws = false;      ///< Breaks its contract: throws instead of answering.
  std::uint64_t times = 1;  ///< So many calls in a row.
};

/// How many objects of each kind are alive.
struct Live {
  std::size_t streams = 0;
  std::size_t events = 0;
  std::size_t modules = 0;
  std::size_t executables = 0;
  std::size_t blocks = 0;  ///< Of the pools' provider.

  [[nodiscard]] std::size_t total() const noexcept {
    return streams + events + modules + executables + blocks;
  }
};

class Machine;

/// What a test holds of a scripted driver: what it shall do, and what happened to it. Outlives the
/// driver. Any thread may use it.
///
/// The driver runs work for real, on host memory, in one global order, and only when somebody waits
/// for it: whatever the core frees or hands out again too early is seen by work that runs late. It
/// notes as a violation whatever design sections 3 to 5 say that a driver never sees.
class Script {
 public:
  explicit Script(RecordingMode recording);

  /// What the device says it can do; all of it by default. Change it before make_driver.
  Capabilities capabilities;

  /// Makes the k-th call from now (from 1) of `call` fail.
  void fail(Call call, std::uint64_t k = 1, Fault fault = {});
  void clear_faults();
  /// Whether a fault was met since the last clear_faults().
  [[nodiscard]] bool fault_met() const;
  /// The next `call` stops inside until unblock().
  void block(Call call);
  /// Waits until somebody stopped there; false after ten seconds.
  [[nodiscard]] bool wait_until_blocked();
  void unblock();
  /// What DriverKernel::scratch_bytes says for kernels loaded from now on.
  void set_scratch(std::string_view kernel, std::size_t bytes);
  /// What instantiate claims to have found from now on.
  void set_allocation_nodes(std::size_t count);
  void set_node_skew(int skew);

  [[nodiscard]] std::uint64_t calls(Call call) const;
  /// Of those, the ones made between entering begin and leaving instantiate of any window.
  [[nodiscard]] std::uint64_t calls_in_window(Call call) const;
  [[nodiscard]] Live live() const;
  [[nodiscard]] bool window_open() const;
  [[nodiscard]] std::vector<std::string> violations() const;

 private:
  friend class Machine;
  struct Armed {
    std::uint64_t at = 0;  // absolute count of calls, 0 for never
    Fault fault;
  };

  // Counts a call, stops in it if asked to, and says whether it shall fail.
  [[nodiscard]] Result<void> enter(Call call);
  void note_violation(std::string text);

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::array<std::uint64_t, kCallCount> calls_{};
  std::array<std::uint64_t, kCallCount> calls_in_window_{};
  std::array<Armed, kCallCount> faults_{};
  bool fault_met_ = false;
  int block_ = -1;  // the call to stop in
  bool blocked_ = false;
  std::map<std::string, std::size_t, std::less<>> scratch_;
  std::size_t allocation_nodes_ = 0;
  int node_skew_ = 0;
  std::size_t windows_ = 0;
  Live live_;
  std::vector<std::string> violations_;
};

}  // namespace oriel::fake
