/* For bundles that bring a vendor's own image in place of what would be compiled. */
#include <oriel/kernel.h>

#ifdef __CUDACC__
#error "must not be compiled for CUDA"
#endif

ORIEL_KERNEL(vendor, ORIEL_OUT(uint32_t, out)) { out[oriel_global_id(0)] = 1; }
