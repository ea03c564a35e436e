#pragma once

#include <oriel/alloc/tlsf.hpp>
#include <oriel/core/slice.hpp>

#include <cstddef>
#include <cstdint>

namespace oriel::alloc {

struct Bin;
struct Entry;

/// An entry's place in one list.
struct Links {
  Entry* previous = nullptr;
  Entry* next = nullptr;
};

/// A slice with what its pool knows about it besides. An entry of capture memory has a bin for
/// life; one of general memory has none.
struct Entry final : core::Slice {
  enum class State : std::uint8_t { kVacant, kLive, kIdle };
  static constexpr std::uint8_t kNoChain = 0xff;
  static constexpr std::uint8_t kNoList = 0xff;

  State state = State::kVacant;
  std::uint8_t list = kNoList;    ///< Which of its bin's lists it is in: a lane, or the clean one.
  std::uint8_t chain = kNoChain;  ///< Which chain of the pass it is in.
  Tlsf::Handle block = Tlsf::kNone;
  Bin* bin = nullptr;
  std::uint64_t pass = 0;      ///< The pass that took it last.
  std::uint64_t freed_at = 0;  ///< When in the pass it was freed, on the clock of the joins.
  Links list_links;
  Links chain_links;
};

/// A doubly linked list through one pair of links of its entries; the last in is the first out.
template <Links Entry::*kLinks>
class EntryList {
 public:
  [[nodiscard]] bool empty() const noexcept { return head_ == nullptr; }
  [[nodiscard]] Entry* front() const noexcept { return head_; }
  [[nodiscard]] static Entry* next(const Entry& entry) noexcept { return (entry.*kLinks).next; }

  void push(Entry& entry) noexcept {
    (entry.*kLinks) = {nullptr, head_};
    if (head_ != nullptr) {
      (head_->*kLinks).previous = &entry;
    }
    head_ = &entry;
  }
  void remove(Entry& entry) noexcept {
    const Links links = entry.*kLinks;
    if (links.next != nullptr) {
      (links.next->*kLinks).previous = links.previous;
    }
    if (links.previous != nullptr) {
      (links.previous->*kLinks).next = links.next;
    } else {
      head_ = links.next;
    }
    (entry.*kLinks) = {};
  }

 private:
  Entry* head_ = nullptr;
};

}  // namespace oriel::alloc
