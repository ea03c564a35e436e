#pragma once

#include <oriel/alloc/general_pool.hpp>
#include <oriel/alloc/persistent_pool.hpp>
#include <oriel/alloc/provider.hpp>
#include <oriel/alloc/slice_table.hpp>
#include <oriel/core/memory_pool.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

namespace oriel::alloc {

struct PoolOptions {
  static constexpr std::size_t kUsualPage = std::size_t{8} << 20;

  /// What is asked of the provider at once; requests of more than half of it get their own page.
  std::size_t page_bytes = kUsualPage;
  /// The most bytes to hold, 0 for no limit.
  std::size_t limit = 0;
};

/// What one device stream allocates from: general memory outside windows, capture memory from `arm`
/// to `disarm`, both out of the same pages. See core::MemoryPool for the rules.
///
/// Capture memory stays so for life, since a recording finds its slices again by their exact size.
/// While no window needs it, the idle part of it goes back to general memory rather than to let the
/// pool grow.
///
/// Invariant: each slice that is handed out or idle has a block of the general pool of exactly its
/// `reserved` bytes, an empty one has none; `in_use` and `live_slices` count what is handed out.
class StreamPool final : public core::MemoryPool {
 public:
  /// The pool owns the provider, since its last pages go back to it when the pool is gone.
  explicit StreamPool(std::unique_ptr<Provider> provider, const PoolOptions& options = {});

  [[nodiscard]] MemoryKind kind() const noexcept override { return provider_->kind(); }
  [[nodiscard]] Result<core::Slice*> allocate(std::size_t bytes, unsigned lane) override;
  void release(core::Slice& slice) noexcept override;
  void retain(core::Slice& slice) noexcept override;

  void arm(unsigned origin, std::uint64_t arming) noexcept override;
  void restart_pass() noexcept override;
  void open() noexcept override;
  void join(unsigned lane) noexcept override;
  void disarm() noexcept override;

  std::size_t trim() noexcept override;
  void set_limit(std::size_t bytes) noexcept override { general_.set_limit(bytes); }
  [[nodiscard]] core::PoolStats stats() const noexcept override;

  /// What part of an invariant is broken; empty if none. For tests: looks at everything.
  [[nodiscard]] std::string validate() const;

 private:
  enum class Phase : std::uint8_t { kIdle, kWarmUp, kOpen };

  /// An entry that is nobody's yet: goes back to the table, with its memory, if it stays so.
  struct Discard {
    StreamPool* pool;
    void operator()(Entry* entry) const noexcept { pool->discard(*entry); }
  };
  using Draft = std::unique_ptr<Entry, Discard>;

  [[nodiscard]] Draft draft() { return Draft(&table_.acquire(), Discard{this}); }
  void discard(Entry& entry) noexcept;
  [[nodiscard]] Result<Entry*> allocate_general(std::size_t padded);
  [[nodiscard]] Result<Entry*> allocate_capture(std::size_t bytes,
                                                std::size_t padded,
                                                unsigned lane);
  [[nodiscard]] Result<void> furnish(Entry& entry, std::size_t padded);
  [[nodiscard]] Result<Piece> find_memory(std::size_t padded);
  [[nodiscard]] Result<Piece> make_room(std::size_t padded, Error error);
  [[nodiscard]] Error would_allocate(std::size_t bytes) const;
  void hand_out(Entry& entry, std::size_t bytes, unsigned lane) noexcept;
  void count_in(const Entry& entry) noexcept;
  void add_spare(std::size_t padded) noexcept;
  [[nodiscard]] std::size_t armed_bytes() const noexcept;

  std::unique_ptr<Provider> provider_;
  const std::size_t alignment_;
  GeneralPool general_;
  SliceTable table_;
  PersistentPool persistent_;
  Phase phase_ = Phase::kIdle;
  std::uint64_t arming_ = 0;
  std::size_t in_use_ = 0;
  std::size_t peak_in_use_ = 0;
  std::size_t live_slices_ = 0;
};

}  // namespace oriel::alloc
