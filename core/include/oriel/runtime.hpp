#pragma once

#include <oriel/event.hpp>
#include <oriel/kernel_bundle.hpp>
#include <oriel/module.hpp>
#include <oriel/options.hpp>
#include <oriel/stream.hpp>

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace oriel::core {
class GraphDriver;
}  // namespace oriel::core

namespace oriel {

/// One backend as `list_backends` finds it.
struct BackendStatus {
  std::string name;
  bool available = false;
  std::string reason;  ///< Why it is unavailable, "" if available.
  std::vector<DeviceInfo> devices;
};

/// Every backend this build knows of and every plugin in the given directories, ORIEL_PLUGIN_PATH
/// and the library's own folder; available or not, and why. A backend that is absent never makes
/// the listing fail.
[[nodiscard]] std::vector<BackendStatus> list_backends(const RuntimeOptions& options = {});

/// One opened device: the front door. Any thread may use it. A handle, like streams, events and
/// modules: copies are the same thing, and moving one copies it, so that a handle is never empty.
/// Everything made through it keeps what it needs; after close() all of it answers `invalid_state`.
class Runtime {
 public:
  /// Opens "host", "cuda", "cuda:1", ..., or a plugin's path ("./oriel_x.so", "/abs/oriel_x.so:1":
  /// what contains a '/'). Errors: `unavailable` (unknown, absent; with the reason), `incompatible`
  /// (another ABI or build, both named), `invalid_argument` (ordinal, options).
  [[nodiscard]] static Result<Runtime> open(std::string_view device,
                                            const RuntimeOptions& options = {});
  /// Opens a device through a driver of the caller's.
  [[nodiscard]] static Result<Runtime> open(std::unique_ptr<core::GraphDriver> driver,
                                            const RuntimeOptions& options = {});

  explicit Runtime(std::shared_ptr<core::Runtime> core) noexcept : core_(std::move(core)) {}
  Runtime(const Runtime&) noexcept = default;
  Runtime& operator=(const Runtime&) noexcept = default;
  ~Runtime() = default;

  [[nodiscard]] Result<Stream> create_stream(const StreamOptions& options = {}) const;
  [[nodiscard]] Result<Event> create_event() const;
  /// Loads every kernel of the bundle now. Errors: `unsupported` (no image for this device),
  /// `not_permitted` (from the thread of an open window).
  [[nodiscard]] Result<Module> load(const KernelBundle& bundle) const;

  /// Waits until all work of the device is done, and first until its windows have closed; from the
  /// thread of an open window `not_permitted`.
  [[nodiscard]] Result<void> synchronize() const;
  /// Gives unused memory back to the driver; returns the bytes. `not_permitted` while any window
  /// of the device is prepared or open.
  [[nodiscard]] Result<std::size_t> trim() const;
  /// The most bytes each stream's pool may hold; 0 for no limit. `not_permitted` like trim,
  /// `invalid_argument` for a value that is no Limit.
  [[nodiscard]] Result<void> set_limit(Limit limit, std::size_t bytes) const;

  [[nodiscard]] const DeviceInfo& info() const noexcept;
  [[nodiscard]] const Capabilities& capabilities() const noexcept;
  [[nodiscard]] RuntimeStats stats() const;

  /// Abandons open windows, waits for all work, destroys everything and closes the device. What
  /// failed asynchronously is reported. Closing twice is `invalid_state`.
  [[nodiscard]] Result<void> close() const;

  [[nodiscard]] const std::shared_ptr<core::Runtime>& core() const noexcept { return core_; }

 private:
  std::shared_ptr<core::Runtime> core_;
};

}  // namespace oriel
