#include "other_kernels.hpp"
#include "shared_types.h"
#include "support/catch.hpp"
#include "test_kernels.hpp"

#include <oriel/kernel_bundle.hpp>
#include <oriel/kernel_launch.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

namespace {

using oriel::ElementType;
using oriel::KernelParameter;
using oriel::KernelSignature;
using oriel::ParameterKind;

std::size_t index_of(const oriel::KernelBundle& bundle, const std::string& name) {
  for (std::size_t i = 0; i < bundle.kernels.size(); ++i) {
    if (bundle.kernels[i].name == name) {
      return i;
    }
  }
  FAIL("no kernel " << name);
  return 0;
}

const KernelSignature& signature(const std::string& name) {
  return test_kernels::bundle().kernels[index_of(test_kernels::bundle(), name)];
}

struct Launch {
  std::array<std::uint32_t, 3> grid{1, 1, 1};
  std::array<std::uint32_t, 3> group{1, 1, 1};
  std::uint64_t first = 0;
  std::uint64_t count = 0;  // all, if 0
};

// Calls a kernel's host image with the addresses of these values.
template <class... Values>
void call(const oriel::KernelBundle& bundle,
          const std::string& name,
          const Launch& launch,
          Values... values) {
  const std::uint64_t all = std::uint64_t{launch.grid[0]} * launch.grid[1] * launch.grid[2];
  const oriel_host_launch header = {{launch.grid[0], launch.grid[1], launch.grid[2]},
                                    {launch.group[0], launch.group[1], launch.group[2]},
                                    launch.first,
                                    launch.count != 0 ? launch.count : all};
  const std::array<void*, sizeof...(Values) + 1> arguments{&values..., nullptr};
  bundle.host[index_of(bundle, name)].function(&header, arguments.data());
}

template <class... Values>
void call(const std::string& name, const Launch& launch, Values... values) {
  call(test_kernels::bundle(), name, launch, values...);
}

void check(const KernelParameter& parameter,
           const std::string& name,
           ParameterKind kind,
           ElementType type,
           bool writable,
           std::uint32_t bytes) {
  CHECK(parameter.name == name);
  CHECK(parameter.kind == kind);
  CHECK(parameter.type == type);
  CHECK(parameter.writable == writable);
  CHECK(parameter.bytes == bytes);
}

}  // namespace

TEST_CASE("A bundle has the kernels of all its sources, each with its host image") {
  const oriel::KernelBundle& bundle = test_kernels::bundle();
  const std::vector<std::string> names = {
      "axpy", "nothing", "matrix", "integers", "invert_bytes", "ids", "sixteen", "square_roots"};
  CHECK(bundle.name == "test_kernels");
  REQUIRE(bundle.kernels.size() == names.size());
  REQUIRE(bundle.host.size() == names.size());
  for (std::size_t i = 0; i < names.size(); ++i) {
    CHECK(bundle.kernels[i].name == names[i]);
    CHECK(bundle.host[i].name == names[i]);
    CHECK(bundle.host[i].function != nullptr);
  }
  CHECK(&bundle == &test_kernels::bundle());
}

TEST_CASE("A signature tells name, kind, element, access and size of each parameter") {
  const KernelSignature& axpy = signature("axpy");
  REQUIRE(axpy.parameters.size() == 3);
  check(axpy.parameters[0], "x", ParameterKind::kBuffer, ElementType::kFloat32, false, 4);
  check(axpy.parameters[1], "y", ParameterKind::kBuffer, ElementType::kFloat32, true, 4);
  check(axpy.parameters[2], "a", ParameterKind::kScalar, ElementType::kFloat32, false, 4);

  const KernelSignature& matrix = signature("matrix");
  REQUIRE(matrix.parameters.size() == 2);
  check(matrix.parameters[0], "out", ParameterKind::kBuffer, ElementType::kFloat64, true, 8);
  check(matrix.parameters[1],
        "shape",
        ParameterKind::kScalar,
        ElementType::kBytes,
        false,
        sizeof(Shape));
  CHECK(signature("nothing").parameters.empty());
}

TEST_CASE("A signature tells every integer type apart") {
  const std::vector<ElementType> types = {ElementType::kInt64,
                                          ElementType::kInt8,
                                          ElementType::kUint8,
                                          ElementType::kInt16,
                                          ElementType::kUint16,
                                          ElementType::kInt32,
                                          ElementType::kUint32,
                                          ElementType::kInt64,
                                          ElementType::kUint64,
                                          ElementType::kInt32,
                                          ElementType::kUint32};
  const std::vector<std::uint32_t> bytes = {8, 1, 1, 2, 2, 4, 4, 8, 8, 4, 4};
  const KernelSignature& integers = signature("integers");
  REQUIRE(integers.parameters.size() == types.size());
  for (std::size_t i = 0; i < types.size(); ++i) {
    CHECK(integers.parameters[i].type == types[i]);
    CHECK(integers.parameters[i].bytes == bytes[i]);
  }
}

TEST_CASE("A kernel uses doubles if a parameter of it is double") {
  CHECK(signature("matrix").uses_double);
  CHECK_FALSE(signature("axpy").uses_double);
  CHECK_FALSE(signature("nothing").uses_double);
}

TEST_CASE("A kernel runs once for each item, whatever the grid") {
  const auto [grid, group] = GENERATE(
      std::pair(std::array<std::uint32_t, 3>{7, 1, 1}, std::array<std::uint32_t, 3>{1, 1, 1}),
      std::pair(std::array<std::uint32_t, 3>{3, 1, 1}, std::array<std::uint32_t, 3>{5, 1, 1}),
      std::pair(std::array<std::uint32_t, 3>{1, 1, 1}, std::array<std::uint32_t, 3>{64, 1, 1}),
      std::pair(std::array<std::uint32_t, 3>{2, 3, 1}, std::array<std::uint32_t, 3>{4, 1, 1}),
      std::pair(std::array<std::uint32_t, 3>{1, 1, 1}, std::array<std::uint32_t, 3>{2, 3, 4}),
      std::pair(std::array<std::uint32_t, 3>{2, 3, 4}, std::array<std::uint32_t, 3>{4, 3, 2}));
  const std::uint64_t groups = std::uint64_t{grid[0]} * grid[1] * grid[2];
  const std::uint64_t width = std::uint64_t{grid[0]} * group[0];
  const std::uint64_t height = std::uint64_t{grid[1]} * group[1];
  const std::uint64_t items = groups * group[0] * group[1] * group[2];
  std::vector<std::uint32_t> visits(items, 0);
  std::vector<std::uint64_t> places(6 * items, 99);
  call("ids", {grid, group}, visits.data(), places.data());
  for (std::uint64_t i = 0; i < items; ++i) {
    const std::array<std::uint64_t, 3> id = {i % width, i / width % height, i / width / height};
    REQUIRE(visits[i] == 1);
    for (std::size_t d = 0; d < 3; ++d) {
      REQUIRE(places[6 * i + d] == id[d] / group[d]);
      REQUIRE(places[6 * i + 3 + d] == id[d] % group[d]);
    }
  }
}

TEST_CASE("A kernel runs exactly the groups it is told, so that threads may share a grid") {
  const Launch whole = GENERATE(
      Launch{{6, 1, 1}, {3, 1, 1}}, Launch{{6, 1, 1}, {1, 1, 1}}, Launch{{1, 2, 3}, {2, 2, 1}});
  const std::uint64_t items = 6 * std::uint64_t{whole.group[0]} * whole.group[1];
  std::vector<std::uint32_t> visits(items, 0);
  std::vector<std::uint64_t> places(6 * items);
  Launch part = whole;
  part.first = 2;
  part.count = 3;
  call("ids", part, visits.data(), places.data());
  CHECK(std::accumulate(visits.begin(), visits.end(), std::uint64_t{0}) == items / 2);
  part.first = 0;
  part.count = 2;
  call("ids", part, visits.data(), places.data());
  part.first = 5;
  part.count = 1;
  call("ids", part, visits.data(), places.data());
  CHECK(visits == std::vector<std::uint32_t>(items, 1));
}

TEST_CASE("Scalars of every type and structures arrive as they were given") {
  std::array<std::int64_t, 10> out{};
  call("integers",
       {},
       out.data(),
       std::int8_t{-8},
       std::uint8_t{200},
       std::int16_t{-1600},
       std::uint16_t{60000},
       std::int32_t{-320000},
       std::uint32_t{4000000000},
       std::int64_t{-64'000'000'000},
       std::uint64_t{64'000'000'000},
       -5,
       5U);
  CHECK(out ==
        std::array<std::int64_t, 10>{
            -8, 200, -1600, 60000, -320000, 4000000000, -64'000'000'000, 64'000'000'000, -5, 5});

  std::vector<double> matrix(6, 0.0);
  call("matrix", {{2, 1, 1}, {2, 4, 1}}, matrix.data(), Shape{2, 3, 0.5});
  CHECK(matrix == std::vector<double>{0.0, 0.5, 1.0, 50.0, 50.5, 51.0});
}

TEST_CASE("Sixteen parameters of mixed sizes arrive in their order") {
  std::uint64_t out = 0;
  const std::uint8_t two = 2;
  const std::uint64_t three = 3;
  call("sixteen",
       {},
       &out,
       three,
       two,
       three,
       two,
       three,
       two,
       three,
       two,
       three,
       two,
       three,
       two,
       three,
       two,
       three);
  CHECK(out == 3 * (1 + 3 + 5 + 7 + 9 + 11 + 13 + 15) + 2 * (2 + 4 + 6 + 8 + 10 + 12 + 14));
}

TEST_CASE("Kernels compute what they say, in place and from one buffer to another") {
  std::vector<float> x(1000);
  std::iota(x.begin(), x.end(), 0.0F);
  std::vector<float> y(1000, 1.0F);
  call("axpy", {{4, 1, 1}, {250, 1, 1}}, x.data(), y.data(), 2.0F);
  CHECK(y[0] == 1.0F);
  CHECK(y[999] == 1999.0F);
  call("axpy", {{1000, 1, 1}}, y.data(), y.data(), 1.0F);
  CHECK(y[999] == 3998.0F);

  std::vector<std::uint8_t> bytes = {0, 1, 255};
  call("invert_bytes", {{3, 1, 1}}, bytes.data(), bytes.data());
  CHECK(bytes == std::vector<std::uint8_t>{255, 254, 0});
  call("square_roots", {{10, 1, 1}, {100, 1, 1}}, x.data(), y.data());
  CHECK(y[81] == 9.0F);
}

TEST_CASE("A kernel without parameters can be called") {
  call("nothing", {{1000, 1, 1}});
}

TEST_CASE("Two bundles of one program may have kernels of the same name") {
  std::vector<float> y(3, 0.0F);
  call(other_kernels::bundle(), "axpy", {{3, 1, 1}}, y.data());
  CHECK(y == std::vector<float>{-1.0F, -1.0F, -1.0F});
}
