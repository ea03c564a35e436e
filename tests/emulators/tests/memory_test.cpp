// Memory outside of graphs: patterns, misuse that is noticed, limits.
#include "emulator_session.hpp"
#include "support/catch.hpp"

using namespace oriel::emulator::test;

namespace {

const std::uint32_t& word_at(CUdeviceptr address) {
  return *reinterpret_cast<const std::uint32_t*>(address);
}

CUdeviceptr allocate(std::size_t bytes) {
  CUdeviceptr address = 0;
  REQUIRE(CU(cuMemAlloc_v2)(&address, bytes) == CUDA_SUCCESS);
  return address;
}

std::string first_violation() {
  const char* text = control().violation(0);
  return text != nullptr ? text : "";
}

}  // namespace

TEST_CASE("Fresh memory and freed memory hold patterns of their own") {
  Session session;
  CUdeviceptr words = allocate(64);
  CHECK(word_at(words) == 0xA5A5A5A5);
  CHECK(words % 256 == 0);
  REQUIRE(CU(cuMemFree_v2)(words) == CUDA_SUCCESS);
  CHECK(word_at(words) == 0xDDDDDDDD);
}

TEST_CASE("A write into freed memory is a violation") {
  Session session;
  CUdeviceptr words = allocate(64);
  REQUIRE(CU(cuMemFree_v2)(words) == CUDA_SUCCESS);
  *reinterpret_cast<std::uint32_t*>(words) = 1;
  CHECK(first_violation().find("while it was free") != std::string::npos);
  CHECK(session.take_violations() == 1);
}

TEST_CASE("A kernel that writes beside its memory is found out when that is freed") {
  Session session;
  CUfunction stray = session.kernel("emulator_stray");
  for (int at : {-1, 4}) {
    CUdeviceptr words = allocate(16);
    REQUIRE(launch(stray, nullptr, 1, {&words, &at}) == CUDA_SUCCESS);
    REQUIRE(CU(cuCtxSynchronize)() == CUDA_SUCCESS);
    REQUIRE(CU(cuMemFree_v2)(words) == CUDA_SUCCESS);
    CHECK(first_violation().find("out of the bounds") != std::string::npos);
    CHECK(session.take_violations() == 1);
  }
}

TEST_CASE("Work that is still pending when its memory is freed fails") {
  Session session;
  CUfunction add = session.kernel("emulator_add");
  CUstream stream = session.stream();
  CUdeviceptr words = allocate(16);
  Gate gate;
  REQUIRE(gate.put(stream) == CUDA_SUCCESS);
  REQUIRE(launch_add(add, stream, words, 1) == CUDA_SUCCESS);
  REQUIRE(CU(cuMemFree_v2)(words) == CUDA_SUCCESS);
  gate.open();
  CHECK(CU(cuStreamSynchronize)(stream) == CUDA_ERROR_ILLEGAL_ADDRESS);
  CHECK(first_violation().find("was freed") != std::string::npos);
  CHECK(session.take_violations() == 1);
  session.set("sticky", "1");
}

TEST_CASE("A kernel is given allocated memory or null, nothing else") {
  Session session;
  CUfunction add = session.kernel("emulator_add");
  CUstream stream = session.stream();
  std::uint32_t pageable[4] = {};
  REQUIRE(launch_add(add, stream, reinterpret_cast<CUdeviceptr>(pageable), 1) == CUDA_SUCCESS);
  CHECK(CU(cuStreamSynchronize)(stream) == CUDA_ERROR_ILLEGAL_ADDRESS);
  CHECK(first_violation().find("never allocated") != std::string::npos);
  CHECK(session.take_violations() == 1);
  session.set("sticky", "1");

  std::uint32_t* pinned = session.pinned(4);
  pinned[0] = 1;
  REQUIRE(launch_add(add, stream, reinterpret_cast<CUdeviceptr>(pinned), 1) == CUDA_SUCCESS);
  REQUIRE(CU(cuStreamSynchronize)(stream) == CUDA_SUCCESS);
  CHECK(pinned[0] == 2);
}

TEST_CASE("Another device's memory is out of a kernel's reach") {
  Session session;
  CUfunction add = session.kernel("emulator_add");
  CUcontext other = nullptr;
  REQUIRE(CU(cuDevicePrimaryCtxRetain)(&other, 1) == CUDA_SUCCESS);
  REQUIRE(CU(cuCtxPushCurrent_v2)(other) == CUDA_SUCCESS);
  CUdeviceptr theirs = allocate(16);
  REQUIRE(CU(cuCtxPopCurrent_v2)(&other) == CUDA_SUCCESS);
  REQUIRE(launch_add(add, nullptr, theirs, 1) == CUDA_SUCCESS);
  CHECK(CU(cuCtxSynchronize)() == CUDA_ERROR_ILLEGAL_ADDRESS);
  CHECK(session.take_violations() == 1);
  session.set("sticky", "1");
  CHECK(CU(cuMemFree_v2)(theirs) == CUDA_SUCCESS);
  CHECK(CU(cuDevicePrimaryCtxRelease_v2)(1) == CUDA_SUCCESS);
}

TEST_CASE("Copies and fills that don't fit are refused at the call") {
  Session session;
  CUdeviceptr words = session.memory(4);
  CUstream stream = session.stream();
  std::uint32_t host[8] = {};
  CHECK(CU(cuMemcpyHtoDAsync_v2)(words, host, 32, stream) == CUDA_ERROR_INVALID_VALUE);
  CHECK(CU(cuMemcpyDtoH_v2)(host, words + 4, 16) == CUDA_ERROR_INVALID_VALUE);
  CHECK(CU(cuMemsetD32Async)(words, 0, 5, stream) == CUDA_ERROR_INVALID_VALUE);
  CHECK(CU(cuMemsetD32Async)(words + 1, 0, 1, stream) == CUDA_ERROR_INVALID_VALUE);
  CHECK(CU(cuMemcpyDtoDAsync_v2)(words, 16, 4, stream) == CUDA_ERROR_INVALID_VALUE);
  CHECK(CU(cuMemcpyHtoDAsync_v2)(words, nullptr, 4, stream) == CUDA_ERROR_INVALID_VALUE);
}

TEST_CASE("A copy past the end of pinned memory is a violation") {
  Session session;
  CUdeviceptr words = session.memory(8);
  std::uint32_t* pinned = session.pinned(4);
  CUstream stream = session.stream();
  REQUIRE(CU(cuMemcpyDtoHAsync_v2)(pinned, words, 32, stream) == CUDA_SUCCESS);
  CHECK(CU(cuStreamSynchronize)(stream) == CUDA_ERROR_ILLEGAL_ADDRESS);
  CHECK(session.take_violations() == 1);
  session.set("sticky", "1");
}

TEST_CASE("Memory freed twice, or never allocated, is an invalid value and a violation if known") {
  Session session;
  CUdeviceptr words = allocate(16);
  REQUIRE(CU(cuMemFree_v2)(words) == CUDA_SUCCESS);
  CHECK(CU(cuMemFree_v2)(words) == CUDA_ERROR_INVALID_VALUE);
  CHECK(session.take_violations() == 1);
  CHECK(CU(cuMemFree_v2)(0) == CUDA_SUCCESS);
  int local = 0;
  CHECK(CU(cuMemFreeHost)(&local) == CUDA_ERROR_INVALID_VALUE);
}

TEST_CASE("Eager copies of pageable memory are done with it at the call") {
  Session session;
  CUdeviceptr words = session.memory(4);
  CUstream stream = session.stream();
  Gate gate;
  REQUIRE(gate.put(stream) == CUDA_SUCCESS);
  std::vector<std::uint32_t> source(4, 5);
  REQUIRE(CU(cuMemcpyHtoDAsync_v2)(words, source.data(), 16, stream) == CUDA_SUCCESS);
  source.assign(4, 6);
  gate.open();
  std::vector<std::uint32_t> target(4, 0);
  REQUIRE(CU(cuMemcpyDtoHAsync_v2)(target.data(), words, 16, stream) == CUDA_SUCCESS);
  CHECK(target[3] == 5);  // without a wait
}

TEST_CASE("Eager copies of pinned memory read it when they run") {
  Session session;
  CUdeviceptr words = session.memory(4);
  CUstream stream = session.stream();
  std::uint32_t* source = session.pinned(4);
  source[0] = 5;
  Gate gate;
  REQUIRE(gate.put(stream) == CUDA_SUCCESS);
  REQUIRE(CU(cuMemcpyHtoDAsync_v2)(words, source, 16, stream) == CUDA_SUCCESS);
  source[0] = 6;
  gate.open();
  REQUIRE(CU(cuStreamSynchronize)(stream) == CUDA_SUCCESS);
  CHECK(read(words)[0] == 6);
}

TEST_CASE("Copies of which only the addresses are given go wherever these lie") {
  Session session;
  CUdeviceptr from = session.memory(4);
  CUdeviceptr to = session.memory(4);
  std::uint32_t host[4] = {1, 2, 3, 4};
  std::uint32_t back[4] = {};
  const auto address = [](std::uint32_t* words) { return reinterpret_cast<CUdeviceptr>(words); };
  CHECK(CU(cuMemcpy)(from, address(host), 16) == CUDA_SUCCESS);
  CHECK(CU(cuMemcpyDtoD_v2)(to, from, 16) == CUDA_SUCCESS);
  CHECK(CU(cuMemcpyAsync)(address(back), to, 16, nullptr) == CUDA_SUCCESS);
  CHECK(back[3] == 4);
}

TEST_CASE("Stream-ordered memory is there from its allocation to its free in the stream") {
  Session session;
  CUstream stream = session.stream();
  CUmemoryPool pool = nullptr;
  CUdeviceptr words = 0;
  REQUIRE(CU(cuDeviceGetDefaultMemPool)(&pool, 0) == CUDA_SUCCESS);
  REQUIRE(CU(cuMemAllocFromPoolAsync)(&words, 16, pool, stream) == CUDA_SUCCESS);
  REQUIRE(CU(cuMemsetD32Async)(words, 7, 4, stream) == CUDA_SUCCESS);
  REQUIRE(CU(cuStreamSynchronize)(stream) == CUDA_SUCCESS);
  CHECK(read(words)[0] == 7);
  REQUIRE(CU(cuMemFreeAsync)(words, stream) == CUDA_SUCCESS);
  CHECK(CU(cuMemFreeAsync)(words, stream) == CUDA_ERROR_INVALID_VALUE);
  CHECK(session.take_violations() == 1);
}

TEST_CASE("Another stream that doesn't wait for an allocation finds nothing there") {
  Session session;
  CUstream stream = session.stream();
  CUstream other = session.stream();
  CUdeviceptr words = 0;
  Gate gate;
  REQUIRE(gate.put(stream) == CUDA_SUCCESS);
  REQUIRE(CU(cuMemAllocAsync)(&words, 16, stream) == CUDA_SUCCESS);
  REQUIRE(CU(cuMemsetD32Async)(words, 7, 4, other) == CUDA_SUCCESS);
  CHECK(CU(cuStreamSynchronize)(other) == CUDA_ERROR_ILLEGAL_ADDRESS);
  gate.open();
  CHECK(session.take_violations() == 1);
  session.set("sticky", "1");
  REQUIRE(CU(cuStreamSynchronize)(stream) == CUDA_SUCCESS);
  CHECK(CU(cuMemFree_v2)(words) == CUDA_SUCCESS);
}

TEST_CASE("Memory of the program can be registered once") {
  Session session;
  alignas(64) static std::uint32_t words[64];
  CUdeviceptr address = 0;
  REQUIRE(CU(cuMemHostRegister_v2)(words, sizeof words, 0) == CUDA_SUCCESS);
  CHECK(CU(cuMemHostRegister_v2)(words, 16, 0) == CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED);
  CHECK(CU(cuMemHostGetDevicePointer_v2)(&address, words + 1, 0) == CUDA_SUCCESS);
  CHECK(address == reinterpret_cast<CUdeviceptr>(words + 1));
  CHECK(CU(cuMemHostUnregister)(words) == CUDA_SUCCESS);
  CHECK(CU(cuMemHostUnregister)(words) == CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED);
}

TEST_CASE("The driver tells what it knows about an address") {
  Session session;
  CUdeviceptr words = session.memory(4);
  CUdeviceptr start = 0;
  std::size_t bytes = 0;
  CHECK(CU(cuMemGetAddressRange_v2)(&start, &bytes, words + 8) == CUDA_SUCCESS);
  CHECK(start == words);
  CHECK(bytes == 16);
  unsigned type = 0;
  CHECK(CU(cuPointerGetAttribute)(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, words) == CUDA_SUCCESS);
  CHECK(type == CU_MEMORYTYPE_DEVICE);
  int local = 0;
  CHECK(CU(cuPointerGetAttribute)(
            &type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, reinterpret_cast<CUdeviceptr>(&local)) ==
        CUDA_ERROR_INVALID_VALUE);
}

TEST_CASE("Limits of memory are kept") {
  Session session;
  session.set("memory_bytes", "1024");
  session.set("pinned_bytes", "512");
  CUdeviceptr first = allocate(1000);
  CUdeviceptr second = 0;
  void* pinned = nullptr;
  CHECK(CU(cuMemAlloc_v2)(&second, 100) == CUDA_ERROR_OUT_OF_MEMORY);
  CHECK(CU(cuMemHostAlloc)(&pinned, 513, 0) == CUDA_ERROR_OUT_OF_MEMORY);
  std::size_t free = 0;
  std::size_t total = 0;
  CHECK(CU(cuMemGetInfo_v2)(&free, &total) == CUDA_SUCCESS);
  CHECK(free == 24);
  CHECK(total == 1024);
  REQUIRE(CU(cuMemFree_v2)(first) == CUDA_SUCCESS);
  REQUIRE(CU(cuMemAlloc_v2)(&second, 100) == CUDA_SUCCESS);
  CHECK(CU(cuMemFree_v2)(second) == CUDA_SUCCESS);
  CHECK(CU(cuMemAlloc_v2)(&second, 0) == CUDA_ERROR_INVALID_VALUE);
}
