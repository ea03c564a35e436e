#include <oriel/core/runtime.hpp>
#include <oriel/event.hpp>

namespace oriel {

Result<bool> Event::query() const {
  return state_->runtime->query(*state_);
}

Result<void> Event::synchronize() const {
  return state_->runtime->synchronize(*state_);
}

Result<double> elapsed(const Event& from, const Event& to) {
  return from.state()->runtime->elapsed(*from.state(), *to.state());
}

}  // namespace oriel
