# What `cmake --install` puts where, and the package that find_package(oriel) reads.
include(CMakePackageConfigHelpers)

set(ORIEL_PLUGIN_DIR "${CMAKE_INSTALL_LIBDIR}/oriel")  # plugins, below the prefix
set(ORIEL_PACKAGE_DIR "${CMAKE_INSTALL_LIBDIR}/cmake/oriel")

# oriel_export(<target> <name>): installs a library and gives it to users as oriel::<name>.
function(oriel_export target name)
  set_target_properties(${target} PROPERTIES EXPORT_NAME ${name})
  install(TARGETS ${target} EXPORT oriel-targets
          ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}"
          INCLUDES DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}")
endfunction()

# Called once, after every part has been added.
function(oriel_install)
  foreach(part IN ITEMS core allocators)
    if(TARGET oriel_${part})
      oriel_export(oriel_${part} ${part})
      install(DIRECTORY "${PROJECT_SOURCE_DIR}/${part}/include/" DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}"
              FILES_MATCHING PATTERN "*.hpp" PATTERN "*.h")
    endif()
  endforeach()
  if(TARGET oriel_command)
    install(TARGETS oriel_command RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}")
  endif()

  install(EXPORT oriel-targets NAMESPACE oriel:: DESTINATION "${ORIEL_PACKAGE_DIR}")
  configure_package_config_file("${PROJECT_SOURCE_DIR}/cmake/oriel-config.cmake.in"
    "${PROJECT_BINARY_DIR}/oriel-config.cmake" INSTALL_DESTINATION "${ORIEL_PACKAGE_DIR}")
  write_basic_package_version_file("${PROJECT_BINARY_DIR}/oriel-config-version.cmake"
    COMPATIBILITY SameMinorVersion)
  # oriel_add_kernels() is for users too: its module travels with the templates that it reads.
  file(GLOB kernel_files CONFIGURE_DEPENDS
       "${PROJECT_SOURCE_DIR}/cmake/OrielKernels*" "${PROJECT_SOURCE_DIR}/cmake/oriel_kernels*")
  install(FILES ${kernel_files}
    "${PROJECT_BINARY_DIR}/oriel-config.cmake" "${PROJECT_BINARY_DIR}/oriel-config-version.cmake"
    DESTINATION "${ORIEL_PACKAGE_DIR}")
endfunction()
