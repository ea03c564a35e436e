#include "conformance/fixture.hpp"
#include "suite_kernels.hpp"

#include <oriel/core/plugin.hpp>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include <stdlib.h>
#include <unistd.h>

namespace oriel::conformance {
namespace {

namespace fs = std::filesystem;

// The plugins of this folder, as the build made them; an installed suite has none.
fs::path plugin_folder() {
  return ORIEL_CONFORMANCE_PLUGINS;
}

bool have_plugins() {
  if (fs::is_directory(plugin_folder())) {
    return true;
  }
  declared_capabilities().emplace_back("plugin_fixtures");
  CHECK(code_of(Runtime::open((plugin_folder() / "scripted.so").string())) == "unavailable");
  return false;
}

Result<Runtime> open_plugin(const char* name, const char* ordinal = "") {
  return Runtime::open((plugin_folder() / (std::string(name) + ".so")).string() + ordinal);
}

// A folder of the test's own, gone at the end.
class Folder {
 public:
  Folder() {
    std::string name = (fs::temp_directory_path() / "oriel_plugins_XXXXXX").string();
    if (mkdtemp(name.data()) == nullptr) {
      throw std::runtime_error("can't make a folder");
    }
    path_ = name;
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  ~Folder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  [[nodiscard]] const fs::path& path() const noexcept { return path_; }

 private:
  fs::path path_;
};

const BackendStatus* find(const std::vector<BackendStatus>& all, std::string_view name) {
  const auto found = std::find_if(
      all.begin(), all.end(), [&](const BackendStatus& it) { return it.name == name; });
  return found == all.end() ? nullptr : &*found;
}

TEST_CASE("B89 listing never fails, and says why a backend is absent", "[B89]") {
  const std::vector<BackendStatus> all = list_backends();
  const BackendStatus* host = find(all, "host");
  REQUIRE(host != nullptr);
  CHECK(host->available);
  CHECK_FALSE(host->devices.empty());
  for (const BackendStatus& backend : all) {
    INFO(backend.name);
    CHECK(backend.available == backend.reason.empty());
    CHECK((backend.available || backend.devices.empty()));
  }
}

TEST_CASE("B89 opening a backend that is absent says which and why", "[B89]") {
  const std::vector<BackendStatus> all = list_backends();
  for (const char* name : {"cuda", "hip", "level_zero"}) {
    const BackendStatus* status = find(all, name);
    if (status != nullptr && status->available) {
      continue;
    }
    INFO(name);
    const auto runtime = Runtime::open(name);
    REQUIRE(code_of(runtime) == "unavailable");
    CHECK(contains(runtime.error().message, name));
    CHECK(runtime.error().message.size() > std::string_view(name).size() + 10);
  }
  const auto unknown = Runtime::open("no_such_backend");
  REQUIRE(code_of(unknown) == "unavailable");
  CHECK(contains(unknown.error().message, "no_such_backend"));
  CHECK(contains(unknown.error().message, "host"));  // what there is
}

TEST_CASE("B89 a device that is not there is an invalid argument", "[B89]") {
  CHECK(code_of(Runtime::open("host:4096")) == "invalid_argument");
  CHECK(code_of(Runtime::open("host:x")) == "invalid_argument");
  CHECK(code_of(Runtime::open("host:")) == "invalid_argument");
  CHECK(code_of(Runtime::open("")) != "ok");
  CHECK(code_of(Runtime::open("host", {.shared_streams = 0, .plugin_directories = {}})) ==
        "invalid_argument");
  CHECK(code_of(Runtime::open("host", {.shared_streams = 33, .plugin_directories = {}})) ==
        "invalid_argument");
  CHECK(code_of(Runtime::open("host:0")) == "ok");
}

TEST_CASE("B94 a plugin of another ABI is incompatible, with both numbers", "[B94]") {
  if (!have_plugins()) {
    return;
  }
  const auto runtime = open_plugin("wrong_abi");
  REQUIRE(code_of(runtime) == "incompatible");
  CHECK(contains(runtime.error().message, std::to_string(core::kPluginAbi)));
  CHECK(contains(runtime.error().message, std::to_string(core::kPluginAbi + 41)));
}

TEST_CASE("B94 a plugin with a shorter table is incompatible, with both sizes", "[B94]") {
  if (!have_plugins()) {
    return;
  }
  const auto runtime = open_plugin("short_table");
  REQUIRE(code_of(runtime) == "incompatible");
  CHECK(contains(runtime.error().message, "24"));
  CHECK(contains(runtime.error().message, std::to_string(sizeof(core::PluginDescriptor))));
}

TEST_CASE("B94 a plugin of another build is incompatible, with both tags", "[B94]") {
  if (!have_plugins()) {
    return;
  }
  const auto runtime = open_plugin("wrong_build");
  REQUIRE(code_of(runtime) == "incompatible");
  CHECK(contains(runtime.error().message, "oriel 0.0.1 other-compiler 1"));
  CHECK(contains(runtime.error().message, core::build_tag()));
}

TEST_CASE("B94 what is no good plugin is refused, and nothing crosses the boundary", "[B94]") {
  if (!have_plugins()) {
    return;
  }
  const auto check = [](const char* name, const std::string& code, std::string_view part) {
    INFO(name);
    const auto runtime = open_plugin(name);
    REQUIRE(code_of(runtime) == code);
    INFO(runtime.error().message);
    CHECK(contains(runtime.error().message, part));
  };
  check("no_entry", "incompatible", "oriel_plugin");
  check("null_descriptor", "incompatible", "null_descriptor");
  check("null_functions", "incompatible", "null_functions");
  check("throwing_entry", "incompatible", "thrown by the entry point");
  check("throwing_probe", "incompatible", "thrown by the probe");
  check("unavailable", "unavailable", "libabsent.so.1 not found");
  check("no_such_file", "unavailable", "no_such_file");
  CHECK(code_of(open_plugin("throwing_open")) != "ok");
}

TEST_CASE("B94 a file that is no shared object is refused", "[B94]") {
  const Folder folder;
  const fs::path file = folder.path() / "text.so";
  std::ofstream(file) << "not a shared object\n";
  const auto runtime = Runtime::open(file.string());
  const std::string code = code_of(runtime);
  CHECK((code == "unavailable" || code == "incompatible"));
  CHECK(contains(runtime.error().message, "text.so"));
  CHECK(code_of(Runtime::open(folder.path().string())) != "ok");
}

TEST_CASE("B94 a plugin that others may write is not loaded", "[B94]") {
  if (!have_plugins()) {
    return;
  }
  const Folder top;
  const fs::path folder = top.path() / "plugins";
  fs::create_directory(folder);
  fs::permissions(folder, fs::perms::owner_all);
  const fs::path file = folder / "oriel_scripted.so";
  fs::copy_file(plugin_folder() / "scripted.so", file);
  fs::permissions(file, fs::perms::owner_all);
  REQUIRE(code_of(Runtime::open(file.string())) == "ok");
  const auto refused = [&](const fs::path& open) {
    const auto runtime = Runtime::open(file.string());
    REQUIRE(code_of(runtime) == "unavailable");
    CHECK(contains(runtime.error().message, "others may write " + open.string() + ";"));
    const auto listed = list_backends({.plugin_directories = {folder}});
    const BackendStatus* status = find(listed, "scripted");
    CHECK((status == nullptr || !status->available));
  };
  SECTION("the file") {
    fs::permissions(file, fs::perms::others_write, fs::perm_options::add);
    refused(file);
  }
  SECTION("the folder") {
    fs::permissions(folder, fs::perms::others_write, fs::perm_options::add);
    refused(folder);
  }
  SECTION("a folder above, but for one in which only owners replace things") {
    fs::permissions(top.path(), fs::perms::others_write, fs::perm_options::add);
    refused(top.path());
    fs::permissions(top.path(), fs::perms::sticky_bit, fs::perm_options::add);
    CHECK(code_of(Runtime::open(file.string())) == "ok");
  }
  SECTION("by a group that is not the caller's own") {
    fs::permissions(file, fs::perms::group_write, fs::perm_options::add);
    CHECK(code_of(Runtime::open(file.string())) == "ok");
    if (::chown(file.c_str(), static_cast<uid_t>(-1), ::getegid() + 1) == 0) {  // as root
      refused(file);
    }
  }
}

TEST_CASE("B94 a good plugin is found by name in the caller's folders, and by path", "[B94]") {
  if (!have_plugins()) {
    return;
  }
  const Folder folder;
  const fs::path file = folder.path() / "oriel_scripted.so";
  fs::copy_file(plugin_folder() / "scripted.so", file);
  fs::permissions(file, fs::perms::owner_all);
  const RuntimeOptions options{.plugin_directories = {folder.path()}};
  const std::vector<BackendStatus> all = list_backends(options);
  const BackendStatus* status = find(all, "scripted");
  REQUIRE(status != nullptr);
  CHECK(status->available);
  CHECK(status->devices.size() == 1);
  CHECK(find(all, "host") != nullptr);
  const Runtime by_name = must(Runtime::open("scripted", options));
  CHECK(by_name.info().name == "scripted driver");
  CHECK(code_of(Runtime::open("scripted:1", options)) == "invalid_argument");
  CHECK(code_of(Runtime::open(file.string() + ":1")) == "invalid_argument");
  const Runtime by_path = must(Runtime::open(file.string() + ":0"));
  const Stream stream = must(by_path.create_stream());
  const Words d = must(stream.allocate<Word>(64));
  must(stream.fill(d, 3));
  CHECK(must(stream.read(d)) == std::vector<Word>(64, 3));
}

TEST_CASE("B94 bad plugins in a folder don't make the listing fail", "[B94]") {
  if (!have_plugins()) {
    return;
  }
  const std::vector<BackendStatus> all =
      list_backends({.plugin_directories = {plugin_folder(), "/no/such/folder"}});
  const BackendStatus* host = find(all, "host");
  REQUIRE(host != nullptr);
  CHECK(host->available);
}

}  // namespace
}  // namespace oriel::conformance
