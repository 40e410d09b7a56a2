// Which releases' compilers ask for each function that host modules offer: the
// rows of imports.def and its like, for who wants to know who wrote a program.
//
// Tested by abi/host_imports_test.cc.
#ifndef EYRIE_HAL_MODULE_IMPORT_RELEASES_H_
#define EYRIE_HAL_MODULE_IMPORT_RELEASES_H_

#include <span>

namespace eyrie::hal {

struct ImportRelease {
  const char* module;     // "hal"
  const char* name;       // "buffer.length"
  const char* signature;  // calling convention
  int first;              // 3.first
  int last;
};

std::span<const ImportRelease> ImportReleases();

}  // namespace eyrie::hal

#endif  // EYRIE_HAL_MODULE_IMPORT_RELEASES_H_
