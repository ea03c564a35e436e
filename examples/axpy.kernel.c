#include <oriel/kernel.h>

ORIEL_KERNEL(axpy, ORIEL_IN(float, x), ORIEL_INOUT(float, y), ORIEL_SCALAR(float, a)) {
  size_t i = oriel_global_id(0);
  y[i] += a * x[i];
}
