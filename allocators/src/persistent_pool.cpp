#include <oriel/alloc/persistent_pool.hpp>

#include <algorithm>
#include <bit>
#include <cassert>
#include <iterator>

namespace oriel::alloc {
namespace {

constexpr std::uint64_t bit_of(unsigned lane) noexcept {
  return std::uint64_t{1} << lane;
}

}  // namespace

Entry* PersistentPool::take(std::size_t padded, unsigned lane) noexcept {
  const auto found = bins_.find(padded);
  if (found == bins_.end()) {
    return nullptr;
  }
  Bin& bin = found->second;
  const Bin::LaneList* own = in_pass_ ? find_list(bin, lane) : nullptr;
  Entry* entry = own != nullptr ? own->list.front() : bin.clean.front();
  if (entry != nullptr) {
    make_live(*entry);
  }
  return entry;
}

void PersistentPool::admit(Entry& entry, std::size_t padded) {
  add_to_bin(entry, padded);
  make_live(entry);
}

void PersistentPool::admit_clean(Entry& entry, std::size_t padded) {
  add_to_bin(entry, padded);
  idle_bytes_ += padded;
  put_clean(entry);
}

void PersistentPool::add_to_bin(Entry& entry, std::size_t padded) {
  Bin& bin = bins_[padded];
  bin.bytes = padded;
  if (bin.lanes.size() < std::min<std::size_t>(kLanes, bin.entries + 1)) {
    bin.lanes.emplace_back();
  }
  ++bin.entries;
  entry.bin = &bin;
  entry.reserved = padded;
}

void PersistentPool::put(Entry& entry) noexcept {
  assert(entry.state == Entry::State::kLive);
  leave_chain(entry);
  idle_bytes_ += entry.reserved;
  const bool held = in_pass_ && entry.device_touched && entry.kind == MemoryKind::kPinned;
  if (!held && (!in_pass_ || entry.lanes == 0)) {
    put_clean(entry);
    return;
  }
  entry.state = Entry::State::kIdle;
  if (held) {
    held_bytes_ += entry.reserved;
    enter_chain(entry, kHeldChain);
    return;
  }
  entry.freed_at = ++clock_;
  place(entry);
}

void PersistentPool::retain(Entry& entry) noexcept {
  assert(entry.state == Entry::State::kIdle);
  make_live(entry);
}

void PersistentPool::begin_pass(unsigned origin) noexcept {
  end_pass();
  origin_ = origin;
  in_pass_ = true;
  ++pass_;
}

void PersistentPool::next_pass() noexcept {
  clean_up();
  ++pass_;
}

void PersistentPool::end_pass() noexcept {
  clean_up();
  while (Entry* entry = live().front()) {
    leave_chain(*entry);
  }
  in_pass_ = false;
}

// Walks what the pass freed, not what the pool holds.
void PersistentPool::clean_up() noexcept {
  for (std::uint8_t chain = 0; chain <= kHeldChain; ++chain) {
    while (Entry* entry = chains_[chain].front()) {
      leave_list(*entry);
      leave_chain(*entry);
      put_clean(*entry);
    }
  }
  held_bytes_ = 0;
  for (Entry* entry = live().front(); entry != nullptr; entry = Chain::next(*entry)) {
    entry->lanes = 0;
    entry->device_touched = false;
  }
}

void PersistentPool::join(unsigned lane) noexcept {
  if (!in_pass_ || lane == origin_ || lane >= kLanes) {
    return;
  }
  joined_at_[lane] = ++clock_;
  // None comes back to this chain: the lane's bit is gone from it.
  while (Entry* entry = chains_[lane].front()) {
    leave_list(*entry);
    leave_chain(*entry);
    entry->lanes = unjoined(*entry) | bit_of(origin_);
    place(*entry);
  }
}

// The lanes that used a free slice and were not joined since. A join looks only at the slices that
// wait for its lane, so the bits of others are brought up to date when it is their turn.
std::uint64_t PersistentPool::unjoined(const Entry& entry) const noexcept {
  std::uint64_t lanes = entry.lanes & ~bit_of(origin_);
  for (std::uint64_t left = lanes; left != 0; left &= left - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(left));
    if (joined_at_[lane] > entry.freed_at) {
      lanes &= ~bit_of(lane);
    }
  }
  return lanes;
}

// Where a slice belongs that a pass freed and some lane used.
void PersistentPool::place(Entry& entry) noexcept {
  if (std::has_single_bit(entry.lanes)) {
    const auto lane = static_cast<std::uint8_t>(std::countr_zero(entry.lanes));
    enter_list(entry, lane);
    enter_chain(entry, lane);
    return;
  }
  const auto waits_for = static_cast<std::uint8_t>(std::countr_zero(unjoined(entry)));
  enter_chain(entry, waits_for);
}

void PersistentPool::put_clean(Entry& entry) noexcept {
  entry.state = Entry::State::kIdle;
  entry.lanes = 0;
  entry.device_touched = false;
  enter_list(entry, kCleanList);
}

void PersistentPool::make_live(Entry& entry) noexcept {
  if (entry.state == Entry::State::kIdle) {
    idle_bytes_ -= entry.reserved;
    held_bytes_ -= entry.chain == kHeldChain ? entry.reserved : 0;
    leave_list(entry);
    leave_chain(entry);
  }
  entry.state = Entry::State::kLive;
  entry.pass = pass_;
  if (in_pass_) {
    enter_chain(entry, kLiveChain);
  }
}

std::size_t PersistentPool::flush() noexcept {
  if (clean_slices_ == 0) {
    return 0;
  }
  const std::size_t before = idle_bytes_;
  for (auto at = bins_.begin(); at != bins_.end();) {
    Bin& bin = at->second;
    while (Entry* entry = bin.clean.front()) {
      leave_list(*entry);
      idle_bytes_ -= entry->reserved;
      if (entry->block != Tlsf::kNone) {
        general_.give(entry->block);
      }
      table_.recycle(*entry);
      --bin.entries;
    }
    at = bin.entries == 0 ? bins_.erase(at) : std::next(at);
  }
  return before - idle_bytes_;
}

Bin::LaneList* PersistentPool::find_list(Bin& bin, unsigned lane) noexcept {
  for (Bin::LaneList& slot : bin.lanes) {
    if (!slot.list.empty() && slot.lane == lane) {
      return &slot;
    }
  }
  return nullptr;
}

// There is an empty slot if the lane has none: the entry to be listed is in no list.
Bin::LaneList& PersistentPool::make_list(Bin& bin, unsigned lane) noexcept {
  if (Bin::LaneList* slot = find_list(bin, lane); slot != nullptr) {
    return *slot;
  }
  const auto slot = std::find_if(
      bin.lanes.begin(), bin.lanes.end(), [](const Bin::LaneList& it) { return it.list.empty(); });
  assert(slot != bin.lanes.end());
  slot->lane = static_cast<std::uint8_t>(lane);
  return *slot;
}

void PersistentPool::enter_list(Entry& entry, std::uint8_t list) noexcept {
  Bin& bin = *entry.bin;
  entry.list = list;
  if (list == kCleanList) {
    ++bin.clean_count;
    ++clean_slices_;
    bin.clean.push(entry);
  } else {
    make_list(bin, list).list.push(entry);
  }
}

void PersistentPool::leave_list(Entry& entry) noexcept {
  if (entry.list == Entry::kNoList) {
    return;
  }
  Bin& bin = *entry.bin;
  if (entry.list == kCleanList) {
    --bin.clean_count;
    --clean_slices_;
    bin.clean.remove(entry);
  } else {
    find_list(bin, entry.list)->list.remove(entry);
  }
  entry.list = Entry::kNoList;
}

void PersistentPool::enter_chain(Entry& entry, std::uint8_t chain) noexcept {
  entry.chain = chain;
  chains_[chain].push(entry);
}

void PersistentPool::leave_chain(Entry& entry) noexcept {
  if (entry.chain != Entry::kNoChain) {
    chains_[entry.chain].remove(entry);
    entry.chain = Entry::kNoChain;
  }
}

std::string PersistentPool::validate() const {
  Recount found;
  for (std::size_t i = 0; i < table_.size(); ++i) {
    const Entry& entry = table_.at(i);
    if (std::string broken = validate_entry(entry); !broken.empty()) {
      return broken;
    }
    found.add(entry);
  }
  if (found.idle != idle_bytes_ || found.held != held_bytes_ || found.clean != clean_slices_) {
    return "persistent pool: a counter differs from a recount";
  }
  if (std::string broken = validate_bins(found); !broken.empty()) {
    return broken;
  }
  return validate_chains(found.chained);
}

void PersistentPool::Recount::add(const Entry& entry) noexcept {
  idle += entry.state == Entry::State::kIdle ? entry.reserved : 0;
  held += entry.chain == kHeldChain ? entry.reserved : 0;
  clean += entry.list == kCleanList ? 1 : 0;
  chained += entry.chain != Entry::kNoChain ? 1 : 0;
  entries += entry.bin != nullptr ? 1 : 0;
}

std::string PersistentPool::validate_bins(const Recount& found) const {
  std::size_t entries = 0;
  std::size_t clean = 0;
  for (const auto& [bytes, bin] : bins_) {
    if (bytes != bin.bytes) {
      return "persistent pool: a bin has another size's key";
    }
    if (std::string broken = validate_bin(bin); !broken.empty()) {
      return "persistent pool: a bin is broken: " + broken;
    }
    entries += bin.entries;
    clean += bin.clean_count;
  }
  const bool all = entries == found.entries && clean == found.clean;
  return all ? "" : "persistent pool: a bin lost a slice";
}

std::string PersistentPool::validate_chains(std::size_t chained) const {
  for (std::size_t chain = 0; chain < kChains; ++chain) {
    for (const Entry* at = chains_[chain].front(); at != nullptr; at = Chain::next(*at)) {
      if (at->chain != chain || chained-- == 0) {
        return "persistent pool: a chain holds a slice of another";
      }
    }
  }
  return chained == 0 ? "" : "persistent pool: a chain lost a slice";
}

std::string PersistentPool::validate_entry(const Entry& entry) const {
  const bool chained = entry.chain != Entry::kNoChain;
  const bool listed = entry.list != Entry::kNoList;
  if (chained && !in_pass_) {
    return "persistent pool: a chain outlived its pass";
  }
  if (entry.state != Entry::State::kIdle) {
    const bool good = !listed && (!chained || entry.chain == kLiveChain);
    return good ? "" : "persistent pool: a slice that is taken is in a free list";
  }
  if (entry.bin == nullptr || entry.reserved != entry.bin->bytes) {
    return "persistent pool: a free slice is of no bin, or of another size's";
  }
  if (entry.list == kCleanList) {
    const bool good = !chained && entry.lanes == 0 && !entry.device_touched;
    return good ? "" : "persistent pool: a clean slice was used";
  }
  if (listed) {
    const bool good = entry.chain == entry.list && entry.lanes == bit_of(entry.list);
    return good ? "" : "persistent pool: a lane's free slice was used by another lane";
  }
  const bool waits = entry.chain < kLanes && !std::has_single_bit(entry.lanes) &&
                     (unjoined(entry) & bit_of(entry.chain)) != 0;
  return waits || entry.chain == kHeldChain ? "" : "persistent pool: a slice waits for nothing";
}

std::string PersistentPool::validate_bin(const Bin& bin) const {
  std::size_t clean = 0;
  for (const Entry* at = bin.clean.front(); at != nullptr; at = Bin::List::next(*at)) {
    if (at->bin != &bin || at->list != kCleanList || clean++ == bin.clean_count) {
      return "its clean list holds another slice";
    }
  }
  std::uint64_t lanes = 0;
  std::size_t listed = clean;
  for (const Bin::LaneList& slot : bin.lanes) {
    if (slot.list.empty()) {
      continue;
    }
    if ((lanes & bit_of(slot.lane)) != 0) {
      return "a lane has two lists";
    }
    lanes |= bit_of(slot.lane);
    for (const Entry* at = slot.list.front(); at != nullptr; at = Bin::List::next(*at)) {
      if (at->bin != &bin || at->list != slot.lane || listed++ == bin.entries) {
        return "a lane's list holds another slice";
      }
    }
  }
  const bool slots = bin.lanes.size() >= std::min<std::size_t>(kLanes, bin.entries);
  return slots && clean == bin.clean_count && bin.claimed == 0 ? "" : "it has too few slots";
}

}  // namespace oriel::alloc
