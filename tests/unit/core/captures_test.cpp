#include "support/catch.hpp"

#include <oriel/core/captures.hpp>

#include <memory>

using namespace oriel;
using namespace oriel::core;

// Captures never looks into a graph, so a pointer that owns nothing stands for one.
static std::shared_ptr<Graph> stand_in(int& token) {
  return {std::shared_ptr<void>(), reinterpret_cast<Graph*>(&token)};
}

TEST_CASE("a graph is found by its id until it is removed, and never after") {
  Captures captures;
  int token = 0;
  const GraphId id = captures.reserve();
  CHECK(id.valid());
  CHECK(captures.find(id) == nullptr);
  captures.insert(id, stand_in(token));
  CHECK(captures.find(id) != nullptr);
  CHECK(captures.size() == 1);
  CHECK(captures.remove(id).get() == reinterpret_cast<Graph*>(&token));
  CHECK(captures.find(id) == nullptr);
  CHECK(captures.remove(id) == nullptr);
  CHECK(captures.size() == 0);
}

TEST_CASE("an index is used again with a new generation: a stale id never names a stranger") {
  Captures captures;
  int one = 0;
  int two = 0;
  const GraphId stale = captures.reserve();
  captures.insert(stale, stand_in(one));
  captures.remove(stale);
  const GraphId fresh = captures.reserve();
  captures.insert(fresh, stand_in(two));
  CHECK(fresh.index == stale.index);
  CHECK_FALSE(fresh == stale);
  CHECK(captures.find(stale) == nullptr);
}

TEST_CASE("a reserved id that was never filled can be given back") {
  Captures captures;
  const GraphId id = captures.reserve();
  CHECK(captures.remove(id) == nullptr);
  CHECK(captures.size() == 0);
  CHECK(captures.reserve().index == id.index);
}
