/* Another bundle of the same program, with a kernel of a name that is in the first one too. */
#include <oriel/kernel.h>

ORIEL_KERNEL(axpy, ORIEL_INOUT(float, y)) {
  y[oriel_global_id(0)] = -1.0f;
}

ORIEL_KERNEL(nothing_else) {}
