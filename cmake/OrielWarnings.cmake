# oriel_warnings(<target>): the one list of warnings for all of Oriel's own code.
function(oriel_warnings target)
  set(both -Wall -Wextra -Wpedantic -Wconversion -Wshadow)
  set(c -Wstrict-prototypes)
  set(cxx -Wnon-virtual-dtor -Woverloaded-virtual -Wold-style-cast)
  if(ORIEL_WERROR)
    list(APPEND both -Werror)
  endif()
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    if(CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
      list(APPEND cxx -Wno-restrict)  # false alarm on std::string's operator+ (GCC bug 105651)
    endif()
    if(ORIEL_SANITIZE)
      list(APPEND both -Wno-maybe-uninitialized)  # false alarms on instrumented code
    endif()
  endif()
  target_compile_options(${target} PRIVATE
    "$<$<COMPILE_LANGUAGE:C>:${both};${c}>"
    "$<$<COMPILE_LANGUAGE:CXX>:${both};${cxx}>")
endfunction()
