# Run by the build: compiles one source to one fatbin, and writes the C++ source that embeds it. OPTIONS is a file
# that sets the variables used here.
include("${OPTIONS}")
include("${CMAKE_CURRENT_LIST_DIR}/OrielKernelsEmbed.cmake")

# A header rather than -D, which nvcc splits at commas. Generator expressions leave empty elements behind.
set(lines "")
foreach(definition IN LISTS definitions)
  if(definition MATCHES "^([^=]+)=(.*)$")
    string(APPEND lines "#define ${CMAKE_MATCH_1} ${CMAKE_MATCH_2}\n")
  elseif(NOT definition STREQUAL "")
    string(APPEND lines "#define ${definition} 1\n")
  endif()
endforeach()
file(WRITE "${image}.h" "${lines}")

list(FILTER includes EXCLUDE REGEX "^$")
list(REMOVE_DUPLICATES includes)
list(TRANSFORM includes PREPEND -I)
execute_process(
  COMMAND ${command} -include "${image}.h" ${includes} -MD -MF "${image}.d" -o "${image}" "${source}"
  RESULT_VARIABLE failed)
if(NOT failed EQUAL 0)
  message(FATAL_ERROR "\"${source}\" can't be compiled for CUDA. Kernels that no device is meant to run are \
added with oriel_add_kernels(... HOST_ONLY).")
endif()
oriel_write_embedding("${embedding}" "${image}" ${symbol} "")
