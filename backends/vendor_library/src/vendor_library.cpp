#include <oriel/vendor/vendor_library.hpp>

#include <cstdlib>
#include <utility>

#include <dlfcn.h>

namespace oriel::vendor {
namespace {

std::string why_not_opened() {
  const char* reason = ::dlerror();
  return reason != nullptr ? reason : "the loader gave no reason";
}

void* open_library(const char* name) noexcept {
  return ::dlopen(name, RTLD_NOW | RTLD_LOCAL);
}

}  // namespace

Result<VendorLibrary> VendorLibrary::open(const char* variable,
                                          std::span<const char* const> names) {
  if (const char* path = std::getenv(variable); path != nullptr && *path != '\0') {
    if (*path != '/') {
      return fail(ErrorCode::kUnavailable,
                  std::string(variable) + " is \"" + path + "\"; it must be an absolute path");
    }
    void* handle = open_library(path);
    if (handle == nullptr) {
      return fail(ErrorCode::kUnavailable,
                  std::string("can't open what ") + variable + " names: " + why_not_opened());
    }
    return VendorLibrary(handle, path);
  }
  std::string listed;
  std::string reason;
  for (const char* name : names) {
    if (void* handle = open_library(name)) {
      return VendorLibrary(handle, name);
    }
    reason = why_not_opened();
    listed += (listed.empty() ? "" : " or ") + std::string(name);
  }
  return fail(ErrorCode::kUnavailable,
              listed + " not found (searched: " + variable + ", the loader's path): " + reason);
}

void* VendorLibrary::find(const char* symbol) const noexcept {
  return ::dlsym(handle_, symbol);
}

Error lacks_functions(const VendorLibrary& library,
                      const std::vector<std::string>& missing,
                      std::string_view remedy) {
  std::string text = library.name() + " lacks " + std::to_string(missing.size()) +
                     (missing.size() == 1 ? " required function (" : " required functions (");
  for (std::size_t i = 0; i < missing.size(); ++i) {
    text += (i == 0 ? "" : ", ") + missing[i];
  }
  text += "); ";
  text += remedy;
  return {ErrorCode::kIncompatible, std::move(text)};
}

}  // namespace oriel::vendor
