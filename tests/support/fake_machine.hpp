#pragma once

#include "fake_script.hpp"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <utility>

namespace oriel::fake {

using Work = std::function<void()>;

// The device behind a script: one global order of work, run when somebody waits.
class Machine : public std::enable_shared_from_this<Machine> {
 public:
  explicit Machine(std::shared_ptr<Script> script) : script_(std::move(script)) {}

  [[nodiscard]] Script& script() noexcept { return *script_; }
  [[nodiscard]] Result<void> enter(Call call) { return script_->enter(call); }
  void violation(std::string text) { script_->note_violation(std::move(text)); }

  void destroyed(Call call, std::size_t Live::*count) {
    const std::scoped_lock lock(script_->mutex_);
    const auto index = static_cast<std::size_t>(call);
    ++script_->calls_[index];
    --(script_->live_.*count);
    if (script_->windows_ != 0) {
      ++script_->calls_in_window_[index];
      script_->violations_.push_back(std::string(fake::to_string(call)) + " in a window");
    }
  }
  void created(std::size_t Live::*count) {
    const std::scoped_lock lock(script_->mutex_);
    ++(script_->live_.*count);
  }
  void window_closed() {
    const std::scoped_lock lock(script_->mutex_);
    --script_->windows_;
  }
  [[nodiscard]] std::size_t scratch(std::string_view kernel) {
    const std::scoped_lock lock(script_->mutex_);
    const auto found = script_->scratch_.find(kernel);
    return found == script_->scratch_.end() ? 0 : found->second;
  }
  [[nodiscard]] std::pair<std::size_t, int> claimed_nodes() {
    const std::scoped_lock lock(script_->mutex_);
    return {script_->allocation_nodes_, script_->node_skew_};
  }

  [[nodiscard]] std::uint64_t enqueue(Work work) {
    const std::scoped_lock lock(queue_mutex_);
    queue_.push_back(std::move(work));
    return ++enqueued_;
  }
  [[nodiscard]] std::uint64_t enqueued() {
    const std::scoped_lock lock(queue_mutex_);
    return enqueued_;
  }
  [[nodiscard]] bool done(std::uint64_t ticket) {
    const std::scoped_lock lock(queue_mutex_);
    return done_ >= ticket;
  }
  // Runs everything up to `ticket`.
  void run_until(std::uint64_t ticket) {
    const std::scoped_lock running(run_mutex_);
    while (true) {
      Work work;
      {
        const std::scoped_lock lock(queue_mutex_);
        if (done_ >= ticket) {
          return;
        }
        work = std::move(queue_.front());
        queue_.pop_front();
      }
      work();
      work = nullptr;
      const std::scoped_lock lock(queue_mutex_);
      ++done_;
    }
  }

  // Notes the blocks the provider gave, to find work that touches freed memory.
  void add_block(std::uint64_t address, std::size_t bytes) {
    const std::scoped_lock lock(blocks_mutex_);
    blocks_[address] = bytes;
  }
  void remove_block(std::uint64_t address) {
    const std::scoped_lock lock(blocks_mutex_);
    blocks_.erase(address);
  }
  // Whether the bytes lie in one block; notes a violation if not.
  [[nodiscard]] bool check(std::uint64_t address, std::size_t bytes, std::string_view what) {
    if (bytes == 0) {
      return true;
    }
    {
      const std::scoped_lock lock(blocks_mutex_);
      auto next = blocks_.upper_bound(address);
      if (next != blocks_.begin()) {
        --next;
        if (address + bytes <= next->first + next->second) {
          return true;
        }
      }
    }
    violation(std::string(what) + " touches memory that was freed");
    return false;
  }

  std::atomic<int> inside{0};

 private:
  std::shared_ptr<Script> script_;

  std::mutex run_mutex_;    // held while work runs, so that the order is one
  std::mutex queue_mutex_;  // guards what follows
  std::deque<Work> queue_;
  std::uint64_t enqueued_ = 0;
  std::uint64_t done_ = 0;

  std::mutex blocks_mutex_;
  std::map<std::uint64_t, std::size_t> blocks_;
};

}  // namespace oriel::fake
