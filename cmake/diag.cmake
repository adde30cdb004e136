# What every target shares: warnings, sanitizers, and the functions that make plugins and unit tests.

add_library(diag_options INTERFACE)
target_compile_options(diag_options INTERFACE -Wall -Wextra -Wpedantic $<$<BOOL:${DIAG_WERROR}>:-Werror>)
if(DIAG_SANITIZE)
  target_compile_options(diag_options INTERFACE -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer)
  target_link_options(diag_options INTERFACE -fsanitize=address,undefined)
endif()
target_link_options(diag_options INTERFACE -Wl,--as-needed)

# The build tree has the layout of an installation, so that `diag` finds its parts the same way in both.
set(DIAG_LAYOUT ${PROJECT_BINARY_DIR})

# A shared object that exports one symbol.  diag_plugin(NAME SOURCES... [PROBE] [TEST])
# PROBE links diag::probe.  TEST: it is installed by `cmake --install BUILD --component tests` only.
# Its own tests link `objects_NAME`, so that nothing is compiled twice.
function(diag_plugin name)
  cmake_parse_arguments(arg "PROBE;TEST" "" "" ${ARGN})
  add_library(objects_${name} OBJECT ${arg_UNPARSED_ARGUMENTS})
  set_target_properties(objects_${name} PROPERTIES CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON)
  target_link_libraries(objects_${name} PUBLIC diag_options diag_kit $<$<BOOL:${arg_PROBE}>:diag_probe>)
  add_library(plugin_${name} MODULE $<TARGET_OBJECTS:objects_${name}>)
  set_target_properties(plugin_${name} PROPERTIES PREFIX "" OUTPUT_NAME ${name} LIBRARY_OUTPUT_DIRECTORY ${DIAG_LAYOUT}/lib/diag/plugins)
  target_link_libraries(plugin_${name} PRIVATE diag_options diag_kit $<$<BOOL:${arg_PROBE}>:diag_probe>)
  target_link_options(plugin_${name} PRIVATE -Wl,--version-script=${PROJECT_SOURCE_DIR}/core/include/diag/plugin.map)
  if(arg_TEST)
    set_target_properties(plugin_${name} PROPERTIES LIBRARY_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/tests/plugins/${name})
    install(TARGETS plugin_${name} LIBRARY DESTINATION tests/plugins/${name} COMPONENT tests EXCLUDE_FROM_ALL)
  else()
    install(TARGETS plugin_${name} LIBRARY DESTINATION lib/diag/plugins)
  endif()
  set_target_properties(plugin_${name} PROPERTIES LINK_DEPENDS ${PROJECT_SOURCE_DIR}/core/include/diag/plugin.map)
endfunction()

# A Catch2 program that ctest runs.  diag_test(NAME SOURCES... [LAB] [LIBS libs...]); LAB: it puts up a lab, in a /run and an /etc of its
# own.  Its files are compiled together (cmake/setup.sh): one whose helpers are called as another's has a namespace of its own.
set(DIAG_OWN_LAB ${PROJECT_SOURCE_DIR}/tests/own_lab)
function(diag_test name)
  if(NOT DIAG_TESTS)
    return()
  endif()
  cmake_parse_arguments(arg "LAB" "" "LIBS" ${ARGN})
  add_executable(test_${name} ${arg_UNPARSED_ARGUMENTS})
  target_link_libraries(test_${name} PRIVATE diag_options diag_catch ${arg_LIBS})
  target_include_directories(test_${name} PRIVATE ${PROJECT_SOURCE_DIR}/core ${PROJECT_SOURCE_DIR})
  if(arg_LAB)
    add_test(NAME unit.${name} COMMAND ${DIAG_OWN_LAB} $<TARGET_FILE:test_${name}>)
    set_tests_properties(unit.${name} PROPERTIES LABELS lab TIMEOUT 2400)
  else()
    add_test(NAME unit.${name} COMMAND test_${name})
    set_tests_properties(unit.${name} PROPERTIES LABELS unit TIMEOUT 300)
  endif()
endfunction()

# A Python program (standard library only) that tests the installed diag from outside; $DIAG_PREFIX names it.
# diag_blackbox(NAME SCRIPT [LAB] [ARGUMENTS words...])
function(diag_blackbox name script)
  cmake_parse_arguments(arg "LAB" "" "ARGUMENTS" ${ARGN})
  set(label blackbox)
  set(wrapper)
  if(arg_LAB)
    set(label lab)
    set(wrapper ${DIAG_OWN_LAB})
  endif()
  add_test(NAME ${name} COMMAND ${wrapper} python3 ${script} ${arg_ARGUMENTS})
  set_tests_properties(${name} PROPERTIES LABELS ${label} TIMEOUT 2400 ENVIRONMENT "PYTHONPATH=${PROJECT_SOURCE_DIR}/tests"
                                       SKIP_REGULAR_EXPRESSION "skipped: DIAG_PREFIX")
endfunction()
