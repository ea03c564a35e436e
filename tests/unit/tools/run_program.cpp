#include "run_program.hpp"

#include <array>
#include <cerrno>
#include <system_error>

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

namespace oriel::tools::test {
namespace {

struct Pipe {
  int read_end = -1;
  int write_end = -1;

  Pipe() {
    std::array<int, 2> ends{};
    if (pipe2(ends.data(), O_CLOEXEC) != 0) {
      throw std::system_error(errno, std::generic_category(), "pipe2");
    }
    read_end = ends[0];
    write_end = ends[1];
  }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;
  ~Pipe() {
    close(read_end);
    close_write_end();
  }
  void close_write_end() {
    if (write_end >= 0) {
      close(write_end);
    }
    write_end = -1;
  }
};

/// Reads what is there; false once the other end was closed.
bool drain(const pollfd& ready, std::string& text) {
  if (ready.revents == 0) {
    return true;
  }
  std::array<char, 4096> piece{};
  const ssize_t count = read(ready.fd, piece.data(), piece.size());
  if (count <= 0) {
    return false;
  }
  text.append(piece.data(), static_cast<std::size_t>(count));
  return true;
}

/// Both at once, so that neither fills up while the other is waited for.
void read_both(const Pipe& out, const Pipe& err, Ran& ran) {
  std::array<pollfd, 2> ends{pollfd{out.read_end, POLLIN, 0}, pollfd{err.read_end, POLLIN, 0}};
  while (ends[0].fd >= 0 || ends[1].fd >= 0) {
    if (poll(ends.data(), ends.size(), -1) < 0 && errno != EINTR) {
      return;
    }
    for (std::size_t i = 0; i < ends.size(); ++i) {
      if (ends[i].fd >= 0 && !drain(ends[i], i == 0 ? ran.out : ran.err)) {
        ends[i].fd = -1;  // poll passes over it
      }
    }
  }
}

}  // namespace

Ran run_program(const std::string& path, std::vector<std::string> arguments, const char* out_file) {
  arguments.insert(arguments.begin(), path);
  std::vector<char*> argv;
  for (std::string& argument : arguments) {
    argv.push_back(argument.data());
  }
  argv.push_back(nullptr);
  Pipe out;
  Pipe err;
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  if (out_file != nullptr) {
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, out_file, O_WRONLY, 0);
  } else {
    posix_spawn_file_actions_adddup2(&actions, out.write_end, STDOUT_FILENO);
  }
  posix_spawn_file_actions_adddup2(&actions, err.write_end, STDERR_FILENO);
  pid_t child = 0;
  const int failed = posix_spawn(&child, path.c_str(), &actions, nullptr, argv.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (failed != 0) {
    throw std::system_error(failed, std::generic_category(), "posix_spawn " + path);
  }
  out.close_write_end();
  err.close_write_end();
  Ran ran;
  read_both(out, err, ran);
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  ran.status = WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
  return ran;
}

}  // namespace oriel::tools::test
