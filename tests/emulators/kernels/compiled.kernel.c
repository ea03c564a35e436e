/* Two kernels and a function that is none, for images that tests read. */
#include <oriel/kernel.h>

ORIEL_FUNCTION float twice(float value) { return 2.0f * value; }

ORIEL_KERNEL(first, ORIEL_OUT(float, x)) { x[oriel_global_id(0)] = twice(x[oriel_global_id(0)]); }

ORIEL_KERNEL(second, ORIEL_OUT(float, x), ORIEL_SCALAR(float, a)) { x[oriel_global_id(0)] = a; }
