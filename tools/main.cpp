#include "command_line.hpp"

#include <fcntl.h>
#include <unistd.h>

namespace {

/// A standard stream that came closed would lend its number to the next file that is opened, which
/// would then swallow what is printed. Each such gets a stand-in on which its use fails.
void hold_standard_streams() {
  for (int stream = STDIN_FILENO; stream <= STDERR_FILENO; ++stream) {
    if (fcntl(stream, F_GETFD) == -1) {
      // The lowest free number is taken, which is this one.
      static_cast<void>(open("/dev/null", stream == STDIN_FILENO ? O_WRONLY : O_RDONLY));
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  hold_standard_streams();
  return oriel::tools::run_command(argc, argv);
}
