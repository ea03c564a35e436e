#pragma once

#include "handle_table.hpp"
#include "situation.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <vector>

namespace oriel::emulator {

struct Context;
struct Stream;

/// Bytes and their peak.
struct Gauge {
  std::size_t current = 0;
  std::size_t high = 0;

  void add(std::size_t bytes) noexcept {
    current += bytes;
    high = current > high ? current : high;
  }
  void remove(std::size_t bytes) noexcept { current -= bytes; }
};

struct Device {
  int ordinal = 0;
  std::size_t used_bytes = 0;  ///< Of its memory; what graphs reserve included.
  Gauge graph_used;            ///< Allocations of graphs that were launched and not freed.
  Gauge graph_reserved;        ///< The same and what is kept for the next launch.
  Context* primary = nullptr;  ///< Null while nobody retains it.
  std::size_t primary_retains = 0;
  unsigned primary_flags = 0;
};

/// A context. It is never destroyed, only marked: pointers to it stay good.
struct Context {
  Handle handle = 0;
  Device* device = nullptr;
  unsigned flags = 0;
  /// Bytes of a thread's stack, of the output of kernels, and of their heap, as vendors start with.
  std::array<std::size_t, 3> limits{1024, std::size_t{1} << 20, std::size_t{8} << 20};
  bool primary = false;
  bool destroyed = false;
  Situation error = Situation::kSuccess;  ///< Of work; what every later call answers.
  std::shared_ptr<Stream> legacy;         ///< The null stream; made with the context.
  std::shared_ptr<Stream> whole;  ///< Where marks of all streams go; made when there is one.
  std::map<std::uint64_t, std::shared_ptr<Stream>> per_thread;  ///< By thread number.
  std::vector<Stream*>
      blocking;  ///< Streams that the legacy stream waits for, per-thread included.
};

}  // namespace oriel::emulator
