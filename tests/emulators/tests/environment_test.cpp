// Options from the environment, which is read at the library's first use: a program of its own.
#include "emulator_session.hpp"
#include "support/catch.hpp"

#include <cstdlib>

using namespace oriel::emulator::test;

TEST_CASE("Options come from the environment, and what can't be one is passed over") {
  // No other thread is there yet.
  setenv("ORIEL_EMULATOR_DEVICES", "1", 1);                  // NOLINT(concurrency-mt-unsafe): alone
  setenv("ORIEL_EMULATOR_ARCHITECTURE", "75", 1);            // NOLINT(concurrency-mt-unsafe): alone
  setenv("ORIEL_EMULATOR_FAIL", "cuDeviceGetCount:2:2", 1);  // NOLINT(concurrency-mt-unsafe): alone
  setenv("ORIEL_EMULATOR_MEMORY_BYTES", "much", 1);          // NOLINT(concurrency-mt-unsafe): alone
  int number = 0;
  std::size_t bytes = 0;
  REQUIRE(CU(cuInit)(0) == CUDA_SUCCESS);
  CHECK(CU(cuDeviceGetCount)(&number) == CUDA_SUCCESS);
  CHECK(number == 1);
  CHECK(CU(cuDeviceGetCount)(&number) == CUDA_ERROR_OUT_OF_MEMORY);
  CHECK(CU(cuDeviceGetAttribute)(&number, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, 0) ==
        CUDA_SUCCESS);
  CHECK(number == 5);
  CHECK(CU(cuDeviceTotalMem_v2)(&bytes, 0) == CUDA_SUCCESS);
  CHECK(bytes == std::size_t{8} << 30U);
}

TEST_CASE("A process may end with work that was never done") {
  CUcontext context = nullptr;
  CUstream stream = nullptr;
  CUdeviceptr words = 0;
  REQUIRE(CU(cuInit)(0) == CUDA_SUCCESS);
  REQUIRE(CU(cuDevicePrimaryCtxRetain)(&context, 0) == CUDA_SUCCESS);
  REQUIRE(CU(cuCtxSetCurrent)(context) == CUDA_SUCCESS);
  REQUIRE(CU(cuStreamCreate)(&stream, CU_STREAM_NON_BLOCKING) == CUDA_SUCCESS);
  REQUIRE(CU(cuMemAlloc_v2)(&words, 16) == CUDA_SUCCESS);
  REQUIRE(control().set_option("delay_us", "500000"));
  CHECK(CU(cuMemsetD32Async)(words, 1, 4, stream) == CUDA_SUCCESS);
  CHECK(CU(cuMemsetD32Async)(words, 2, 4, nullptr) == CUDA_SUCCESS);
  CHECK(CU(cuStreamDestroy_v2)(stream) == CUDA_SUCCESS);
}
