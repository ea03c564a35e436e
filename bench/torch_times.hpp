#pragma once

#include <oriel/error.hpp>

#include <cstdint>
#include <map>
#include <string>

namespace oriel::bench {

/// Seconds a step of PyTorch's graphs, by the number of links.
using TorchTimes = std::map<std::uint64_t, double>;

/// Reads what torch_chain.py printed: lines of "<links> <microseconds>".
[[nodiscard]] Result<TorchTimes> read_torch_times(const std::string& file);

}  // namespace oriel::bench
