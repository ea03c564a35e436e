// One link of `oriel run chain`: a step of a linear congruence modulo 2^20, in floats. Every value
// is a whole number below 2^24, so it is exact on every device, with or without fused operations,
// and no link can be missing, doubled or out of order without changing the result.
#include <oriel/kernel.h>

ORIEL_KERNEL(chain_link, ORIEL_INOUT(float, x), ORIEL_SCALAR(float, increment),
             ORIEL_SCALAR(uint32_t, n)) {
  size_t i = oriel_global_id(0);
  if (i < n) {
    float next = 3.0f * x[i] + increment;
    x[i] = next - 1048576.0f * (float)(uint32_t)(next * (1.0f / 1048576.0f));
  }
}
