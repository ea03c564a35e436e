// The library's names: all are the vendor's, and cuGetProcAddress finds the right one of each.
#include "emulator_session.hpp"
#include "support/catch.hpp"

#include <array>
#include <cstdio>
#include <fstream>
#include <iterator>
#include <memory>
#include <regex>
#include <set>
#include <sstream>

using namespace oriel::emulator::test;

namespace {

using Names = std::set<std::string>;

Names exports_of(const std::string& library) {
  const std::string command = std::string(ORIEL_NM) + " -D --defined-only '" + library + "'";
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> pipe(popen(command.c_str(), "r"), pclose);
  REQUIRE(pipe != nullptr);
  Names names;
  std::array<char, 512> line{};
  while (std::fgets(line.data(), static_cast<int>(line.size()), pipe.get()) != nullptr) {
    std::istringstream words(line.data());
    std::string address;
    std::string kind;
    std::string name;
    words >> address >> kind >> name;
    if (kind == "T") {
      names.insert(name);
    }
  }
  return names;
}

Names words_of_header() {
  std::ifstream file(ORIEL_CUDA_HEADER);
  const std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  const std::regex word("\\bcu[A-Z][A-Za-z0-9_]*");
  return Names(std::sregex_token_iterator(text.begin(), text.end(), word),
               std::sregex_token_iterator());
}

void* proc_address(const char* name,
                   int version,
                   CUdriverProcAddressQueryResult& result,
                   cuuint64_t flags = CU_GET_PROC_ADDRESS_DEFAULT) {
  void* address = &result;
  CHECK(CU(cuGetProcAddress_v2)(name, &address, version, flags, &result) == CUDA_SUCCESS);
  return address;
}

}  // namespace

TEST_CASE("The library exports the vendor's names and one of its own") {
  Names names = exports_of(ORIEL_EMULATED_CUDA);
  CHECK(names.size() > 150);
  CHECK(names.erase("oriel_emulator") == 1);
  const Names stub = std::string(ORIEL_CUDA_STUB).empty() ? Names{} : exports_of(ORIEL_CUDA_STUB);
  const Names header = words_of_header();
  for (const std::string& name : names) {
    INFO(name);
    const std::string plain = std::regex_replace(name, std::regex("_pt[sd][sz]$"), "");
    CHECK((stub.count(name) == 1 || (stub.empty() && header.count(plain) == 1)));
  }
}

TEST_CASE("Every call that takes a stream has a twin for the thread's own one") {
  const Names names = exports_of(ORIEL_EMULATED_CUDA);
  const Names stub = std::string(ORIEL_CUDA_STUB).empty() ? Names{} : exports_of(ORIEL_CUDA_STUB);
  for (const std::string& name : names) {
    for (const char* twin : {"_ptsz", "_ptds"}) {
      INFO(name << twin);
      CHECK((stub.count(name + twin) == 0 || names.count(name + twin) == 1));
    }
  }
}

TEST_CASE("A name and a version of CUDA lead to the function of that time") {
  Session session;
  CUdriverProcAddressQueryResult result{};
  const auto expect = [&](const char* name, int version, const char* exported) {
    INFO(exported);
    CHECK(proc_address(name, version, result) == find_symbol(exported));
    CHECK(result == CU_GET_PROC_ADDRESS_SUCCESS);
  };
  expect("cuMemAlloc", 13000, "cuMemAlloc_v2");
  expect("cuStreamGetCaptureInfo", 11030, "cuStreamGetCaptureInfo_v2");
  expect("cuStreamGetCaptureInfo", 12020, "cuStreamGetCaptureInfo_v2");
  expect("cuStreamGetCaptureInfo", 12030, "cuStreamGetCaptureInfo_v3");
  expect("cuStreamBeginCapture", 12000, "cuStreamBeginCapture_v2");
  expect("cuCtxCreate", 12000, "cuCtxCreate_v3");
  expect("cuCtxCreate", 13000, "cuCtxCreate_v4");
  expect("cuGraphExecUpdate", 12000, "cuGraphExecUpdate_v2");
  expect("cuGetProcAddress", 12000, "cuGetProcAddress_v2");
}

TEST_CASE("Names that there are not, or not yet, lead to null and the reason") {
  Session session;
  CUdriverProcAddressQueryResult result{};
  CHECK(proc_address("cuNothing", 13000, result) == nullptr);
  CHECK(result == CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND);
  CHECK(proc_address("cuMemAlloc_v2", 13000, result) == nullptr);  // base names only
  CHECK(result == CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND);
  CHECK(proc_address("cuStreamBeginCaptureToGraph", 12020, result) == nullptr);
  CHECK(result == CU_GET_PROC_ADDRESS_VERSION_NOT_SUFFICIENT);
  void* address = nullptr;
  CHECK(CU(cuGetProcAddress_v2)("cuInit", &address, 13010, 0, nullptr) ==
        CUDA_ERROR_INVALID_VALUE);  // newer than the driver
  session.set("driver_version", "12000");
  CHECK(CU(cuGetProcAddress_v2)("cuInit", &address, 12010, 0, nullptr) == CUDA_ERROR_INVALID_VALUE);
  CHECK(CU(cuGetProcAddress_v2)(nullptr, &address, 12000, 0, nullptr) == CUDA_ERROR_INVALID_VALUE);
  CHECK(CU(cuGetProcAddress)("cuNothing", &address, 12000, 0) == CUDA_ERROR_NOT_FOUND);
}

TEST_CASE("The thread's own stream is a flag of the look-up") {
  Session session;
  CUdriverProcAddressQueryResult result{};
  CHECK(
      proc_address("cuStreamQuery", 13000, result, CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM) ==
      find_symbol("cuStreamQuery_ptsz"));
  CHECK(
      proc_address("cuMemcpyHtoD", 13000, result, CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM) ==
      find_symbol("cuMemcpyHtoD_v2_ptds"));
  CHECK(proc_address("cuInit", 13000, result, CU_GET_PROC_ADDRESS_PER_THREAD_DEFAULT_STREAM) ==
        find_symbol("cuInit"));
}
