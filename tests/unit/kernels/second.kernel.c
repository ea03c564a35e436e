/* A second source of the same bundle. */
#include <oriel/kernel.h>

/* Counts the visits of each item, and notes its ids, by its number in the grid. */
ORIEL_KERNEL(ids, ORIEL_INOUT(uint32_t, visits), ORIEL_OUT(uint64_t, places)) {
  size_t width = oriel_grid_size(0) * oriel_group_size(0);
  size_t height = oriel_grid_size(1) * oriel_group_size(1);
  size_t i = (oriel_global_id(2) * height + oriel_global_id(1)) * width + oriel_global_id(0);
  visits[i] += 1;
  for (int d = 0; d < 3; ++d) {
    places[6 * i + d] = oriel_group_id(d);
    places[6 * i + 3 + d] = oriel_local_id(d);
  }
}

ORIEL_KERNEL(sixteen, ORIEL_OUT(uint64_t, out), ORIEL_SCALAR(uint64_t, a1),
             ORIEL_SCALAR(uint8_t, a2), ORIEL_SCALAR(uint64_t, a3), ORIEL_SCALAR(uint8_t, a4),
             ORIEL_SCALAR(uint64_t, a5), ORIEL_SCALAR(uint8_t, a6), ORIEL_SCALAR(uint64_t, a7),
             ORIEL_SCALAR(uint8_t, a8), ORIEL_SCALAR(uint64_t, a9), ORIEL_SCALAR(uint8_t, a10),
             ORIEL_SCALAR(uint64_t, a11), ORIEL_SCALAR(uint8_t, a12), ORIEL_SCALAR(uint64_t, a13),
             ORIEL_SCALAR(uint8_t, a14), ORIEL_SCALAR(uint64_t, a15)) {
  out[0] = a1 + 2 * a2 + 3 * a3 + 4 * a4 + 5 * a5 + 6 * a6 + 7 * a7 + 8 * a8 + 9 * a9 + 10 * a10 +
           11 * a11 + 12 * a12 + 13 * a13 + 14 * a14 + 15 * a15;
}

ORIEL_KERNEL(square_roots, ORIEL_IN(float, in), ORIEL_OUT(float, out)) {
  size_t i = oriel_global_id(0);
  out[i] = sqrtf(in[i]);
}
