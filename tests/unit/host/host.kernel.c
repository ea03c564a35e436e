/* Small kernels for the tests of the host backend. */
#include <oriel/kernel.h>

ORIEL_KERNEL(set, ORIEL_OUT(uint32_t, out), ORIEL_SCALAR(uint32_t, value)) {
  out[oriel_global_id(0)] = value;
}

/* Neither order nor number of calls can change without changing the result. */
ORIEL_KERNEL(step, ORIEL_INOUT(uint32_t, x), ORIEL_SCALAR(uint32_t, digit)) {
  size_t i = oriel_global_id(0);
  x[i] = 31 * x[i] + digit;
}

ORIEL_KERNEL(add, ORIEL_IN(uint32_t, x), ORIEL_IN(uint32_t, y), ORIEL_OUT(uint32_t, out)) {
  size_t i = oriel_global_id(0);
  out[i] = x[i] + y[i];
}

struct Large {
  uint8_t bytes[40000];
};
ORIEL_KERNEL(last_byte, ORIEL_OUT(uint32_t, out), ORIEL_STRUCT(struct Large, large)) {
  out[0] = large.bytes[sizeof(large.bytes) - 1];
}
