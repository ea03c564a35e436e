#include "runtime_submit.hpp"
#include "text.hpp"

#include <cstring>
#include <utility>

/// Copies, fills, host functions, and what every command has in common.

namespace oriel::core {

/// A call that did not do what it was asked. In a window that dooms the graph, which must never
/// miss an operation, unless the call was stopped for the window's sake.
Result<void> Runtime::spoil(const Route& route, std::string_view label, Error error) {
  if (error.operation.empty()) {
    error.operation = label;
  }
  error.stream = route.id;
  if (route.recording() && error.code != ErrorCode::kNotPermitted) {
    route.window->doom(error);
  }
  return fail(std::move(error));
}

Result<void> Runtime::check_reads(const Route& route, std::span<const Use> uses) const {
  if (device_.claims() == 0) {
    return {};
  }
  for (const Use& use : uses) {
    const Slice& slice = *use.slice;
    const bool written_here = route.recording() && slice.written == route.window->serial();
    if (reads(use.access) && slice.claim && !written_here) {
      return fail(unwritten(slice));
    }
  }
  return {};
}

Error unwritten(const Slice& slice) {
  return {ErrorCode::kUnwritten,
          "buffer " + std::to_string(slice.index) + " was to be written by work that never ran (" +
              slice.claim->to_string() + "); write all of it before it is read"};
}

/// Eager work, given to the driver: which stream must pass before the memory is reused, and which
/// claims it settles.
void Runtime::note_uses(const Route& route, std::span<const Use> uses) noexcept {
  DeviceStream& stream = *route.stream;
  ++stream.submitted;
  stream.last_user = route.id;
  for (const Use& use : uses) {
    use.slice->streams |= lane_bit(stream.slot());
    use.slice->device_touched = true;
    if (use.access == Access::kWrite && use.whole()) {
      device_.unclaim(*use.slice);
    }
  }
}

/// Warm-up work: counted as it will be recorded, and tracked lane by lane as it will be.
void Runtime::note_warmup(const Route& route,
                          std::span<const Use> uses,
                          const Recording::Size& size) noexcept {
  StreamCapture& window = *route.window;
  const unsigned lane = route.stream->slot();
  window.lanes().issue(lane, window.count(size));
  for (const Use& use : uses) {
    if (use.slice->arming == window.serial()) {
      use.slice->lanes |= lane_bit(lane);
    } else {
      window.foreign_streams() |= use.slice->streams;
    }
  }
}

void Runtime::touch(const Route& route, const Use& use) {
  StreamCapture& window = *route.window;
  Slice& slice = *use.slice;
  slice.lanes |= lane_bit(route.stream->slot());
  slice.device_touched = true;
  if (use.access == Access::kWrite && use.whole()) {
    slice.written = window.serial();
  }
  if (slice.stamp == window.serial()) {
    return;
  }
  slice.stamp = window.serial();
  if (slice.arming == window.serial()) {
    window.touched().armed.push_back(&slice);
  } else {
    window.touched().external.emplace_back(slice);
  }
}

Result<void> Runtime::copy_on(const Route& route,
                              const Use& destination,
                              const Use& source,
                              std::string_view label) {
  if (destination.bytes == 0) {
    return {};
  }
  const CopyCommand command{destination.slice->address + destination.offset,
                            source.slice->address + source.offset,
                            destination.bytes,
                            destination.slice->kind,
                            source.slice->kind};
  const std::array<Use, 2> uses{source, destination};
  return submit(route,
                label,
                uses,
                command,
                Recording::Size{},
                [&](Recording& recording, const NodeOrigin& origin) {
                  return recording.append(origin, command);
                });
}

namespace {

Use use_of(const RawBuffer& buffer, Access access) noexcept {
  return {buffer.slice(), buffer.offset(), buffer.bytes(), access};
}

std::string_view or_name(std::string_view label, std::string_view name) noexcept {
  return label.empty() ? name : label;
}

Error size_mismatch(std::size_t destination, std::size_t source) {
  return {ErrorCode::kInvalidArgument,
          "the destination has " + std::to_string(destination) + " bytes and the source " +
              std::to_string(source) + "; both must be of one size"};
}

/// Whether two parts of one slice share bytes; the same part does.
bool overlap(const RawBuffer& a, const RawBuffer& b) noexcept {
  return a.slice() == b.slice() && a.offset() < b.offset() + b.bytes() &&
         b.offset() < a.offset() + a.bytes();
}

}  // namespace

Result<void> Runtime::copy(StreamId id,
                           const RawBuffer& destination,
                           const RawBuffer& source,
                           std::string_view label) {
  label = or_name(label, "copy");
  Lock lock(device_);
  auto route = route_work(id, "copy", lock);
  if (!route) {
    return fail(std::move(route.error()));
  }
  for (const auto& [buffer, role] : {std::pair(&destination, "destination"), {&source, "source"}}) {
    if (auto good = check_slice(*buffer, role); !good) {
      return spoil(*route, label, std::move(good.error()));
    }
  }
  if (destination.bytes() != source.bytes()) {
    return spoil(*route, label, size_mismatch(destination.bytes(), source.bytes()));
  }
  if (overlap(destination, source)) {
    return spoil(
        *route, label, {ErrorCode::kInvalidArgument, "the destination overlaps the source"});
  }
  return copy_on(*route, use_of(destination, Access::kWrite), use_of(source, Access::kRead), label);
}

namespace {

/// Halves a pattern as long as both halves are the same: devices differ in what they can repeat.
std::uint32_t shortest_pattern(const std::byte* pattern, std::size_t bytes) noexcept {
  while (bytes > 1 && std::memcmp(pattern, pattern + bytes / 2, bytes / 2) == 0) {
    bytes /= 2;
  }
  return static_cast<std::uint32_t>(bytes);
}

}  // namespace

Result<void> Runtime::fill(StreamId id,
                           const RawBuffer& buffer,
                           const void* pattern,
                           std::size_t pattern_bytes,
                           std::string_view label) {
  label = or_name(label, "fill");
  Lock lock(device_);
  auto route = route_work(id, "fill", lock);
  if (!route) {
    return fail(std::move(route.error()));
  }
  if (auto good = check_slice(buffer, "buffer"); !good) {
    return spoil(*route, label, std::move(good.error()));
  }
  if (buffer.bytes() == 0) {
    return {};
  }
  FillCommand command{buffer.slice()->address + buffer.offset(),
                      buffer.bytes(),
                      buffer.kind(),
                      shortest_pattern(static_cast<const std::byte*>(pattern), pattern_bytes)};
  if (command.pattern_bytes > capabilities().fill_pattern_bytes) {
    return spoil(*route,
                 label,
                 {ErrorCode::kUnsupported,
                  "this device fills with patterns of at most " +
                      std::to_string(capabilities().fill_pattern_bytes) + " bytes, not " +
                      std::to_string(command.pattern_bytes) + "; fill with a kernel instead"});
  }
  std::memcpy(command.pattern, pattern, command.pattern_bytes);
  const std::array<Use, 1> uses{use_of(buffer, Access::kWrite)};
  return submit(*route,
                label,
                uses,
                command,
                Recording::Size{},
                [&](Recording& recording, const NodeOrigin& origin) {
                  return recording.append(origin, command);
                });
}

Result<void> Runtime::upload(StreamId id,
                             const RawBuffer& destination,
                             std::span<const std::byte> source,
                             std::string_view label) {
  label = or_name(label, "upload");
  Lock lock(device_);
  auto route = route_work(id, "upload", lock);
  if (!route) {
    return fail(std::move(route.error()));
  }
  if (auto good = check_slice(destination, "destination"); !good) {
    return spoil(*route, label, std::move(good.error()));
  }
  if (destination.bytes() != source.size()) {
    return spoil(*route, label, size_mismatch(destination.bytes(), source.size()));
  }
  if (source.empty()) {
    return {};
  }
  auto staged = stage(*route, source);
  if (!staged) {
    return spoil(*route, label, std::move(staged.error()));
  }
  return copy_on(*route,
                 use_of(destination, Access::kWrite),
                 Use{staged->get(), 0, source.size(), Access::kRead},
                 label);
}

/// The bytes as they are now, in pinned memory: what a copy from host memory reads, however late.
Result<SliceRef> Runtime::stage(const Route& route, std::span<const std::byte> bytes) {
  if (route.window == nullptr) {
    device_.collect_from(*route.stream, false);  // earlier staging memory may be free again
  }
  auto slice = allocate_on(route, MemoryKind::kPinned, bytes.size());
  if (!slice) {
    slice.error().message =
        "staging memory for host data: " + slice.error().message + " (" + name_of(route.id) + ")";
    return fail(std::move(slice.error()));
  }
  SliceRef staged = SliceRef::adopt(**slice);
  std::memcpy(staged->host, bytes.data(), bytes.size());
  return staged;
}

Result<void> Runtime::download(StreamId id,
                               std::span<std::byte> destination,
                               const RawBuffer& source) {
  Lock lock(device_);
  auto route = route_outside(id, "download", lock);
  if (!route) {
    return fail(std::move(route.error()));
  }
  ORIEL_TRY(check_slice(source, "source"));
  if (destination.size() != source.bytes()) {
    return fail(size_mismatch(destination.size(), source.bytes()));
  }
  const std::array<Use, 1> reading{use_of(source, Access::kRead)};
  ORIEL_TRY(check_reads(*route, reading));
  if (source.bytes() == 0) {
    return {};
  }
  auto slice = allocate_on(*route, MemoryKind::kPinned, source.bytes());
  if (!slice) {
    return fail(std::move(slice.error()));
  }
  const SliceRef landing = SliceRef::adopt(**slice);
  ORIEL_TRY(copy_on(
      *route, Use{landing.get(), 0, source.bytes(), Access::kWrite}, reading[0], "download"));
  ORIEL_TRY(device_.wait_idle(lock, *route->stream));
  ORIEL_TRY(report_failures());
  std::memcpy(destination.data(), landing->host, source.bytes());
  return {};
}

Result<void> Runtime::call_host(StreamId id,
                                void (*function)(void*),
                                std::shared_ptr<void> payload,
                                std::string_view label) {
  label = or_name(label, "host function");
  Lock lock(device_);
  auto route = route_work(id, "call_host", lock);
  if (!route) {
    return fail(std::move(route.error()));
  }
  if (!capabilities().host_functions) {
    return spoil(
        *route,
        label,
        {ErrorCode::kUnsupported, "this device can't call host functions in stream order"});
  }
  if (function == nullptr) {
    return spoil(*route, label, {ErrorCode::kInvalidArgument, "there is no function to call"});
  }
  auto call = std::make_shared<HostCall>(
      HostCall{function, std::move(payload), std::string(label), id, device_.failures});
  const HostCommand command{&HostCall::run, call.get()};
  auto submitted = submit(*route,
                          label,
                          {},
                          command,
                          Recording::Size{},
                          [&](Recording& recording, const NodeOrigin& origin) {
                            return recording.append(origin, command, call);
                          });
  if (submitted && !route->recording()) {
    keep_payload(*route->stream, std::move(call));
  } else {
    device_.discard(std::move(call));
  }
  return submitted;
}

/// A payload is the caller's: whatever lets go of it last must not hold the lock.
void Runtime::keep_payload(DeviceStream& stream, std::shared_ptr<HostCall> call) {
  struct Keeper {
    Device& device;
    std::shared_ptr<void> call;
    Keeper(Device& device_, std::shared_ptr<void> call_) noexcept
        : device(device_), call(std::move(call_)) {}
    Keeper(const Keeper&) = delete;
    Keeper& operator=(const Keeper&) = delete;
    ~Keeper() { device.discard(std::move(call)); }
  };
  stream.drops.add(std::make_shared<Keeper>(device_, std::move(call)));
  device_.collect_from(stream, false);
}

}  // namespace oriel::core
