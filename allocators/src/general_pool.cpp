#include <oriel/alloc/general_pool.hpp>
#include <oriel/alloc/padding.hpp>

#include <algorithm>
#include <limits>
#include <utility>

namespace oriel::alloc {

GeneralPool::GeneralPool(Provider& provider, std::size_t page_bytes)
    : provider_(provider),
      alignment_(provider.alignment()),
      granularity_(std::max<std::size_t>(provider.granularity(), 1)),
      page_bytes_(round_up(std::max<std::size_t>(page_bytes, 1), granularity_).value_or(0)),
      tlsf_(alignment_) {}

GeneralPool::~GeneralPool() {
  for (const Page& page : pages_) {
    if (page.block.bytes != 0) {
      provider_.release(page.block);
    }
  }
}

std::optional<Piece> GeneralPool::take(std::size_t bytes) {
  const Tlsf::Handle block = tlsf_.allocate(bytes);
  if (block == Tlsf::kNone) {
    return std::nullopt;
  }
  const PageIndex index = tlsf_.tag(block);
  const Page& page = pages_[index];
  if (page.whole != Tlsf::kNone) {
    unlink_free(index);
  }
  Piece piece{.address = tlsf_.address(block), .host = nullptr, .block = block};
  if (page.block.host != nullptr) {
    piece.host = page.block.host + (piece.address - page.block.address);
  }
  return piece;
}

void GeneralPool::give(Tlsf::Handle block) noexcept {
  const PageIndex index = tlsf_.tag(block);
  const Tlsf::Handle merged = tlsf_.free(block);
  if (tlsf_.is_whole(merged)) {
    link_free(index, merged);
  }
}

Result<void> GeneralPool::grow(std::size_t bytes) {
  const auto exact = round_up(bytes, granularity_);
  if (!exact) {
    return fail(ErrorCode::kOutOfMemory,
                "asked for " + readable_bytes(bytes) + ", more than any provider can have");
  }
  reserve_page();
  auto block = ask_for_page(bytes, *exact);
  if (!block) {
    return fail(std::move(block.error()));
  }
  add_page(*block);
  return {};
}

// A page of the usual size if there is room for it, else one that is just large enough.
Result<Block> GeneralPool::ask_for_page(std::size_t bytes, std::size_t exact) {
  if (exact > room()) {
    return fail(ErrorCode::kOutOfMemory,
                "asked for " + readable_bytes(bytes) + ", but the pool " +
                    (limit_ == 0 ? "already holds " + readable_bytes(held_) +
                                       ", together more than any device has"
                                 : "has a limit of " + readable_bytes(limit_) + " and holds " +
                                       readable_bytes(held_) + "; free memory or raise the limit"));
  }
  const bool large = bytes > page_bytes_ / 2;
  if (!large && page_bytes_ > exact && page_bytes_ <= room()) {
    auto page = ask(page_bytes_);
    if (page || page.error().code != ErrorCode::kOutOfMemory) {
      return page;
    }
  }
  auto block = ask(exact);
  if (!block && block.error().code == ErrorCode::kOutOfMemory) {
    Error& error = block.error();
    error.message = "asked for " + readable_bytes(bytes) +
                    ", and the device has no more (the pool holds " + readable_bytes(held_) +
                    ", of which " + readable_bytes(used()) +
                    " are in use); free memory and try again: " + error.message;
  }
  return block;
}

Result<Block> GeneralPool::ask(std::size_t bytes) {
  ++allocations_;
  auto block = provider_.allocate(bytes);
  if (block && (block->bytes < bytes || block->address % alignment_ != 0)) {
    ++releases_;
    provider_.release(*block);
    return fail(ErrorCode::kDriverError,
                "the provider gave a block that is too short or not aligned");
  }
  return block;
}

std::size_t GeneralPool::release_free_pages() noexcept {
  const std::size_t before = held_;
  while (free_pages_ != kNoPage) {
    release_page(free_pages_);
  }
  return before - held_;
}

std::size_t GeneralPool::room() const noexcept {
  if (limit_ == 0) {
    return std::numeric_limits<std::size_t>::max() - held_;
  }
  return limit_ > held_ ? limit_ - held_ : 0;
}

// Before the provider is asked: what it gives must find its place.
void GeneralPool::reserve_page() {
  tlsf_.reserve();
  if (vacant_ == kNoPage) {
    pages_.emplace_back();
    vacant_ = static_cast<PageIndex>(pages_.size() - 1);
  }
}

void GeneralPool::add_page(const Block& block) noexcept {
  const PageIndex index = vacant_;
  Page& page = pages_[index];
  vacant_ = page.next;
  page = Page{};
  page.block = block;
  held_ += block.bytes;
  // The request is a multiple of the alignment, so it fits in what is left of the block.
  link_free(index, tlsf_.add_range(block.address, block.bytes - block.bytes % alignment_, index));
}

void GeneralPool::release_page(PageIndex index) noexcept {
  const Tlsf::Handle whole = pages_[index].whole;
  unlink_free(index);
  tlsf_.remove_range(whole);
  Page& page = pages_[index];
  held_ -= page.block.bytes;
  ++releases_;
  provider_.release(page.block);
  page = Page{};
  page.next = vacant_;
  vacant_ = index;
}

void GeneralPool::link_free(PageIndex index, Tlsf::Handle whole) noexcept {
  Page& page = pages_[index];
  page.whole = whole;
  page.previous = kNoPage;
  page.next = free_pages_;
  if (free_pages_ != kNoPage) {
    pages_[free_pages_].previous = index;
  }
  free_pages_ = index;
}

void GeneralPool::unlink_free(PageIndex index) noexcept {
  Page& page = pages_[index];
  if (page.next != kNoPage) {
    pages_[page.next].previous = page.previous;
  }
  if (page.previous != kNoPage) {
    pages_[page.previous].next = page.next;
  } else {
    free_pages_ = page.next;
  }
  page.whole = Tlsf::kNone;
  page.previous = page.next = kNoPage;
}

std::string GeneralPool::validate() const {
  if (std::string broken = tlsf_.validate(); !broken.empty()) {
    return broken;
  }
  std::size_t held = 0;
  std::size_t usable = 0;
  std::size_t free = 0;
  for (const Page& page : pages_) {
    held += page.block.bytes;
    usable += page.block.bytes - page.block.bytes % alignment_;
    if (page.whole == Tlsf::kNone) {
      continue;
    }
    ++free;
    if (tlsf_.address(page.whole) != page.block.address || !tlsf_.is_whole(page.whole)) {
      return "general pool: a page that is in use counts as free";
    }
  }
  if (held != held_ || usable != tlsf_.used_bytes() + tlsf_.free_bytes()) {
    return "general pool: the bytes held differ from a recount";
  }
  for (PageIndex at = free_pages_; at != kNoPage; at = pages_[at].next) {
    if (free-- == 0 || pages_[at].whole == Tlsf::kNone) {
      return "general pool: the list of free pages holds another";
    }
  }
  return free == 0 ? "" : "general pool: a free page is not in the list";
}

}  // namespace oriel::alloc
