#ifndef ORIEL_TESTS_SHARED_TYPES_H
#define ORIEL_TESTS_SHARED_TYPES_H

#include <oriel/kernel.h> /* The integer types, in every mode, C++ included. */

/* A structure that kernels take by value, as their host code writes it. */
struct Shape {
  uint32_t rows;
  uint32_t columns;
  double scale;
};

#endif /* ORIEL_TESTS_SHARED_TYPES_H */
