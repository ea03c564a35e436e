#pragma once

#include <atomic>
#include <cstdint>
#include <utility>

namespace oriel::host {

/// An object that lives as long as somebody holds a Ref to it.
class Counted {
 public:
  Counted() = default;
  Counted(const Counted&) = delete;
  Counted& operator=(const Counted&) = delete;

  /// Whether the caller holds the only Ref. What others did with theirs has happened before.
  [[nodiscard]] bool sole() const noexcept {
    return references_.load(std::memory_order_acquire) == 1;
  }

 protected:
  ~Counted() = default;

 private:
  template <class T>
  friend class Ref;
  std::atomic<std::uint32_t> references_{0};
};

/// One counted reference to a T, which deletes it when it was the last. Never allocates.
template <class T>
class Ref {
 public:
  Ref() = default;
  explicit Ref(T* object) noexcept : object_(object) {
    if (object_ != nullptr) {
      object_->references_.fetch_add(1, std::memory_order_relaxed);
    }
  }
  Ref(const Ref& other) noexcept : Ref(other.object_) {}
  Ref(Ref&& other) noexcept : object_(std::exchange(other.object_, nullptr)) {}
  Ref& operator=(Ref other) noexcept {
    std::swap(object_, other.object_);
    return *this;
  }
  ~Ref() {
    if (object_ != nullptr && object_->references_.fetch_sub(1, std::memory_order_acq_rel) == 1) {
      delete object_;
    }
  }

  [[nodiscard]] T* get() const noexcept { return object_; }
  T& operator*() const noexcept { return *object_; }
  T* operator->() const noexcept { return object_; }
  explicit operator bool() const noexcept { return object_ != nullptr; }

 private:
  T* object_ = nullptr;
};

}  // namespace oriel::host
