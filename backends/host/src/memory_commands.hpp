#pragma once

#include <oriel/core/commands.hpp>

namespace oriel::host {

void run_fill(const core::FillCommand& command) noexcept;
/// Both ends may overlap.
void run_copy(const core::CopyCommand& command) noexcept;

}  // namespace oriel::host
