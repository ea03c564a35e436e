#include "emulated_driver.hpp"

#include <algorithm>
#include <cctype>
#include <cstdio>
#include <cstdlib>

#include <dlfcn.h>

namespace oriel::test {
namespace {

const emulator::Control* control_of(const char* path) {
  // Never closed: the backend has it open all the same.
  void* library = ::dlopen(path, RTLD_NOW | RTLD_LOCAL);
  void* entry = library != nullptr ? ::dlsym(library, "oriel_emulator") : nullptr;
  using Entry = const emulator::Control* (*)();
  return entry != nullptr ? reinterpret_cast<Entry>(entry)() : nullptr;
}

std::string library_variable(std::string_view backend) {
  std::string name = "ORIEL_";
  for (const char c : backend.substr(0, backend.find(':'))) {
    name += static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  }
  return name + "_LIBRARY";
}

bool gives_back(std::string_view function) {
  for (const std::string_view part : {"Destroy", "Free", "Unload", "Release"}) {
    if (function.find(part) != std::string_view::npos) {
      return true;
    }
  }
  return false;
}

}  // namespace

std::optional<EmulatedDriver> EmulatedDriver::of_backend(std::string_view backend) {
  const char* path = std::getenv(library_variable(backend).c_str());
  const emulator::Control* control = path != nullptr ? control_of(path) : nullptr;
  return control != nullptr ? std::optional(EmulatedDriver(*control)) : std::nullopt;
}

EmulatedDriver EmulatedDriver::at(const std::string& path) {
  const emulator::Control* control = control_of(path.c_str());
  if (control == nullptr) {
    std::fprintf(stderr, "%s is no emulated driver: %s\n", path.c_str(), ::dlerror());
    std::exit(EXIT_FAILURE);
  }
  return EmulatedDriver(*control);
}

emulator::Live EmulatedDriver::live() const {
  emulator::Live live;
  control_->live(&live);
  return live;
}

std::vector<std::string> EmulatedDriver::violations() const {
  std::vector<std::string> all;
  for (std::size_t i = 0; const char* text = control_->violation(i); ++i) {
    all.emplace_back(text);
  }
  return all;
}

std::vector<emulator::Call> EmulatedDriver::log() const {
  std::vector<emulator::Call> calls;
  emulator::Call call;
  for (std::size_t i = 0; control_->call(i, &call); ++i) {
    calls.push_back(call);
  }
  return calls;
}

std::vector<std::string> EmulatedDriver::called_in_capture() const {
  std::vector<std::string> names;
  for (const emulator::Call& call : log()) {
    if (call.in_capture) {
      names.emplace_back(call.function);
    }
  }
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

std::vector<std::string> EmulatedDriver::destroyed_in_capture() const {
  std::vector<std::string> names = called_in_capture();
  const auto harmless = [](const std::string& name) { return !gives_back(name); };
  names.erase(std::remove_if(names.begin(), names.end(), harmless), names.end());
  return names;
}

}  // namespace oriel::test
