#pragma once

#include "cuda_driver_library.hpp"

#include <oriel/stream_capture/api.hpp>

#include <string>

namespace oriel::cuda {

/// What the core is told of a failed call: our code for CUDA's, one sentence that says what to do,
/// and CUDA's number and name.
[[nodiscard]] Error error_of(const DriverLibrary& library, stream_capture::Outcome outcome);

/// "13.0" of 13000.
[[nodiscard]] std::string version_text(int version);

}  // namespace oriel::cuda
