# The CUDA images of oriel_add_kernels(): "fatbin", compiled by nvcc, or the caller's own PTX, cubin or fatbin.
# OrielKernels.cmake includes this file and says what its functions are for.

set(ORIEL_NVCC "" CACHE FILEPATH "nvcc for the CUDA images of kernels; searched for if empty, none if OFF")
set(ORIEL_CUDA_ARCHITECTURES "80;90" CACHE STRING
    "Devices that CUDA images of kernels are compiled for; the lowest gets PTX too, for all newer ones")

# Sets `result` to a few words about the nvcc found, or to "" if there is none that works.
function(oriel_find_fatbin_compiler result)
  set(${result} "" PARENT_SCOPE)
  oriel_find_nvcc(nvcc)
  if(NOT nvcc)
    return()
  endif()
  execute_process(COMMAND "${nvcc}" --version OUTPUT_VARIABLE text ERROR_QUIET)
  set(version "of an unknown version")
  if(text MATCHES "release ([0-9.]+)")
    set(version "${CMAKE_MATCH_1}")
  endif()
  oriel_nvcc_architecture_flags(flags)
  execute_process(COMMAND "${nvcc}" --help OUTPUT_VARIABLE text ERROR_QUIET)
  if(text MATCHES "--no-compress")
    list(APPEND flags --no-compress)  # a few kilobytes more, that nobody has to unpack
  endif()
  oriel_try_nvcc(works "${nvcc}" "${flags}" "${version}")
  if(works)
    set(${result} "nvcc ${version}" PARENT_SCOPE)
  endif()
endfunction()

# Found by hand: find_package(CUDAToolkit) would give a user's project targets that it didn't ask for.
function(oriel_find_nvcc result)
  set(nvcc "${ORIEL_NVCC}")
  if(nvcc STREQUAL "")
    foreach(candidate IN ITEMS "${CMAKE_CUDA_COMPILER}" "${CUDAToolkit_NVCC_EXECUTABLE}" "$ENV{CUDACXX}")
      if(candidate MATCHES "nvcc[^/]*$" AND EXISTS "${candidate}")
        set(nvcc "${candidate}")
        break()
      endif()
    endforeach()
  endif()
  if(nvcc STREQUAL "")
    find_program(ORIEL_NVCC_FOUND nvcc
      HINTS "${CUDAToolkit_ROOT}" ENV CUDAToolkit_ROOT ENV CUDA_PATH
      PATHS /usr/local/cuda /opt/cuda
      PATH_SUFFIXES bin)
    mark_as_advanced(ORIEL_NVCC_FOUND)
    set(nvcc "${ORIEL_NVCC_FOUND}")
  elseif(nvcc AND NOT EXISTS "${nvcc}")
    message(FATAL_ERROR "ORIEL_NVCC is \"${nvcc}\", and there is no such file.")
  endif()
  set(${result} "${nvcc}" PARENT_SCOPE)
endfunction()

function(oriel_nvcc_architecture_flags result)
  set(architectures "${ORIEL_CUDA_ARCHITECTURES}")
  if(NOT architectures MATCHES "^[0-9]+[a-z]?(;[0-9]+[a-z]?)*$")
    message(FATAL_ERROR "ORIEL_CUDA_ARCHITECTURES is \"${architectures}\"; it is a list such as \"80;90\".")
  endif()
  list(SORT architectures COMPARE NATURAL)
  list(GET architectures 0 lowest)
  list(TRANSFORM architectures REPLACE "(.+)" "-gencode=arch=compute_\\1,code=sm_\\1")
  set(${result} ${architectures} -gencode=arch=compute_${lowest},code=compute_${lowest} PARENT_SCOPE)
endfunction()

# Compiles an empty kernel, since an nvcc that is there may still refuse the host compiler or an architecture.
# Sets `result` and, for the compilation of kernels, ORIEL_NVCC_COMMAND; both are kept until something changes.
function(oriel_try_nvcc result nvcc flags version)
  list(PREPEND flags -x cu -fatbin -O3 -std=c++17)
  if(CMAKE_CUDA_COMPILER_LAUNCHER)
    list(APPEND flags -c)  # changes nothing, but makes it a compilation to ccache
  endif()
  set(key "${nvcc};${version};${flags};${CMAKE_CUDA_COMPILER_LAUNCHER};${CMAKE_CXX_COMPILER}")
  if(NOT ORIEL_NVCC_TRIED STREQUAL key)
    set(host_compiler "")
    if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
      set(host_compiler -ccbin "${CMAKE_CXX_COMPILER}")
    endif()
    set(folder "${CMAKE_BINARY_DIR}/CMakeFiles/oriel_nvcc")
    file(WRITE "${folder}/empty.cu" "extern \"C\" __global__ void empty() {}\n")
    set(command "")
    foreach(host IN ITEMS "${host_compiler}" "")  # its own choice if it doesn't take ours
      set(tried ${CMAKE_CUDA_COMPILER_LAUNCHER} "${nvcc}" ${flags} ${host})
      execute_process(COMMAND ${tried} -o "${folder}/empty.fatbin" "${folder}/empty.cu"
                      RESULT_VARIABLE failed OUTPUT_VARIABLE text ERROR_VARIABLE text)
      if(failed EQUAL 0)
        set(command "${tried}")
        break()
      endif()
    endforeach()
    if(NOT command)
      string(STRIP "${text}" text)
      message(STATUS "${nvcc} compiles no kernels here: ${text}")
    endif()
    set(ORIEL_NVCC_COMMAND "${command}" CACHE INTERNAL "")
    set(ORIEL_NVCC_TRIED "${key}" CACHE INTERNAL "")
  endif()
  set(${result} "${ORIEL_NVCC_COMMAND}" PARENT_SCOPE)
endfunction()

# One fatbin a source, as the host has one object a source: two may have helpers of like names. A caller's own
# file takes the place of all of them.
function(oriel_build_fatbin_images bundle)
  list(LENGTH ARGN count)
  foreach(source IN LISTS ARGN)
    set(image ${bundle})
    if(count GREATER 1)
      list(FIND ARGN "${source}" index)
      set(image ${bundle}_${index})
    endif()
    oriel_build_fatbin(${bundle} ${image} "${source}" embedding)
    oriel_append_image(kFatbin ${image} "${embedding}")
  endforeach()
  oriel_return_images()
endfunction()

# Adds the command that makes <image>.fatbin and the source that embeds it. OrielKernelsNvcc.cmake runs nvcc: a
# command line can't have the target's properties, since generator expressions about languages fail there.
function(oriel_build_fatbin bundle image source embedding)
  set(folder "${CMAKE_CURRENT_BINARY_DIR}/oriel_kernels/images")
  set(fatbin "${folder}/${image}.fatbin")
  set(options "${folder}/${image}_$<CONFIG>")
  set(content "# Made by oriel_add_kernels(). Do not edit.\n")
  foreach(line IN ITEMS
          "command [==[${ORIEL_NVCC_COMMAND}]==]"
          "definitions [==[$<TARGET_PROPERTY:${ORIEL_KERNEL_TARGET},COMPILE_DEFINITIONS>]==]"
          "includes [==[$<TARGET_PROPERTY:${ORIEL_KERNEL_TARGET},INCLUDE_DIRECTORIES>]==]"
          "source [==[${source}]==]"
          "image [==[${fatbin}]==]"
          "embedding [==[${fatbin}.cpp]==]"
          "symbol oriel_image_${image}")
    string(APPEND content "set(${line})\n")
  endforeach()
  file(GENERATE OUTPUT "${options}_$<COMPILE_LANGUAGE>.cmake" CONTENT "${content}"
       TARGET ${ORIEL_KERNEL_TARGET})

  set(script "${CMAKE_CURRENT_FUNCTION_LIST_DIR}/OrielKernelsNvcc.cmake")
  set(embed "${CMAKE_CURRENT_FUNCTION_LIST_DIR}/OrielKernelsEmbed.cmake")
  set(template "${CMAKE_CURRENT_FUNCTION_LIST_DIR}/oriel_kernels_image.cpp.in")
  add_custom_command(
    OUTPUT "${fatbin}" "${fatbin}.cpp"
    COMMAND "${CMAKE_COMMAND}" "-DOPTIONS=${options}_C.cmake" -P "${script}"
    DEPENDS "${source}" "${options}_C.cmake" "${script}" "${embed}" "${template}"
    DEPFILE "${fatbin}.d"
    COMMENT "Compiling ${image} for CUDA"
    VERBATIM)
  set(${embedding} "${fatbin}.cpp" PARENT_SCOPE)
endfunction()

# A macro, for the variables of oriel_add_kernels(): refuses keywords that can't be meant, and sets
# ORIEL_CUDA_KEYWORD and ORIEL_CUDA_FILE to the caller's own image, or to "".
macro(oriel_check_cuda_keywords)
  set(ORIEL_CUDA_KEYWORD "")
  set(ORIEL_CUDA_FILE "")
  foreach(keyword IN ITEMS PTX CUBIN FATBIN)
    if(keyword IN_LIST arg_KEYWORDS_MISSING_VALUES)
      message(FATAL_ERROR "oriel_add_kernels(${target}): ${keyword} needs a file.")
    endif()
    if(DEFINED arg_${keyword})
      if(ORIEL_CUDA_KEYWORD)
        message(FATAL_ERROR "oriel_add_kernels(${target}) takes one of PTX, CUBIN and FATBIN, not two.")
      endif()
      set(ORIEL_CUDA_KEYWORD ${keyword})
      oriel_find_image_file(ORIEL_CUDA_FILE ${keyword} "${arg_${keyword}}")
    endif()
  endforeach()
  if(ORIEL_CUDA_KEYWORD AND arg_HOST_ONLY)
    message(FATAL_ERROR "oriel_add_kernels(${target}): a bundle that is HOST_ONLY has no ${ORIEL_CUDA_KEYWORD} image.")
  endif()
endmacro()

# Sets `result` to the absolute path of a caller's image, which is there or is made by the build.
function(oriel_find_image_file result keyword file)
  cmake_path(ABSOLUTE_PATH file BASE_DIRECTORY "${CMAKE_CURRENT_SOURCE_DIR}" NORMALIZE)
  if(NOT EXISTS "${file}")
    get_source_file_property(generated "${file}" GENERATED)
    if(NOT generated)
      message(FATAL_ERROR "oriel_add_kernels: there is no ${keyword} file \"${file}\".")
    endif()
  endif()
  set(${result} "${file}" PARENT_SCOPE)
endfunction()

# Embeds the caller's own image. A zero ends PTX, since that is how the driver finds its end.
function(oriel_embed_cuda_file bundle)
  set(formats_PTX kPtx)
  set(formats_CUBIN kCubin)
  set(formats_FATBIN kFatbin)
  set(terminator "")
  if(ORIEL_CUDA_KEYWORD STREQUAL "PTX")
    set(terminator ".byte 0")
  endif()
  set(embedding "${CMAKE_CURRENT_BINARY_DIR}/oriel_kernels/images/${bundle}.own.cpp")
  set(script "${CMAKE_CURRENT_FUNCTION_LIST_DIR}/OrielKernelsEmbed.cmake")
  add_custom_command(
    OUTPUT "${embedding}"
    COMMAND "${CMAKE_COMMAND}" "-DEMBEDDING=${embedding}" "-DIMAGE=${ORIEL_CUDA_FILE}"
            "-DSYMBOL=oriel_image_${bundle}" "-DTERMINATOR=${terminator}" -P "${script}"
    DEPENDS "${ORIEL_CUDA_FILE}" "${script}" "${CMAKE_CURRENT_FUNCTION_LIST_DIR}/oriel_kernels_image.cpp.in"
    COMMENT "Embedding ${ORIEL_CUDA_FILE}"
    VERBATIM)
  oriel_append_image(${formats_${ORIEL_CUDA_KEYWORD}} ${bundle} "${embedding}")
  oriel_return_images()
endfunction()
