#include <oriel/alloc/slice_table.hpp>

#include <limits>
#include <new>

namespace oriel::alloc {

Entry& SliceTable::acquire() {
  if (vacant_.empty()) {
    add_chunk();
  }
  Entry& entry = *vacant_.front();
  vacant_.remove(entry);
  return entry;
}

void SliceTable::recycle(Entry& entry) noexcept {
  entry.state = Entry::State::kVacant;
  entry.block = Tlsf::kNone;
  entry.bin = nullptr;
  vacant_.push(entry);
}

void SliceTable::add_chunk() {
  if (size_ > std::numeric_limits<std::uint32_t>::max() - kChunk) {
    throw std::bad_alloc();  // no index left for it
  }
  chunks_.push_back(std::make_unique<Chunk>());
  Chunk& chunk = *chunks_.back();
  // From behind, so that low indices are handed out first.
  for (std::size_t i = kChunk; i-- > 0;) {
    chunk[i].index = static_cast<std::uint32_t>(size_ + i);
    chunk[i].kind = kind_;
    vacant_.push(chunk[i]);
  }
  size_ += kChunk;
}

}  // namespace oriel::alloc
