# Applies ORIEL_SANITIZE to everything built here. ORIEL_SANITIZER_FLAGS holds the flags, for whoever builds
# against the result: the package test.
set(ORIEL_SANITIZER_FLAGS "")
if(ORIEL_SANITIZE)
  if(NOT ORIEL_SANITIZE MATCHES "^(address|undefined|address,undefined|thread)$")
    message(FATAL_ERROR "ORIEL_SANITIZE is \"${ORIEL_SANITIZE}\"; it can be \"address,undefined\" or \"thread\".")
  endif()
  set(ORIEL_SANITIZER_FLAGS
      -fsanitize=${ORIEL_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
  add_compile_options(${ORIEL_SANITIZER_FLAGS})
  add_link_options(${ORIEL_SANITIZER_FLAGS})
endif()
