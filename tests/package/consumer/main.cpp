// The everyday program, built against an installed Oriel: captures one step, replays it, checks
// every value.
#include "kernels.hpp"

#include <oriel/oriel.hpp>

#include <cstddef>
#include <cstdio>
#include <vector>

namespace {

constexpr std::size_t kSize = 1024;
constexpr int kReplays = 10;
constexpr float kExpected = 2.0f * (1 + kReplays);  // the warm-up runs the step once

oriel::Result<std::vector<float>> run() {
  auto runtime = oriel::Runtime::open("host").value();
  auto stream = runtime.create_stream().value();
  auto module = runtime.load(kernels::bundle()).value();
  auto axpy = module.kernel("axpy").value();

  auto x = stream.allocate<float>(kSize).value();
  auto y = stream.allocate<float>(kSize).value();
  ORIEL_TRY(stream.fill(x, 1.0f));
  ORIEL_TRY(stream.fill(y, 0.0f));

  auto graph = stream.capture([&](oriel::Stream& s) -> oriel::Result<void> {
    return s.launch(axpy, {.grid = kSize / 64, .group = 64}, oriel::in(x), oriel::inout(y), 2.0f);
  });
  if (!graph) {
    return oriel::fail(graph.error().error);
  }
  for (int i = 0; i < kReplays; ++i) {
    ORIEL_TRY(graph->replay(stream));
  }
  return stream.read(y);
}

}  // namespace

int main() {
  const auto result = run();
  if (!result) {
    std::fprintf(stderr, "%s\n", result.error().to_string().c_str());
    return 1;
  }
  for (const float value : *result) {
    if (value != kExpected) {
      std::fprintf(stderr, "expected %g, found %g\n", double{kExpected}, double{value});
      return 1;
    }
  }
  std::printf("%zu values are %g\n", result->size(), double{kExpected});
  return result->size() == kSize ? 0 : 1;
}
