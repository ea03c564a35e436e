#include "emulators/kernels/kernel_library.hpp"
#include "support/catch.hpp"

#include <oriel/kernel.h>

#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>

namespace {

using oriel::emulator::KernelLibraries;

// Any address in this program, which lies beside the libraries.
const int kAnchor = 0;

const oriel_host_kernel& kernel_named(const std::vector<const oriel_host_kernel*>& kernels,
                                      const std::string& name) {
  const auto at =
      std::find_if(kernels.begin(), kernels.end(), [&](const oriel_host_kernel* kernel) {
        return kernel->name == name;
      });
  REQUIRE(at != kernels.end());
  return **at;
}

}  // namespace

TEST_CASE("A bundle of the build is found by the names of its kernels, in any order") {
  const KernelLibraries& libraries = KernelLibraries::beside(&kAnchor);
  const auto* found = libraries.find({"nothing_else", "axpy"});
  REQUIRE(found != nullptr);
  CHECK(found->size() == 2);
  CHECK(found == libraries.find({"axpy", "nothing_else"}));
  CHECK(kernel_named(*found, "axpy").parameter_count == 1);
}

TEST_CASE("Names that no bundle has exactly find nothing") {
  const KernelLibraries& libraries = KernelLibraries::beside(&kAnchor);
  CHECK(libraries.find({}) == nullptr);
  CHECK(libraries.find({"nothing_else"}) == nullptr);
  CHECK(libraries.find({"axpy", "nothing_else", "more"}) == nullptr);
  CHECK(libraries.find({"axpy", "axpy"}) == nullptr);
}

TEST_CASE("A module of one source of several is found too") {
  const KernelLibraries& libraries = KernelLibraries::beside(&kAnchor);
  const auto* second = libraries.find({"ids", "sixteen", "square_roots"});
  const auto* all = libraries.find(
      {"axpy", "nothing", "matrix", "integers", "invert_bytes", "ids", "sixteen", "square_roots"});
  REQUIRE(second != nullptr);
  REQUIRE(all != nullptr);
  CHECK(second->size() == 3);
  CHECK(all->size() == 8);
}

TEST_CASE("A kernel that was found runs") {
  const auto* found = KernelLibraries::beside(&kAnchor).find({"axpy", "nothing_else"});
  REQUIRE(found != nullptr);
  std::vector<float> y(3, 0.0F);
  float* address = y.data();
  void* const arguments[] = {&address};
  const oriel_host_launch launch = {{3, 1, 1}, {1, 1, 1}, 0, 3};
  kernel_named(*found, "axpy").run(&launch, arguments);
  CHECK(y == std::vector<float>{-1.0F, -1.0F, -1.0F});
}

TEST_CASE("The libraries beside one object are loaded once") {
  CHECK(&KernelLibraries::beside(&kAnchor) == &KernelLibraries::beside(&kAnchor));
}

TEST_CASE("Beside what is no object, or has no such folder, there are no libraries") {
  CHECK(KernelLibraries::beside(nullptr).find({"axpy", "nothing_else"}) == nullptr);
  void* address = reinterpret_cast<void*>(&std::fprintf);  // in the C library
  CHECK(KernelLibraries::beside(address).find({"axpy", "nothing_else"}) == nullptr);
}
