#include "call_log.hpp"

namespace oriel::emulator {
namespace {

constinit Function* functions = nullptr;

}  // namespace

Function::Function(const char* name_) noexcept : name(name_), next(functions) {
  functions = this;
}

Function* Function::first() noexcept {
  return functions;
}

Function* Function::find(std::string_view name) noexcept {
  for (Function* function = functions; function != nullptr; function = function->next) {
    if (function->name == name) {
      return function;
    }
  }
  return nullptr;
}

std::uint64_t CallLog::start(Function& function, std::uint64_t thread, bool in_capture) {
  ++function.calls;
  if (calls_.size() == kKept) {
    calls_.pop_front();
    ++first_;
  }
  calls_.push_back({function.name, thread, in_capture, false, 0});
  return first_ + calls_.size() - 1;
}

void CallLog::finish(std::uint64_t number, std::int32_t result, bool on_command) noexcept {
  if (number >= first_ && number - first_ < calls_.size()) {  // else dropped or cleared meanwhile
    calls_[number - first_].result = result;
    calls_[number - first_].on_command = on_command;
  }
}

std::size_t CallLog::count(std::string_view function) const noexcept {
  if (function.empty()) {
    return first_ + calls_.size() - cleared_;
  }
  const Function* known = Function::find(function);
  return known != nullptr ? known->calls : 0;
}

bool CallLog::get(std::size_t index, Call& out) const {
  const std::uint64_t number = cleared_ + index;
  if (number < first_ || number - first_ >= calls_.size()) {
    return false;
  }
  out = calls_[number - first_];
  return true;
}

void CallLog::clear() noexcept {
  first_ += calls_.size();
  cleared_ = first_;
  calls_.clear();
  for (Function* function = functions; function != nullptr; function = function->next) {
    function->calls = 0;
  }
}

void Faults::arm(std::string_view function, std::uint64_t k, std::int32_t code, bool on) {
  target_ = function.empty() ? nullptr : Function::find(function);
  remaining_ = k;
  code_ = code;
  on_ = on;
  hit_ = false;
  armed_ = k != 0 && (function.empty() || target_ != nullptr);
}

bool Faults::pretend(std::string_view function) {
  if (function.empty()) {
    for (Function* each = Function::first(); each != nullptr; each = each->next) {
      each->pretended = true;
    }
    pretending_ = true;
    return true;
  }
  Function* known = Function::find(function);
  if (known == nullptr) {
    return false;
  }
  known->pretended = true;
  pretending_ = true;
  return true;
}

void Faults::clear() noexcept {
  armed_ = false;
  hit_ = false;
  pretending_ = false;
  for (Function* function = Function::first(); function != nullptr; function = function->next) {
    function->pretended = false;
  }
}

bool Faults::decide(const Function& function, std::int32_t& code) noexcept {
  if (armed_ && (target_ == nullptr || target_ == &function)) {
    if (remaining_ > 0) {
      --remaining_;
    }
    if (remaining_ == 0) {
      hit_ = true;
      armed_ = on_;
      code = code_;
      return true;
    }
  }
  if (pretending_ && function.pretended) {
    code = 0;
    return true;
  }
  return false;
}

}  // namespace oriel::emulator
