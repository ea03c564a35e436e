// The suite as a program of its own, for ctest and for debugging:
//   conformance [BACKEND [FILTER]]
#include "conformance/conformance.hpp"

int main(int argc, char** argv) {
  oriel::conformance::Options options;
  if (argc > 1) {
    options.backend = argv[1];
  }
  if (argc > 2) {
    options.filter = argv[2];
  }
  return oriel::conformance::run(options);
}
