# How an image becomes part of a program: the assembler takes the bytes as they are, which is as fast for megabytes.
# Included, or run by the build with EMBEDDING, IMAGE, SYMBOL and TERMINATOR.

# Writes the C++ source `embedding`, in which the bytes of the file `image` and then `terminator` lie between
# `symbol` and <symbol>_end.
function(oriel_write_embedding embedding image symbol terminator)
  file(SHA256 "${image}" hash)
  string(REGEX REPLACE "([\\\\\"])" "\\\\\\1" path "${image}")
  configure_file("${CMAKE_CURRENT_FUNCTION_LIST_DIR}/oriel_kernels_image.cpp.in" "${embedding}" @ONLY)
  file(TOUCH "${embedding}")  # unchanged bytes, too, must look newer than the image
endfunction()

if(DEFINED EMBEDDING)
  oriel_write_embedding("${EMBEDDING}" "${IMAGE}" ${SYMBOL} "${TERMINATOR}")
endif()
