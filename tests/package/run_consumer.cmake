# Run by ctest (see CMakeLists.txt): install, configure, build, run; the first step that fails ends it.
function(step)
  execute_process(COMMAND ${ARGV} COMMAND_ERROR_IS_FATAL ANY)
endfunction()

set(prefix "${SCRATCH}/prefix")
set(consumer_build "${SCRATCH}/build")
file(REMOVE_RECURSE "${prefix}" "${consumer_build}")  # nothing may be left of an earlier installation

step("${CMAKE_COMMAND}" --install "${BUILD}" --prefix "${prefix}")
step("${CMAKE_COMMAND}" -S "${CONSUMER}" -B "${consumer_build}" -G "${GENERATOR}"
     "-DCMAKE_PREFIX_PATH=${prefix}" "-DCMAKE_BUILD_TYPE=${BUILD_TYPE}"
     "-DCMAKE_C_COMPILER=${C_COMPILER}" "-DCMAKE_CXX_COMPILER=${CXX_COMPILER}"
     "-DCMAKE_C_FLAGS=${FLAGS}" "-DCMAKE_CXX_FLAGS=${FLAGS}")
step("${CMAKE_COMMAND}" --build "${consumer_build}")
step("${consumer_build}/app")
