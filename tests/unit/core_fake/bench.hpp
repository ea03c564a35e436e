#pragma once

#include "support/catch.hpp"
#include "support/fake_driver.hpp"
#include "support/test_kernels.hpp"
#include "support/watchdog.hpp"

#include <oriel/oriel.hpp>

#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace oriel::fake {

using Word = std::uint32_t;
using Words = Buffer<Word>;

inline constexpr std::size_t kWords = 256;
inline constexpr std::uint32_t kGroup = 64;

/// "ok", or the name of the error's code.
template <class T>
[[nodiscard]] std::string code_of(const tl::expected<T, Error>& result) {
  return result ? "ok" : std::string(to_string(result.error().code));
}
[[nodiscard]] inline std::string code_of(const CaptureResult& result) {
  return result ? "ok" : std::string(to_string(result.error().error.code));
}

/// The value; throws the error's text.
template <class T>
T must(tl::expected<T, Error> result) {
  if (!result) {
    throw std::runtime_error(result.error().to_string());
  }
  return std::move(*result);
}
[[nodiscard]] inline Graph must_graph(CaptureResult result) {
  if (!result) {
    throw std::runtime_error(result.error().error.to_string());
  }
  return std::move(*result);
}

/// A runtime on a scripted driver, with the kernels loaded.
class Bench {
 public:
  explicit Bench(std::shared_ptr<Script> driver, const RuntimeOptions& options = {})
      : script(std::move(driver)),
        runtime(must(Runtime::open(make_driver(script), options))),
        module(must(runtime.load(test_kernels()))),
        inc_kernel(must(module.kernel("inc"))),
        copy_kernel(must(module.kernel("copy"))),
        fill_kernel(must(module.kernel("fill"))),
        scale_add_kernel(must(module.kernel("scale_add"))) {}

  [[nodiscard]] Stream stream() const { return must(runtime.create_stream({.exclusive = true})); }
  [[nodiscard]] Words words(const Stream& stream, Word value, std::size_t count = kWords) const {
    Words buffer = must(stream.allocate<Word>(count));
    must(stream.fill(buffer, value));
    return buffer;
  }
  [[nodiscard]] static LaunchConfig over(std::size_t count) {
    return {static_cast<std::uint32_t>(count / kGroup), kGroup, {}};
  }
  [[nodiscard]] Result<void> inc(const Stream& stream, const Words& d) const {
    return stream.launch(inc_kernel, over(d.size()), inout(d));
  }
  [[nodiscard]] Result<void> copy(const Stream& stream, const Words& to, const Words& from) const {
    return stream.launch(copy_kernel, over(to.size()), out(to), in(from));
  }

  std::shared_ptr<Script> script;
  Runtime runtime;
  Module module;
  Kernel inc_kernel;
  Kernel copy_kernel;
  Kernel fill_kernel;
  Kernel scale_add_kernel;
};

/// Whether every word is `value`.
[[nodiscard]] inline bool all_are(const std::vector<Word>& words, Word value) {
  for (const Word word : words) {
    if (word != value) {
      return false;
    }
  }
  return !words.empty();
}

/// RC: a whole window works on the stream.
[[nodiscard]] inline std::string recover(const Bench& bench, const Stream& stream) {
  const Words d = bench.words(stream, 40);
  Window window(stream);
  must(window.prepare());
  must(window.begin());
  must(bench.inc(stream, d));
  Graph graph = must_graph(window.instantiate());
  must(graph.replay(stream));
  must(graph.replay(stream));
  if (!all_are(must(stream.read(d)), 42)) {
    return "wrong bytes";
  }
  return stream.window_state() == WindowState::kIdle ? "ok" : "not idle";
}

[[nodiscard]] inline std::vector<RecordingMode> both_modes() {
  return {RecordingMode::kCaptures, RecordingMode::kBuilds};
}
[[nodiscard]] inline std::string name_of(RecordingMode mode) {
  return mode == RecordingMode::kCaptures ? "captures" : "builds";
}

}  // namespace oriel::fake
