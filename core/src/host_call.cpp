#include <oriel/core/host_call.hpp>

#include <exception>
#include <utility>

namespace oriel::core {
namespace {
thread_local bool inside = false;
}  // namespace

void AsyncFailures::put(Error error) noexcept {
  const std::lock_guard guard(mutex_);
  if (!first_) {
    first_ = std::move(error);
    any_.store(true, std::memory_order_release);
  }
}

std::optional<Error> AsyncFailures::take() noexcept {
  if (!any_.load(std::memory_order_acquire)) {
    return std::nullopt;
  }
  const std::lock_guard guard(mutex_);
  any_.store(false, std::memory_order_relaxed);
  return std::exchange(first_, std::nullopt);
}

void HostCall::run(void* self) noexcept {
  auto& call = *static_cast<HostCall*>(self);
  std::string what;
  inside = true;
  try {
    call.function(call.payload.get());
    inside = false;
    return;
  } catch (const std::exception& thrown) {
    what = thrown.what();
  } catch (...) {
    what = "something that is no std::exception";
  }
  inside = false;
  Error error(ErrorCode::kDriverError, "host function \"" + call.label + "\" threw: " + what);
  error.operation = call.label;
  error.stream = call.stream;
  call.failures->put(std::move(error));
}

bool inside_host_function() noexcept {
  return inside;
}

}  // namespace oriel::core
