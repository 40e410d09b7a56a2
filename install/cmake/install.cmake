# The files that `cmake --install` installs, as ./eyrie install names them.
include(CMakePackageConfigHelpers)

set(EYRIE_CONFIG_FOLDER "${CMAKE_INSTALL_LIBDIR}/cmake/eyrie")
if(NOT BUILD_SHARED_LIBS)
  foreach(package IN ITEMS absl flatbuffers ZLIB)
    if(NOT EYRIE_FOUND_PACKAGES MATCHES "${package}")
      message(FATAL_ERROR "libeyrie.a needs ${package} on its users' systems, "
        "which was fetched, not found. Install it, or build libeyrie.so "
        "(-DBUILD_SHARED_LIBS=ON), which contains it; -DEYRIE_INSTALL=OFF "
        "installs nothing.")
    endif()
  endforeach()
endif()

install(TARGETS eyrie EXPORT eyrie)
install(EXPORT eyrie NAMESPACE eyrie:: DESTINATION "${EYRIE_CONFIG_FOLDER}")
file(GLOB headers include/eyrie/*.h)
install(FILES ${headers} DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}/eyrie")
configure_package_config_file(install/cmake/eyrie-config.cmake.in
  eyrie-config.cmake INSTALL_DESTINATION "${EYRIE_CONFIG_FOLDER}")
write_basic_package_version_file(eyrie-config-version.cmake
  COMPATIBILITY SameMinorVersion)
install(FILES "${PROJECT_BINARY_DIR}/eyrie-config.cmake"
  "${PROJECT_BINARY_DIR}/eyrie-config-version.cmake"
  DESTINATION "${EYRIE_CONFIG_FOLDER}")
install(FILES LICENSE README.md CHANGELOG.md
  DESTINATION "${CMAKE_INSTALL_DOCDIR}")

if(EYRIE_TOOL)
  install(TARGETS eyrie_tool)
  if(TARGET eyrie_benchmark)
    install(TARGETS eyrie_benchmark DESTINATION lib/eyrie)
  endif()
  # The names that the tool can also be started as.
  file(STRINGS tools/names.def names REGEX "^PUBLIC_TOOL")
  foreach(line IN LISTS names)
    string(REGEX MATCH "\"([^\"]+)\"" name "${line}")
    install(CODE "file(CREATE_LINK eyrie
      \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_BINDIR}/${CMAKE_MATCH_1}\"
      SYMBOLIC)")
  endforeach()
endif()
