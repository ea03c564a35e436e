#include "executor.hpp"

#include <algorithm>
#include <utility>

namespace oriel::host {
namespace {

using State = WorkStream::State;

// How long work waits for somebody to come for it: one nap to two.
constexpr std::chrono::microseconds kNap{500};
// So many naps without anything new end in sleep.
constexpr unsigned kQuietNaps = 20;
// A worker goes on to the next stream after so many commands.
constexpr std::uint64_t kBatch = 64;
// Bound of the spin before a thread sleeps, some 20 microseconds: longer than a small command, much
// shorter than the time slice that is lost if the thread it waits for has lost its CPU.
constexpr int kSpins = 1000;

void pause() noexcept {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

bool blocked(WorkStream& stream) noexcept {
  const Mark* gate = stream.queue.front().gate();
  return gate != nullptr && !gate->passed() && !stream.abandoned.load();
}

}  // namespace

std::shared_ptr<Executor> Executor::start(unsigned workers) {
  auto executor = std::make_shared<Executor>();
  try {
    executor->workers_.reserve(workers);
    for (unsigned i = 0; i < workers; ++i) {
      executor->workers_.emplace_back([executor] { executor->work(); });
    }
  } catch (...) {
    executor->stop();
    throw;
  }
  return executor;
}

void Executor::stop() noexcept {
  std::vector<std::thread> workers;
  {
    const Lock lock(mutex_);
    stopping_ = true;
    workers.swap(workers_);
    wake_.notify_all();
  }
  for (std::thread& worker : workers) {
    if (worker.get_id() == std::this_thread::get_id()) {
      worker.detach();
    } else {
      worker.join();
    }
  }
}

void Executor::announce(WorkStream& stream) noexcept {
  const Lock lock(mutex_);
  ++activity_;
  // A thread that waits may have been faster than this call.
  if (stream.state.load() == State::kIdle && stream.queue.pending()) {
    leave_idle(stream);
    push_ready(stream);
  }
}

bool Executor::wait(const Mark& mark) noexcept {
  if (mark.passed()) {
    return true;
  }
  Lock lock(mutex_);
  bool spun = false;
  while (!mark.passed()) {
    WorkStream* stream = mark.stream.get();
    std::uint64_t position = mark.position;
    while (stream->state.load() == State::kParked) {
      position = stream->waiter.position;
      stream = stream->parked_at;
    }
    if (stream->state.load() != State::kRunning) {
      take(*stream);
      if (oldest_ready_ != nullptr) {
        call_worker();  // there is work for two
      }
      run(lock, *stream, position);
    } else if (stream->runner == std::this_thread::get_id()) {
      return false;
    } else if (!std::exchange(spun, true)) {
      spin(lock, mark, *stream);
    } else {
      sleep_until_progress(lock, mark);
    }
  }
  return true;
}

void Executor::hurry() noexcept {
  Lock lock(mutex_);
  if (oldest_ready_ == nullptr) {
    return;
  }
  if (workers_.empty()) {
    WorkStream& stream = *oldest_ready_;
    take(stream);
    run(lock, stream, stream.queue.completed() + 1);
  } else {
    call_worker();
  }
}

void Executor::work() noexcept {
  Lock lock(mutex_);
  unsigned quiet = 0;
  std::uint64_t seen = 0;
  while (!stopping_) {
    if (WorkStream* stream = due()) {
      take(*stream);
      run(lock, *stream, stream->queue.completed() + kBatch);
      quiet = 0;
    } else {
      nap(lock, quiet, seen);
    }
  }
}

void Executor::nap(Lock& lock, unsigned& quiet, std::uint64_t& seen) noexcept {
  quiet = oldest_ready_ == nullptr && activity_ == seen ? quiet + 1 : 0;
  seen = activity_;
  if (quiet < kQuietNaps) {
    if (!wake_.wait_for(lock, kNap, [this] { return stopping_ || hurried_; })) {
      ++naps_;
    }
  } else {
    ++asleep_;
    wake_.wait(lock, [this] { return stopping_ || hurried_ || oldest_ready_ != nullptr; });
    --asleep_;
    quiet = 0;
  }
}

WorkStream* Executor::due() noexcept {
  if (oldest_ready_ == nullptr) {
    hurried_ = false;
    return nullptr;
  }
  return hurried_ || naps_ - oldest_ready_->ready_since >= 2 ? oldest_ready_ : nullptr;
}

void Executor::call_worker() noexcept {
  if (!std::exchange(hurried_, true)) {
    wake_.notify_one();
  }
}

void Executor::leave_idle(WorkStream& stream) noexcept {
  stream.self = Ref<WorkStream>(&stream);
  stream.ready_since = naps_;
}

void Executor::push_ready(WorkStream& stream) noexcept {
  stream.state = State::kReady;
  stream.next_ready = nullptr;
  (oldest_ready_ == nullptr ? oldest_ready_ : newest_ready_->next_ready) = &stream;
  newest_ready_ = &stream;
  if (asleep_ > 0) {
    wake_.notify_one();
  }
}

// Makes the stream running, by this thread, from ready or from idle.
void Executor::take(WorkStream& stream) noexcept {
  if (stream.state.load() == State::kIdle) {
    leave_idle(stream);
  } else {
    WorkStream* previous = nullptr;
    for (WorkStream* it = oldest_ready_; it != &stream; it = it->next_ready) {
      previous = it;
    }
    (previous == nullptr ? oldest_ready_ : previous->next_ready) = stream.next_ready;
    if (newest_ready_ == &stream) {
      newest_ready_ = previous;
    }
  }
  stream.state = State::kRunning;
  stream.runner = std::this_thread::get_id();
}

void Executor::run(Lock& lock, WorkStream& stream, std::uint64_t last) noexcept {
  const Ref<WorkStream> held(&stream);
  lock.unlock();
  run_commands(stream, last);
  lock.lock();
  settle(stream);
}

void Executor::run_commands(WorkStream& stream, std::uint64_t last) noexcept {
  while (stream.queue.pending() && !stream.passed(last) && !blocked(stream)) {
    if (!stream.abandoned.load()) {
      stream.queue.front().run();
    }
    if (stream.queue.pop() >= stream.watched.load()) {
      const Lock lock(mutex_);
      serve_waiters(stream);
    }
  }
}

// Says where a stream that stops running goes.
void Executor::settle(WorkStream& stream) noexcept {
  stream.runner = {};
  if (!stream.queue.pending()) {
    stream.state = State::kIdle;
  }
  // Asked again: who publishes now sees the stream idle, or is seen here.
  if (!stream.queue.pending()) {
    stream.self = {};
  } else if (blocked(stream)) {
    park(stream, *stream.queue.front().gate());
  } else {
    push_ready(stream);
  }
  if (sleepers_ > 0) {
    progress_.notify_all();
  }
}

void Executor::park(WorkStream& stream, const Mark& gate) noexcept {
  WorkStream& at = *gate.stream;
  stream.state = State::kParked;
  stream.parked_at = &at;
  stream.waiter = {gate.position, &stream, at.waiters, true};
  at.waiters = &stream.waiter;
  at.watched = std::min(at.watched.load(), gate.position);
  // Whoever runs `at` sees the watch, or is seen here.
  if (gate.passed()) {
    serve_waiters(at);
  }
}

void Executor::serve_waiters(WorkStream& stream) noexcept {
  std::uint64_t least = WorkStream::kNobody;
  WorkStream::Waiter** link = &stream.waiters;
  while (*link != nullptr) {
    WorkStream::Waiter& waiter = **link;
    if (!stream.passed(waiter.position)) {
      least = std::min(least, waiter.position);
      link = &waiter.next;
      continue;
    }
    *link = waiter.next;
    waiter.listed = false;
    if (waiter.parked != nullptr) {
      waiter.parked->parked_at = nullptr;
      push_ready(*waiter.parked);
    }
  }
  stream.watched = least;
  if (sleepers_ > 0) {
    progress_.notify_all();
  }
}

// Gives the thread that runs the stream a moment to get there, or to let go.
void Executor::spin(Lock& lock, const Mark& mark, WorkStream& running) noexcept {
  const Ref<WorkStream> held(&running);
  lock.unlock();
  for (int i = 0; i < kSpins; ++i) {
    if (mark.passed() || running.state.load() != State::kRunning) {
      break;
    }
    pause();
  }
  lock.lock();
}

// Returns when the mark has passed or some stream stopped running, or for no reason.
void Executor::sleep_until_progress(Lock& lock, const Mark& mark) noexcept {
  WorkStream& stream = *mark.stream;
  WorkStream::Waiter waiter{mark.position, nullptr, stream.waiters, true};
  stream.waiters = &waiter;
  stream.watched = std::min(stream.watched.load(), mark.position);
  if (!mark.passed()) {
    ++sleepers_;
    progress_.wait(lock);
    --sleepers_;
  }
  WorkStream::Waiter** link = &stream.waiters;
  while (waiter.listed && *link != &waiter) {
    link = &(*link)->next;
  }
  if (waiter.listed) {
    *link = waiter.next;
  }
}

}  // namespace oriel::host
