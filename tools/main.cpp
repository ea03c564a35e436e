#include "command_line.hpp"

int main(int argc, char** argv) {
  return oriel::tools::run_command(argc, argv);
}
