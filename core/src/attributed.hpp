#pragma once

#include <oriel/error.hpp>

#include <utility>

namespace oriel {

/// The error, saying which call on which stream it came from (no stream for a call on the whole
/// runtime). The one place where errors learn that, but for those that doom a window, which are
/// kept before they get here.
[[nodiscard]] inline Error attributed(StreamId stream, const char* call, Error error) {
  if (!error.stream.valid()) {
    error.stream = stream;
  }
  if (error.operation.empty()) {
    error.operation = call;
  }
  return error;
}

template <class T>
[[nodiscard]] tl::expected<T, Error> attributed(StreamId stream,
                                                const char* call,
                                                tl::expected<T, Error> answer) {
  if (!answer) {
    answer.error() = attributed(stream, call, std::move(answer.error()));
  }
  return answer;
}

/// The same for a call that is made on no stream.
template <class T>
[[nodiscard]] tl::expected<T, Error> attributed(const char* call, tl::expected<T, Error> answer) {
  return attributed(StreamId{}, call, std::move(answer));
}

}  // namespace oriel
