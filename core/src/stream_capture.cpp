#include <oriel/core/stream_capture.hpp>

#include <algorithm>
#include <utility>

namespace oriel::core {
namespace {

Error out_of_order(const char* step, const char* needs) {
  return {ErrorCode::kInvalidState, std::string(step) + " needs " + needs};
}

}  // namespace

Result<void> StreamCapture::prepare(StreamId owner,
                                    unsigned origin,
                                    std::uint64_t serial,
                                    const WindowOptions& options) {
  if (state_ != WindowState::kIdle) {
    return fail(out_of_order("prepare", "a stream without a window; close the one it has first"));
  }
  state_ = WindowState::kPrepared;
  owner_ = owner;
  serial_ = serial;
  options_ = options;
  pass_ = 1;
  lanes_.reset(origin);
  return {};
}

Result<void> StreamCapture::restart_pass() {
  if (state_ != WindowState::kPrepared || moving_) {
    return fail(out_of_order("warmup_pass", "a prepared window that has not begun"));
  }
  ++pass_;
  warmed_ = {};
  calls_ = 0;
  members_.clear();
  lanes_.reset(lanes_.origin());
  return {};
}

Result<void> StreamCapture::start_moving(const char* step) {
  if (state_ != WindowState::kPrepared || moving_) {
    return fail(out_of_order(step, "a prepared window that has not begun"));
  }
  moving_ = true;
  return {};
}

void StreamCapture::open() {
  state_ = WindowState::kRecording;
  moving_ = false;
  thread_ = std::this_thread::get_id();
  ++pass_;
  members_.clear();
  lanes_.reset(lanes_.origin());
  warmed_calls_ = std::exchange(calls_, 0);
  for (const auto& module : modules_) {
    module->stamp = 0;  // to be listed anew by what is recorded
  }
  modules_.clear();
  recording_ = std::make_unique<Recording>();
  recording_->reserve(warmed_);
  touched_.armed.reserve(warmed_.uses + 1);
  touched_.external.reserve(warmed_.uses + 1);
}

void StreamCapture::close() noexcept {
  state_ = WindowState::kIdle;
  forget();
}

void StreamCapture::forget() noexcept {
  moving_ = false;
  native_work_ = false;
  owner_ = {};
  serial_ = 0;
  thread_ = last_thread_ = {};
  members_.clear();
  recording_.reset();
  warmed_ = {};
  calls_ = warmed_calls_ = 0;
  touched_ = {};
  modules_.clear();
  foreign_streams_ = 0;
  warmup_waits = 0;
  first_.reset();
}

bool StreamCapture::admits(StreamId stream) const noexcept {
  return stream == owner_ || std::find(members_.begin(), members_.end(), stream) != members_.end();
}

void StreamCapture::admit(StreamId stream) {
  if (!admits(stream)) {
    members_.push_back(stream);
  }
}

std::unique_ptr<Recording> StreamCapture::take_recording() noexcept {
  return std::move(recording_);
}

NodeId StreamCapture::count(const Recording::Size& size) noexcept {
  const auto id = static_cast<NodeId>(warmed_.nodes);
  warmed_.nodes += size.nodes;
  warmed_.uses += size.uses;
  warmed_.dependencies += size.dependencies;
  warmed_.values += size.values;
  warmed_.value_bytes += size.value_bytes;
  warmed_.label_bytes += size.label_bytes;
  return id;
}

void StreamCapture::doom(Error error) {
  if (!first_) {
    first_ = std::move(error);
  } else if (first_->later.size() < Error::kMostLater) {
    first_->later.push_back(std::move(error));
  }
}

}  // namespace oriel::core
