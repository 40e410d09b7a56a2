# Finds the libraries that Eyrie needs, or fetches them. EYRIE_LINKED is what its
# parts link. A project that already has one of the targets keeps it;
# FETCHCONTENT_TRY_FIND_PACKAGE_MODE=NEVER ignores what is installed, and
# FETCHCONTENT_SOURCE_DIR_ABSL=DIR and its like name unpacked sources.
include(FetchContent)
find_package(Threads REQUIRED)
set(EYRIE_LINKED Threads::Threads ${CMAKE_DL_LIBS})
set(EYRIE_FOUND_PACKAGES)  # what a static library needs of its users' systems

# Sets `found` to whether a package is installed in version `wanted` or later. If
# it is older, says so. Further arguments are those of find_package.
function(eyrie_find found package wanted)
  set(${found} FALSE PARENT_SCOPE)
  string(TOUPPER "${package}" key)
  if(FETCHCONTENT_TRY_FIND_PACKAGE_MODE STREQUAL "NEVER" OR
     FETCHCONTENT_SOURCE_DIR_${key})
    return()
  endif()
  find_package(${package} QUIET GLOBAL ${ARGN})
  set(version "${${package}_VERSION}")
  if(NOT ${package}_FOUND)
    message(STATUS "${package} is not installed; fetching its sources.")
  elseif(version AND version VERSION_LESS wanted)
    message(FATAL_ERROR "The installed ${package} is version ${version}; Eyrie "
      "needs ${wanted} or later. "
      "-DFETCHCONTENT_TRY_FIND_PACKAGE_MODE=NEVER fetches all that is needed.")
  else()
    set(${found} TRUE PARENT_SCOPE)
  endif()
endfunction()

# Makes the sources available that FetchContent_Declare has declared, with the
# options that follow turned off; without options, only the sources. Variables
# are the function's own.
function(eyrie_fetch name)
  set(BUILD_SHARED_LIBS OFF)
  set(BUILD_TESTING OFF)
  set(CMAKE_POSITION_INDEPENDENT_CODE ON)
  set(CMAKE_CXX_STANDARD 20)
  set(CMAKE_POLICY_DEFAULT_CMP0077 NEW)  # options() keep these variables
  set(CMAKE_POLICY_VERSION_MINIMUM 3.5)
  set(CMAKE_WARN_DEPRECATED OFF CACHE INTERNAL "")
  set(FETCHCONTENT_QUIET OFF)
  foreach(option ${ARGN})
    set(${option} OFF)
  endforeach()
  FetchContent_GetProperties(${name})
  if(NOT ${name}_POPULATED)
    FetchContent_Populate(${name})
    if(ARGC GREATER 1)
      add_subdirectory("${${name}_SOURCE_DIR}" "${${name}_BINARY_DIR}"
        EXCLUDE_FROM_ALL)
    endif()
  endif()
  set(${name}_SOURCE_DIR "${${name}_SOURCE_DIR}" PARENT_SCOPE)
  set(${name}_BINARY_DIR "${${name}_BINARY_DIR}" PARENT_SCOPE)
endfunction()

# Abseil.
if(NOT TARGET absl::status)
  eyrie_find(found absl 20220623)
  if(found)
    list(APPEND EYRIE_FOUND_PACKAGES absl)
  else()
    FetchContent_Declare(absl
      URL https://github.com/abseil/abseil-cpp/releases/download/20240722.0/abseil-cpp-20240722.0.tar.gz
      URL_HASH SHA256=f50e5ac311a81382da7fa75b97310e4b9006474f9560ac46f54a9967f07d4ae3)
    set(ABSL_PROPAGATE_CXX_STD ON)
    eyrie_fetch(absl ABSL_ENABLE_INSTALL ABSL_BUILD_TESTING)
  endif()
endif()
list(APPEND EYRIE_LINKED absl::status absl::statusor absl::strings
  absl::str_format absl::cord absl::time absl::flat_hash_map
  absl::flat_hash_set absl::fixed_array absl::inlined_vector absl::cleanup
  absl::function_ref absl::algorithm_container absl::core_headers absl::base)

# FlatBuffers, and its compiler. EYRIE_FLATC names one that runs on this machine
# when Eyrie is built for another.
if(NOT TARGET flatbuffers::flatbuffers AND NOT TARGET flatbuffers)
  # The package's name before and after version 22.
  eyrie_find(found flatbuffers 2.0.8 NAMES FlatBuffers flatbuffers)
  if(found)
    list(APPEND EYRIE_FOUND_PACKAGES "flatbuffers NAMES FlatBuffers flatbuffers")
  else()
    FetchContent_Declare(flatbuffers
      URL https://github.com/google/flatbuffers/archive/v23.5.26.tar.gz
      URL_HASH SHA256=1cce06b17cddd896b6d73cc047e36a254fb8df4d7ea18a46acf16c4c0cd3f3f3)
    eyrie_fetch(flatbuffers FLATBUFFERS_BUILD_TESTS FLATBUFFERS_INSTALL
      FLATBUFFERS_BUILD_FLATHASH)
  endif()
endif()
if(TARGET flatbuffers::flatbuffers)
  list(APPEND EYRIE_LINKED flatbuffers::flatbuffers)
else()
  list(APPEND EYRIE_LINKED flatbuffers)
endif()
if(NOT EYRIE_FLATC)
  if(TARGET flatbuffers::flatc)
    set(EYRIE_FLATC $<TARGET_FILE:flatbuffers::flatc>)
  elseif(TARGET flatc)
    set(EYRIE_FLATC $<TARGET_FILE:flatc>)
  else()
    find_program(EYRIE_FLATC flatc REQUIRED)
  endif()
endif()

# JSON for Modern C++: headers only.
if(NOT TARGET nlohmann_json::nlohmann_json)
  eyrie_find(found nlohmann_json 3.9)
  if(NOT found)
    FetchContent_Declare(nlohmann_json
      URL https://github.com/nlohmann/json/releases/download/v3.11.3/json.tar.xz
      URL_HASH SHA256=d6c65aca6b1ed68e7a182f4757257b107ae403032760ed6ef121c9d55e81757d)
    eyrie_fetch(nlohmann_json JSON_Install JSON_BuildTests)
  endif()
endif()
list(APPEND EYRIE_LINKED $<BUILD_INTERFACE:nlohmann_json::nlohmann_json>)

# zlib. Its own CMakeLists.txt writes into its sources, so what inflates and
# deflates is compiled here.
if(NOT TARGET ZLIB::ZLIB)
  eyrie_find(found ZLIB 1.2)
  if(found)
    list(APPEND EYRIE_FOUND_PACKAGES ZLIB)
  else()
    FetchContent_Declare(zlib
      URL https://github.com/madler/zlib/releases/download/v1.3.1/zlib-1.3.1.tar.gz
      URL_HASH SHA256=9a93b2b7dfdac77ceba5a558a580e74667dd6fede4585b91eefb60f03b72df23)
    eyrie_fetch(zlib)
    file(GLOB files "${zlib_SOURCE_DIR}/*.c")
    list(FILTER files EXCLUDE REGEX "/gz[^/]*$")
    add_library(eyrie_zlib STATIC EXCLUDE_FROM_ALL ${files})
    target_include_directories(eyrie_zlib SYSTEM PUBLIC "${zlib_SOURCE_DIR}")
    target_compile_options(eyrie_zlib PRIVATE -w)
    set_target_properties(eyrie_zlib PROPERTIES POSITION_INDEPENDENT_CODE ON)
    add_library(ZLIB::ZLIB ALIAS eyrie_zlib)
  endif()
endif()
list(APPEND EYRIE_LINKED ZLIB::ZLIB)

# asmjit, which has no releases.
if(EYRIE_JIT)
  if(NOT TARGET asmjit::asmjit)
    eyrie_find(found asmjit 0)
    if(found)
      list(APPEND EYRIE_FOUND_PACKAGES asmjit)
    else()
      FetchContent_Declare(asmjit
        GIT_REPOSITORY https://github.com/asmjit/asmjit
        GIT_TAG 1da9e4d957fc8c48d1eac68c76c1b139b3691a24)
      set(ASMJIT_STATIC ON)
      eyrie_fetch(asmjit ASMJIT_TEST)
    endif()
  endif()
  list(APPEND EYRIE_LINKED asmjit::asmjit)
endif()

# Sets a variable to the folder of a header, which is found, or fetched: then it
# is `subfolder` of the sources.
function(eyrie_headers variable header name subfolder repository commit)
  string(TOUPPER "${name}" key)
  if(NOT FETCHCONTENT_TRY_FIND_PACKAGE_MODE STREQUAL "NEVER" AND
     NOT FETCHCONTENT_SOURCE_DIR_${key})
    find_path(${variable} ${header} PATH_SUFFIXES include)
  endif()
  if(NOT ${variable})
    FetchContent_Declare(${name} GIT_REPOSITORY ${repository} GIT_TAG ${commit})
    eyrie_fetch(${name})
    set(${variable} "${${name}_SOURCE_DIR}${subfolder}" CACHE PATH
      "The folder of ${header}" FORCE)
  endif()
endfunction()

# Vulkan's headers, SPIR-V's and volk, of one release of the SDK. Nothing of them
# is linked: volk opens Vulkan's loader when a device is asked for.
if(EYRIE_VULKAN)
  eyrie_headers(EYRIE_VULKAN_HEADERS vulkan/vulkan_core.h vulkan_headers /include
    https://github.com/KhronosGroup/Vulkan-Headers
    d4a196d8c84e032d27f999adcea3075517c1c97f)
  eyrie_headers(EYRIE_SPIRV_HEADERS spirv/unified1/spirv.hpp11 spirv_headers
    /include https://github.com/KhronosGroup/SPIRV-Headers
    3f17b2af6784bfa2c5aa5dbb8e0e74a607dd8b3b)
  eyrie_headers(EYRIE_VOLK volk.c volk "" https://github.com/zeux/volk
    0b17a763ba5643e32da1b2152f8140461b3b7345)
  set(EYRIE_SYSTEM_HEADERS "${EYRIE_VULKAN_HEADERS}" "${EYRIE_SPIRV_HEADERS}"
    "${EYRIE_VOLK}")
endif()

# Google Benchmark, for `eyrie bench`, which says so if it is missing.
if(EYRIE_TOOL)
  find_package(benchmark QUIET)
  if(NOT benchmark_FOUND)
    message(STATUS "Google Benchmark is not installed; eyrie bench will not run.")
  endif()
endif()
