#include <oriel/alloc/padding.hpp>
#include <oriel/alloc/stream_pool.hpp>

#include <algorithm>
#include <atomic>
#include <cassert>
#include <new>
#include <utility>

namespace oriel::alloc {
namespace {

constexpr unsigned kLanes = 64;

Error out_of_memory(std::string message) {
  return {ErrorCode::kOutOfMemory, std::move(message)};
}

}  // namespace

StreamPool::StreamPool(std::unique_ptr<Provider> provider, const PoolOptions& options)
    : provider_(std::move(provider)),
      alignment_(provider_->alignment()),
      general_(*provider_, options.page_bytes),
      table_(provider_->kind()),
      persistent_(general_, table_) {
  general_.set_limit(options.limit);
}

Result<core::Slice*> StreamPool::allocate(std::size_t bytes, unsigned lane) {
  if (lane >= kLanes) {
    return fail(ErrorCode::kInvalidArgument, "lane " + std::to_string(lane) + " is not below 64");
  }
  const auto padded = round_up(bytes, alignment_);
  if (!padded) {
    return fail(
        out_of_memory("asked for " + std::to_string(bytes) + " bytes, more than any device has"));
  }
  try {
    auto entry =
        phase_ == Phase::kIdle ? allocate_general(*padded) : allocate_capture(bytes, *padded, lane);
    if (!entry) {
      return fail(std::move(entry.error()));
    }
    hand_out(**entry, bytes, lane);
    return *entry;
  } catch (const std::bad_alloc&) {
    return fail(out_of_memory("no host memory is left for the pool's own tables"));
  }
}

Result<Entry*> StreamPool::allocate_general(std::size_t padded) {
  Draft entry = draft();
  ORIEL_TRY(furnish(*entry, padded));
  entry->state = Entry::State::kLive;
  return entry.release();
}

Result<Entry*> StreamPool::allocate_capture(std::size_t bytes, std::size_t padded, unsigned lane) {
  if (Entry* idle = persistent_.take(padded, lane); idle != nullptr) {
    return idle;
  }
  // An empty slice needs no memory, so a window may always have one more.
  if (phase_ == Phase::kOpen && padded != 0) {
    return fail(would_allocate(bytes));
  }
  Draft entry = draft();
  ORIEL_TRY(furnish(*entry, padded));
  persistent_.admit(*entry, padded);
  return entry.release();
}

Result<void> StreamPool::furnish(Entry& entry, std::size_t padded) {
  Piece piece;
  if (padded != 0) {
    auto found = find_memory(padded);
    if (!found) {
      return fail(std::move(found.error()));
    }
    piece = *found;
  }
  entry.address = piece.address;
  entry.host = piece.host;
  entry.block = piece.block;
  entry.reserved = padded;
  return {};
}

Result<Piece> StreamPool::find_memory(std::size_t padded) {
  if (auto piece = general_.take(padded)) {
    return *piece;
  }
  // A warm-up keeps its idle slices as long as it can: the recording will ask for their sizes.
  if (phase_ == Phase::kIdle && persistent_.flush() != 0) {
    if (auto piece = general_.take(padded)) {
      return *piece;
    }
  }
  if (auto grown = general_.grow(padded); !grown) {
    return make_room(padded, std::move(grown.error()));
  }
  return general_.take(padded).value();
}

// The provider or the limit said no with `error`. What is clean was not used in this pass, so not
// even a warm-up needs it; free pages are of use to somebody else, or make room below the limit.
Result<Piece> StreamPool::make_room(std::size_t padded, Error error) {
  if (error.code != ErrorCode::kOutOfMemory) {
    return fail(std::move(error));
  }
  if (persistent_.flush() != 0) {
    if (auto piece = general_.take(padded)) {
      return *piece;
    }
  }
  if (general_.release_free_pages() == 0) {
    return fail(std::move(error));
  }
  if (auto grown = general_.grow(padded); !grown) {
    return fail(std::move(grown.error()));
  }
  return general_.take(padded).value();
}

Error StreamPool::would_allocate(std::size_t bytes) const {
  return {ErrorCode::kWouldAllocate,
          "asked for " + readable_bytes(bytes) + " inside the capture window, which has " +
              readable_bytes(armed_bytes()) +
              " armed but none of that size; run the same sizes in the warm-up"};
}

void StreamPool::hand_out(Entry& entry, std::size_t bytes, unsigned lane) noexcept {
  const bool in_pass = phase_ != Phase::kIdle;
  entry.bytes = bytes;
  ++entry.generation;
  entry.lanes = in_pass ? std::uint64_t{1} << lane : 0;
  entry.device_touched = false;
  entry.streams = 0;
  entry.stamp = 0;
  entry.written = 0;
  entry.arming = in_pass ? arming_ : 0;
  count_in(entry);
  entry.references.store(1, std::memory_order_relaxed);
}

void StreamPool::count_in(const Entry& entry) noexcept {
  ++live_slices_;
  in_use_ += entry.reserved;
  peak_in_use_ = std::max(peak_in_use_, in_use_);
}

void StreamPool::release(core::Slice& slice) noexcept {
  auto& entry = static_cast<Entry&>(slice);
  assert(entry.state == Entry::State::kLive);
  entry.claim.reset();
  --live_slices_;
  in_use_ -= entry.reserved;
  if (entry.bin != nullptr) {
    persistent_.put(entry);
  } else {
    discard(entry);
  }
}

void StreamPool::discard(Entry& entry) noexcept {
  if (entry.block != Tlsf::kNone) {
    general_.give(entry.block);
  }
  table_.recycle(entry);
}

void StreamPool::retain(core::Slice& slice) noexcept {
  auto& entry = static_cast<Entry&>(slice);
  assert(entry.state == Entry::State::kIdle && entry.references.load() == 0);
  persistent_.retain(entry);
  count_in(entry);
  entry.references.fetch_add(1, std::memory_order_relaxed);
}

void StreamPool::arm(unsigned origin, std::uint64_t arming) noexcept {
  arming_ = arming;
  phase_ = Phase::kWarmUp;
  persistent_.begin_pass(origin);
}

void StreamPool::restart_pass() noexcept {
  if (phase_ == Phase::kWarmUp) {
    persistent_.next_pass();
  }
}

void StreamPool::open() noexcept {
  if (phase_ != Phase::kWarmUp) {
    return;
  }
  persistent_.for_each_missing_spare([this](std::size_t padded) { add_spare(padded); });
  persistent_.next_pass();
  phase_ = Phase::kOpen;
}

// Without one the recording may still fit, if it frees before it asks. Nothing is flushed for it:
// that would take away what other spares were counted on.
void StreamPool::add_spare(std::size_t padded) noexcept {
  try {
    Draft entry = draft();
    auto piece = general_.take(padded);
    if (!piece && general_.grow(padded)) {
      piece = general_.take(padded);
    }
    if (!piece) {
      return;
    }
    entry->address = piece->address;
    entry->host = piece->host;
    entry->block = piece->block;
    persistent_.admit_clean(*entry, padded);
    static_cast<void>(entry.release());
  } catch (const std::bad_alloc&) {
    return;  // as if the provider had refused
  }
}

void StreamPool::join(unsigned lane) noexcept {
  persistent_.join(lane);
}

void StreamPool::disarm() noexcept {
  persistent_.end_pass();
  phase_ = Phase::kIdle;
  arming_ = 0;
}

std::size_t StreamPool::trim() noexcept {
  if (phase_ != Phase::kIdle) {
    return 0;
  }
  persistent_.flush();
  return general_.release_free_pages();
}

std::size_t StreamPool::armed_bytes() const noexcept {
  return phase_ == Phase::kIdle ? 0 : persistent_.idle_bytes() - persistent_.held_bytes();
}

core::PoolStats StreamPool::stats() const noexcept {
  return {.reserved = general_.held(),
          .in_use = in_use_,
          .peak_in_use = peak_in_use_,
          .armed = armed_bytes(),
          .live_slices = live_slices_,
          .provider_allocations = general_.provider_allocations(),
          .provider_releases = general_.provider_releases()};
}

std::string StreamPool::validate() const {
  if (std::string broken = general_.validate(); !broken.empty()) {
    return broken;
  }
  if (std::string broken = persistent_.validate(); !broken.empty()) {
    return broken;
  }
  std::size_t in_use = 0;
  std::size_t idle = 0;
  std::size_t live = 0;
  for (std::size_t i = 0; i < table_.size(); ++i) {
    const Entry& entry = table_.at(i);
    if (entry.index != i || entry.kind != kind()) {
      return "stream pool: a slice has lost its index or its kind";
    }
    if (entry.state == Entry::State::kVacant) {
      continue;
    }
    if ((entry.block == Tlsf::kNone) != (entry.reserved == 0) || entry.reserved % alignment_ != 0 ||
        entry.address % alignment_ != 0) {
      return "stream pool: a slice is not padded or aligned, or has no memory";
    }
    const bool taken = entry.state == Entry::State::kLive;
    live += taken ? 1 : 0;
    (taken ? in_use : idle) += entry.reserved;
  }
  if (live != live_slices_ || in_use != in_use_ || peak_in_use_ < in_use_) {
    return "stream pool: a counter differs from a recount";
  }
  return in_use + idle == general_.used() ? "" : "stream pool: memory was lost";
}

}  // namespace oriel::alloc
