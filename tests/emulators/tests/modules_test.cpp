// Modules, functions and the checks of a launch.
#include "emulator_session.hpp"
#include "support/catch.hpp"

using namespace oriel::emulator::test;

TEST_CASE("What is no image, or has no code for the device, isn't loaded") {
  Session session;
  CUmodule module = nullptr;
  CHECK(CU(cuModuleLoadData)(&module, "no image") == CUDA_ERROR_INVALID_IMAGE);
  CHECK(CU(cuModuleLoadData)(&module, nullptr) == CUDA_ERROR_INVALID_VALUE);
  CHECK(CU(cuModuleLoadData)(&module, kernel_image(100).c_str()) == CUDA_ERROR_NO_BINARY_FOR_GPU);
  session.set("architecture", "100");
  REQUIRE(CU(cuModuleLoadData)(&module, kernel_image(100).c_str()) == CUDA_SUCCESS);
  CHECK(CU(cuModuleUnload)(module) == CUDA_SUCCESS);
}

TEST_CASE("The log of a load says what went wrong") {
  Session session;
  CUmodule module = nullptr;
  char log[200] = "untouched";
  CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
  void* values[] = {log, reinterpret_cast<void*>(sizeof log)};
  CHECK(CU(cuModuleLoadDataEx)(&module, "no image", 2, options, values) ==
        CUDA_ERROR_INVALID_IMAGE);
  CHECK(std::string(log).find("broken") != std::string::npos);
  REQUIRE(CU(cuModuleLoadDataEx)(&module, kernel_image().c_str(), 2, options, values) ==
          CUDA_SUCCESS);
  CHECK(std::string(log).empty());
  CHECK(CU(cuModuleUnload)(module) == CUDA_SUCCESS);
}

TEST_CASE("A name that a module doesn't have is not found") {
  Session session;
  CUmodule module = nullptr;
  CUfunction function = nullptr;
  CUfunction again = nullptr;
  REQUIRE(CU(cuModuleLoadFatBinary)(&module, kernel_image().c_str()) == CUDA_SUCCESS);
  CHECK(CU(cuModuleGetFunction)(&function, module, "missing") == CUDA_ERROR_NOT_FOUND);
  REQUIRE(CU(cuModuleGetFunction)(&function, module, "emulator_add") == CUDA_SUCCESS);
  REQUIRE(CU(cuModuleGetFunction)(&again, module, "emulator_add") == CUDA_SUCCESS);
  CHECK(function == again);
  REQUIRE(CU(cuModuleUnload)(module) == CUDA_SUCCESS);
  CHECK(CU(cuModuleUnload)(module) == CUDA_ERROR_INVALID_HANDLE);
  CHECK(CU(cuModuleGetFunction)(&function, module, "emulator_add") == CUDA_ERROR_INVALID_HANDLE);
  CHECK(launch_add(again, nullptr, 0, 1) == CUDA_ERROR_INVALID_HANDLE);
  CHECK(session.take_violations() == 3);
}

TEST_CASE("A module without host images loads, but its kernels can't be launched") {
  Session session;
  CUmodule module = nullptr;
  CUfunction function = nullptr;
  REQUIRE(CU(cuModuleLoadData)(&module,
                               ".version 7.0\n.target sm_80\n.visible .entry alone() { ret; }\n") ==
          CUDA_SUCCESS);
  REQUIRE(CU(cuModuleGetFunction)(&function, module, "alone") == CUDA_SUCCESS);
  CHECK(launch(function, nullptr, 1, {}) == CUDA_ERROR_LAUNCH_FAILED);
  CHECK(session.take_violations() == 1);
  CHECK(CU(cuModuleUnload)(module) == CUDA_SUCCESS);
}

TEST_CASE("Launches out of the device's limits are invalid values") {
  Session session;
  CUfunction add = session.kernel("emulator_add");
  CUdeviceptr words = session.memory(4);
  std::uint32_t value = 0;
  void* arguments[] = {&words, &value};
  const auto sized = [&](unsigned grid_y, unsigned x, unsigned y, unsigned z, unsigned shared) {
    return CU(cuLaunchKernel)(add, 1, grid_y, 1, x, y, z, shared, nullptr, arguments, nullptr);
  };
  CHECK(sized(1, 1025, 1, 1, 0) == CUDA_ERROR_INVALID_VALUE);
  CHECK(sized(1, 64, 32, 1, 0) == CUDA_ERROR_INVALID_VALUE);
  CHECK(sized(1, 1, 1, 65, 0) == CUDA_ERROR_INVALID_VALUE);
  CHECK(sized(1, 0, 1, 1, 0) == CUDA_ERROR_INVALID_VALUE);
  CHECK(sized(65536, 1, 1, 1, 0) == CUDA_ERROR_INVALID_VALUE);
  CHECK(sized(1, 1, 1, 1, 49153) == CUDA_ERROR_INVALID_VALUE);
  REQUIRE(CU(cuFuncSetAttribute)(add, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, 65536) ==
          CUDA_SUCCESS);
  CHECK(sized(1, 1, 1, 1, 49153) == CUDA_SUCCESS);
  CHECK(CU(cuLaunchKernel)(add, 1, 1, 1, 1, 1, 1, 0, nullptr, nullptr, nullptr) ==
        CUDA_ERROR_INVALID_VALUE);
  CHECK(CU(cuLaunchKernel)(nullptr, 1, 1, 1, 1, 1, 1, 0, nullptr, arguments, nullptr) ==
        CUDA_ERROR_INVALID_HANDLE);
}

TEST_CASE("A launch covers its whole grid") {
  Session session;
  CUfunction add = session.kernel("emulator_add");
  CUdeviceptr words = session.memory(1000);
  std::uint32_t value = 3;
  void* arguments[] = {&words, &value};
  REQUIRE(CU(cuLaunchKernel)(add, 10, 1, 1, 100, 1, 1, 0, nullptr, arguments, nullptr) ==
          CUDA_SUCCESS);
  CHECK(read(words, 1000) == std::vector<std::uint32_t>(1000, 3));
}

TEST_CASE("Attributes of functions can be asked for, and some be set") {
  Session session;
  CUfunction add = session.kernel("emulator_add");
  int value = 0;
  REQUIRE(CU(cuFuncGetAttribute)(&value, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, add) ==
          CUDA_SUCCESS);
  CHECK(value == 1024);
  CUfunctionLoadingState state{};
  REQUIRE(CU(cuFuncIsLoaded)(&state, add) == CUDA_SUCCESS);
  CHECK(state == CU_FUNCTION_LOADING_STATE_LOADED);  // asking has loaded it
  CHECK(CU(cuFuncSetAttribute)(add, CU_FUNC_ATTRIBUTE_NUM_REGS, 1) == CUDA_ERROR_INVALID_VALUE);
}
