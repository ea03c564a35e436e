#include "fixture.hpp"

#include <thread>

namespace oriel::emulated {
namespace {

TEST_CASE("a caller's own context is current again after every call") {
  World world;
  Fixture& fixture = world.fixture;
  const cuda::DriverLibrary& cuda = cuda_functions();
  CUdevice second = 0;
  REQUIRE(cuda.device_get(&second, 1) == CUDA_SUCCESS);
  CUcontext own = nullptr;
  REQUIRE(cuda.primary_ctx_retain(&own, second) == CUDA_SUCCESS);
  std::string verdict = "ok";
  std::thread caller([&] {
    cuda.ctx_set_current(own);
    Stream& s = world.s;
    const auto step = [&]() -> Result<void> {
      auto d = s.allocate<Word>(1 << 20);
      ORIEL_TRY(d);
      ORIEL_TRY(s.fill(*d, 1));
      auto graph = s.capture([&](Stream& it) { return fixture.inc(it, *d); });
      if (!graph) {
        return fail(graph.error().error);
      }
      ORIEL_TRY(graph->replay(s));
      return s.synchronize();
    };
    const Result<void> done = step();
    CUcontext current = nullptr;
    cuda.ctx_get_current(&current);
    verdict = current == own ? code_of(done) : "another context is current";
  });
  caller.join();
  CHECK(verdict == "ok");
  CHECK(cuda.primary_ctx_release(second) == CUDA_SUCCESS);
}

TEST_CASE("two devices are used side by side from one thread") {
  const std::size_t before = driver().live().total();
  {
    const Runtime first = must(Runtime::open("cuda:0"));
    const Runtime second = must(Runtime::open("cuda:1"));
    CHECK(first.info().ordinal == 0);
    CHECK(second.info().ordinal == 1);
    const Stream a = must(first.create_stream());
    const Stream b = must(second.create_stream());
    const Words x = must(a.allocate<Word>(64));
    const Words y = must(b.allocate<Word>(64));
    must(a.fill(x, 1));
    must(b.fill(y, 2));
    CHECK(must(a.read(x)) == std::vector<Word>(64, 1));
    CHECK(must(b.read(y)) == std::vector<Word>(64, 2));
  }
  CHECK(driver().live().total() == before);
  CHECK(driver().violations() == std::vector<std::string>{});
}

}  // namespace
}  // namespace oriel::emulated
