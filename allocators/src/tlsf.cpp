#include <oriel/alloc/tlsf.hpp>

#include <bit>
#include <cassert>

namespace oriel::alloc {

Tlsf::Tlsf(std::uint64_t grain) : shift_(static_cast<unsigned>(std::countr_zero(grain))), heads_{} {
  assert(std::has_single_bit(grain));
  for (auto& level : heads_) {
    level.fill(kNone);
  }
}

Tlsf::Handle Tlsf::add_range(std::uint64_t address, std::uint64_t bytes, std::uint32_t tag) {
  assert(bytes != 0 && ((address | bytes) >> shift_ << shift_) == (address | bytes));
  reserve();
  const Handle block = take_node();
  Node& node = nodes_[block];
  node.address = address;
  node.bytes = bytes;
  node.tag = tag;
  link(block);
  return block;
}

void Tlsf::remove_range(Handle whole) noexcept {
  assert(nodes_[whole].state == State::kFree && is_whole(whole));
  unlink(whole);
  drop_node(whole);
}

void Tlsf::reserve() {
  if (vacant_ == kNone) {
    nodes_.emplace_back();
    drop_node(static_cast<Handle>(nodes_.size() - 1));
  }
}

Tlsf::Handle Tlsf::allocate(std::uint64_t bytes) {
  assert(bytes != 0 && (bytes >> shift_ << shift_) == bytes);
  reserve();  // before anything changes: a cut needs a node
  const Handle block = find(bytes);
  if (block == kNone) {
    return kNone;
  }
  unlink(block);
  if (nodes_[block].bytes != bytes) {
    cut(block, bytes);
  }
  nodes_[block].state = State::kUsed;
  used_bytes_ += bytes;
  ++used_blocks_;
  return block;
}

Tlsf::Handle Tlsf::free(Handle block) noexcept {
  assert(nodes_[block].state == State::kUsed);
  used_bytes_ -= nodes_[block].bytes;
  --used_blocks_;
  if (const Handle right = nodes_[block].right;
      right != kNone && nodes_[right].state == State::kFree) {
    unlink(right);
    absorb_right(block);
  }
  if (const Handle left = nodes_[block].left; left != kNone && nodes_[left].state == State::kFree) {
    unlink(left);
    absorb_right(left);
    block = left;
  }
  link(block);
  return block;
}

// Below 32 grains each size has a class of its own; from there on a class spans 1/32 of its power
// of two.
Tlsf::Class Tlsf::class_of(std::uint64_t bytes) const noexcept {
  const std::uint64_t grains = bytes >> shift_;
  if (grains < kSecond) {
    return {0, static_cast<unsigned>(grains)};
  }
  const auto top = static_cast<unsigned>(std::bit_width(grains)) - 1;
  const auto second = static_cast<unsigned>(grains >> (top - kSecondBits)) & (kSecond - 1);
  return {top - kSecondBits + 1, second};
}

Tlsf::Handle Tlsf::find(std::uint64_t bytes) const noexcept {
  const Class own = class_of(bytes);
  Handle block = heads_[own.first][own.second];
  for (unsigned probe = 0; probe < kProbes && block != kNone; ++probe) {
    if (nodes_[block].bytes >= bytes) {
      return block;
    }
    block = nodes_[block].next;
  }
  return find_above(own);
}

Tlsf::Handle Tlsf::find_above(Class at) const noexcept {
  // Shifted twice, since a shift by the full width has no meaning.
  const std::uint32_t second = second_bits_[at.first] & (~std::uint32_t{0} << at.second << 1);
  if (second != 0) {
    return heads_[at.first][static_cast<unsigned>(std::countr_zero(second))];
  }
  const std::uint64_t first = first_bits_ & (~std::uint64_t{0} << at.first << 1);
  if (first == 0) {
    return kNone;
  }
  const auto level = static_cast<unsigned>(std::countr_zero(first));
  return heads_[level][static_cast<unsigned>(std::countr_zero(second_bits_[level]))];
}

Tlsf::Handle Tlsf::take_node() noexcept {
  const Handle node = vacant_;
  vacant_ = nodes_[node].next;
  nodes_[node] = Node{};
  return node;
}

void Tlsf::drop_node(Handle node) noexcept {
  nodes_[node] = Node{};
  nodes_[node].next = vacant_;
  vacant_ = node;
}

void Tlsf::link(Handle block) noexcept {
  Node& node = nodes_[block];
  const Class at = class_of(node.bytes);
  Handle& head = heads_[at.first][at.second];
  node.state = State::kFree;
  node.previous = kNone;
  node.next = head;
  if (head != kNone) {
    nodes_[head].previous = block;
  }
  head = block;
  second_bits_[at.first] |= std::uint32_t{1} << at.second;
  first_bits_ |= std::uint64_t{1} << at.first;
  free_bytes_ += node.bytes;
  ++free_blocks_;
}

void Tlsf::unlink(Handle block) noexcept {
  Node& node = nodes_[block];
  const Class at = class_of(node.bytes);
  if (node.next != kNone) {
    nodes_[node.next].previous = node.previous;
  }
  if (node.previous != kNone) {
    nodes_[node.previous].next = node.next;
  } else {
    heads_[at.first][at.second] = node.next;
    if (node.next == kNone) {
      second_bits_[at.first] &= ~(std::uint32_t{1} << at.second);
      if (second_bits_[at.first] == 0) {
        first_bits_ &= ~(std::uint64_t{1} << at.first);
      }
    }
  }
  free_bytes_ -= node.bytes;
  --free_blocks_;
}

// Leaves `bytes` to `block` and makes the rest, which is not nothing, a free block behind it.
void Tlsf::cut(Handle block, std::uint64_t bytes) noexcept {
  const Handle rest = take_node();
  Node& front = nodes_[block];
  Node& back = nodes_[rest];
  back.address = front.address + bytes;
  back.bytes = front.bytes - bytes;
  back.tag = front.tag;
  back.left = block;
  back.right = front.right;
  if (back.right != kNone) {
    nodes_[back.right].left = rest;
  }
  front.right = rest;
  front.bytes = bytes;
  link(rest);
}

void Tlsf::absorb_right(Handle block) noexcept {
  Node& node = nodes_[block];
  const Handle right = node.right;
  node.bytes += nodes_[right].bytes;
  node.right = nodes_[right].right;
  if (node.right != kNone) {
    nodes_[node.right].left = block;
  }
  drop_node(right);
}

std::string Tlsf::validate() const {
  for (Handle block = 0; block < nodes_.size(); ++block) {
    if (nodes_[block].state == State::kVacant) {
      continue;
    }
    if (std::string broken = validate_block(block); !broken.empty()) {
      return broken;
    }
  }
  if (std::string broken = validate_lists(); !broken.empty()) {
    return broken;
  }
  return validate_counters();
}

std::string Tlsf::validate_block(Handle block) const {
  const Node& node = nodes_[block];
  if (node.bytes == 0 ||
      ((node.address | node.bytes) >> shift_ << shift_) != (node.address | node.bytes)) {
    return "tlsf: a block is empty or not aligned";
  }
  if (node.left != kNone && nodes_[node.left].right != block) {
    return "tlsf: the left neighbour does not know its right one";
  }
  if (node.right == kNone) {
    return "";
  }
  const Node& right = nodes_[node.right];
  if (right.left != block || right.state == State::kVacant || right.tag != node.tag) {
    return "tlsf: the right neighbour is not one";
  }
  if (right.address - node.address != node.bytes) {
    return "tlsf: two neighbours overlap, or leave a gap";
  }
  if (node.state == State::kFree && right.state == State::kFree) {
    return "tlsf: two free neighbours were not merged";
  }
  return "";
}

std::string Tlsf::validate_lists() const {
  std::uint64_t listed = 0;
  for (unsigned first = 0; first < kFirst; ++first) {
    if (((first_bits_ >> first) & 1) != (second_bits_[first] != 0 ? 1U : 0U)) {
      return "tlsf: a first-level bit is wrong";
    }
    for (unsigned second = 0; second < kSecond; ++second) {
      if (((second_bits_[first] >> second) & 1) != (heads_[first][second] != kNone ? 1U : 0U)) {
        return "tlsf: a second-level bit is wrong";
      }
      if (!validate_list({first, second}, listed)) {
        return "tlsf: a class lists a block that is not of it";
      }
    }
  }
  return listed == free_blocks_ ? "" : "tlsf: a free block is in no list";
}

bool Tlsf::validate_list(Class at, std::uint64_t& listed) const {
  Handle previous = kNone;
  for (Handle block = heads_[at.first][at.second]; block != kNone; block = nodes_[block].next) {
    const Node& node = nodes_[block];
    const Class own = class_of(node.bytes);
    if (node.state != State::kFree || node.previous != previous || own.first != at.first ||
        own.second != at.second || ++listed > nodes_.size()) {
      return false;
    }
    previous = block;
  }
  return true;
}

std::string Tlsf::validate_counters() const {
  std::array<std::uint64_t, 3> blocks{};
  std::array<std::uint64_t, 3> bytes{};
  for (const Node& node : nodes_) {
    blocks[static_cast<std::size_t>(node.state)] += 1;
    bytes[static_cast<std::size_t>(node.state)] += node.bytes;
  }
  std::uint64_t vacant = 0;
  for (Handle at = vacant_; at != kNone && vacant <= nodes_.size(); at = nodes_[at].next) {
    ++vacant;
  }
  constexpr auto kFreeAt = static_cast<std::size_t>(State::kFree);
  constexpr auto kUsedAt = static_cast<std::size_t>(State::kUsed);
  if (vacant != blocks[static_cast<std::size_t>(State::kVacant)]) {
    return "tlsf: a vacant node is lost";
  }
  if (blocks[kFreeAt] != free_blocks_ || blocks[kUsedAt] != used_blocks_ ||
      bytes[kFreeAt] != free_bytes_ || bytes[kUsedAt] != used_bytes_) {
    return "tlsf: a counter differs from a recount";
  }
  return "";
}

}  // namespace oriel::alloc
