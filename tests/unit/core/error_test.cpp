#include "support/catch.hpp"

#include <oriel/error.hpp>

#include <set>
#include <string>

using oriel::Error;
using oriel::ErrorCode;
using oriel::Result;

TEST_CASE("every error code has a name of its own, in the words of the documents") {
  std::set<std::string_view> names;
  for (int code = 0; code <= static_cast<int>(ErrorCode::kDriverError); ++code) {
    names.insert(to_string(static_cast<ErrorCode>(code)));
  }
  CHECK(names.size() == 14);
  CHECK(names.count("unknown") == 0);
  CHECK(to_string(ErrorCode::kWouldAllocate) == "would_allocate");
}

TEST_CASE("an error's text starts with its code and ends with the vendor's verdict") {
  Error error(ErrorCode::kOutOfMemory, "no room for 3 bytes; free some");
  CHECK(error.to_string() == "out_of_memory: no room for 3 bytes; free some");
  error.native = {2, "CUDA_ERROR_OUT_OF_MEMORY"};
  CHECK(error.to_string() ==
        "out_of_memory: no room for 3 bytes; free some [CUDA_ERROR_OUT_OF_MEMORY (2)]");
}

TEST_CASE("ORIEL_TRY hands a failure on unchanged and goes on after a success") {
  const auto attempt = [](Result<void> step) -> Result<int> {
    ORIEL_TRY(std::move(step));
    return 7;
  };
  CHECK(attempt({}).value() == 7);
  const auto failed = attempt(oriel::fail(ErrorCode::kDoomed, "broken"));
  REQUIRE_FALSE(failed);
  CHECK(failed.error().message == "broken");
}

TEST_CASE("value() of a failed result throws instead of inventing a value") {
  const Result<void> failed = oriel::fail(ErrorCode::kDoomed, "broken");
  CHECK_THROWS_AS(failed.value(), tl::bad_expected_access<Error>);
}
