// How vendors' libraries are opened, with a made-up vendor: the same for every backend that opens
// one.

#include "conformance/fixture.hpp"

#include <oriel/vendor/vendor_library.hpp>

#include <array>
#include <cstdlib>

namespace oriel::conformance {
namespace {

constexpr const char* kVariable = "ORIEL_CONFORMANCE_LIBRARY";

// Opens one of the made-up vendor's libraries as a user would choose it.
Result<vendor::VendorLibrary> open_vendor(const std::string& path) {
  ::setenv(kVariable, path.c_str(), 1);
  const std::array<const char*, 1> names{"libvendor-that-there-is-not.so.1"};
  auto library = vendor::VendorLibrary::open(kVariable, names);
  ::unsetenv(kVariable);
  return library;
}

std::string path_of(const char* version) {
  return std::string(ORIEL_CONFORMANCE_VENDORS) + "/" + version + ".so";
}

// The functions by the names that belong to these signatures.
struct Functions {
  int (*allocate)(std::uint64_t*, std::uint64_t) = nullptr;
  int (*free)(std::uint64_t) = nullptr;
  int (*newer)() = nullptr;

  std::vector<std::string> resolve(const vendor::VendorLibrary& library) {
    vendor::SymbolTable symbols(library);
    symbols.require(allocate, "vendor_allocate_v2");
    symbols.require(free, "vendor_free_v2");
    symbols.prefer(newer, "vendor_newer");
    return symbols.missing();
  }
};

TEST_CASE("B90 a driver that lacks a newer function works without that feature", "[B90]") {
  Functions whole;
  CHECK(whole.resolve(must(open_vendor(path_of("whole")))).empty());
  CHECK(whole.newer != nullptr);
  Functions older;
  CHECK(older.resolve(must(open_vendor(path_of("older")))).empty());
  CHECK(older.newer == nullptr);
  CHECK(older.free(0) == 1);
}

TEST_CASE("B90 a driver that lacks required functions is incompatible, and all are named",
          "[B90]") {
  const vendor::VendorLibrary library = must(open_vendor(path_of("partial")));
  Functions partial;
  const std::vector<std::string> missing = partial.resolve(library);
  CHECK(missing == std::vector<std::string>{"vendor_allocate_v2", "vendor_free_v2"});
  const Error error = vendor::lacks_functions(library, missing, "version 2 has them");
  CHECK(error.code == ErrorCode::kIncompatible);
  CHECK(contains(error.message, "2 required functions (vendor_allocate_v2, vendor_free_v2)"));
  CHECK(contains(error.message, "version 2 has them"));
  CHECK(contains(error.message, library.name()));
}

TEST_CASE("B91 of two versions of a function the one of this signature is called", "[B91]") {
  Functions functions;
  CHECK(functions.resolve(must(open_vendor(path_of("whole")))).empty());
  const std::uint64_t large = std::uint64_t{5} << 32;
  std::uint64_t address = 0;
  CHECK(functions.allocate(&address, large) == 2);
  CHECK(address == large);
}

TEST_CASE("B89 a library that isn't there is unavailable, with the places that were searched",
          "[B89]") {
  const std::array<const char*, 1> names{"libvendor-that-there-is-not.so.1"};
  ::unsetenv(kVariable);
  const auto absent = vendor::VendorLibrary::open(kVariable, names);
  REQUIRE(code_of(absent) == "unavailable");
  CHECK(contains(absent.error().message, names[0]));
  CHECK(contains(absent.error().message, kVariable));
  const auto relative = open_vendor("libm.so.6");
  REQUIRE(code_of(relative) == "unavailable");
  CHECK(contains(relative.error().message, "absolute path"));
  const auto nowhere = open_vendor("/nowhere/libvendor.so");
  REQUIRE(code_of(nowhere) == "unavailable");
  CHECK(contains(nowhere.error().message, "/nowhere/libvendor.so"));
  CHECK(contains(nowhere.error().message, kVariable));
}

}  // namespace
}  // namespace oriel::conformance
