// Options: other drivers than the usual one.
#include "emulator_session.hpp"
#include "support/catch.hpp"

using namespace oriel::emulator::test;

TEST_CASE("Options that there are not are refused") {
  CHECK_FALSE(control().set_option("no_such_option", "1"));
  CHECK_FALSE(control().set_option("delay_us", "soon"));
  CHECK_FALSE(control().set_option("delay_us", ""));
  CHECK_FALSE(control().set_option("devices", "17"));
  CHECK_FALSE(control().set_option("stub", "2"));
  CHECK_FALSE(control().set_option("fail", "cuInit"));
  CHECK_FALSE(control().set_option(nullptr, nullptr));
}

TEST_CASE("A stub library answers 34 to every call") {
  Session session;
  session.set("stub", "1");
  int number = 0;
  const char* name = nullptr;
  CHECK(CU(cuInit)(0) == CUDA_ERROR_STUB_LIBRARY);
  CHECK(CU(cuDriverGetVersion)(&number) == CUDA_ERROR_STUB_LIBRARY);
  CHECK(CU(cuDeviceGetCount)(&number) == CUDA_ERROR_STUB_LIBRARY);
  CHECK(CU(cuGetErrorName)(CUDA_SUCCESS, &name) == CUDA_ERROR_STUB_LIBRARY);
  session.set("stub", "0");
}

TEST_CASE("A machine without devices") {
  Session session;
  session.set("devices", "0");
  int count = 1;
  CHECK(CU(cuInit)(0) == CUDA_ERROR_NO_DEVICE);
  CHECK(CU(cuDeviceGetCount)(&count) == CUDA_SUCCESS);
  CHECK(count == 0);
  CUdevice device = 0;
  CHECK(CU(cuDeviceGet)(&device, 0) == CUDA_ERROR_INVALID_DEVICE);
  session.set("devices", "3");
  CHECK(CU(cuDeviceGetCount)(&count) == CUDA_SUCCESS);
  CHECK(count == 3);
  CHECK(CU(cuDeviceGet)(&device, 2) == CUDA_SUCCESS);
}

TEST_CASE("The version of the driver") {
  Session session;
  int version = 0;
  CHECK(CU(cuDriverGetVersion)(&version) == CUDA_SUCCESS);
  CHECK(version == 13000);
  session.set("driver_version", "12020");
  CHECK(CU(cuDriverGetVersion)(&version) == CUDA_SUCCESS);
  CHECK(version == 12020);
}

TEST_CASE("The device's properties say what it is") {
  Session session;
  char name[64] = "";
  CHECK(CU(cuDeviceGetName)(name, sizeof name, 0) == CUDA_SUCCESS);
  CHECK(std::string(name) == "Emulated CUDA device (no hardware)");
  session.set("architecture", "121");
  int major = 0;
  int minor = 0;
  CHECK(CU(cuDeviceComputeCapability)(&major, &minor, 0) == CUDA_SUCCESS);
  CHECK(major == 12);
  CHECK(minor == 1);
  CHECK(CU(cuDeviceGetAttribute)(&major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, 0) ==
        CUDA_SUCCESS);
  CHECK(major == 12);
  CHECK(CU(cuDeviceGetAttribute)(&major, CU_DEVICE_ATTRIBUTE_MEMORY_POOLS_SUPPORTED, 1) ==
        CUDA_SUCCESS);
  CHECK(major == 1);
  std::size_t bytes = 0;
  session.set("memory_bytes", "4096");
  CHECK(CU(cuDeviceTotalMem_v2)(&bytes, 0) == CUDA_SUCCESS);
  CHECK(bytes == 4096);
  CUuuid zero{};
  CUuuid one{};
  CHECK(CU(cuDeviceGetUuid_v2)(&zero, 0) == CUDA_SUCCESS);
  CHECK(CU(cuDeviceGetUuid_v2)(&one, 1) == CUDA_SUCCESS);
  CHECK(std::string(zero.bytes, 16) != std::string(one.bytes, 16));
}

TEST_CASE("A call fails as the option says") {
  Session session;
  session.set("fail", "cuStreamCreate:2:2");
  static_cast<void>(session.stream());
  CUstream stream = nullptr;
  CHECK(CU(cuStreamCreate)(&stream, 0) == CUDA_ERROR_OUT_OF_MEMORY);
  static_cast<void>(session.stream());
}

TEST_CASE("A device is lost after so many calls, and nothing waits for its work") {
  Session session;
  CUdeviceptr words = session.memory(4);
  CUstream stream = session.stream();
  session.set("delay_us", "20000");
  session.set("lose_device_after", "1");
  CHECK(CU(cuMemsetD32Async)(words, 1, 4, stream) == CUDA_SUCCESS);
  CHECK(CU(cuStreamSynchronize)(stream) == CUDA_ERROR_DEVICE_UNAVAILABLE);
  CHECK(CU(cuMemAlloc_v2)(&words, 16) == CUDA_ERROR_DEVICE_UNAVAILABLE);
  CUevent event = nullptr;
  CHECK(CU(cuEventCreate)(&event, 0) == CUDA_ERROR_DEVICE_UNAVAILABLE);
  int version = 0;
  CHECK(CU(cuDriverGetVersion)(&version) == CUDA_SUCCESS);
}

TEST_CASE("What is given back to a lost device is no longer there") {
  Session session;
  CUstream stream = nullptr;
  CUdeviceptr memory = 0;
  REQUIRE(CU(cuStreamCreate)(&stream, CU_STREAM_NON_BLOCKING) == CUDA_SUCCESS);
  REQUIRE(CU(cuMemAlloc_v2)(&memory, 16) == CUDA_SUCCESS);
  session.set("lose_device_after", "1");
  int version = 0;
  CHECK(CU(cuDriverGetVersion)(&version) == CUDA_SUCCESS);
  CHECK(CU(cuMemFree_v2)(memory) == CUDA_ERROR_DEVICE_UNAVAILABLE);
  CHECK(CU(cuStreamDestroy_v2)(stream) == CUDA_ERROR_DEVICE_UNAVAILABLE);
}

TEST_CASE("Errors have names and words") {
  Session session;
  const char* text = nullptr;
  CHECK(CU(cuGetErrorName)(CUDA_ERROR_STREAM_CAPTURE_ISOLATION, &text) == CUDA_SUCCESS);
  CHECK(std::string(text) == "CUDA_ERROR_STREAM_CAPTURE_ISOLATION");
  CHECK(CU(cuGetErrorString)(CUDA_ERROR_OUT_OF_MEMORY, &text) == CUDA_SUCCESS);
  CHECK(std::string(text) == "out of memory");
  CHECK(CU(cuGetErrorName)(static_cast<CUresult>(1001), &text) == CUDA_ERROR_INVALID_VALUE);
  CHECK(text == nullptr);
}
