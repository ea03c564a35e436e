#pragma once

#include "argument_layout.hpp"
#include "command_queue.hpp"
#include "event_state.hpp"
#include "host_module.hpp"
#include "launch_header.hpp"
#include "memory_commands.hpp"
#include "ref.hpp"
#include "schedule.hpp"
#include "work_stream.hpp"

#include <cstddef>
#include <utility>

namespace oriel::host {

/// What a stream's queue holds: one class for each call that enqueues.

class alignas(ArgumentLayout::kAlignment) Launch final : public Command {
 public:
  /// The arguments lie right behind the object, which makes it larger by layout().bytes().
  Launch(const LoadedKernel& kernel, const core::LaunchCommand& launch) noexcept
      : function_(kernel.function()),
        arguments_(kernel.layout().write(reinterpret_cast<std::byte*>(this + 1), launch.values)),
        launch_(header(launch)) {}

  [[nodiscard]] static std::size_t bytes(const LoadedKernel& kernel) noexcept {
    return sizeof(Launch) + kernel.layout().bytes();
  }

  void run() noexcept override { function_(&launch_, arguments_); }

 private:
  oriel_host_function* function_;
  void* const* arguments_;
  oriel_host_launch launch_;
};

class Copy final : public Command {
 public:
  explicit Copy(const core::CopyCommand& command) noexcept : command_(command) {}
  void run() noexcept override { run_copy(command_); }

 private:
  core::CopyCommand command_;
};

class Fill final : public Command {
 public:
  explicit Fill(const core::FillCommand& command) noexcept : command_(command) {}
  void run() noexcept override { run_fill(command_); }

 private:
  core::FillCommand command_;
};

class CallHost final : public Command {
 public:
  explicit CallHost(const core::HostCommand& command) noexcept : command_(command) {}
  void run() noexcept override { command_.function(command_.payload); }

 private:
  core::HostCommand command_;
};

/// Takes the time for an event; its place in the queue is what the event marks.
class Record final : public Command {
 public:
  Record(Ref<EventState> event, std::uint64_t record) noexcept
      : event_(std::move(event)), record_(record) {}
  void run() noexcept override { event_->take_time(record_); }

 private:
  Ref<EventState> event_;
  std::uint64_t record_;
};

class Wait final : public Command {
 public:
  explicit Wait(Mark mark) noexcept : Command(&mark_), mark_(std::move(mark)) {}
  void run() noexcept override {}

 private:
  Mark mark_;
};

/// One run of a schedule, as it is when this is enqueued.
class Replay final : public Command {
 public:
  explicit Replay(Ref<Schedule> schedule) noexcept : schedule_(std::move(schedule)) {}
  void run() noexcept override { schedule_->run(); }

 private:
  Ref<Schedule> schedule_;
};

}  // namespace oriel::host
