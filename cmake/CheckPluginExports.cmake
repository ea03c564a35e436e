# cmake -DNM=nm -DPLUGIN=file -P CheckPluginExports.cmake: fails unless the plugin exports exactly oriel_plugin.
execute_process(COMMAND "${NM}" -D --defined-only --format=posix "${PLUGIN}"
                OUTPUT_VARIABLE symbols COMMAND_ERROR_IS_FATAL ANY)
string(REGEX REPLACE " [^\n]*" "" symbols "${symbols}")
string(STRIP "${symbols}" symbols)
if(NOT symbols STREQUAL "oriel_plugin")
  message(FATAL_ERROR "${PLUGIN} must export oriel_plugin and nothing else; it exports:\n${symbols}")
endif()
