// The small parts: medians, blocks that alternate, the model of the chain, text.
#include "chain_model.hpp"
#include "failure.hpp"
#include "memory_budget.hpp"
#include "number_text.hpp"
#include "report_text.hpp"
#include "side_by_side.hpp"
#include "support/catch.hpp"

#include <string>
#include <vector>

namespace oriel::tools {
namespace {

TEST_CASE("the median of an even count is the mean of the middle two") {
  CHECK(median({}) == 0);
  CHECK(median({3, 1, 2}) == 2);
  CHECK(median({4, 1, 3, 2}) == 2.5);
}

TEST_CASE("the blocks of a measurement alternate, and so does which comes first") {
  std::string order;
  SideBySidePlan plan;
  plan.blocks = {2, 1};
  plan.reset = [&] {
    order += '(';
    return Result<void>();
  };
  plan.eager = [&] {
    order += 'e';
    return Result<void>();
  };
  plan.replayed = [&] {
    order += 'r';
    return Result<void>();
  };
  plan.finish = [&] {
    order += ')';
    return Result<void>();
  };
  plan.check = [&](bool replayed) {
    order += replayed ? 'R' : 'E';
    return Result<void>();
  };
  REQUIRE(measure(plan).has_value());
  CHECK(order == "(ee)E(rr)R(r)R(e)E");
}

TEST_CASE("a measurement stops at the first error") {
  SideBySidePlan plan;
  plan.blocks = {1};
  plan.reset = [] { return Result<void>(); };
  plan.eager = [] { return Result<void>(fail(ErrorCode::kDriverError, "broken")); };
  plan.replayed = plan.reset;
  plan.finish = plan.reset;
  plan.check = [](bool) { return Result<void>(); };
  const auto times = measure(plan);
  REQUIRE_FALSE(times.has_value());
  CHECK(times.error().message == "broken");
}

TEST_CASE("a chain's model composes as running it link by link does") {
  const ChainMap step = chain_step(37);
  const ChainMap many = step.repeated(11);
  for (const std::uint64_t start : {0U, 1U, 63U, 1048575U}) {
    std::uint64_t x = start;
    for (int run = 0; run < 11; ++run) {
      for (std::uint64_t node = 0; node < 37; ++node) {
        x = (3 * x + chain_increment(node)) % ChainMap::kModulus;
      }
    }
    CHECK(many(start) == x);
  }
}

TEST_CASE("a chain that lost, doubled or swapped a link comes to another result") {
  const ChainMap right = chain_step(5);
  const ChainMap link{3, 1};
  CHECK(right(7) != chain_step(4)(7));
  CHECK(right.repeated(3)(7) != right.repeated(2)(7));
  CHECK(link.then({3, 2})(7) != ChainMap{3, 2}.then(link)(7));
}

TEST_CASE("whole numbers are refused with the reason") {
  const auto why = [](std::string_view text) { return parse_whole(text, 1, 100).error().message; };
  CHECK(parse_whole("100", 1, 100).value() == 100);
  CHECK(why("0").find("too small") != std::string::npos);
  CHECK(why("101").find("too large") != std::string::npos);
  CHECK(why("18446744073709551617").find("too large") != std::string::npos);
  CHECK(why("-1").find("negative") != std::string::npos);
  CHECK(why("").find("not a whole number") != std::string::npos);
  CHECK(why("1e3").find("not a whole number") != std::string::npos);
  CHECK(why(" 1").find("not a whole number") != std::string::npos);
}

TEST_CASE("text from outside is cut and made printable before an error repeats it") {
  CHECK(in_quotes("a\x1B[2Jb") == "'a?[2Jb'");
  CHECK(in_quotes(std::string(100, 'x')).size() < 60);
  CHECK(one_line("one\n  two\r\nthree\n") == "one   two three");
}

TEST_CASE("amounts are told with a unit that fits") {
  CHECK(bytes_text(1023) == "1023 B");
  CHECK(bytes_text(1536) == "1.5 KiB");
  CHECK(seconds_text(2.5e-6) == "2.5 us");
  CHECK(seconds_text(0.25) == "250 ms");
}

TEST_CASE("a table's values start in one column") {
  CHECK(ReportTable{"Title", {{"a", "1"}, {"long", "2"}}}.text() ==
        "Title\n  a     1\n  long  2\n");
}

TEST_CASE("what can't fit is refused before it is allocated") {
  DeviceInfo device;
  device.memory_bytes = 1000;
  CHECK(check_memory({0, 1000}, device).has_value());
  const auto refused = check_memory({0, 1001}, device);
  REQUIRE_FALSE(refused.has_value());
  CHECK(refused.error().exit == ExitCode::kUsage);
  CHECK_FALSE(check_memory({std::uint64_t{1} << 62, 0}, device).has_value());
}

}  // namespace
}  // namespace oriel::tools
