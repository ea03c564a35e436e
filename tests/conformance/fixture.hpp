#pragma once

#include "conformance/conformance.hpp"
#include "support/catch.hpp"
#include "support/emulated_driver.hpp"
#include "support/fake_driver.hpp"
#include "support/watchdog.hpp"

#include <oriel/oriel.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace oriel::conformance {

using Word = std::uint32_t;
using Words = Buffer<Word>;
using PinnedWords = PinnedBuffer<Word>;
using test::guarded;

inline constexpr std::size_t kLoopScale =
    test::kSanitized ? 10 : 1;  ///< Loops are this much shorter.

/// The options of this run of the suite.
[[nodiscard]] Options& suite_options();
/// What the running test declared as absent; the reporter empties it.
[[nodiscard]] std::vector<std::string>& declared_capabilities();

/// "ok", or the name of the error's code.
template <class T>
[[nodiscard]] std::string code_of(const tl::expected<T, Error>& result) {
  return result ? "ok" : std::string(to_string(result.error().code));
}
[[nodiscard]] std::string code_of(const CaptureResult& result);

/// Ends the test, as FAIL does, with the caller's place. (clang 14 has no std::source_location.)
[[noreturn]] void fail_at(const char* file, int line, const std::string& message);

/// The value, or the end of the test with the error's text.
template <class T>
T must(tl::expected<T, Error> result,
       const char* file = __builtin_FILE(),
       int line = __builtin_LINE()) {
  if (!result) {
    fail_at(file, line, result.error().to_string());
  }
  return std::move(*result);
}
[[nodiscard]] Graph must_graph(CaptureResult result,
                               const char* file = __builtin_FILE(),
                               int line = __builtin_LINE());

/// One test's runtime, streams and kernels. At the end, when the test's own handles are gone, the
/// four counters must be back where they were: reserved memory (after trim), memory pinned by
/// graphs, live objects, open windows. Where an emulated driver is under test it must have seen no
/// rule of its vendor's broken and nothing given back inside a window, and once the last fixture is
/// gone it must have nothing left.
class Fixture {
 public:
  /// Three exclusive streams, so that each has a device stream of its own.
  static constexpr std::size_t kStreams = 3;
  static constexpr std::size_t kWords = 1024;
  static constexpr std::uint32_t kGroup = 64;

  /// On the backend under test.
  explicit Fixture(const RuntimeOptions& options = {});
  /// On a scripted driver.
  explicit Fixture(std::shared_ptr<fake::Script> script, const RuntimeOptions& options = {});
  Fixture(const Fixture&) = delete;
  Fixture& operator=(const Fixture&) = delete;
  ~Fixture();

  [[nodiscard]] const Runtime& runtime() const noexcept { return *runtime_; }
  [[nodiscard]] Stream& stream(std::size_t index = 0) { return streams_[index]; }
  [[nodiscard]] const Kernel& kernel(std::string_view name) const;
  [[nodiscard]] RuntimeStats stats() const { return runtime_->stats(); }
  [[nodiscard]] const RuntimeStats& start() const noexcept { return start_; }
  [[nodiscard]] fake::Script& script() noexcept { return *script_; }

  /// A new buffer of words, each `value`.
  [[nodiscard]] Words words(const Stream& stream, Word value, std::size_t count = kWords);
  [[nodiscard]] LaunchConfig over(std::size_t count, std::string_view label = {}) const;
  /// One launch over all of `buffer`.
  [[nodiscard]] Result<void> inc(const Stream& stream,
                                 const Words& buffer,
                                 std::string_view label = {}) const;
  [[nodiscard]] Result<void> copy(const Stream& stream, const Words& to, const Words& from) const;
  [[nodiscard]] Result<void> scale_add(const Stream& stream,
                                       const Words& to,
                                       const Words& from,
                                       Word k) const;
  /// Adds one, slowly.
  [[nodiscard]] Result<void> slow_inc(const Stream& stream, const Words& buffer) const;

  void sync(const Stream& stream);
  [[nodiscard]] std::vector<Word> read(const Stream& stream, const Words& buffer);
  /// Every word of `buffer` is `value`.
  void expect(const Stream& stream, const Words& buffer, Word value);
  /// NX: what a window recorded has not run: every word still is `value`.
  void nothing_ran(const Stream& stream, const Words& buffer, Word value);
  /// RC: a whole window works on the stream, which is idle afterwards.
  void recovery_check(const Stream& stream);
  /// Takes much free pool memory, device and pinned, fills it with 0xEE, and drops it.
  void scribble(const Stream& stream);
  /// Prepares, warms up with `step`, and begins.
  template <class Step>
  void open(Window& window, Stream& stream, Step step) {
    must(window.prepare());
    must(step(stream));
    must(window.begin());
    CHECK(stream.window_state() == WindowState::kRecording);
  }
  /// Prepares and begins with nothing in between.
  void open(Window& window);

  /// Records that the backend denies a capability, whose refusal the test asserts instead.
  void declared_unsupported(std::string_view capability);
  /// Leaves the runtime's counters unchecked: the test closed it.
  void closed() noexcept { finished_ = true; }
  /// The test breaks the vendor's rules on purpose, behind Oriel's back.
  void breaks_rules() noexcept { breaks_rules_ = true; }
  /// Compares the counters with the start; the destructor does it if nobody did.
  void finish();

 private:
  void start_up(Result<Runtime> runtime, const KernelBundle& bundle);
  void check_script();
  void check_emulator();

  std::shared_ptr<fake::Script> script_;
  std::optional<test::EmulatedDriver> emulator_;
  std::optional<Runtime> runtime_;
  std::vector<Stream> streams_;
  std::vector<Kernel> kernels_;
  RuntimeStats start_;
  Word seed_ = 1;
  bool finished_ = false;
  bool breaks_rules_ = false;
};

/// Half-open ranges of device addresses.
class Ranges {
 public:
  void add(const RawBuffer& buffer);
  [[nodiscard]] bool overlaps(const RawBuffer& buffer) const;

 private:
  std::vector<std::pair<std::uint64_t, std::uint64_t>> ranges_;
};

/// Whether the error names the stream, in its text or in its field.
[[nodiscard]] bool names_stream(const Error& error, const Stream& stream);
[[nodiscard]] bool contains(std::string_view text, std::string_view part);
/// Seconds since `from`.
[[nodiscard]] double seconds_since(std::chrono::steady_clock::time_point from);

}  // namespace oriel::conformance
