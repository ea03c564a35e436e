#include "fake_driver.hpp"

#include "fake_objects.hpp"
#include "fake_work.hpp"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

namespace oriel::fake {
namespace {

// Notes when the core calls in from two threads at once.
class Inside {
 public:
  explicit Inside(Machine& machine) : machine_(machine) {
    if (machine_.inside.fetch_add(1) != 0) {
      machine_.violation("two calls at once");
    }
  }
  Inside(const Inside&) = delete;
  Inside& operator=(const Inside&) = delete;
  ~Inside() { machine_.inside.fetch_sub(1); }

 private:
  Machine& machine_;
};

class FakeDriver final : public core::GraphDriver {
 public:
  explicit FakeDriver(std::shared_ptr<Script> script)
      : machine_(std::make_shared<Machine>(script)), capabilities_(script->capabilities) {
    info_.backend = "fake";
    info_.name = "scripted driver";
    info_.driver_version = "1";
    info_.memory_bytes = std::size_t{1} << 30U;
    info_.emulated = true;
  }

  [[nodiscard]] const DeviceInfo& info() const noexcept override { return info_; }
  [[nodiscard]] const Capabilities& capabilities() const noexcept override { return capabilities_; }

  [[nodiscard]] Result<std::unique_ptr<core::DriverStream>> create_stream() override {
    const Inside inside(*machine_);
    ORIEL_TRY(machine_->enter(Call::kCreateStream));
    machine_->created(&Live::streams);
    return std::make_unique<FakeStream>(machine_);
  }

  [[nodiscard]] Result<void> synchronize(core::DriverStream& stream) override {
    auto& fake = static_cast<FakeStream&>(stream);
    ORIEL_TRY(machine_->enter(Call::kSynchronizeStream));
    refuse_capture(fake, "synchronize");
    machine_->run_until(fake.last);
    return {};
  }

  [[nodiscard]] Result<bool> query(core::DriverStream& stream) override {
    auto& fake = static_cast<FakeStream&>(stream);
    const Inside inside(*machine_);
    ORIEL_TRY(machine_->enter(Call::kQueryStream));
    refuse_capture(fake, "query");
    return machine_->done(fake.last);
  }

  [[nodiscard]] Result<std::unique_ptr<core::DriverEvent>> create_event() override {
    const Inside inside(*machine_);
    ORIEL_TRY(machine_->enter(Call::kCreateEvent));
    machine_->created(&Live::events);
    return std::make_unique<FakeEvent>(machine_);
  }

  [[nodiscard]] Result<void> record(core::DriverEvent& event, core::DriverStream& stream) override {
    auto& fake = static_cast<FakeEvent&>(event);
    auto& at_stream = static_cast<FakeStream&>(stream);
    const Inside inside(*machine_);
    ORIEL_TRY(machine_->enter(Call::kRecord));
    refuse_building(at_stream, "record");
    fake.capture = at_stream.capture();
    fake.captured = fake.capture != nullptr;
    fake.stream = &at_stream;
    fake.ticket = at_stream.last.load();
    return {};
  }

  [[nodiscard]] Result<void> wait(core::DriverStream& stream, core::DriverEvent& event) override {
    auto& fake = static_cast<FakeEvent&>(event);
    auto& waiter = static_cast<FakeStream&>(stream);
    const Inside inside(*machine_);
    ORIEL_TRY(machine_->enter(Call::kWait));
    refuse_building(waiter, "wait");
    if (waiter.capture() == nullptr && fake.capture != nullptr) {
      if (fake.capture->members.empty()) {
        machine_->violation("wait for an event of a window that is closed");
        return {};
      }
      waiter.enter(fake.capture);  // the fork
      fake.capture->members.insert(&waiter);
      fake.capture->unjoined.insert(&waiter);
    } else if (waiter.capture() != nullptr && fake.capture != waiter.capture()) {
      machine_->violation("wait in a window for an event from outside");
    } else if (waiter.capture() != nullptr && fake.stream != &waiter) {
      waiter.capture()->unjoined.erase(fake.stream);
    } else if (waiter.capture() == nullptr) {
      // The one global order has it already; but who waits for the stream waits for that too.
      waiter.last = std::max(waiter.last.load(), fake.ticket.load());
    }
    return {};
  }

  [[nodiscard]] Result<bool> query(core::DriverEvent& event) override {
    auto& fake = static_cast<FakeEvent&>(event);
    ORIEL_TRY(machine_->enter(Call::kQueryEvent));
    refuse_captured(fake, "query");
    return machine_->done(fake.ticket);
  }

  [[nodiscard]] Result<void> synchronize(core::DriverEvent& event) override {
    auto& fake = static_cast<FakeEvent&>(event);
    ORIEL_TRY(machine_->enter(Call::kSynchronizeEvent));
    refuse_captured(fake, "synchronize");
    machine_->run_until(fake.ticket);
    return {};
  }

  [[nodiscard]] Result<double> elapsed(core::DriverEvent& from, core::DriverEvent& to) override {
    const Inside inside(*machine_);
    ORIEL_TRY(machine_->enter(Call::kElapsed));
    refuse_captured(static_cast<FakeEvent&>(from), "elapsed");
    refuse_captured(static_cast<FakeEvent&>(to), "elapsed");
    return 0.001;
  }

  [[nodiscard]] Result<void> launch(core::DriverStream& stream,
                                    const core::LaunchCommand& command) override {
    const Inside inside(*machine_);
    return work(Call::kLaunch, stream, [&] { return launch_work(command, command.values); });
  }
  [[nodiscard]] Result<void> copy(core::DriverStream& stream,
                                  const core::CopyCommand& command) override {
    const Inside inside(*machine_);
    return work(Call::kCopy, stream, [&] { return copy_work(machine_, command); });
  }
  [[nodiscard]] Result<void> fill(core::DriverStream& stream,
                                  const core::FillCommand& command) override {
    const Inside inside(*machine_);
    return work(Call::kFill, stream, [&] { return fill_work(machine_, command); });
  }
  [[nodiscard]] Result<void> call_host(core::DriverStream& stream,
                                       const core::HostCommand& command) override {
    const Inside inside(*machine_);
    return work(Call::kCallHost, stream, [&] { return host_work(command); });
  }

  [[nodiscard]] Result<std::unique_ptr<core::DriverModule>> load_module(
      const KernelBundle& bundle) override {
    const Inside inside(*machine_);
    ORIEL_TRY(machine_->enter(Call::kLoadModule));
    machine_->created(&Live::modules);
    auto module = std::make_unique<FakeModule>(machine_);
    for (std::size_t i = 0; i < bundle.kernels.size(); ++i) {
      FakeKernel& kernel = module->kernels.emplace_back();
      kernel.function = bundle.host[i].function;
      kernel.scratch = machine_->scratch(bundle.kernels[i].name);
      for (const KernelParameter& parameter : bundle.kernels[i].parameters) {
        kernel.sizes.push_back(parameter.kind == ParameterKind::kBuffer ? 8 : parameter.bytes);
      }
    }
    return module;
  }

  [[nodiscard]] Result<void> begin(core::DriverStream& stream,
                                   core::CaptureMode,
                                   std::size_t) override {
    auto& fake = static_cast<FakeStream&>(stream);
    const Inside inside(*machine_);
    ORIEL_TRY(machine_->enter(Call::kBegin));
    if (fake.capture() != nullptr) {
      machine_->violation("begin on a stream in a window");
    }
    if (!machine_->done(fake.last)) {
      machine_->violation("begin on a stream that is not idle");
    }
    auto capture = std::make_shared<Capture>();
    capture->origin = &fake;
    capture->members.insert(&fake);
    fake.enter(std::move(capture));
    return {};
  }

  [[nodiscard]] Result<core::Instantiated> instantiate(core::DriverStream& stream,
                                                       const core::Recording& recording,
                                                       bool doomed) override {
    auto& fake = static_cast<FakeStream&>(stream);
    const Inside inside(*machine_);
    const std::shared_ptr<Capture> capture = fake.capture();
    if (capture == nullptr || capture->origin != &fake) {
      machine_->violation("instantiate on a stream that began nothing");
      return oriel::fail(ErrorCode::kInvalidState, "no window is open");
    }
    if (!recording.sealed()) {
      machine_->violation("instantiate with a recording that is not sealed");
    }
    if (!doomed && !capture->unjoined.empty()) {
      machine_->violation("instantiate with a stream that is not joined");
    }
    const Closing closing(*machine_, *capture);
    ORIEL_TRY(machine_->enter(Call::kInstantiate));
    core::Instantiated made;
    if (!doomed) {
      made = make(recording, *capture);
    }
    return made;
  }

  [[nodiscard]] Result<void> upload(core::DriverExecutable&, core::DriverStream& stream) override {
    const Inside inside(*machine_);
    refuse_capture(static_cast<FakeStream&>(stream), "upload");
    return machine_->enter(Call::kUpload);
  }

  [[nodiscard]] Result<void> replay(core::DriverExecutable& executable,
                                    core::DriverStream& stream) override {
    auto& fake = static_cast<FakeStream&>(stream);
    const Inside inside(*machine_);
    ORIEL_TRY(machine_->enter(Call::kReplay));
    refuse_capture(fake, "replay");
    fake.last = machine_->enqueue([nodes = static_cast<FakeExecutable&>(executable).nodes] {
      for (const Work& node : *nodes) {
        node();
      }
    });
    return {};
  }

  [[nodiscard]] Result<void> update(core::DriverExecutable& executable,
                                    NodeId node,
                                    std::span<void* const> values) override {
    auto& fake = static_cast<FakeExecutable&>(executable);
    const Inside inside(*machine_);
    ORIEL_TRY(machine_->enter(Call::kUpdate));
    if (node >= fake.launches.size() || fake.launches[node].kernel == nullptr) {
      machine_->violation("update of a node that is no launch");
      return {};
    }
    auto nodes = std::make_shared<Nodes>(*fake.nodes);
    (*nodes)[node] = launch_work(fake.launches[node], values);
    fake.nodes = std::move(nodes);
    return {};
  }

 private:
  // Takes every stream of a window out of it, whatever comes of the call.
  class Closing {
   public:
    Closing(Machine& machine, Capture& capture) : machine_(machine), capture_(capture) {}
    Closing(const Closing&) = delete;
    Closing& operator=(const Closing&) = delete;
    ~Closing() {
      for (FakeStream* member : capture_.members) {
        member->enter(nullptr);
      }
      capture_.members.clear();
      machine_.window_closed();
    }

   private:
    Machine& machine_;
    Capture& capture_;
  };

  void refuse_capture(FakeStream& stream, std::string_view call) {
    if (stream.state->captured) {
      machine_->violation(std::string(call) + " on a stream in a window");
    }
  }
  void refuse_building(FakeStream& stream, std::string_view call) {
    if (capabilities_.recording == RecordingMode::kBuilds) {
      refuse_capture(stream, call);
    }
  }
  void refuse_captured(FakeEvent& event, std::string_view call) {
    if (event.captured) {
      machine_->violation(std::string(call) + " of an event recorded in a window");
    }
  }

  template <class MakeWork>
  Result<void> work(Call call, core::DriverStream& stream, MakeWork make_work) {
    auto& fake = static_cast<FakeStream&>(stream);
    ORIEL_TRY(machine_->enter(call));
    refuse_building(fake, fake::to_string(call));
    if (fake.capture() != nullptr) {
      fake.capture()->nodes.push_back(make_work());
    } else {
      fake.last = machine_->enqueue(make_work());
    }
    return {};
  }

  core::Instantiated make(const core::Recording& recording, Capture& capture) {
    auto executable = std::make_unique<FakeExecutable>(machine_);
    machine_->created(&Live::executables);
    Nodes built;
    for (NodeId id = 0; id < recording.node_count(); ++id) {
      const core::Node node = recording.node(id);
      executable->launches.push_back(node.kind == core::NodeKind::kLaunch ? node.launch
                                                                          : core::LaunchCommand{});
      built.push_back(node_work(node));
    }
    if (capabilities_.recording == RecordingMode::kCaptures) {
      built = std::move(capture.nodes);
    }
    const auto [allocation_nodes, skew] = machine_->claimed_nodes();
    core::Instantiated made;
    made.nodes = static_cast<std::size_t>(static_cast<std::ptrdiff_t>(built.size()) + skew);
    made.allocation_nodes = allocation_nodes;
    executable->nodes = std::make_shared<const Nodes>(std::move(built));
    made.executable = std::move(executable);
    return made;
  }

  Work node_work(const core::Node& node) {
    switch (node.kind) {
      case core::NodeKind::kLaunch:
        return launch_work(node.launch, node.launch.values);
      case core::NodeKind::kCopy:
        return copy_work(machine_, node.copy);
      case core::NodeKind::kFill:
        return fill_work(machine_, node.fill);
      case core::NodeKind::kHost:
        return host_work(node.host);
    }
    return [] {};
  }

  std::shared_ptr<Machine> machine_;
  Capabilities capabilities_;
  DeviceInfo info_;
};

}  // namespace

std::unique_ptr<core::GraphDriver> make_driver(std::shared_ptr<Script> script) {
  return std::make_unique<FakeDriver>(std::move(script));
}

}  // namespace oriel::fake
