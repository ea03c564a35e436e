// The suite as a program of its own, for ctest and for debugging:
//   conformance [BACKEND [FILTER]]
#include "conformance/conformance.hpp"

#include <cstdio>

int main(int argc, char** argv) {
  oriel::conformance::Options options;
  if (argc > 1) {
    options.backend = argv[1];
  }
  if (argc > 2) {
    options.filter = argv[2];
  }
  const oriel::conformance::Answer answer = oriel::conformance::run(options);
  if (!answer.error.empty()) {
    std::fprintf(stderr, "conformance: %s\n", answer.error.c_str());
  }
  return answer.status;
}
