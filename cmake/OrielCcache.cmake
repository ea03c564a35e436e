# Compiles through ccache when it is there and the caller chose no launcher. Clones in different folders share what
# is compiled: paths below the source folder are hashed as relative ones. CUDA's is for oriel_add_kernels().
find_program(ORIEL_CCACHE ccache)
mark_as_advanced(ORIEL_CCACHE)
foreach(language IN ITEMS C CXX CUDA)
  if(ORIEL_CCACHE AND NOT DEFINED CMAKE_${language}_COMPILER_LAUNCHER)
    set(CMAKE_${language}_COMPILER_LAUNCHER "${CMAKE_COMMAND}" -E env
        "CCACHE_BASEDIR=${CMAKE_SOURCE_DIR}" CCACHE_NOHASHDIR=true "${ORIEL_CCACHE}")
  endif()
endforeach()
