# Everything that Oriel is built with and doesn't bring, by the same target names wherever it comes from: CMake
# packages, or a folder of headers for machines that have neither packages nor a network
# (`scripts/device-check pack` fills one). Installations always name the packages.

set(ORIEL_DEPENDENCY_HEADERS "" CACHE PATH "Take the headers of all dependencies from this folder; packages if empty")

# oriel_use_headers(<target> <file> [<definition>...]): a target of the headers alone. Their folder is a system
# folder, as that of every imported target.
function(oriel_use_headers target file)
  if(NOT EXISTS "${ORIEL_DEPENDENCY_HEADERS}/${file}")
    message(FATAL_ERROR "ORIEL_DEPENDENCY_HEADERS is \"${ORIEL_DEPENDENCY_HEADERS}\", which has no ${file}.")
  endif()
  add_library(${target} INTERFACE IMPORTED GLOBAL)
  target_include_directories(${target} SYSTEM INTERFACE "${ORIEL_DEPENDENCY_HEADERS}")
  target_compile_definitions(${target} INTERFACE ${ARGN})
endfunction()

macro(oriel_use_header_folder)
  cmake_path(ABSOLUTE_PATH ORIEL_DEPENDENCY_HEADERS BASE_DIRECTORY "${PROJECT_SOURCE_DIR}" NORMALIZE)
  if(ORIEL_BUILD_TESTS)
    message(FATAL_ERROR "ORIEL_DEPENDENCY_HEADERS has no RapidCheck, which the tests need: set ORIEL_BUILD_TESTS to OFF.")
  endif()
  oriel_use_headers(tl::expected tl/expected.hpp)
  oriel_use_headers(fmt::fmt fmt/core.h FMT_HEADER_ONLY)
  oriel_use_headers(spdlog::spdlog spdlog/spdlog.h SPDLOG_HEADER_ONLY SPDLOG_FMT_EXTERNAL)
  target_link_libraries(spdlog::spdlog INTERFACE fmt::fmt)
  oriel_use_headers(CLI11::CLI11 CLI/CLI.hpp)
  oriel_use_headers(nlohmann_json::nlohmann_json nlohmann/json.hpp)
  oriel_use_headers(Catch2::Catch2 catch2/catch.hpp)
  set(Catch2_VERSION 2.13)  # later ones are more than one header
endmacro()

# A macro, for Catch2_VERSION.
macro(oriel_use_packages)
  find_package(tl-expected REQUIRED)
  find_package(spdlog 1.10 CONFIG REQUIRED)
  if(ORIEL_BUILD_TOOLS)
    find_package(CLI11 2 CONFIG REQUIRED)
  endif()
  if(ORIEL_BUILD_TOOLS OR ORIEL_BUILD_TESTS)  # the tool carries the conformance suite
    find_package(nlohmann_json 3 CONFIG REQUIRED)
    find_package(Catch2 CONFIG REQUIRED)
  endif()
  if(ORIEL_BUILD_TESTS)
    find_package(rapidcheck CONFIG REQUIRED)
  endif()
endmacro()

find_package(Threads REQUIRED)
if(ORIEL_DEPENDENCY_HEADERS)
  oriel_use_header_folder()
else()
  oriel_use_packages()
endif()
