#include "fake_objects.hpp"

#include <oriel/alloc/stream_pool.hpp>

#include <cstdlib>
#include <cstring>
#include <utility>

namespace oriel::fake {
namespace {

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
    auto* memory = reinterpret_cast<void*>(block.address);
    std::memset(memory, 0xDD, block.bytes);
    std::free(memory);  // NOLINT(cppcoreguidelines-no-malloc): of aligned_alloc
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

}  // namespace

FakeEvent::~FakeEvent() {
  machine->destroyed(Call::kDestroyEvent, &Live::events);
}

FakeModule::~FakeModule() {
  machine->destroyed(Call::kDestroyModule, &Live::modules);
}

FakeExecutable::~FakeExecutable() {
  machine->destroyed(Call::kDestroyExecutable, &Live::executables);
}

FakeStream::~FakeStream() {
  if (!machine->done(last)) {
    machine->violation("destroy_stream with work pending");
  }
  device.reset();
  pinned.reset();
  machine->destroyed(Call::kDestroyStream, &Live::streams);
}

std::unique_ptr<core::MemoryPool> FakeStream::make_pool(MemoryKind kind) const {
  return std::make_unique<alloc::StreamPool>(std::make_unique<FakeProvider>(machine, state, kind),
                                             kPools);
}

}  // namespace oriel::fake
