#include <oriel/core/info_cache.hpp>

#include <utility>

namespace oriel::core {

InfoCache::Entry* InfoCache::find(std::string_view bytes) noexcept {
  const auto it = entries_.find(bytes);
  if (it == entries_.end()) {
    return nullptr;
  }
  ages_.splice(ages_.begin(), ages_, it->second.age);
  return &it->second;
}

void InfoCache::insert(std::string_view bytes, SliceRef slice, unsigned lane) {
  if (!keep_all_ && bytes.size() > kMostBytes) {
    return;
  }
  const auto [it, fresh] = entries_.try_emplace(std::string(bytes));
  it->second.slice = std::move(slice);
  it->second.lane = lane;
  if (fresh) {
    it->second.age = ages_.insert(ages_.begin(), &it->first);
  }
  if (!keep_all_ && entries_.size() > kMostEntries) {
    evict_oldest();
  }
}

void InfoCache::evict_oldest() {
  const auto it = entries_.find(*ages_.back());
  ages_.pop_back();
  entries_.erase(it);
}

SliceRef InfoCache::find_local(std::string_view bytes, unsigned lane) noexcept {
  const auto it = local_.find(bytes);
  return it != local_.end() && it->second.lane == lane ? it->second.slice : SliceRef();
}

void InfoCache::insert_local(std::string_view bytes, SliceRef slice, unsigned lane) {
  local_.insert_or_assign(std::string(bytes), Entry{std::move(slice), lane});
}

void InfoCache::keep_all(bool keep) {
  keep_all_ = keep;
  while (!keep && entries_.size() > kMostEntries) {
    evict_oldest();
  }
}

void InfoCache::settle() noexcept {
  for (auto& [bytes, entry] : entries_) {
    entry.lane = kNoLane;
  }
}

void InfoCache::clear() noexcept {
  local_.clear();
  ages_.clear();
  entries_.clear();
}

}  // namespace oriel::core
