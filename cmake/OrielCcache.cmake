# Compiles through ccache when it is there and the caller chose no launcher.
find_program(ORIEL_CCACHE ccache)
mark_as_advanced(ORIEL_CCACHE)
foreach(language IN ITEMS C CXX)
  if(ORIEL_CCACHE AND NOT DEFINED CMAKE_${language}_COMPILER_LAUNCHER)
    set(CMAKE_${language}_COMPILER_LAUNCHER "${ORIEL_CCACHE}")
  endif()
endforeach()
