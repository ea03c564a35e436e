#include "fake_driver.hpp"

#include <oriel/alloc/stream_pool.hpp>
#include <oriel/kernel_launch.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <functional>
#include <set>
#include <stdexcept>
#include <utility>

namespace oriel::fake {
namespace {

constexpr std::chrono::seconds kBlockLimit{10};

constexpr std::array<std::string_view, kCallCount> kCallNames = {"create_stream",
                                                                 "synchronize_stream",
                                                                 "query_stream",
                                                                 "create_event",
                                                                 "record",
                                                                 "wait",
                                                                 "query_event",
                                                                 "synchronize_event",
                                                                 "elapsed",
                                                                 "launch",
                                                                 "copy",
                                                                 "fill",
                                                                 "call_host",
                                                                 "load_module",
                                                                 "begin",
                                                                 "instantiate",
                                                                 "upload",
                                                                 "replay",
                                                                 "update",
                                                                 "provider_allocate",
                                                                 "provider_release",
                                                                 "destroy_stream",
                                                                 "destroy_event",
                                                                 "destroy_module",
                                                                 "destroy_executable"};

std::byte* at(std::uint64_t address) {
  return reinterpret_cast<std::byte*>(address);
}

}  // namespace

std::string_view to_string(Call call) noexcept {
  return kCallNames[static_cast<std::size_t>(call)];
}

// ---- Script ------------------------------------------------------------------------------------

Script::Script(RecordingMode recording) {
  capabilities.recording = recording;
  capabilities.fork_join = true;
  capabilities.update = true;
  capabilities.host_functions = true;
  capabilities.event_timing = true;
  capabilities.double_precision = true;
  capabilities.printf_per_replay = true;
  capabilities.fill_pattern_bytes = 16;
}

void Script::fail(Call call, std::uint64_t k, Fault fault) {
  const std::scoped_lock lock(mutex_);
  const auto index = static_cast<std::size_t>(call);
  faults_[index] = {calls_[index] + k, std::move(fault)};
}

void Script::clear_faults() {
  const std::scoped_lock lock(mutex_);
  faults_.fill({});
  fault_met_ = false;
}

bool Script::fault_met() const {
  const std::scoped_lock lock(mutex_);
  return fault_met_;
}

void Script::block(Call call) {
  const std::scoped_lock lock(mutex_);
  block_ = static_cast<int>(call);
  blocked_ = false;
}

bool Script::wait_until_blocked() {
  std::unique_lock lock(mutex_);
  return changed_.wait_for(lock, kBlockLimit, [this] { return blocked_; });
}

void Script::unblock() {
  const std::scoped_lock lock(mutex_);
  block_ = -1;
  changed_.notify_all();
}

void Script::set_scratch(std::string_view kernel, std::size_t bytes) {
  const std::scoped_lock lock(mutex_);
  scratch_.insert_or_assign(std::string(kernel), bytes);
}

void Script::set_allocation_nodes(std::size_t count) {
  const std::scoped_lock lock(mutex_);
  allocation_nodes_ = count;
}

void Script::set_node_skew(int skew) {
  const std::scoped_lock lock(mutex_);
  node_skew_ = skew;
}

std::uint64_t Script::calls(Call call) const {
  const std::scoped_lock lock(mutex_);
  return calls_[static_cast<std::size_t>(call)];
}

std::uint64_t Script::calls_in_window(Call call) const {
  const std::scoped_lock lock(mutex_);
  return calls_in_window_[static_cast<std::size_t>(call)];
}

Live Script::live() const {
  const std::scoped_lock lock(mutex_);
  return live_;
}

bool Script::window_open() const {
  const std::scoped_lock lock(mutex_);
  return windows_ != 0;
}

std::vector<std::string> Script::violations() const {
  const std::scoped_lock lock(mutex_);
  return violations_;
}

Result<void> Script::enter(Call call) {
  std::unique_lock lock(mutex_);
  const auto index = static_cast<std::size_t>(call);
  const std::uint64_t count = ++calls_[index];
  if (windows_ != 0) {
    ++calls_in_window_[index];
  }
  if (call == Call::kBegin) {
    ++windows_;
  }
  if (block_ == static_cast<int>(index)) {
    blocked_ = true;
    changed_.notify_all();
    changed_.wait_for(lock, kBlockLimit, [&] { return block_ != static_cast<int>(index); });
  }
  const Armed& armed = faults_[index];
  if (armed.at == 0 || count < armed.at || count - armed.at >= armed.fault.times) {
    return {};
  }
  fault_met_ = true;
  if (call == Call::kBegin) {
    --windows_;
  }
  const Fault fault = faults_[index].fault;
  if (fault.throws) {
    throw std::runtime_error("the fake driver was told to throw in " +
                             std::string(fake::to_string(call)));
  }
  Error error(fault.code, "the fake driver was told to fail");
  error.native = {fault.native, fault.name};
  return oriel::fail(std::move(error));
}

void Script::note_violation(std::string text) {
  const std::scoped_lock lock(mutex_);
  if (violations_.size() < 32) {
    violations_.push_back(std::move(text));
  }
}

// ---- Machine -----------------------------------------------------------------------------------

namespace {

struct FakeStream;

struct FakeKernel final : core::DriverKernel {
  oriel_host_function* function = nullptr;
  std::vector<std::uint32_t> sizes;  // of the arguments' values
  std::size_t scratch = 0;

  [[nodiscard]] std::size_t scratch_bytes() const noexcept override { return scratch; }
};

using Work = std::function<void()>;
using Nodes = std::vector<Work>;

// What one window of the driver's collects.
struct Capture {
  FakeStream* origin = nullptr;
  Nodes nodes;
  std::set<FakeStream*> members;
  std::set<FakeStream*> unjoined;
};

struct FakeEvent final : core::DriverEvent {
  explicit FakeEvent(std::shared_ptr<Machine> machine_) : machine(std::move(machine_)) {}
  FakeEvent(const FakeEvent&) = delete;
  FakeEvent& operator=(const FakeEvent&) = delete;
  ~FakeEvent() override;

  std::shared_ptr<Machine> machine;
  std::atomic<std::uint64_t> ticket{0};
  std::atomic<bool> captured{false};  // recorded in a window
  std::shared_ptr<Capture> capture;   // which
  FakeStream* stream = nullptr;       // there
};

struct FakeModule final : core::DriverModule {
  explicit FakeModule(std::shared_ptr<Machine> machine_) : machine(std::move(machine_)) {}
  FakeModule(const FakeModule&) = delete;
  FakeModule& operator=(const FakeModule&) = delete;
  ~FakeModule() override;
  [[nodiscard]] core::DriverKernel* kernel(std::size_t index) noexcept override {
    return &kernels[index];
  }

  std::shared_ptr<Machine> machine;
  std::deque<FakeKernel> kernels;
};

struct FakeExecutable final : core::DriverExecutable {
  explicit FakeExecutable(std::shared_ptr<Machine> machine_) : machine(std::move(machine_)) {}
  FakeExecutable(const FakeExecutable&) = delete;
  FakeExecutable& operator=(const FakeExecutable&) = delete;
  ~FakeExecutable() override;

  std::shared_ptr<Machine> machine;
  std::shared_ptr<const Nodes> nodes;         // replaced as a whole by update
  std::vector<core::LaunchCommand> launches;  // by node; kernel null where it is no launch
};

}  // namespace

// The device behind a script: one global order of work, run when somebody waits.
class Machine : public std::enable_shared_from_this<Machine> {
 public:
  explicit Machine(std::shared_ptr<Script> script) : script_(std::move(script)) {}

  [[nodiscard]] Script& script() noexcept { return *script_; }
  [[nodiscard]] Result<void> enter(Call call) { return script_->enter(call); }
  void violation(std::string text) { script_->note_violation(std::move(text)); }

  void destroyed(Call call, std::size_t Live::*count) {
    const std::scoped_lock lock(script_->mutex_);
    const auto index = static_cast<std::size_t>(call);
    ++script_->calls_[index];
    --(script_->live_.*count);
    if (script_->windows_ != 0) {
      ++script_->calls_in_window_[index];
      script_->violations_.push_back(std::string(fake::to_string(call)) + " in a window");
    }
  }
  void created(std::size_t Live::*count) {
    const std::scoped_lock lock(script_->mutex_);
    ++(script_->live_.*count);
  }
  void window_closed() {
    const std::scoped_lock lock(script_->mutex_);
    --script_->windows_;
  }
  [[nodiscard]] std::size_t scratch(std::string_view kernel) {
    const std::scoped_lock lock(script_->mutex_);
    const auto found = script_->scratch_.find(kernel);
    return found == script_->scratch_.end() ? 0 : found->second;
  }
  [[nodiscard]] std::pair<std::size_t, int> claimed_nodes() {
    const std::scoped_lock lock(script_->mutex_);
    return {script_->allocation_nodes_, script_->node_skew_};
  }

  [[nodiscard]] std::uint64_t enqueue(Work work) {
    const std::scoped_lock lock(queue_mutex_);
    queue_.push_back(std::move(work));
    return ++enqueued_;
  }
  [[nodiscard]] std::uint64_t enqueued() {
    const std::scoped_lock lock(queue_mutex_);
    return enqueued_;
  }
  [[nodiscard]] bool done(std::uint64_t ticket) {
    const std::scoped_lock lock(queue_mutex_);
    return done_ >= ticket;
  }
  // Runs everything up to `ticket`.
  void run_until(std::uint64_t ticket) {
    const std::scoped_lock running(run_mutex_);
    while (true) {
      Work work;
      {
        const std::scoped_lock lock(queue_mutex_);
        if (done_ >= ticket) {
          return;
        }
        work = std::move(queue_.front());
        queue_.pop_front();
      }
      work();
      work = nullptr;
      const std::scoped_lock lock(queue_mutex_);
      ++done_;
    }
  }

  // Notes the blocks the provider gave, to find work that touches freed memory.
  void add_block(std::uint64_t address, std::size_t bytes) {
    const std::scoped_lock lock(blocks_mutex_);
    blocks_[address] = bytes;
  }
  void remove_block(std::uint64_t address) {
    const std::scoped_lock lock(blocks_mutex_);
    blocks_.erase(address);
  }
  // Whether the bytes lie in one block; notes a violation if not.
  [[nodiscard]] bool check(std::uint64_t address, std::size_t bytes, std::string_view what) {
    if (bytes == 0) {
      return true;
    }
    {
      const std::scoped_lock lock(blocks_mutex_);
      auto next = blocks_.upper_bound(address);
      if (next != blocks_.begin()) {
        --next;
        if (address + bytes <= next->first + next->second) {
          return true;
        }
      }
    }
    violation(std::string(what) + " touches memory that was freed");
    return false;
  }

  std::atomic<int> inside{0};

 private:
  std::shared_ptr<Script> script_;

  std::mutex run_mutex_;    // held while work runs, so that the order is one
  std::mutex queue_mutex_;  // guards what follows
  std::deque<Work> queue_;
  std::uint64_t enqueued_ = 0;
  std::uint64_t done_ = 0;

  std::mutex blocks_mutex_;
  std::map<std::uint64_t, std::size_t> blocks_;
};

namespace {

FakeEvent::~FakeEvent() {
  machine->destroyed(Call::kDestroyEvent, &Live::events);
}
FakeModule::~FakeModule() {
  machine->destroyed(Call::kDestroyModule, &Live::modules);
}
FakeExecutable::~FakeExecutable() {
  machine->destroyed(Call::kDestroyExecutable, &Live::executables);
}

// Which stream's pools may not call the provider now.
struct StreamState {
  std::shared_ptr<Capture> capture;
  std::atomic<bool> captured{false};  // the same, for calls that come without the lock
};

// Small pages, so that providers are called often.
constexpr alloc::PoolOptions kPools{.page_bytes = std::size_t{64} << 10U, .limit = 0};

class FakeProvider final : public alloc::Provider {
 public:
  FakeProvider(std::shared_ptr<Machine> machine,
               std::shared_ptr<StreamState> stream,
               MemoryKind kind)
      : machine_(std::move(machine)), stream_(std::move(stream)), kind_(kind) {}

  [[nodiscard]] Result<alloc::Block> allocate(std::size_t bytes) override {
    if (stream_->capture != nullptr) {
      machine_->violation("provider_allocate on a stream in a window");
    }
    ORIEL_TRY(machine_->enter(Call::kProviderAllocate));
    void* memory = std::aligned_alloc(granularity(), bytes);
    if (memory == nullptr) {
      return oriel::fail(ErrorCode::kOutOfMemory, "the machine has no memory left");
    }
    std::memset(memory, 0xCD, bytes);
    machine_->created(&Live::blocks);
    const auto address = reinterpret_cast<std::uint64_t>(memory);
    machine_->add_block(address, bytes);
    return alloc::Block{
        address, kind_ == MemoryKind::kPinned ? static_cast<std::byte*>(memory) : nullptr, bytes};
  }
  void release(const alloc::Block& block) noexcept override {
    machine_->remove_block(block.address);
    machine_->destroyed(Call::kProviderRelease, &Live::blocks);
    std::memset(at(block.address), 0xDD, block.bytes);
    std::free(at(block.address));  // NOLINT(cppcoreguidelines-no-malloc): of aligned_alloc
  }
  [[nodiscard]] std::size_t alignment() const noexcept override {
    return kind_ == MemoryKind::kPinned ? 64 : 256;
  }
  [[nodiscard]] std::size_t granularity() const noexcept override { return 4096; }
  [[nodiscard]] MemoryKind kind() const noexcept override { return kind_; }

 private:
  std::shared_ptr<Machine> machine_;
  std::shared_ptr<StreamState> stream_;
  MemoryKind kind_;
};

struct FakeStream final : core::DriverStream {
  explicit FakeStream(std::shared_ptr<Machine> machine_)
      : machine(std::move(machine_)),
        state(std::make_shared<StreamState>()),
        device(make_pool(MemoryKind::kDevice)),
        pinned(make_pool(MemoryKind::kPinned)) {}
  FakeStream(const FakeStream&) = delete;
  FakeStream& operator=(const FakeStream&) = delete;
  ~FakeStream() override {
    if (!machine->done(last)) {
      machine->violation("destroy_stream with work pending");
    }
    device.reset();
    pinned.reset();
    machine->destroyed(Call::kDestroyStream, &Live::streams);
  }
  [[nodiscard]] core::MemoryPool& device_pool() noexcept override { return *device; }
  [[nodiscard]] core::MemoryPool& pinned_pool() noexcept override { return *pinned; }
  [[nodiscard]] void* native_handle() noexcept override { return this; }

  [[nodiscard]] const std::shared_ptr<Capture>& capture() const noexcept { return state->capture; }
  void enter(std::shared_ptr<Capture> capture) noexcept {
    state->captured = capture != nullptr;
    state->capture = std::move(capture);
  }
  [[nodiscard]] std::unique_ptr<core::MemoryPool> make_pool(MemoryKind kind) const {
    return std::make_unique<alloc::StreamPool>(std::make_unique<FakeProvider>(machine, state, kind),
                                               kPools);
  }

  std::shared_ptr<Machine> machine;
  std::shared_ptr<StreamState> state;
  std::unique_ptr<core::MemoryPool> device;
  std::unique_ptr<core::MemoryPool> pinned;
  std::atomic<std::uint64_t> last{0};  // ticket of its last work
};

// Copies what a launch needs; runs it when called.
Work launch_work(const core::LaunchCommand& command, std::span<void* const> values) {
  const auto& kernel = static_cast<const FakeKernel&>(*command.kernel);
  std::vector<std::vector<std::byte>> bytes;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const auto* value = static_cast<const std::byte*>(values[i]);
    bytes.emplace_back(value, value + kernel.sizes[i]);
  }
  const Dim3 grid = command.grid;
  const Dim3 group = command.group;
  return [function = kernel.function, bytes = std::move(bytes), grid, group]() mutable {
    std::vector<void*> pointers;
    for (auto& value : bytes) {
      pointers.push_back(value.data());
    }
    oriel_host_launch launch{};
    launch.grid[0] = grid.x;
    launch.grid[1] = grid.y;
    launch.grid[2] = grid.z;
    launch.group[0] = group.x;
    launch.group[1] = group.y;
    launch.group[2] = group.z;
    launch.group_count = std::uint64_t{grid.x} * grid.y * grid.z;
    function(&launch, pointers.data());
  };
}

Work copy_work(std::shared_ptr<Machine> machine, const core::CopyCommand& command) {
  return [machine = std::move(machine), command] {
    if (machine->check(command.source, command.bytes, "copy") &&
        machine->check(command.destination, command.bytes, "copy")) {
      std::memmove(at(command.destination), at(command.source), command.bytes);
    }
  };
}

Work fill_work(std::shared_ptr<Machine> machine, const core::FillCommand& command) {
  return [machine = std::move(machine), command] {
    if (machine->check(command.destination, command.bytes, "fill")) {
      for (std::size_t i = 0; i < command.bytes; i += command.pattern_bytes) {
        std::memcpy(at(command.destination) + i, command.pattern, command.pattern_bytes);
      }
    }
  };
}

Work host_work(const core::HostCommand& command) {
  return [command] { command.function(command.payload); };
}

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

  [[nodiscard]] Result<void> begin(core::DriverStream& stream, core::CaptureMode) override {
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
