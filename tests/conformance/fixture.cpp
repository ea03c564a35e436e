#include "conformance/fixture.hpp"

#include "suite_kernels.hpp"

#include <algorithm>
#include <cstring>
#include <exception>

namespace oriel::conformance {
namespace {

constexpr std::uint32_t kSlowRounds = 20000;

int fixtures_on_emulator = 0;
bool several_fixtures = false;  // at once: one's window says nothing about the other's calls
std::size_t live_before_first = 0;

RuntimeOptions with_plugins(RuntimeOptions options) {
  const auto& directories = suite_options().plugin_directories;
  options.plugin_directories.insert(
      options.plugin_directories.end(), directories.begin(), directories.end());
  return options;
}

}  // namespace

Options& suite_options() {
  static Options options;
  return options;
}

std::vector<std::string>& declared_capabilities() {
  static std::vector<std::string> names;
  return names;
}

std::string code_of(const CaptureResult& result) {
  return result ? "ok" : std::string(to_string(result.error().error.code));
}

void fail_at(const char* file, int line, const std::string& message) {
  FAIL(file << ":" << line << ": " << message);
  throw std::logic_error("unreachable");
}

Graph must_graph(CaptureResult result, const char* file, int line) {
  if (!result) {
    fail_at(file, line, result.error().error.to_string());
  }
  return std::move(*result);
}

Fixture::Fixture(const RuntimeOptions& options)
    : emulator_(test::EmulatedDriver::of_backend(suite_options().backend)) {
  several_fixtures = several_fixtures || fixtures_on_emulator > 0;
  if (emulator_ && fixtures_on_emulator++ == 0) {
    several_fixtures = false;
    emulator_->control().clear_log();
    emulator_->control().clear_violations();
    live_before_first = emulator_->live().total();
  }
  start_up(Runtime::open(suite_options().backend, with_plugins(options)), suite_kernels::bundle());
}

Fixture::Fixture(std::shared_ptr<fake::Script> script, const RuntimeOptions& options)
    : script_(std::move(script)) {
  start_up(Runtime::open(fake::make_driver(script_), options), suite_kernels::bundle());
}

void Fixture::start_up(Result<Runtime> runtime, const KernelBundle& bundle) {
  runtime_ = must(std::move(runtime));
  for (std::size_t i = 0; i < kStreams; ++i) {
    streams_.push_back(must(runtime_->create_stream({.exclusive = true})));
  }
  const Module module = must(runtime_->load(bundle));
  for (const KernelSignature& signature : bundle.kernels) {
    kernels_.push_back(must(module.kernel(signature.name)));
  }
  start_ = stats();
}

Fixture::~Fixture() {
  if (!finished_ && std::uncaught_exceptions() == 0) {
    finish();
  }
  if (emulator_) {
    check_emulator();
  }
}

const Kernel& Fixture::kernel(std::string_view name) const {
  const auto found = std::find_if(kernels_.begin(), kernels_.end(), [&](const Kernel& kernel) {
    return kernel.signature().name == name;
  });
  if (found == kernels_.end()) {
    throw std::logic_error("the suite has no kernel " + std::string(name));
  }
  return *found;
}

Words Fixture::words(const Stream& stream, Word value, std::size_t count) {
  Words buffer = must(stream.allocate<Word>(count));
  must(stream.fill(buffer, value));
  return buffer;
}

LaunchConfig Fixture::over(std::size_t count, std::string_view label) const {
  return {static_cast<std::uint32_t>(count / kGroup), kGroup, label};
}

Result<void> Fixture::inc(const Stream& stream, const Words& buffer, std::string_view label) const {
  return stream.launch(kernel("inc"), over(buffer.size(), label), inout(buffer));
}

Result<void> Fixture::copy(const Stream& stream, const Words& to, const Words& from) const {
  return stream.launch(kernel("copy"), over(to.size()), out(to), in(from));
}

Result<void> Fixture::scale_add(const Stream& stream,
                                const Words& to,
                                const Words& from,
                                Word k) const {
  return stream.launch(kernel("scale_add"), over(to.size()), inout(to), in(from), k);
}

Result<void> Fixture::slow_inc(const Stream& stream, const Words& buffer) const {
  return stream.launch(
      kernel("slow_inc"), over(buffer.size()), inout(buffer), std::uint32_t{kSlowRounds});
}

void Fixture::sync(const Stream& stream) {
  must(guarded("synchronize", [&] { return stream.synchronize(); }));
}

std::vector<Word> Fixture::read(const Stream& stream, const Words& buffer) {
  return must(guarded("read", [&] { return stream.read(buffer); }));
}

void Fixture::expect(const Stream& stream, const Words& buffer, Word value) {
  const std::vector<Word> got = read(stream, buffer);
  REQUIRE(!got.empty());
  const auto wrong = std::find_if(got.begin(), got.end(), [&](Word w) { return w != value; });
  INFO("of " << got.size() << " words, the first wrong one is at " << wrong - got.begin());
  CHECK((wrong == got.end() ? value : *wrong) == value);
}

void Fixture::nothing_ran(const Stream& stream, const Words& buffer, Word value) {
  INFO("NX: what was recorded must not have run");
  expect(stream, buffer, value);
}

void Fixture::recovery_check(const Stream& stream) {
  INFO("RC: the stream must be as good as new");
  const Word first = 1000 * ++seed_;
  const Words d = words(stream, first, 256);
  Window window(stream);
  open(window);
  must(inc(stream, d, "rc"));
  Graph graph = must_graph(window.instantiate());
  CHECK(graph.node_count() == 1);
  must(graph.replay(stream));
  must(graph.replay(stream));
  sync(stream);
  expect(stream, d, first + 2);
  CHECK(stream.window_state() == WindowState::kIdle);
}

void Fixture::scribble(const Stream& stream) {
  constexpr std::size_t kSizes[] = {64, 64, 256, 256, 1024, 4096, 4096, 20480, 65536, 1 << 20};
  std::vector<Buffer<std::uint8_t>> device;
  std::vector<PinnedBuffer<std::uint8_t>> pinned;
  for (const std::size_t bytes : kSizes) {
    for (int i = 0; i < 3; ++i) {
      if (auto block = stream.allocate<std::uint8_t>(bytes)) {
        must(stream.fill(*block, std::uint8_t{0xEE}));
        device.push_back(std::move(*block));
      }
      if (auto block = stream.allocate_pinned<std::uint8_t>(bytes)) {
        std::fill(block->host().begin(), block->host().end(), std::uint8_t{0xEE});
        pinned.push_back(std::move(*block));
      }
    }
  }
  device.clear();
  pinned.clear();
  sync(stream);
}

void Fixture::open(Window& window) {
  must(window.prepare());
  must(window.begin());
}

void Fixture::declared_unsupported(std::string_view capability) {
  declared_capabilities().emplace_back(capability);
}

void Fixture::finish() {
  finished_ = true;
  for (const Stream& stream : streams_) {
    CHECK(stream.window_state() == WindowState::kIdle);
    CHECK(code_of(guarded("synchronize", [&] { return stream.synchronize(); })) == "ok");
  }
  CHECK(code_of(guarded("runtime.synchronize", [&] { return runtime_->synchronize(); })) == "ok");
  CHECK(code_of(runtime_->trim()) == "ok");
  const RuntimeStats now = stats();
  CHECK(now.open_windows == 0);
  CHECK(now.graph_device_bytes == start_.graph_device_bytes);
  CHECK(now.graph_pinned_bytes == start_.graph_pinned_bytes);
  CHECK(now.live_graphs == start_.live_graphs);
  CHECK(now.live_events == start_.live_events);
  CHECK(now.live_modules == start_.live_modules);
  CHECK(now.live_streams == start_.live_streams);
  CHECK(now.live_slices == start_.live_slices);
  CHECK(now.queued_drops == 0);
  CHECK(now.claims == 0);
  CHECK(now.device_in_use == start_.device_in_use);
  CHECK(now.pinned_in_use == start_.pinned_in_use);
  CHECK(now.device_reserved <= start_.device_reserved);
  CHECK(now.pinned_reserved <= start_.pinned_reserved);
  if (script_ != nullptr) {
    check_script();
  }
}

void Fixture::check_script() {
  script_->clear_faults();
  CHECK(script_->violations() == std::vector<std::string>{});
  CHECK(code_of(runtime_->close()) == "ok");
  kernels_.clear();
  streams_.clear();
  runtime_.reset();
  CHECK(script_->live().total() == 0);
  CHECK(script_->violations() == std::vector<std::string>{});
}

void Fixture::check_emulator() {
  kernels_.clear();
  streams_.clear();
  runtime_.reset();
  const bool is_last = --fixtures_on_emulator == 0;
  if (std::uncaught_exceptions() != 0) {
    return;
  }
  if (!breaks_rules_) {
    CHECK(emulator_->violations() == std::vector<std::string>{});
  }
  if (!breaks_rules_ && !several_fixtures) {
    CHECK(emulator_->destroyed_in_capture() == std::vector<std::string>{});
  }
  if (is_last) {
    CHECK(emulator_->live().total() == live_before_first);
  }
}

void Ranges::add(const RawBuffer& buffer) {
  ranges_.emplace_back(buffer.device_address(), buffer.device_address() + buffer.bytes());
}

bool Ranges::overlaps(const RawBuffer& buffer) const {
  const std::uint64_t first = buffer.device_address();
  const std::uint64_t last = first + buffer.bytes();
  return std::any_of(ranges_.begin(), ranges_.end(), [&](const auto& range) {
    return first < range.second && range.first < last;
  });
}

bool names_stream(const Error& error, const Stream& stream) {
  return contains(error.message, "stream " + std::to_string(stream.id().index));
}

bool contains(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

double seconds_since(std::chrono::steady_clock::time_point from) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - from).count();
}

}  // namespace oriel::conformance
