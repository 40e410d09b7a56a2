// The releases whose compilers import each function of the host modules, from
// imports.def and similar files. Used to find which release wrote a module.
//
// Tested by abi/call/host_imports_test.cc.
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
