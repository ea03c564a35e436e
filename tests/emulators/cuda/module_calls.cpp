// Modules and their functions.
#include "../kernels/kernel_library.hpp"
#include "entry.hpp"

#include <algorithm>
#include <cstring>
#include <string>
#include <utility>

namespace oriel::emulator::cuda {

namespace {

constexpr int kSharedBytesLimit = 227 * 1024;  // of a block, when the function asks for it

std::shared_ptr<Kernel> make_kernel(Caller& caller,
                                    const std::string& name,
                                    const std::vector<const oriel_host_kernel*>* images) {
  auto kernel = std::make_shared<Kernel>();
  kernel->context = caller.context;
  kernel->name = name;
  if (images != nullptr) {
    const auto image = std::find_if(images->begin(), images->end(), [&](const auto* candidate) {
      return name == candidate->name;
    });
    kernel->host = image != images->end() ? *image : nullptr;
  }
  kernel->lay_out();
  return kernel;
}

Situation load(Caller& caller, CUmodule* out, const void* image) {
  if (out == nullptr || image == nullptr) {
    return Situation::kInvalidValue;
  }
  if (const Situation situation = caller.admit_unsafe(Situation::kUnsafeLoad); failed(situation)) {
    return situation;
  }
  const std::vector<DeviceCode> codes = read_cuda_image(image);
  if (codes.empty()) {
    return Situation::kInvalidImage;
  }
  const DeviceCode* code =
      choose_code(codes, static_cast<std::uint32_t>(caller.machine.options.architecture));
  if (code == nullptr) {
    return Situation::kNoCodeForDevice;
  }
  static const int anchor = 0;  // in this library
  const auto* images = KernelLibraries::beside(&anchor).find(code->kernels);
  auto module = std::make_shared<Module>();
  module->context = caller.context;
  for (const std::string& name : code->kernels) {
    module->kernels.emplace(name, make_kernel(caller, name, images));
  }
  *out = to_vendor<CUmodule>(caller.machine.modules.insert(std::move(module)));
  return Situation::kSuccess;
}

/// The logs that a caller of cuModuleLoadDataEx gives room for: what went wrong, or nothing.
void write_logs(Situation situation, unsigned count, const CUjit_option* options, void** values) {
  const char* text = "";
  if (situation == Situation::kInvalidImage) {
    text = "The image is neither PTX nor a cubin nor a fatbin, or it is broken.";
  } else if (situation == Situation::kNoCodeForDevice) {
    text = "The image has no code for this device.";
  }
  size_t room[2] = {0, 0};
  char* buffers[2] = {nullptr, nullptr};
  for (unsigned i = 0; i < count; ++i) {
    const auto number = reinterpret_cast<size_t>(values[i]);
    if (options[i] == CU_JIT_INFO_LOG_BUFFER || options[i] == CU_JIT_ERROR_LOG_BUFFER) {
      buffers[options[i] == CU_JIT_ERROR_LOG_BUFFER] = static_cast<char*>(values[i]);
    } else if (options[i] == CU_JIT_INFO_LOG_BUFFER_SIZE_BYTES ||
               options[i] == CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES) {
      // A size, in a value that is a pointer for other options.
      room[options[i] == CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES] = number & 0xFFFFFFFFU;
    }
  }
  const char* texts[2] = {"", text};
  for (int i = 0; i < 2; ++i) {
    if (buffers[i] != nullptr && room[i] != 0) {
      const size_t size = std::min(room[i] - 1, std::strlen(texts[i]));
      std::memcpy(buffers[i], texts[i], size);
      buffers[i][size] = '\0';
    }
  }
}

int attribute_of(const Caller& caller, const Kernel& kernel, int attribute) {
  if (const auto set = kernel.attributes.find(attribute); set != kernel.attributes.end()) {
    return set->second;
  }
  switch (attribute) {
    case CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK:
      return 1024;
    case CU_FUNC_ATTRIBUTE_NUM_REGS:
      return 32;
    case CU_FUNC_ATTRIBUTE_PTX_VERSION:
    case CU_FUNC_ATTRIBUTE_BINARY_VERSION:
      return static_cast<int>(caller.machine.options.architecture);
    case CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES:
      return 48 * 1024;
    case CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT:
      return -1;
    default:
      return 0;
  }
}

}  // namespace

ORIEL_CUDA_CALL(cuModuleLoadData, kContext, (CUmodule * out, const void* image), (out, image)) {
  return load(caller, out, image);
}

ORIEL_CUDA_CALL(
    cuModuleLoadDataEx,
    kContext,
    (CUmodule * out, const void* image, unsigned int count, CUjit_option* options, void** values),
    (out, image, count, options, values)) {
  if (count != 0 && (options == nullptr || values == nullptr)) {
    return Situation::kInvalidValue;
  }
  const Situation situation = load(caller, out, image);
  write_logs(situation, count, options, values);
  return situation;
}

ORIEL_CUDA_CALL(cuModuleLoadFatBinary,
                kContext,
                (CUmodule * out, const void* image),
                (out, image)) {
  return load(caller, out, image);
}

ORIEL_CUDA_CALL(cuModuleUnload, kReleaseHere, (CUmodule handle), (handle)) {
  Module* module = nullptr;
  if (const Situation situation = caller.find(caller.machine.modules, handle, module);
      failed(situation)) {
    return situation;
  }
  if (const Situation situation = caller.admit_unsafe(); failed(situation)) {
    return situation;
  }
  for (const auto& [name, kernel] : module->kernels) {
    kernel->unloaded = true;
    caller.machine.kernels.erase(kernel->handle);
  }
  const auto last = caller.machine.modules.erase(module->handle);
  return Situation::kSuccess;
}

ORIEL_CUDA_CALL(cuModuleGetFunction,
                kContext,
                (CUfunction * out, CUmodule handle, const char* name),
                (out, handle, name)) {
  Module* module = nullptr;
  if (out == nullptr || name == nullptr) {
    return Situation::kInvalidValue;
  }
  if (const Situation situation = caller.find(caller.machine.modules, handle, module);
      failed(situation)) {
    return situation;
  }
  const auto found = module->kernels.find(name);
  if (found == module->kernels.end()) {
    return Situation::kNotFound;
  }
  if (found->second->handle == 0) {
    caller.machine.kernels.insert(found->second);
  }
  *out = to_vendor<CUfunction>(found->second->handle);
  return Situation::kSuccess;
}

ORIEL_CUDA_CALL(cuFuncLoad, kContext, (CUfunction function), (function)) {
  Kernel* kernel = nullptr;
  const Situation situation = caller.find(caller.machine.kernels, function, kernel);
  if (!failed(situation)) {
    kernel->loaded = true;
  }
  return situation;
}

ORIEL_CUDA_CALL(cuFuncIsLoaded,
                kContext,
                (CUfunctionLoadingState * state, CUfunction function),
                (state, function)) {
  Kernel* kernel = nullptr;
  if (state == nullptr) {
    return Situation::kInvalidValue;
  }
  const Situation situation = caller.find(caller.machine.kernels, function, kernel);
  if (!failed(situation)) {
    *state = kernel->loaded ? CU_FUNCTION_LOADING_STATE_LOADED : CU_FUNCTION_LOADING_STATE_UNLOADED;
  }
  return situation;
}

ORIEL_CUDA_CALL(cuFuncGetAttribute,
                kContext,
                (int* value, CUfunction_attribute attribute, CUfunction function),
                (value, attribute, function)) {
  Kernel* kernel = nullptr;
  if (value == nullptr || attribute < 0 || attribute >= CU_FUNC_ATTRIBUTE_MAX) {
    return Situation::kInvalidValue;
  }
  const Situation situation = caller.find(caller.machine.kernels, function, kernel);
  if (!failed(situation)) {
    kernel->loaded = true;
    *value = attribute_of(caller, *kernel, attribute);
  }
  return situation;
}

ORIEL_CUDA_CALL(cuFuncSetAttribute,
                kContext,
                (CUfunction function, CUfunction_attribute attribute, int value),
                (function, attribute, value)) {
  Kernel* kernel = nullptr;
  const bool shared = attribute == CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES && value >= 0 &&
                      value <= kSharedBytesLimit;
  const bool carveout = attribute == CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT &&
                        value >= -1 && value <= 100;
  if (!shared && !carveout) {
    return Situation::kInvalidValue;
  }
  const Situation situation = caller.find(caller.machine.kernels, function, kernel);
  if (!failed(situation)) {
    kernel->attributes[attribute] = value;
  }
  return situation;
}

}  // namespace oriel::emulator::cuda
