// The smallest whole program: one step, captured once and replayed a hundred times.
#include "kernels.hpp"  // made by oriel_add_kernels(quickstart NAME kernels SOURCES axpy.kernel.c)

#include <oriel/oriel.hpp>

#include <cstdio>

int main() {
  auto runtime = oriel::Runtime::open("host").value();
  auto stream = runtime.create_stream().value();
  auto module = runtime.load(kernels::bundle()).value();
  auto axpy = module.kernel("axpy").value();

  auto x = stream.allocate<float>(1 << 20).value();
  auto y = stream.allocate<float>(1 << 20).value();
  stream.fill(x, 1.0f).value();
  stream.fill(y, 0.0f).value();

  auto step = [&](oriel::Stream& s) -> oriel::Result<void> {
    return s.launch(axpy, {.grid = 4096, .group = 256}, oriel::in(x), oriel::inout(y), 2.0f);
  };
  auto graph = stream.capture(step);  // prepare, warm up, begin, record, instantiate
  if (!graph) {                       // oriel::Refused: the error, and what was to be written
    std::fprintf(stderr, "%s\n", graph.error().error.to_string().c_str());
    return 1;
  }
  for (int i = 0; i < 100; ++i) {
    graph->replay(stream).value();
  }

  const auto host = stream.read(y).value();  // waits
  for (const float value : host) {
    if (value != 202.0f) {  // 2 * (1 warm-up + 100 replays)
      std::fprintf(stderr, "expected 202, found %g\n", static_cast<double>(value));
      return 1;
    }
  }
  std::printf("%zu values are %g\n", host.size(), static_cast<double>(host[0]));
  return 0;
}
