#include "fixture.hpp"

#include <cstdlib>

namespace oriel::emulated {

test::EmulatedDriver& driver() {
  static test::EmulatedDriver it = [] {
    ::setenv("ORIEL_CUDA_LIBRARY", ORIEL_EMULATED_CUDA, 1);
    conformance::suite_options().backend = "cuda";
    return test::EmulatedDriver::at(ORIEL_EMULATED_CUDA);
  }();
  return it;
}

const cuda::DriverLibrary& cuda_functions() {
  driver();
  static const std::shared_ptr<const cuda::DriverLibrary> it = must(cuda::DriverLibrary::open());
  return *it;
}

Option::Option(const char* name, const char* value, const char* usual)
    : name_(name), usual_(usual) {
  REQUIRE(driver().control().set_option(name, value));
}

Option::~Option() {
  driver().control().set_option(name_, usual_);
}

OtherLibrary::OtherLibrary(const char* path) {
  driver();
  if (path != nullptr) {
    ::setenv("ORIEL_CUDA_LIBRARY", path, 1);
  } else {
    ::unsetenv("ORIEL_CUDA_LIBRARY");
  }
}

OtherLibrary::~OtherLibrary() {
  ::setenv("ORIEL_CUDA_LIBRARY", ORIEL_EMULATED_CUDA, 1);
}

void let_go(CUstream origin) {
  CUgraph graph = nullptr;
  if (cuda_functions().stream_end_capture(origin, &graph) == CUDA_SUCCESS) {
    CHECK(cuda_functions().graph_destroy(graph) == CUDA_SUCCESS);
  }
  CHECK(cuda_functions().stream_destroy(origin) == CUDA_SUCCESS);
}

namespace {

Fixture make_fixture() {
  driver();
  return Fixture();
}

}  // namespace

World::World() : fixture(make_fixture()), s(fixture.stream()) {}

World::~World() {
  driver().control().clear_faults();
}

}  // namespace oriel::emulated
