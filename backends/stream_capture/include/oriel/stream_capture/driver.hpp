#pragma once

#include <oriel/log.hpp>
#include <oriel/stream_capture/executable.hpp>
#include <oriel/stream_capture/module.hpp>
#include <oriel/stream_capture/sequence.hpp>

#include <memory>
#include <span>
#include <string>
#include <utility>

namespace oriel::stream_capture {

/// The driver of a vendor whose streams capture natively: every call of the core's is one of the
/// vendor's, and a window is a capture sequence. What is not a translation is here for what the
/// vendor's API can't do: it knows which streams a sequence has pulled in, and puts a new stream in
/// the place of one that won't leave capture mode.
template <CaptureApi Api>
class CaptureDriver final : public core::GraphDriver {
 public:
  CaptureDriver(std::shared_ptr<const Api> api, LogSink& log) : api_(std::move(api)), log_(log) {}
  CaptureDriver(const CaptureDriver&) = delete;
  CaptureDriver& operator=(const CaptureDriver&) = delete;
  ~CaptureDriver() override = default;

  [[nodiscard]] const DeviceInfo& info() const noexcept override { return api_->info(); }
  [[nodiscard]] const Capabilities& capabilities() const noexcept override {
    return api_->capabilities();
  }

  // Streams and events.
  [[nodiscard]] Result<std::unique_ptr<core::DriverStream>> create_stream() override {
    auto native = new_stream();
    if (!native) {
      return fail(std::move(native.error()));
    }
    return std::make_unique<Stream>(api_, std::move(*native));
  }

  [[nodiscard]] Result<void> synchronize(core::DriverStream& stream) override {
    const auto native = ours(stream).native();
    ORIEL_TRY(check_not_captured(native, "synchronize"));
    return inside([&] { return api_->stream_synchronize(native); });
  }

  [[nodiscard]] Result<bool> query(core::DriverStream& stream) override {
    const auto native = ours(stream).native();
    ORIEL_TRY(check_not_captured(native, "query"));
    return ready([&] { return api_->stream_query(native); });
  }

  [[nodiscard]] Result<std::unique_ptr<core::DriverEvent>> create_event() override {
    auto native = make_owned<OwnedEvent<Api>, typename Api::Event>(
        api_, [&](typename Api::Event* event) { return api_->event_create(event); });
    if (!native) {
      return fail(std::move(native.error()));
    }
    return std::make_unique<Event>(std::move(*native));
  }

  [[nodiscard]] Result<void> record(core::DriverEvent& event, core::DriverStream& stream) override {
    ORIEL_TRY(
        inside([&] { return api_->event_record(ours(event).native(), ours(stream).native()); }));
    ours(event).sequence = ours(stream).sequence;
    return {};
  }

  [[nodiscard]] Result<void> wait(core::DriverStream& stream, core::DriverEvent& event) override {
    ORIEL_TRY(
        inside([&] { return api_->stream_wait(ours(stream).native(), ours(event).native()); }));
    const auto& sequence = ours(event).sequence;
    if (sequence != nullptr && sequence->open && ours(stream).sequence == nullptr) {
      sequence->streams.push_back(&ours(stream));
      ours(stream).sequence = sequence;
    }
    return {};
  }

  [[nodiscard]] Result<bool> query(core::DriverEvent& event) override {
    return ready([&] { return api_->event_query(ours(event).native()); });
  }

  [[nodiscard]] Result<void> synchronize(core::DriverEvent& event) override {
    return inside([&] { return api_->event_synchronize(ours(event).native()); });
  }

  [[nodiscard]] Result<double> elapsed(core::DriverEvent& from, core::DriverEvent& to) override {
    float milliseconds = 0;
    ORIEL_TRY(inside([&] {
      return api_->event_elapsed(&milliseconds, ours(from).native(), ours(to).native());
    }));
    return static_cast<double>(milliseconds) / 1e3;
  }

  // Work.
  [[nodiscard]] Result<void> launch(core::DriverStream& stream,
                                    const core::LaunchCommand& command) override {
    return submit(
        ours(stream),
        [&](auto native) {
          return api_->launch(ours(*command.kernel).function(), command, native);
        },
        true);
  }

  [[nodiscard]] Result<void> copy(core::DriverStream& stream,
                                  const core::CopyCommand& command) override {
    return submit(ours(stream), [&](auto native) { return api_->copy(command, native); });
  }

  [[nodiscard]] Result<void> fill(core::DriverStream& stream,
                                  const core::FillCommand& command) override {
    return submit(ours(stream), [&](auto native) { return api_->fill(command, native); });
  }

  [[nodiscard]] Result<void> call_host(core::DriverStream& stream,
                                       const core::HostCommand& command) override {
    return submit(ours(stream), [&](auto native) { return api_->call_host(command, native); });
  }

  [[nodiscard]] Result<std::unique_ptr<core::DriverModule>> load_module(
      const KernelBundle& bundle) override {
    return CaptureModule<Api>::load(api_, bundle);
  }

  // Capture.
  [[nodiscard]] Result<void> begin(core::DriverStream& stream,
                                   core::CaptureMode mode,
                                   std::size_t expected_nodes) override {
    Stream& origin = ours(stream);
    if (origin.stuck) {
      ORIEL_TRY(replace(origin));
    }
    ORIEL_TRY(check_not_captured(origin.native(), "begin"));
    auto sequence = std::make_shared<Sequence>();
    sequence->nodes.reserve(expected_nodes);
    sequence->streams.reserve(kUsualStreams);
    ORIEL_TRY(inside([&] { return api_->capture_begin(origin.native(), mode); }));
    sequence->streams.push_back(&origin);
    origin.sequence = std::move(sequence);
    return {};
  }

  [[nodiscard]] Result<core::Instantiated> instantiate(core::DriverStream& stream,
                                                       const core::Recording& recording,
                                                       bool doomed) override {
    const std::shared_ptr<Sequence> sequence = ours(stream).sequence;
    OwnedGraph<Api> graph;
    const Outcome ended = end(ours(stream), graph);
    if (Api::kEndsAgain && !ended.ok() && is_captured(ours(stream))) {
      OwnedGraph<Api> worthless;
      static_cast<void>(end(ours(stream), worthless));
    }
    close(*sequence, !ended.ok());
    ORIEL_TRY(judge(*api_, ended));
    if (doomed) {
      return core::Instantiated{};
    }
    return make_executable(std::move(graph), recording, std::move(sequence->nodes));
  }

  [[nodiscard]] Result<void> upload(core::DriverExecutable& executable,
                                    core::DriverStream& stream) override {
    return inside(
        [&] { return api_->executable_upload(ours(executable).native(), ours(stream).native()); });
  }

  [[nodiscard]] Result<void> replay(core::DriverExecutable& executable,
                                    core::DriverStream& stream) override {
    return inside(
        [&] { return api_->executable_launch(ours(executable).native(), ours(stream).native()); });
  }

  [[nodiscard]] Result<void> update(core::DriverExecutable& executable,
                                    NodeId node,
                                    std::span<void* const> values) override {
    core::LaunchCommand command = ours(executable).launch(node);
    command.values = values;
    return inside([&] {
      return api_->executable_update(ours(executable).native(),
                                     ours(executable).node(node),
                                     ours(*command.kernel).function(),
                                     command);
    });
  }

 private:
  using Sequence = CaptureSequence<Api>;
  using Stream = CaptureStream<Api>;
  using Event = CaptureEvent<Api>;
  using Executable = CaptureExecutable<Api>;
  using Kernel = CaptureKernel<Api>;
  static constexpr std::size_t kUsualStreams = 8;

  // The handles that come in are those that went out.
  static Stream& ours(core::DriverStream& stream) noexcept { return static_cast<Stream&>(stream); }
  static Event& ours(core::DriverEvent& event) noexcept { return static_cast<Event&>(event); }
  static Executable& ours(core::DriverExecutable& executable) noexcept {
    return static_cast<Executable&>(executable);
  }
  static const Kernel& ours(const core::DriverKernel& kernel) noexcept {
    return static_cast<const Kernel&>(kernel);
  }

  template <class Call>
  [[nodiscard]] Result<void> inside(Call&& call) const {
    return judge(*api_, within(*api_, call));
  }

  /// For questions: "not ready" is an answer.
  template <class Call>
  [[nodiscard]] Result<bool> ready(Call&& call) const {
    const Outcome outcome = within(*api_, call);
    if (outcome.code == Outcome::kNotReady) {
      return false;
    }
    if (!outcome.ok()) {
      return fail(api_->error(outcome));
    }
    return true;
  }

  /// One command, eager or recorded. Of a recorded launch the vendor's node is kept, by which its
  /// parameters can be changed later.
  template <class Call>
  [[nodiscard]] Result<void> submit(Stream& stream, Call&& call, bool is_launch = false) {
    typename Api::Node node = nullptr;
    Outcome outcome = within(*api_, [&] {
      const Outcome given = call(stream.native());
      const bool recorded = given.ok() && is_launch && stream.sequence != nullptr;
      return recorded ? api_->capture_last_node(stream.native(), &node) : given;
    });
    ORIEL_TRY(judge(*api_, outcome));
    if (stream.sequence != nullptr) {
      stream.sequence->nodes.push_back(node);
    }
    return {};
  }

  [[nodiscard]] Result<OwnedStream<Api>> new_stream() const {
    return make_owned<OwnedStream<Api>, typename Api::Stream>(
        api_, [&](typename Api::Stream* stream) { return api_->stream_create(stream); });
  }

  /// Waiting for a stream that somebody captures through its native handle would break that.
  [[nodiscard]] Result<void> check_not_captured(typename Api::Stream stream, const char* call) {
    bool active = false;
    ORIEL_TRY(inside([&] { return api_->capture_active(stream, &active); }));
    if (active) {
      return fail(ErrorCode::kNotPermitted,
                  std::string(call) +
                      " would break a capture that was begun on the stream's native handle; end "
                      "that first");
    }
    return {};
  }

  [[nodiscard]] Outcome end(Stream& origin, OwnedGraph<Api>& graph) noexcept {
    typename Api::Graph handle = nullptr;
    Outcome ended = within(*api_, [&] { return api_->capture_end(origin.native(), &handle); });
    graph = OwnedGraph<Api>(api_, handle);
    if (ended.ok() && handle == nullptr) {
      ended.code = Outcome::kMadeNothing;
    }
    return ended;
  }

  /// A stream that won't say is taken for one that still is.
  [[nodiscard]] bool is_captured(const Stream& stream) const noexcept {
    bool active = false;
    const Outcome asked =
        within(*api_, [&] { return api_->capture_active(stream.native(), &active); });
    return active || !asked.ok();
  }

  /// The sequence is over. A stream that its failed end has left in capture mode is replaced.
  void close(Sequence& sequence, bool failed) noexcept {
    sequence.open = false;
    for (Stream* stream : sequence.streams) {
      stream->sequence.reset();
      stream->stuck = failed && is_captured(*stream);
      if (stream->stuck) {
        static_cast<void>(replace(*stream));  // begin tries again
      }
    }
    sequence.streams.clear();
  }

  [[nodiscard]] Result<void> replace(Stream& stream) noexcept {
    auto native = new_stream();
    if (!native) {
      return fail(std::move(native.error()));
    }
    stream.replace(std::move(*native));
    log_.write(LogLevel::kWarning,
               "a stream stayed in capture mode after its window; it was replaced by a new one");
    return {};
  }

  [[nodiscard]] Result<core::Instantiated> make_executable(OwnedGraph<Api> graph,
                                                           const core::Recording& recording,
                                                           std::vector<typename Api::Node> nodes) {
    NodeCount count;
    ORIEL_TRY(inside([&] { return count_nodes(*api_, graph.get(), count); }));
    core::Instantiated made;
    made.nodes = count.work;
    made.allocation_nodes = count.allocations;
    if (count.allocations != 0) {
      return made;  // it can't be replayed freely: the core refuses it
    }
    auto native = make_owned<OwnedExecutable<Api>, typename Api::Executable>(
        api_, [&](typename Api::Executable* executable) {
          return api_->executable_create(executable, graph.get());
        });
    if (!native) {
      return fail(std::move(native.error()));
    }
    made.executable = std::make_unique<Executable>(
        std::move(graph), std::move(*native), recording, std::move(nodes));
    return made;
  }

  std::shared_ptr<const Api> api_;
  LogSink& log_;
};

}  // namespace oriel::stream_capture
