#include "attributed.hpp"

#include <oriel/core/runtime.hpp>
#include <oriel/stream.hpp>

#include <utility>

namespace oriel {

struct Stream::Owner {
  std::shared_ptr<core::Runtime> runtime;
  StreamId id;

  Owner(std::shared_ptr<core::Runtime> runtime_, StreamId id_) noexcept
      : runtime(std::move(runtime_)), id(id_) {}
  Owner(const Owner&) = delete;
  Owner& operator=(const Owner&) = delete;
  ~Owner() { runtime->destroy_stream(id); }
};

Stream::Stream(std::shared_ptr<core::Runtime> runtime, StreamId id)
    : owner_(std::make_shared<Owner>(std::move(runtime), id)) {}

StreamId Stream::id() const noexcept {
  return owner_->id;
}

const std::shared_ptr<core::Runtime>& Stream::runtime() const noexcept {
  return owner_->runtime;
}

Result<void> Stream::copy(const RawBuffer& destination,
                          const RawBuffer& source,
                          std::string_view label) const {
  return attributed(id(), "copy", runtime()->copy(id(), destination, source, label));
}

Result<void> Stream::launch_with(const Kernel& kernel,
                                 const LaunchConfig& config,
                                 std::span<const Argument> arguments) const {
  return attributed(
      id(), "launch", runtime()->launch(id(), *kernel.module(), kernel.index(), config, arguments));
}

Result<void> Stream::call_host_with(void (*function)(void*),
                                    std::shared_ptr<void> payload,
                                    std::string_view label) const {
  return attributed(
      id(), "call_host", runtime()->call_host(id(), function, std::move(payload), label));
}

Result<void> Stream::record(const Event& event) const {
  return attributed(id(), "record", runtime()->record(id(), *event.state()));
}

Result<void> Stream::wait(const Event& event) const {
  return attributed(id(), "wait", runtime()->wait(id(), *event.state()));
}

Result<void> Stream::synchronize() const {
  return attributed(id(), "synchronize", runtime()->synchronize(id()));
}

Result<bool> Stream::query() const {
  return attributed(id(), "query", runtime()->query(id()));
}

WindowState Stream::window_state() const {
  return runtime()->window_state(id());
}

Result<void*> Stream::native_handle() const {
  return attributed(id(), "native_handle", runtime()->native_handle(id()));
}

Error Stream::size_overflow(std::size_t count, std::size_t size) const {
  return attributed(id(),
                    "allocate",
                    {ErrorCode::kInvalidArgument,
                     std::to_string(count) + " elements of " + std::to_string(size) +
                         " bytes are more than any memory holds"});
}

Error Stream::step_error(Error error) const {
  return attributed(id(), "capture", std::move(error));
}

Result<core::Slice*> Stream::allocate_slice(MemoryKind kind,
                                            std::size_t bytes,
                                            std::string_view label) const {
  return attributed(id(), "allocate", runtime()->allocate(id(), kind, bytes, label));
}

Result<void> Stream::fill_bytes(const RawBuffer& buffer,
                                const void* pattern,
                                std::size_t pattern_bytes,
                                std::string_view label) const {
  return attributed(id(), "fill", runtime()->fill(id(), buffer, pattern, pattern_bytes, label));
}

Result<void> Stream::upload_bytes(const RawBuffer& destination,
                                  std::span<const std::byte> source,
                                  std::string_view label) const {
  return attributed(id(), "upload", runtime()->upload(id(), destination, source, label));
}

Result<void> Stream::download_bytes(std::span<std::byte> destination,
                                    const RawBuffer& source) const {
  return attributed(id(), "download", runtime()->download(id(), destination, source));
}

}  // namespace oriel
