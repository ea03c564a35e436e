#pragma once

#include "fake_script.hpp"

#include <oriel/core/graph_driver.hpp>

#include <memory>

namespace oriel::fake {

/// A driver that follows `script`.
[[nodiscard]] std::unique_ptr<core::GraphDriver> make_driver(std::shared_ptr<Script> script);

}  // namespace oriel::fake
