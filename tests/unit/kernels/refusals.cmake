# Makes one mistake with oriel_add_kernels(); the test looks at what it says.
set(CMAKE_C_COMPILER_LOADED 1)  # a script can't enable a language, nor get as far as to need one
include("${MODULE}")

set(source "${SCRATCH}/refused_${CASE}.kernel.c")
if(CASE STREQUAL "no_kernel")
  file(WRITE "${source}" "// ORIEL_KERNEL(commented_out) {}\n")
  oriel_find_kernels(kernels "${source}")
elseif(CASE STREQUAL "duplicate")
  file(WRITE "${source}" "ORIEL_KERNEL(twice) {}\nORIEL_KERNEL( twice ) {}\n")
  oriel_find_kernels(kernels "${source}")
elseif(CASE STREQUAL "missing_file")
  oriel_find_kernels(kernels "${source}")
elseif(CASE STREQUAL "vendor_image")
  oriel_add_kernels(target NAME kernels SOURCES a.kernel.c PTX a.ptx)
endif()
