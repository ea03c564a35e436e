#include "emulators/kernels/kernel_library.hpp"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <map>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include <dlfcn.h>

namespace oriel::emulator {
namespace {

namespace fs = std::filesystem;

using Kernels = std::vector<const oriel_host_kernel*>;

fs::path folder_beside(const void* anchor) {
  Dl_info found{};
  if (dladdr(anchor, &found) == 0 || found.dli_fname == nullptr) {
    return {};
  }
  return fs::path(found.dli_fname).parent_path() / "kernels";
}

// In the order of their names, so that of two bundles with like kernels it is always the same.
std::vector<fs::path> libraries_in(const fs::path& folder) {
  std::vector<fs::path> libraries;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    if (entry.path().extension() == ".so") {
      libraries.push_back(entry.path());
    }
  }
  std::sort(libraries.begin(), libraries.end());
  return libraries;
}

// The kernels of a library, which stays loaded; none, and a word about it, if it can't be.
Kernels kernels_of(const fs::path& library) {
  Kernels kernels;
  void* handle = dlopen(library.c_str(), RTLD_NOW | RTLD_LOCAL);
  void* entry = handle != nullptr ? dlsym(handle, "oriel_emulated_kernels") : nullptr;
  if (entry == nullptr) {
    std::fprintf(stderr, "emulated driver: %s\n", dlerror());
    return kernels;
  }
  const auto list = reinterpret_cast<decltype(&oriel_emulated_kernels)>(entry);
  for (const oriel_host_kernel* const* kernel = list(); *kernel != nullptr; ++kernel) {
    kernels.push_back(*kernel);
  }
  return kernels;
}

std::vector<std::string> sorted_names(const Kernels& kernels) {
  std::vector<std::string> names;
  names.reserve(kernels.size());
  for (const oriel_host_kernel* kernel : kernels) {
    names.emplace_back(kernel->name);
  }
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace

KernelLibraries& KernelLibraries::beside(const void* anchor) {
  static std::mutex mutex;
  static auto& made = *new std::map<fs::path, KernelLibraries>;  // for the life of the process
  const fs::path folder = folder_beside(anchor);
  const std::lock_guard lock(mutex);
  const auto [at, is_new] = made.try_emplace(folder);
  if (is_new) {
    for (const fs::path& library : libraries_in(folder)) {
      if (Kernels kernels = kernels_of(library); !kernels.empty()) {
        at->second.bundles_.push_back(std::move(kernels));
      }
    }
  }
  return at->second;
}

const Kernels* KernelLibraries::find(const std::vector<std::string>& kernels) const {
  std::vector<std::string> wanted = kernels;
  std::sort(wanted.begin(), wanted.end());
  for (const Kernels& bundle : bundles_) {
    if (bundle.size() == wanted.size() && sorted_names(bundle) == wanted) {
      return &bundle;
    }
  }
  return nullptr;
}

}  // namespace oriel::emulator
