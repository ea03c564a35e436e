#pragma once

#include <oriel/alloc/provider.hpp>
#include <oriel/alloc/tlsf.hpp>
#include <oriel/error.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace oriel::alloc {

/// A part of a page.
struct Piece {
  std::uint64_t address = 0;
  std::byte* host = nullptr;
  Tlsf::Handle block = Tlsf::kNone;
};

/// Pages from a provider, carved by one TLSF: a request looks at all pages at once.
///
/// A request of more than half a page gets a page of its own, of exactly its size (rounded to the
/// provider's granularity). Once such a page is free it serves any request, since one that served
/// large requests alone would hold memory that others lack.
///
/// Invariant: each page is one range of the TLSF; it is in the list of free pages exactly if
/// nothing of it is handed out; `held` is the sum of the pages and, after a growth, within the
/// limit.
class GeneralPool {
 public:
  GeneralPool(Provider& provider, std::size_t page_bytes);
  GeneralPool(const GeneralPool&) = delete;
  GeneralPool& operator=(const GeneralPool&) = delete;
  /// Gives every page back, used or not.
  ~GeneralPool();

  /// Carves `bytes`, a multiple of the alignment and not 0, out of the pages held; nothing if no
  /// hole fits. Never calls the provider. Throws bad_alloc, changing nothing.
  [[nodiscard]] std::optional<Piece> take(std::size_t bytes);
  /// Adds a page that take(bytes) will find. Errors: `out_of_memory` (the limit, or the provider),
  /// and what else the provider reports; nothing changed then. Throws bad_alloc likewise.
  [[nodiscard]] Result<void> grow(std::size_t bytes);
  void give(Tlsf::Handle block) noexcept;
  /// Gives the wholly free pages back to the provider; returns their bytes.
  std::size_t release_free_pages() noexcept;

  /// The most bytes to hold; 0 for no limit.
  void set_limit(std::size_t bytes) noexcept { limit_ = bytes; }
  [[nodiscard]] std::size_t held() const noexcept { return held_; }
  [[nodiscard]] std::size_t used() const noexcept {
    return static_cast<std::size_t>(tlsf_.used_bytes());
  }
  [[nodiscard]] std::uint64_t provider_allocations() const noexcept { return allocations_; }
  [[nodiscard]] std::uint64_t provider_releases() const noexcept { return releases_; }

  /// What part of the invariant is broken; empty if none. For tests: looks at everything.
  [[nodiscard]] std::string validate() const;

 private:
  using PageIndex = std::uint32_t;
  static constexpr PageIndex kNoPage = ~PageIndex{0};

  struct Page {
    Block block;                       // of 0 bytes while the index is vacant
    Tlsf::Handle whole = Tlsf::kNone;  // its one block, while it is free
    PageIndex previous = kNoPage;      // in the list of free pages
    PageIndex next = kNoPage;          // there, or in the list of vacant indices
  };

  [[nodiscard]] std::size_t room() const noexcept;
  [[nodiscard]] Result<Block> ask(std::size_t bytes);
  [[nodiscard]] Result<Block> ask_for_page(std::size_t bytes, std::size_t exact);
  void reserve_page();
  void add_page(const Block& block) noexcept;
  void release_page(PageIndex index) noexcept;
  void link_free(PageIndex index, Tlsf::Handle whole) noexcept;
  void unlink_free(PageIndex index) noexcept;

  Provider& provider_;
  const std::size_t alignment_;
  const std::size_t granularity_;
  const std::size_t page_bytes_;
  Tlsf tlsf_;
  std::vector<Page> pages_;
  PageIndex free_pages_ = kNoPage;
  PageIndex vacant_ = kNoPage;
  std::size_t limit_ = 0;
  std::size_t held_ = 0;
  std::uint64_t allocations_ = 0;
  std::uint64_t releases_ = 0;
};

}  // namespace oriel::alloc
