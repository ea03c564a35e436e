#include "machine.hpp"

#include <algorithm>
#include <thread>
#include <utility>

namespace oriel::emulator {
namespace {

void leave_context(Stream& stream) {
  std::erase(stream.context->blocking, &stream);
}

/// Waits for the next work and for what it needs. False when there will be none.
bool await_item(Machine& machine, Stream& stream, std::unique_lock<std::mutex>& lock) {
  stream.wake.wait(lock, [&] { return !stream.queue.empty() || stream.closed || machine.exiting; });
  if (stream.queue.empty() || machine.exiting) {
    return false;
  }
  for (const Ticket& ticket : stream.queue.front().after) {
    if (!wait_for(machine, lock, ticket)) {
      return false;
    }
  }
  const Clock::time_point start = stream.queue.front().not_before;
  if (start > Clock::now()) {
    lock.unlock();
    std::this_thread::sleep_until(start);
    lock.lock();
  }
  return !machine.exiting;
}

/// A worker's whole life. The stream stays until its last work is done, closed or not.
void work_off(std::shared_ptr<Stream> stream) {
  Machine& machine = Machine::instance();
  std::unique_lock lock(machine.mutex);
  while (await_item(machine, *stream, lock)) {
    Stream::Item item = std::move(stream->queue.front());
    stream->queue.pop_front();
    const bool runs = !failed(stream->context->error) && !machine.lost;
    if (item.work != nullptr && runs) {
      run_work(machine, lock, *stream->context, *item.work);
    }
    ++stream->completed;
    machine.progress.notify_all();
  }
  stream->queue.clear();
  leave_context(*stream);
  stream.reset();
  --machine.workers;
}

void start_worker(Machine& machine, Stream& stream) {
  stream.has_worker = true;
  ++machine.workers;
  std::thread(work_off, stream.shared_from_this()).detach();  // end_process() waits for it
}

}  // namespace

std::shared_ptr<Stream> make_stream(Context& context, StreamKind kind, bool blocking) {
  auto stream = std::make_shared<Stream>();
  stream->context = &context;
  stream->kind = kind;
  stream->blocking = blocking;
  if (blocking && kind != StreamKind::kLegacy) {
    context.blocking.push_back(stream.get());
  }
  return stream;
}

Stream& per_thread_stream(Context& context) {
  std::shared_ptr<Stream>& stream = context.per_thread[this_thread().number];
  if (stream == nullptr) {
    stream = make_stream(context, StreamKind::kPerThread, true);
  }
  return *stream;
}

Ticket submit(Machine& machine, Stream& stream, NodeKind kind, WorkRef work) {
  if (stream.capture != nullptr) {
    capture_work(machine, stream, kind, std::move(work));
    return {};
  }
  return enqueue(machine, stream, std::move(work));
}

Ticket enqueue(Machine& machine, Stream& stream, WorkRef work, std::vector<Ticket> after) {
  std::erase_if(after, [&](const Ticket& ticket) {
    return ticket.passed() || ticket.stream.get() == &stream;
  });
  Context& context = *stream.context;
  if (stream.kind == StreamKind::kLegacy) {
    for (Stream* other : context.blocking) {
      if (!other->idle()) {
        after.push_back(other->last());
      }
    }
  } else if (stream.blocking && !context.legacy->idle()) {
    after.push_back(context.legacy->last());
  }
  Clock::time_point start{};
  if (machine.options.delay_us != 0) {
    start = Clock::now() + std::chrono::microseconds(machine.options.delay_us);
  }
  stream.queue.push_back({std::move(work), std::move(after), start});
  ++stream.enqueued;
  if (!stream.has_worker) {
    start_worker(machine, stream);
  }
  stream.wake.notify_one();
  return stream.last();
}

bool wait_for(Machine& machine, std::unique_lock<std::mutex>& lock, const Ticket& ticket) {
  machine.progress.wait(lock, [&] { return ticket.passed() || machine.exiting; });
  return ticket.passed();
}

std::vector<Stream*> streams_of(Machine& machine, Context& context) {
  std::vector<Stream*> streams = context.blocking;  // those of threads, and closed ones, too
  streams.push_back(context.legacy.get());
  for (const auto& [handle, stream] : machine.streams) {
    if (stream->context == &context && !stream->blocking) {
      streams.push_back(stream.get());
    }
  }
  return streams;
}

bool drain(Machine& machine, std::unique_lock<std::mutex>& lock, Context& context) {
  std::vector<Ticket> tickets;
  for (Stream* stream : streams_of(machine, context)) {
    tickets.push_back(stream->last());
  }
  return std::all_of(tickets.begin(), tickets.end(), [&](const Ticket& ticket) {
    return wait_for(machine, lock, ticket);
  });
}

void close_stream(Machine&, Stream& stream) {
  stream.closed = true;
  stream.wake.notify_all();
  if (!stream.has_worker) {
    leave_context(stream);
  }
}

}  // namespace oriel::emulator
