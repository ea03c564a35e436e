// cuda.h as the library that exports it sees it: every versioned name and every `_ptsz` twin is
// declared under its own name, none renamed by a macro.
#pragma once

#define __CUDA_API_VERSION_INTERNAL
#include <cuda.h>
