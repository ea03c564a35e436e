# oriel_add_kernels(): compiles one kernel source for every backend and embeds the results. Part of the
# build and of the installed package alike; its templates lie beside it.

cmake_policy(VERSION 3.25)  # of this file and its functions, whatever includes it

if(NOT CMAKE_C_COMPILER_LOADED)
  enable_language(C)  # kernel sources are C, also in a project that is C++ otherwise
endif()

# Extra flags for the host images, as a list: "-march=native" where programs run on the machine that
# builds them.
set(ORIEL_HOST_KERNEL_FLAGS "" CACHE STRING "Extra compiler flags for the host images of kernels")

# Image formats beside the host's. A new format takes one line here and one function below: everything
# else, callers included, goes by this list.
#
#   oriel_build_<format>_images(<bundle> <source>...)
#
# adds the commands that make an image of each source, and appends to the variable
# ORIEL_IMAGE_SOURCES the files that embed them and to ORIEL_IMAGE_ROWS one C++ initialiser of
# oriel::KernelImage an image (both PARENT_SCOPE). `bundle` is a C identifier, unlike for each bundle;
# target, includes and definitions are in ORIEL_KERNEL_TARGET.
set(ORIEL_IMAGE_FORMATS "")

# Keywords that name a vendor's own file in place of a compiled image; none is served yet.
set(ORIEL_IMAGE_KEYWORDS PTX CUBIN FATBIN CODE_OBJECT SPIRV)

# oriel_add_kernels(<target> NAME <name> SOURCES <file>...)
#
# Adds to the target the kernels of the sources, which are written with oriel/kernel.h, as
# `const oriel::KernelBundle& <name>::bundle()`, declared in "<name>.hpp". The sources see the target's
# include folders and definitions. The target links Oriel.
function(oriel_add_kernels target)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "NAME;${ORIEL_IMAGE_KEYWORDS}" "SOURCES")
  oriel_check_kernel_arguments()

  set(sources "")
  foreach(source IN LISTS arg_SOURCES)
    cmake_path(ABSOLUTE_PATH source BASE_DIRECTORY "${CMAKE_CURRENT_SOURCE_DIR}" NORMALIZE)
    list(APPEND sources "${source}")
  endforeach()
  oriel_find_kernels(kernels ${sources})

  string(MAKE_C_IDENTIFIER "${target}_${arg_NAME}" bundle)
  oriel_build_host_image(${target} ${bundle} ${sources})
  set(ORIEL_KERNEL_TARGET ${target})
  set(ORIEL_IMAGE_SOURCES "")
  set(ORIEL_IMAGE_ROWS "")
  foreach(format IN LISTS ORIEL_IMAGE_FORMATS)
    cmake_language(CALL oriel_build_${format}_images ${bundle} ${sources})
  endforeach()

  oriel_write_bundle(${target} ${arg_NAME} ${bundle} "${kernels}")
endfunction()

# A macro, so that it sees the caller's arguments.
macro(oriel_check_kernel_arguments)
  foreach(keyword IN LISTS ORIEL_IMAGE_KEYWORDS)
    if(DEFINED arg_${keyword} OR keyword IN_LIST arg_KEYWORDS_MISSING_VALUES)
      message(FATAL_ERROR "oriel_add_kernels(${target}): ${keyword} images are not available in this version.")
    endif()
  endforeach()
  if(arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "oriel_add_kernels(${target}) doesn't know \"${arg_UNPARSED_ARGUMENTS}\".")
  endif()
  if(NOT TARGET ${target})
    message(FATAL_ERROR "oriel_add_kernels: there is no target \"${target}\"; add it first.")
  endif()
  if(NOT arg_NAME MATCHES "^[A-Za-z_][A-Za-z0-9_]*$")
    message(FATAL_ERROR "oriel_add_kernels(${target}) needs NAME, a C++ identifier; it is \"${arg_NAME}\".")
  endif()
  if(NOT arg_SOURCES)
    message(FATAL_ERROR "oriel_add_kernels(${target} NAME ${arg_NAME}) needs SOURCES.")
  endif()
endmacro()

# Sets `result` to the names of the kernels in the sources, in order.
function(oriel_find_kernels result)
  set(kernels "")
  foreach(source IN LISTS ARGN)
    if(NOT EXISTS "${source}")
      message(FATAL_ERROR "oriel_add_kernels: there is no file \"${source}\".")
    endif()
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${source}")
    file(READ "${source}" text)
    string(REGEX MATCHALL "\nORIEL_KERNEL[ \t]*\\([ \t\r\n]*[A-Za-z_][A-Za-z0-9_]*" starts "\n${text}")
    if(NOT starts)
      message(FATAL_ERROR "oriel_add_kernels: \"${source}\" has no kernel; one starts its line with ORIEL_KERNEL(name.")
    endif()
    foreach(start IN LISTS starts)
      string(REGEX REPLACE ".*\\([ \t\r\n]*" "" kernel "${start}")
      if(kernel IN_LIST kernels)
        message(FATAL_ERROR "oriel_add_kernels: kernel \"${kernel}\" is there twice, the second time in \"${source}\".")
      endif()
      list(APPEND kernels ${kernel})
    endforeach()
  endforeach()
  set(${result} "${kernels}" PARENT_SCOPE)
endfunction()

# Compiles the sources as C and links them into the target. They are compiled apart, so that neither
# C++ warnings nor optimisation levels of the target or folder reach them; sanitizers do.
function(oriel_build_host_image target bundle)
  set(image ${bundle}_host)
  get_directory_property(options COMPILE_OPTIONS)
  list(FILTER options INCLUDE REGEX "^(-fsanitize|-fno-sanitize|-fno-omit-frame-pointer|--coverage|-fprofile)")

  add_library(${image} OBJECT ${ARGN})
  set_source_files_properties(${ARGN} PROPERTIES LANGUAGE C)
  set_target_properties(${image} PROPERTIES
    COMPILE_OPTIONS "${options}"
    POSITION_INDEPENDENT_CODE ON
    C_STANDARD 11 C_STANDARD_REQUIRED ON C_EXTENSIONS OFF)
  # Small kernels are short loops: one that straddles a line of the instruction cache takes twice as long.
  target_compile_options(${image} PRIVATE
    -O3 -fno-math-errno -falign-loops=32 -Wall -Wextra ${ORIEL_HOST_KERNEL_FLAGS})
  target_compile_definitions(${image} PRIVATE
    ORIEL_TABLE_PREFIX=oriel_kernel_${bundle}_
    "$<TARGET_PROPERTY:${target},COMPILE_DEFINITIONS>")
  target_include_directories(${image} PRIVATE "$<TARGET_PROPERTY:${target},INCLUDE_DIRECTORIES>")
  target_sources(${target} PRIVATE $<TARGET_OBJECTS:${image}>)
endfunction()

# Writes <name>.hpp and the source that makes the bundle, and adds both to the target.
function(oriel_write_bundle target name bundle kernels)
  set(tables "")
  set(rows "")
  foreach(kernel IN LISTS kernels)
    string(APPEND tables "extern const oriel_host_kernel oriel_kernel_${bundle}_${kernel};\n")
    string(APPEND rows "    &oriel_kernel_${bundle}_${kernel},\n")
  endforeach()
  list(JOIN ORIEL_IMAGE_ROWS ",\n" images)

  string(MAKE_C_IDENTIFIER "${target}" folder)
  set(folder "${CMAKE_CURRENT_BINARY_DIR}/oriel_kernels/${folder}")
  configure_file("${CMAKE_CURRENT_FUNCTION_LIST_DIR}/oriel_kernels.hpp.in" "${folder}/${name}.hpp" @ONLY)
  configure_file("${CMAKE_CURRENT_FUNCTION_LIST_DIR}/oriel_kernels.cpp.in" "${folder}/${name}.cpp" @ONLY)
  target_sources(${target} PRIVATE "${folder}/${name}.cpp" ${ORIEL_IMAGE_SOURCES})
  target_include_directories(${target} PRIVATE "${folder}")
endfunction()
