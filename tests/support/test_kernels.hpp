#pragma once

#include <oriel/kernel_bundle.hpp>

namespace oriel::fake {

/// Kernels written by hand, with host images only, for tests that do without oriel_add_kernels. All
/// work on uint32_t:
///   fill(out d, v)  inc(inout d)  copy(out d, in s)  scale_add(inout d, in s, k)
[[nodiscard]] const KernelBundle& test_kernels();

}  // namespace oriel::fake
