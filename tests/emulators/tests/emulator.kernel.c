/* Kernels of the emulated drivers' tests. Each work item handles one 32-bit word. */

#include <oriel/kernel.h>

ORIEL_KERNEL(emulator_fill, ORIEL_OUT(uint32_t, d), ORIEL_SCALAR(uint32_t, v)) {
  d[oriel_global_id(0)] = v;
}

ORIEL_KERNEL(emulator_add, ORIEL_INOUT(uint32_t, d), ORIEL_SCALAR(uint32_t, v)) {
  d[oriel_global_id(0)] += v;
}

ORIEL_KERNEL(emulator_copy, ORIEL_OUT(uint32_t, dst), ORIEL_IN(uint32_t, src)) {
  dst[oriel_global_id(0)] = src[oriel_global_id(0)];
}

/* Writes the word before or behind what it is given. */
ORIEL_KERNEL(emulator_stray, ORIEL_OUT(uint32_t, d), ORIEL_SCALAR(int, at)) { d[at] = 1; }
