# The functions that libraries.cmake calls.

set(EYRIE_GENERATED "${PROJECT_BINARY_DIR}/generated")
set(EYRIE_CXX "${CMAKE_CXX_COMPILER} ${CMAKE_CXX_COMPILER_ARG1}")
if(CMAKE_CXX_COMPILER_TARGET)
  string(APPEND EYRIE_CXX " --target=${CMAKE_CXX_COMPILER_TARGET}")
endif()
add_custom_target(eyrie_generated)
set(EYRIE_LIBRARY_OBJECTS)
set(EYRIE_TOOL_OBJECTS)

# Sets `result` to whether each option after IF is on, and those after UNLESS are
# off.
function(eyrie_conditions result)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "IF;UNLESS")
  set(${result} TRUE PARENT_SCOPE)
  foreach(option IN LISTS arg_IF)
    if(NOT ${option})
      set(${result} FALSE PARENT_SCOPE)
    endif()
  endforeach()
  foreach(option IN LISTS arg_UNLESS)
    if(${option})
      set(${result} FALSE PARENT_SCOPE)
    endif()
  endforeach()
endfunction()

# Makes a file below EYRIE_GENERATED with a command of the shell.
function(eyrie_generate output)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "COMMAND" "IF;UNLESS;FROM")
  eyrie_conditions(wanted IF ${arg_IF} UNLESS ${arg_UNLESS})
  if(NOT wanted)
    return()
  endif()
  cmake_path(GET output PARENT_PATH folder)
  file(MAKE_DIRECTORY "${EYRIE_GENERATED}/${folder}")
  add_custom_command(OUTPUT "${EYRIE_GENERATED}/${output}"
    COMMAND sh -c "${arg_COMMAND}"
    DEPENDS ${arg_FROM}
    WORKING_DIRECTORY "${PROJECT_SOURCE_DIR}"
    COMMENT "Generating ${output}"
    VERBATIM)
  string(REPLACE "/" "_" target "eyrie_${output}")
  add_custom_target(${target} DEPENDS "${EYRIE_GENERATED}/${output}")
  add_dependencies(eyrie_generated ${target})
endfunction()

# Joins sources of a library, at most sixteen at once, as library.bzl does:
# file-local names must be unique among them.
function(eyrie_join prefix)
  list(LENGTH ARGN total)
  math(EXPR count "(${total} + 15) / 16")
  set(i 0)
  foreach(source IN LISTS ARGN)
    math(EXPR group "${i} * ${count} / ${total}")
    set_source_files_properties(${source} PROPERTIES
      UNITY_GROUP "${prefix}${group}")
    math(EXPR i "${i} + 1")
  endforeach()
endfunction()

# Compiles a library of Bazel's for Eyrie's library, or for the tool only.
function(eyrie_library name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "OPTIMIZE"
    "IF;UNLESS;OPTIONS;SOURCES;MACHINE_SOURCES")
  eyrie_conditions(wanted IF ${arg_IF} UNLESS ${arg_UNLESS})
  if(NOT wanted)
    return()
  endif()
  set(target eyrie_${name})
  add_library(${target} OBJECT EXCLUDE_FROM_ALL ${arg_SOURCES}
    ${arg_MACHINE_SOURCES})
  eyrie_join(all ${arg_SOURCES})
  eyrie_join(machine ${arg_MACHINE_SOURCES})
  add_dependencies(${target} eyrie_generated)
  target_compile_features(${target} PRIVATE cxx_std_20)
  target_compile_options(${target} PRIVATE
    "$<$<NOT:$<CONFIG:Debug>>:${arg_OPTIMIZE}>"
    ${EYRIE_OPTIONS} ${EYRIE_OPTIONS_${EYRIE_MACHINE}} ${arg_OPTIONS})
  target_include_directories(${target} PRIVATE "${PROJECT_SOURCE_DIR}"
    "${PROJECT_SOURCE_DIR}/include" "${EYRIE_GENERATED}")
  target_include_directories(${target} SYSTEM PRIVATE ${EYRIE_SYSTEM_HEADERS})
  target_link_libraries(${target} PRIVATE ${EYRIE_LINKED})
  set_target_properties(${target} PROPERTIES
    CXX_EXTENSIONS OFF
    POSITION_INDEPENDENT_CODE ON
    UNITY_BUILD ON
    UNITY_BUILD_MODE GROUP)
  if("EYRIE_TOOL" IN_LIST arg_IF)
    set(list EYRIE_TOOL_OBJECTS)
  else()
    set(list EYRIE_LIBRARY_OBJECTS)
  endif()
  set(${list} ${${list}} $<TARGET_OBJECTS:${target}> PARENT_SCOPE)
endfunction()
