#include "test_kernels.hpp"

#include <oriel/kernel_launch.h>

#include <cstdint>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

namespace oriel::fake {
namespace {

using Word = std::uint32_t;

template <class T>
T value(void* const* arguments, std::size_t index) {
  T result;
  std::memcpy(&result, arguments[index], sizeof(T));
  return result;
}

Word* words(void* const* arguments, std::size_t index) {
  return reinterpret_cast<Word*>(value<std::uint64_t>(arguments, index));
}

// Calls `body(i)` for each work item of the launch, of which only x counts.
template <class Body>
void each(const oriel_host_launch* launch, Body body) {
  const std::uint64_t first = launch->first_group * launch->group[0];
  const std::uint64_t last = first + launch->group_count * launch->group[0];
  for (std::uint64_t i = first; i < last; ++i) {
    body(i);
  }
}

void fill_kernel(const oriel_host_launch* launch, void* const* arguments) {
  Word* d = words(arguments, 0);
  const Word v = value<Word>(arguments, 1);
  each(launch, [=](std::uint64_t i) { d[i] = v; });
}

void inc_kernel(const oriel_host_launch* launch, void* const* arguments) {
  Word* d = words(arguments, 0);
  each(launch, [=](std::uint64_t i) { d[i] += 1; });
}

void copy_kernel(const oriel_host_launch* launch, void* const* arguments) {
  Word* d = words(arguments, 0);
  const Word* s = words(arguments, 1);
  each(launch, [=](std::uint64_t i) { d[i] = s[i]; });
}

void scale_add_kernel(const oriel_host_launch* launch, void* const* arguments) {
  Word* d = words(arguments, 0);
  const Word* s = words(arguments, 1);
  const Word k = value<Word>(arguments, 2);
  each(launch, [=](std::uint64_t i) { d[i] += s[i] * k; });
}

KernelParameter buffer(std::string name, bool writable) {
  return {std::move(name), ParameterKind::kBuffer, ElementType::kUint32, writable, sizeof(Word)};
}

KernelParameter scalar(std::string name) {
  return {std::move(name), ParameterKind::kScalar, ElementType::kUint32, false, sizeof(Word)};
}

KernelBundle make_bundle() {
  KernelBundle bundle;
  bundle.name = "test_kernels";
  bundle.kernels = {
      {"fill", {buffer("d", true), scalar("v")}, false},
      {"inc", {buffer("d", true)}, false},
      {"copy", {buffer("d", true), buffer("s", false)}, false},
      {"scale_add", {buffer("d", true), buffer("s", false), scalar("k")}, false},
  };
  bundle.host = {{"fill", fill_kernel},
                 {"inc", inc_kernel},
                 {"copy", copy_kernel},
                 {"scale_add", scale_add_kernel}};
  return bundle;
}

}  // namespace

const KernelBundle& test_kernels() {
  static const KernelBundle bundle = make_bundle();
  return bundle;
}

}  // namespace oriel::fake
