#pragma once

#include "conformance/fixture.hpp"
#include "cuda_driver_library.hpp"

#include <memory>
#include <string>

namespace oriel::emulated {

using conformance::code_of;
using conformance::contains;
using conformance::Fixture;
using conformance::must;
using conformance::must_graph;
using conformance::Word;
using conformance::Words;

/// The emulated driver, which ORIEL_CUDA_LIBRARY names from here on.
test::EmulatedDriver& driver();

/// CUDA's functions, called past Oriel as a vendor library would call them.
[[nodiscard]] const cuda::DriverLibrary& cuda_functions();

/// Sets an option of the emulated driver for its life.
class Option {
 public:
  Option(const char* name, const char* value, const char* usual);
  Option(const Option&) = delete;
  Option& operator=(const Option&) = delete;
  ~Option();

 private:
  const char* name_;
  const char* usual_;
};

/// Another value of ORIEL_CUDA_LIBRARY for its life.
class OtherLibrary {
 public:
  /// Null for none.
  explicit OtherLibrary(const char* path);
  OtherLibrary(const OtherLibrary&) = delete;
  OtherLibrary& operator=(const OtherLibrary&) = delete;
  ~OtherLibrary();
};

/// Ends the capture of a stream that Oriel has given up, which the emulator doesn't let go of.
void let_go(CUstream origin);

/// The conformance suite's fixture on the emulated driver, without faults at its end.
struct World {
  World();
  World(const World&) = delete;
  World& operator=(const World&) = delete;
  ~World();

  Fixture fixture;
  Stream& s;
};

}  // namespace oriel::emulated
