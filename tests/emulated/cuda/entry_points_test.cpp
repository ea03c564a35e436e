// B91: each entry point is looked up by the name that belongs to the signature it is called with.

#include "fixture.hpp"

#include <algorithm>
#include <map>

#define ORIEL_TEXT(name) ORIEL_TEXT_2(name)
#define ORIEL_TEXT_2(name) #name

namespace oriel::emulated {
namespace {

// What the header makes of each bare name: the version that its declarations are of.
const std::map<std::string, std::string> kMapped = {
    {"cuDeviceTotalMem", ORIEL_TEXT(cuDeviceTotalMem)},
    {"cuDevicePrimaryCtxRelease", ORIEL_TEXT(cuDevicePrimaryCtxRelease)},
    {"cuCtxPushCurrent", ORIEL_TEXT(cuCtxPushCurrent)},
    {"cuCtxPopCurrent", ORIEL_TEXT(cuCtxPopCurrent)},
    {"cuStreamDestroy", ORIEL_TEXT(cuStreamDestroy)},
    {"cuEventDestroy", ORIEL_TEXT(cuEventDestroy)},
    {"cuMemAlloc", ORIEL_TEXT(cuMemAlloc)},
    {"cuMemFree", ORIEL_TEXT(cuMemFree)},
    {"cuStreamBeginCapture", ORIEL_TEXT(cuStreamBeginCapture)},
    {"cuGraphExecKernelNodeSetParams", ORIEL_TEXT(cuGraphExecKernelNodeSetParams)},
    {"cuGraphInstantiate", ORIEL_TEXT(cuGraphInstantiate)},
};

TEST_CASE("B91 every entry point that is called is of the header's own version") {
  World world;
  Fixture& fixture = world.fixture;
  Stream& s = world.s;
  const Words d = fixture.words(s, 1);
  Graph graph = must_graph(s.capture([&](Stream& it) { return fixture.inc(it, d); }));
  must(graph.update(0, inout(d)));
  must(graph.replay(s));
  fixture.sync(s);
  for (const auto& [bare, mapped] : kMapped) {
    INFO(bare << " is " << mapped << " in this header");
    const auto calls = driver().log();
    for (const emulator::Call& call : calls) {
      const std::string function = call.function;
      const bool is_version_of_it =
          function == bare || function.rfind(bare + "_v", 0) == 0 || function == mapped;
      if (is_version_of_it && function != mapped) {
        FAIL_CHECK(function << " was called");
        break;
      }
    }
  }
  CHECK(driver().control().call_count("cuMemAlloc_v2") > 0);
  CHECK(driver().control().call_count("cuStreamBeginCapture_v2") == 1);
}

}  // namespace
}  // namespace oriel::emulated
