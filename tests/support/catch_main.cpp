// The main() of every test program.
#include "support/catch_runner.hpp"

int main(int argc, char** argv) {
  return oriel::test::run_catch(argc, argv);
}
