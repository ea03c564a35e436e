#pragma once

#include <oriel/stream_capture/api.hpp>

#include <memory>
#include <utility>

namespace oriel::stream_capture {

/// A handle of the vendor's, destroyed with its owner. Null owns nothing.
template <class Api, class Handle, Outcome (Api::*kDestroy)(Handle) const noexcept>
class Owned {
 public:
  Owned() = default;
  Owned(std::shared_ptr<const Api> api, Handle handle) noexcept
      : api_(std::move(api)), handle_(handle) {}
  Owned(Owned&& other) noexcept
      : api_(std::move(other.api_)), handle_(std::exchange(other.handle_, nullptr)) {}
  Owned& operator=(Owned&& other) noexcept {
    Owned old(std::move(*this));
    api_ = std::move(other.api_);
    handle_ = std::exchange(other.handle_, nullptr);
    return *this;
  }
  ~Owned() {
    if (handle_ != nullptr) {
      destroy(*api_, [&] { return ((*api_).*kDestroy)(handle_); });
    }
  }

  [[nodiscard]] Handle get() const noexcept { return handle_; }

 private:
  std::shared_ptr<const Api> api_;
  Handle handle_ = nullptr;
};

template <class Api>
using OwnedStream = Owned<Api, typename Api::Stream, &Api::stream_destroy>;
template <class Api>
using OwnedEvent = Owned<Api, typename Api::Event, &Api::event_destroy>;
template <class Api>
using OwnedModule = Owned<Api, typename Api::Module, &Api::module_unload>;
template <class Api>
using OwnedGraph = Owned<Api, typename Api::Graph, &Api::graph_destroy>;
template <class Api>
using OwnedExecutable = Owned<Api, typename Api::Executable, &Api::executable_destroy>;

/// Makes one: `create(&handle)` is a call of the vendor's. A success that made nothing is a
/// failure.
template <class Owner, class Handle, class Api, class Create>
[[nodiscard]] Result<Owner> make_owned(const std::shared_ptr<const Api>& api, Create&& create) {
  Handle handle = nullptr;
  Outcome outcome = unrestricted(*api, [&] { return create(&handle); });
  if (outcome.ok() && handle == nullptr) {
    outcome.code = Outcome::kMadeNothing;
  }
  if (!outcome.ok()) {
    return fail(api->error(outcome));
  }
  return Owner(api, handle);
}

}  // namespace oriel::stream_capture
