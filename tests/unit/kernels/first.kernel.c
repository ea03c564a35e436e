/* Kernels of every kind of parameter. Each writes what it saw, so that tests can compare. */
#include <oriel/kernel.h>

#include "shared_types.h"

ORIEL_KERNEL(axpy, ORIEL_IN(float, x), ORIEL_INOUT(float, y), ORIEL_SCALAR(float, a)) {
  size_t i = oriel_global_id(0);
  y[i] += a * x[i];
}

ORIEL_KERNEL(nothing) {}

ORIEL_FUNCTION double scaled(struct Shape shape, double value) { return shape.scale * value; }

ORIEL_KERNEL(matrix, ORIEL_OUT(double, out), ORIEL_STRUCT(struct Shape, shape)) {
  size_t row = oriel_global_id(1);
  size_t column = oriel_global_id(0);
  if (row < shape.rows && column < shape.columns) {
    out[row * shape.columns + column] = scaled(shape, (double)(100 * row + column));
  }
}

ORIEL_KERNEL(integers, ORIEL_OUT(int64_t, out), ORIEL_SCALAR(int8_t, a), ORIEL_SCALAR(uint8_t, b),
             ORIEL_SCALAR(int16_t, c), ORIEL_SCALAR(uint16_t, d), ORIEL_SCALAR(int32_t, e),
             ORIEL_SCALAR(uint32_t, f), ORIEL_SCALAR(int64_t, g), ORIEL_SCALAR(uint64_t, h),
             ORIEL_SCALAR(int, i), ORIEL_SCALAR(unsigned, j)) {
  out[0] = a;
  out[1] = b;
  out[2] = c;
  out[3] = d;
  out[4] = e;
  out[5] = f;
  out[6] = g;
  out[7] = (int64_t)h;
  out[8] = i;
  out[9] = j;
}

ORIEL_KERNEL(invert_bytes, ORIEL_IN(uint8_t, in), ORIEL_OUT(uint8_t, out)) {
  size_t i = oriel_global_id(0);
  out[i] = (uint8_t)~in[i];
}
