#pragma once

#include <oriel/argument.hpp>
#include <oriel/buffer.hpp>
#include <oriel/event.hpp>
#include <oriel/graph.hpp>
#include <oriel/module.hpp>
#include <oriel/options.hpp>
#include <oriel/window.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace oriel {

/// A logical stream: work on it runs in the order of the calls. A handle: copies are the same
/// stream, which is destroyed with the last one (legal at any time; a window it had open is
/// abandoned). Any thread may use it; calls of several threads are ordered by nothing but
/// themselves.
///
/// In a window (see docs/windows.md) calls marked [recorded] are recorded, those marked [refused]
/// answer `not_permitted` and change nothing. Each may also answer `stream_busy` (the device stream
/// is another logical stream's window), `invalid_state` (the runtime was closed, or a handle is of
/// another runtime), `doomed` (an earlier call broke this window), `device_lost`, `driver_error`.
class Stream {
 public:
  Stream(std::shared_ptr<core::Runtime> runtime, StreamId id);
  Stream(const Stream&) noexcept = default;
  Stream& operator=(const Stream&) noexcept = default;
  ~Stream() = default;

  /// Device memory for `count` elements, not initialised. In a window served from what the warm-up
  /// left, else `would_allocate`. Errors: `out_of_memory`, `invalid_argument` (the size overflows).
  template <class T>
  [[nodiscard]] Result<Buffer<T>> allocate(std::size_t count, std::string_view label = {}) const {
    return allocate_as<Buffer<T>>(MemoryKind::kDevice, count, label);
  }
  /// Pinned host memory for `count` elements; as allocate.
  template <class T>
  [[nodiscard]] Result<PinnedBuffer<T>> allocate_pinned(std::size_t count,
                                                        std::string_view label = {}) const {
    return allocate_as<PinnedBuffer<T>>(MemoryKind::kPinned, count, label);
  }

  /// Sets every element. [recorded] Errors: `unsupported` (pattern larger than the device's).
  template <class T>
  [[nodiscard]] Result<void> fill(const TypedBuffer<T>& buffer,
                                  std::type_identity_t<T> value,
                                  std::string_view label = {}) const {
    static_assert(sizeof(T) == 1 || sizeof(T) == 2 || sizeof(T) == 4 || sizeof(T) == 8 ||
                  sizeof(T) == 16);
    return fill_bytes(buffer, &value, sizeof(T), label);
  }
  /// Copies all of `source` to `destination`, of the same size, both from pools. [recorded]: the
  /// bytes are read at each replay.
  [[nodiscard]] Result<void> copy(const RawBuffer& destination,
                                  const RawBuffer& source,
                                  std::string_view label = {}) const;
  /// Copies host memory to `destination`, of the same size. [recorded] The bytes are those of the
  /// moment of this call: they are staged in pinned memory, which a graph owns.
  template <class T>
  [[nodiscard]] Result<void> upload(const TypedBuffer<T>& destination,
                                    std::type_identity_t<std::span<const T>> source,
                                    std::string_view label = {}) const {
    return upload_bytes(destination, std::as_bytes(source), label);
  }
  /// Waits, then copies `source` to host memory of the same size. [refused]: copy to a pinned
  /// buffer instead. Errors: `unwritten`.
  template <class T>
  [[nodiscard]] Result<void> download(std::type_identity_t<std::span<T>> destination,
                                      const TypedBuffer<T>& source) const {
    return download_bytes(std::as_writable_bytes(destination), source);
  }
  /// Waits, then returns the elements. [refused] Errors: `unwritten`.
  template <class T>
  [[nodiscard]] Result<std::vector<T>> read(const TypedBuffer<T>& source) const {
    std::vector<T> elements(source.size());
    ORIEL_TRY(download(std::span<T>(elements), source));
    return elements;
  }

  /// Runs a kernel over grid x group work items. Scalars are copied; memory and code are kept until
  /// it has run. [recorded] Errors: `invalid_argument` (grid, group, count or kind of arguments),
  /// `unsupported` (doubles), `unwritten`, `not_permitted` (in a window: more scratch memory than
  /// any kernel before).
  template <class... Args>
  [[nodiscard]] Result<void> launch(const Kernel& kernel,
                                    const LaunchConfig& config,
                                    const Args&... args) const {
    const std::array<Argument, sizeof...(Args)> list{argument(args)...};
    return launch_with(kernel, config, list);
  }
  [[nodiscard]] Result<void> launch_with(const Kernel& kernel,
                                         const LaunchConfig& config,
                                         std::span<const Argument> arguments) const;

  /// Calls `function()` on a driver's thread, in stream order; in a graph once for each replay,
  /// with a copy that lives with the graph. It must not call Oriel (`not_permitted`), but may drop
  /// handles. What it throws is reported by the next synchronise. A handle that it captured may be
  /// let go only by a later call on the runtime: synchronise before dropping the last other handle.
  /// [recorded] Errors: `unsupported`.
  template <class Function>
  [[nodiscard]] Result<void> call_host(Function function, std::string_view label = {}) const {
    auto payload = std::make_shared<Function>(std::move(function));
    return call_host_with(
        [](void* it) { (*static_cast<Function*>(it))(); }, std::move(payload), label);
  }
  /// The same with a function pointer and what it is given. Errors: also `invalid_argument` for a
  /// null function.
  [[nodiscard]] Result<void> call_host_with(void (*function)(void*),
                                            std::shared_ptr<void> payload,
                                            std::string_view label = {}) const;

  /// Marks the stream's present end. [recorded]
  [[nodiscard]] Result<void> record(const Event& event) const;
  /// Later work here starts after what the event marked. Waiting for an event recorded in a window
  /// pulls this stream into it (fork); it must be waited for in turn (join) before the close.
  /// [recorded] Errors: `not_permitted` (in a window: an event from outside, or another window's),
  /// `invalid_state` (never recorded, or recorded in a window now closed), `unsupported` (fork).
  [[nodiscard]] Result<void> wait(const Event& event) const;

  /// Waits until all its work is done; reports what failed asynchronously. [refused]
  [[nodiscard]] Result<void> synchronize() const;
  /// Whether all its work is done. [refused]
  [[nodiscard]] Result<bool> query() const;

  /// Prepares, warms up by running `step(stream)`, begins, records it again and instantiates. The
  /// step returns Result<void> or nothing. The stream is left idle whatever happens; an exception
  /// of the step passes through.
  template <class Step>
  [[nodiscard]] CaptureResult capture(Step&& step, const CaptureOptions& options = {}) const;

  /// Where the stream's own window is; allowed everywhere.
  [[nodiscard]] WindowState window_state() const;
  /// The vendor's stream, for calls of vendor libraries. In a window this announces native work:
  /// the check of the node count is given up for that window. Error: `not_permitted` (in a window
  /// of a device that builds its graphs from Oriel's calls and records no others).
  [[nodiscard]] Result<void*> native_handle() const;

  [[nodiscard]] StreamId id() const noexcept;
  [[nodiscard]] const std::shared_ptr<core::Runtime>& runtime() const noexcept;

 private:
  struct Owner;

  template <class B>
  [[nodiscard]] Result<B> allocate_as(MemoryKind kind,
                                      std::size_t count,
                                      std::string_view label) const {
    constexpr std::size_t size = sizeof(typename B::Element);
    if (count > std::numeric_limits<std::size_t>::max() / size) {
      return fail(size_overflow(count, size));
    }
    auto slice = allocate_slice(kind, count * size, label);
    if (!slice) {
      return fail(std::move(slice.error()));
    }
    return B(runtime(), *slice, 0, count * size);
  }
  [[nodiscard]] Error size_overflow(std::size_t count, std::size_t size) const;
  /// What a captured step returned, which may be an error of the caller's own making.
  [[nodiscard]] Error step_error(Error error) const;
  [[nodiscard]] Result<core::Slice*> allocate_slice(MemoryKind kind,
                                                    std::size_t bytes,
                                                    std::string_view label) const;
  [[nodiscard]] Result<void> fill_bytes(const RawBuffer& buffer,
                                        const void* pattern,
                                        std::size_t pattern_bytes,
                                        std::string_view label) const;
  [[nodiscard]] Result<void> upload_bytes(const RawBuffer& destination,
                                          std::span<const std::byte> source,
                                          std::string_view label) const;
  [[nodiscard]] Result<void> download_bytes(std::span<std::byte> destination,
                                            const RawBuffer& source) const;

  std::shared_ptr<Owner> owner_;  // destroys the logical stream with the last handle
};

namespace detail {
/// Runs a step that returns Result<void> or nothing.
template <class Step>
[[nodiscard]] Result<void> run_step(Step& step, Stream& stream) {
  if constexpr (std::is_void_v<std::invoke_result_t<Step&, Stream&>>) {
    step(stream);
    return {};
  } else {
    return step(stream);
  }
}
}  // namespace detail

template <class Step>
CaptureResult Stream::capture(Step&& step, const CaptureOptions& options) const {
  const auto refused = [](Error error) { return tl::unexpected<Refused>({std::move(error), {}}); };
  Stream stream(*this);
  Window window(stream);
  if (auto prepared = window.prepare(options.window); !prepared) {
    return refused(std::move(prepared.error()));
  }
  for (unsigned pass = 0; pass == 0 || pass < options.warmup_passes; ++pass) {
    if (pass != 0) {
      if (auto next = window.warmup_pass(); !next) {
        return refused(std::move(next.error()));
      }
    }
    if (auto warm = detail::run_step(step, stream); !warm) {
      return refused(step_error(std::move(warm.error())));
    }
  }
  if (auto begun = window.begin(); !begun) {
    return refused(std::move(begun.error()));
  }
  if (auto recorded = detail::run_step(step, stream); !recorded) {
    window.doom(step_error(std::move(recorded.error())));
  }
  return window.instantiate();
}

}  // namespace oriel
