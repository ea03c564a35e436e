#include "text.hpp"

#include <oriel/core/backends.hpp>

#include <algorithm>
#include <cstdlib>
#include <exception>
#include <string>
#include <system_error>

#include <dlfcn.h>
#include <sys/stat.h>
#include <unistd.h>

/// Loading one plugin, and where plugins are looked for.

namespace oriel::core {
namespace {

namespace fs = std::filesystem;

Error unavailable(const fs::path& path, const std::string& why) {
  return {ErrorCode::kUnavailable, "plugin " + path.string() + " " + why};
}

Error incompatible(const fs::path& path, const std::string& why) {
  return {ErrorCode::kIncompatible, "plugin " + path.string() + " " + why};
}

/// Whether somebody other than the administrator and this user could put code there.
bool others_may_write(const fs::path& path) noexcept {
  struct stat it = {};
  if (::stat(path.c_str(), &it) != 0) {
    return true;
  }
  const bool foreign = it.st_uid != 0 && it.st_uid != ::geteuid();
  const bool shared = (it.st_mode & S_IWGRP) != 0 && it.st_gid != 0 && it.st_gid != ::getegid();
  return foreign || shared || (it.st_mode & S_IWOTH) != 0;
}

/// Whether anybody could put another folder in the place of one that lies there.
bool anybody_may_replace(const fs::path& folder) noexcept {
  struct stat it = {};
  if (::stat(folder.c_str(), &it) != 0) {
    return true;
  }
  return (it.st_mode & S_IWOTH) != 0 && (it.st_mode & S_ISVTX) == 0;
}

/// The first of the file, its folder and those above that lets others decide what is loaded; empty
/// if none does. The path is canonical.
fs::path open_to_others(const fs::path& file) {
  for (const fs::path& it : {file, file.parent_path()}) {
    if (others_may_write(it)) {
      return it;
    }
  }
  for (fs::path it = file.parent_path(); it.has_relative_path();) {
    it = it.parent_path();
    if (anybody_may_replace(it)) {
      return it;
    }
  }
  return {};
}

Result<void> check_file(const fs::path& path) {
  std::error_code error;
  if (!fs::exists(path, error)) {
    return fail(unavailable(path, "does not exist"));
  }
  if (!fs::is_regular_file(path, error)) {
    return fail(unavailable(path, "is not a file"));
  }
  if (const fs::path open = open_to_others(fs::canonical(path, error)); !open.empty()) {
    return fail(unavailable(
        path,
        "is not loaded: others may write " + open.string() + "; take that permission away first"));
  }
  return {};
}

Result<const PluginDescriptor*> ask(const fs::path& path, PluginEntry entry) {
  try {
    return entry();
  } catch (const std::exception& thrown) {
    return fail(incompatible(path, std::string("threw from its entry point: ") + thrown.what()));
  } catch (...) {
    return fail(incompatible(path, "threw from its entry point"));
  }
}

Result<void> check_descriptor(const fs::path& path, const PluginDescriptor* it) {
  if (it == nullptr) {
    return fail(incompatible(path, "has no descriptor: its oriel_plugin() returned null"));
  }
  if (it->abi != kPluginAbi) {
    return fail(incompatible(path,
                             "speaks plugin ABI " + std::to_string(it->abi) +
                                 "; this library speaks " + std::to_string(kPluginAbi)));
  }
  if (it->struct_size != sizeof(PluginDescriptor)) {
    return fail(incompatible(path,
                             "has a descriptor of " + std::to_string(it->struct_size) +
                                 " bytes; this library's has " +
                                 std::to_string(sizeof(PluginDescriptor))));
  }
  if (it->build_tag == nullptr || std::string_view(it->build_tag) != build_tag()) {
    return fail(incompatible(path,
                             "was built as " +
                                 in_quotes(it->build_tag == nullptr ? "" : it->build_tag) +
                                 "; this library as " + in_quotes(build_tag())));
  }
  if (it->name == nullptr || it->probe == nullptr || it->list == nullptr || it->open == nullptr) {
    return fail(incompatible(path, "has a descriptor with missing parts"));
  }
  return {};
}

constexpr std::string_view kPrefix = "oriel_";
constexpr std::string_view kSuffix = ".so";

/// The folders to search, in order; only absolute ones, so that none depends on where we are.
std::vector<fs::path> search_folders(const RuntimeOptions& options) {
  std::vector<fs::path> folders = options.plugin_directories;
  if (const char* listed = std::getenv("ORIEL_PLUGIN_PATH")) {  // NOLINT(concurrency-mt-unsafe)
    std::string_view rest = listed;
    while (!rest.empty()) {
      const std::size_t end = std::min(rest.find(':'), rest.size());
      if (const fs::path folder(rest.substr(0, end)); folder.is_absolute()) {
        folders.push_back(folder);
      }
      rest.remove_prefix(std::min(end + 1, rest.size()));
    }
  }
  std::error_code error;
  Dl_info self = {};
  if (::dladdr(reinterpret_cast<const void*>(&build_tag), &self) != 0) {
    const fs::path home = fs::canonical("/proc/self/exe", error).parent_path();
    const fs::path library = fs::canonical(self.dli_fname, error).parent_path();
    for (const fs::path& base : {library, home}) {
      if (base.is_absolute()) {
        folders.push_back(base / "oriel");
        folders.push_back((base.parent_path() / ORIEL_PLUGIN_DIR).lexically_normal());
      }
    }
  }
  return folders;
}

std::string name_in(const fs::path& path) {
  const std::string file = path.filename().string();
  const bool fits = file.size() > kPrefix.size() + kSuffix.size() &&
                    file.compare(0, kPrefix.size(), kPrefix) == 0 &&
                    file.compare(file.size() - kSuffix.size(), kSuffix.size(), kSuffix) == 0;
  return fits ? file.substr(kPrefix.size(), file.size() - kPrefix.size() - kSuffix.size()) : "";
}

}  // namespace

Result<const PluginDescriptor*> load_plugin(const std::filesystem::path& path) {
  ORIEL_TRY(check_file(path));
  std::error_code error;
  // Never closed: whatever the plugin makes may live as long as the process.
  void* library = ::dlopen(fs::canonical(path, error).c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    const char* why = ::dlerror();  // NOLINT(concurrency-mt-unsafe): per thread in glibc
    return fail(unavailable(path, std::string("can't be loaded: ") + (why ? why : "unknown")));
  }
  const auto entry = reinterpret_cast<PluginEntry>(::dlsym(library, "oriel_plugin"));
  if (entry == nullptr) {
    return fail(incompatible(path, "has no entry point oriel_plugin: it is no Oriel plugin"));
  }
  auto descriptor = ask(path, entry);
  if (descriptor) {
    ORIEL_TRY(check_descriptor(path, *descriptor));
  }
  return descriptor;
}

std::vector<std::filesystem::path> find_plugins(std::string_view name,
                                                const RuntimeOptions& options) {
  std::vector<fs::path> found;
  std::vector<std::string> names;
  for (const fs::path& folder : search_folders(options)) {
    std::error_code error;
    std::vector<fs::path> here;
    for (const auto& entry : fs::directory_iterator(folder, error)) {
      const std::string it = name_in(entry.path());
      if (!it.empty() && (name.empty() || it == name)) {
        here.push_back(entry.path());
      }
    }
    std::sort(here.begin(), here.end());
    for (fs::path& path : here) {
      std::string it = name_in(path);
      if (std::find(names.begin(), names.end(), it) == names.end()) {
        names.push_back(std::move(it));
        found.push_back(std::move(path));
      }
    }
  }
  return found;
}

}  // namespace oriel::core
