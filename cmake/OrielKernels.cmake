# oriel_add_kernels(): compiles one kernel source for every backend and embeds the results. Part of the
# build and of the installed package alike; its templates lie beside it.

cmake_policy(VERSION 3.25)  # of this file and its functions, whatever includes it

if(NOT CMAKE_C_COMPILER_LOADED)
  enable_language(C)  # kernel sources are C, also in a project that is C++ otherwise
endif()

# Extra flags for the host images, as a list: "-march=native" where programs run on the machine that
# builds them.
set(ORIEL_HOST_KERNEL_FLAGS "" CACHE STRING "Extra compiler flags for the host images of kernels")

# Image formats beside the host's. A new format takes one line here and two functions in a file of its
# own: everything else, callers included, goes by this list.
#
#   oriel_find_<format>_compiler(<result>)
#
# sets the result to what STATUS shows of the compiler found, or to "": then no bundle has the format.
#
#   oriel_build_<format>_images(<bundle> <source>...)
#
# adds the commands that make an image of each source and a C++ file that embeds it, and calls
# oriel_append_image() for each and oriel_return_images() at its end. `bundle` is a C identifier, unlike
# for each bundle; the target is in ORIEL_KERNEL_TARGET.
set(ORIEL_IMAGE_FORMATS fatbin)
include("${CMAKE_CURRENT_LIST_DIR}/OrielKernelsCuda.cmake")

# Keywords that name a vendor's own file in place of a compiled image; the others are not served yet.
set(ORIEL_IMAGE_KEYWORDS PTX CUBIN FATBIN CODE_OBJECT SPIRV)
set(ORIEL_UNSERVED_KEYWORDS CODE_OBJECT SPIRV)

# oriel_add_kernels(<target> NAME <name> SOURCES <file>... [HOST_ONLY] [PTX|CUBIN|FATBIN <file>])
#
# Adds to the target the kernels of the sources, which are written with oriel/kernel.h, as
# `const oriel::KernelBundle& <name>::bundle()`, declared in "<name>.hpp". The sources see the target's
# include folders and definitions. The target links Oriel.
#
# The bundle has an image for the host and one for every device whose compiler was found; HOST_ONLY
# leaves those out. A caller's own PTX, cubin or fatbin takes the place of the compiled CUDA image.
function(oriel_add_kernels target)
  cmake_parse_arguments(PARSE_ARGV 1 arg "HOST_ONLY" "NAME;${ORIEL_IMAGE_KEYWORDS}" "SOURCES")
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
  set(ORIEL_IMAGE_TABLES "")
  set(ORIEL_IMAGE_ROWS "")
  if(NOT arg_HOST_ONLY)
    oriel_find_image_compilers(formats)
    if(ORIEL_CUDA_KEYWORD)
      oriel_embed_cuda_file(${bundle})
      list(REMOVE_ITEM formats fatbin)
    endif()
    foreach(format IN LISTS formats)
      cmake_language(CALL oriel_build_${format}_images ${bundle} ${sources})
    endforeach()
    oriel_record_bundle(${bundle} ${sources})
  endif()

  oriel_write_bundle(${target} ${arg_NAME} ${bundle} "${kernels}")
endfunction()

# A macro, so that it sees the caller's arguments.
macro(oriel_check_kernel_arguments)
  foreach(keyword IN LISTS ORIEL_UNSERVED_KEYWORDS)
    if(DEFINED arg_${keyword} OR keyword IN_LIST arg_KEYWORDS_MISSING_VALUES)
      message(FATAL_ERROR "oriel_add_kernels(${target}): ${keyword} images are not available in this version.")
    endif()
  endforeach()
  if(arg_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "oriel_add_kernels(${target}) doesn't know \"${arg_UNPARSED_ARGUMENTS}\".")
  endif()
  oriel_check_cuda_keywords()
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

# Sets `result` to the formats whose compilers are there; looks for them, and says what it found, once.
function(oriel_find_image_compilers result)
  get_property(looked GLOBAL PROPERTY ORIEL_USABLE_IMAGE_FORMATS SET)
  if(NOT looked)
    set(usable "")
    set(texts host)
    foreach(format IN LISTS ORIEL_IMAGE_FORMATS)
      cmake_language(CALL oriel_find_${format}_compiler compiler)
      if(compiler)
        list(APPEND usable ${format})
        list(APPEND texts "${format} (${compiler})")
      endif()
    endforeach()
    list(JOIN texts ", " texts)
    message(STATUS "Kernel images: ${texts}")
    set_property(GLOBAL PROPERTY ORIEL_USABLE_IMAGE_FORMATS "${usable}")
  endif()
  get_property(usable GLOBAL PROPERTY ORIEL_USABLE_IMAGE_FORMATS)
  set(${result} "${usable}" PARENT_SCOPE)
endfunction()

# Notes an image: `source` is C++ that embeds its bytes between oriel_image_<image> and oriel_image_<image>_end;
# `format` is an enumerator of oriel::ImageFormat.
macro(oriel_append_image format image source)
  list(APPEND ORIEL_IMAGE_SOURCES "${source}")
  string(APPEND ORIEL_IMAGE_TABLES
         "extern const std::byte oriel_image_${image}[], oriel_image_${image}_end[];\n")
  list(APPEND ORIEL_IMAGE_ROWS
       "{oriel::ImageFormat::${format}, \"\", {oriel_image_${image}, oriel_image_${image}_end}}")
endmacro()

# Hands what was noted to the caller.
macro(oriel_return_images)
  foreach(list IN ITEMS SOURCES TABLES ROWS)
    set(ORIEL_IMAGE_${list} "${ORIEL_IMAGE_${list}}" PARENT_SCOPE)
  endforeach()
endmacro()

# Keeps, for whoever stands in for devices in tests, what kernels a module of the bundle may hold: all of
# them, or those of one source. An entry of the global property ORIEL_KERNEL_MODULES is
# "<bundle>|<module>|<kernel>,<kernel>..."; the object library <bundle>_host has the host's code.
function(oriel_record_bundle bundle)
  oriel_find_kernels(kernels ${ARGN})
  list(JOIN kernels "," kernels)
  set(modules "${bundle}|${bundle}|${kernels}")
  list(LENGTH ARGN count)
  if(count GREATER 1)
    foreach(source IN LISTS ARGN)
      oriel_find_kernels(kernels "${source}")
      list(JOIN kernels "," kernels)
      list(FIND ARGN "${source}" index)
      list(APPEND modules "${bundle}|${bundle}_${index}|${kernels}")
    endforeach()
  endif()
  set_property(GLOBAL APPEND PROPERTY ORIEL_KERNEL_MODULES ${modules})
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
