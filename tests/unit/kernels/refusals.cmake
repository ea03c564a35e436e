# Makes one mistake with oriel_add_kernels(); the test looks at what it says.
set(CMAKE_C_COMPILER_LOADED 1)  # a script can't enable a language, nor get as far as to need one
include("${MODULE}")

# Nor can it have files that a build will make.
function(get_source_file_property result)
  set(${result} NOTFOUND PARENT_SCOPE)
endfunction()

set(source "${SCRATCH}/refused_${CASE}.kernel.c")
if(CASE STREQUAL "no_kernel")
  file(WRITE "${source}" "// ORIEL_KERNEL(commented_out) {}\n")
  oriel_find_kernels(kernels "${source}")
elseif(CASE STREQUAL "duplicate")
  file(WRITE "${source}" "ORIEL_KERNEL(twice) {}\nORIEL_KERNEL( twice ) {}\n")
  oriel_find_kernels(kernels "${source}")
elseif(CASE STREQUAL "missing_file")
  oriel_find_kernels(kernels "${source}")
elseif(CASE STREQUAL "unserved_image")
  oriel_add_kernels(target NAME kernels SOURCES a.kernel.c SPIRV a.spv)
elseif(CASE STREQUAL "missing_image")
  oriel_add_kernels(target NAME kernels SOURCES a.kernel.c PTX a.ptx)
elseif(CASE STREQUAL "image_without_file")
  oriel_add_kernels(target NAME kernels SOURCES a.kernel.c CUBIN)
elseif(CASE STREQUAL "two_images")
  oriel_add_kernels(target NAME kernels SOURCES a.kernel.c PTX "${MODULE}" CUBIN "${MODULE}")
elseif(CASE STREQUAL "host_only_image")
  oriel_add_kernels(target NAME kernels SOURCES a.kernel.c HOST_ONLY FATBIN "${MODULE}")
endif()
