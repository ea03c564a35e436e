# Catch2 2.13 or 3 behind one face, and oriel_add_test().
#
#   oriel_catch_runner  for a program that calls oriel::test::run_catch() itself (support/catch_runner.hpp)
#   oriel_catch         the same with a main()
# Test code includes "support/catch.hpp".

if(Catch2_VERSION VERSION_LESS 2.13)
  message(FATAL_ERROR "Catch2 ${Catch2_VERSION} is too old: 2.13 or newer is needed.")
endif()

set(oriel_test_support "${PROJECT_SOURCE_DIR}/tests/support")
add_library(oriel_catch_runner STATIC "${oriel_test_support}/catch_runner.cpp")
target_link_libraries(oriel_catch_runner PUBLIC Catch2::Catch2)
target_include_directories(oriel_catch_runner PUBLIC "${PROJECT_SOURCE_DIR}/tests")
add_library(oriel_catch STATIC "${oriel_test_support}/catch_main.cpp")
target_link_libraries(oriel_catch PUBLIC oriel_catch_runner)
set(oriel_catch_arguments "")
if(Catch2_VERSION VERSION_LESS 3)
  # Version 2 is one header; its implementation takes a minute to optimise, for nothing.
  target_compile_options(oriel_catch_runner PRIVATE -O0 -g0)
  target_compile_definitions(oriel_catch_runner PUBLIC ORIEL_CATCH_V2)
  set(oriel_catch_arguments -w NoTests)  # what version 3 does by itself: no test case is a failure
endif()
oriel_warnings(oriel_catch)

# oriel_test_code(<target>): warnings as everywhere; under a sanitizer not optimised, since that takes three times
# as long to compile for code that checks other code (which is optimised).
function(oriel_test_code target)
  oriel_warnings(${target})
  if(ORIEL_SANITIZE)
    target_compile_options(${target} PRIVATE "$<$<COMPILE_LANGUAGE:CXX>:-O0>")
  endif()
endfunction()

# oriel_add_test(NAME <name> SOURCES <file>... [LIBRARIES <target>...] [LABELS <label>...] [TIMEOUT <s>] [COST <n>])
#
# One program and one ctest entry of that name. The program leaves its count of test cases in
# test-counts/<name>, which scripts/test adds up.
function(oriel_add_test)
  cmake_parse_arguments(PARSE_ARGV 0 arg "" "NAME;TIMEOUT;COST" "SOURCES;LIBRARIES;LABELS")
  add_executable(${arg_NAME} ${arg_SOURCES})
  target_link_libraries(${arg_NAME} PRIVATE ${arg_LIBRARIES} oriel_catch)
  oriel_test_code(${arg_NAME})
  add_test(NAME ${arg_NAME} COMMAND ${arg_NAME} ${oriel_catch_arguments})
  if(NOT arg_LABELS)
    set(arg_LABELS unit)
  endif()
  if(NOT arg_TIMEOUT)
    set(arg_TIMEOUT 120)
  endif()
  if(NOT arg_COST)
    set(arg_COST 0)
  endif()
  oriel_count_test_cases(${arg_NAME})
  set_tests_properties(${arg_NAME} PROPERTIES
    LABELS "${arg_LABELS}" TIMEOUT ${arg_TIMEOUT} COST ${arg_COST})
endfunction()

# oriel_count_test_cases(<test>): for an entry added otherwise whose program uses run_catch().
function(oriel_count_test_cases test)
  set_property(TEST ${test} APPEND PROPERTY
               ENVIRONMENT "ORIEL_TEST_COUNTS=${PROJECT_BINARY_DIR}/test-counts/${test}")
endfunction()
file(MAKE_DIRECTORY "${PROJECT_BINARY_DIR}/test-counts")
