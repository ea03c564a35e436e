#include "attributed.hpp"

#include <oriel/core/runtime.hpp>
#include <oriel/event.hpp>

namespace oriel {

Result<bool> Event::query() const {
  return attributed("query", state_->runtime->query(*state_));
}

Result<void> Event::synchronize() const {
  return attributed("synchronize", state_->runtime->synchronize(*state_));
}

Result<double> elapsed(const Event& from, const Event& to) {
  return attributed("elapsed", from.state()->runtime->elapsed(*from.state(), *to.state()));
}

}  // namespace oriel
