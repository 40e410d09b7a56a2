// The functions of the host modules that programs import, from imports.def and
// similar files: used to find which release wrote a module, and what it does.
//
// Tested by abi/call/host_imports_test.cc, abi/needs/module_facts_test.cc.
#ifndef EYRIE_HAL_MODULE_IMPORT_RELEASES_H_
#define EYRIE_HAL_MODULE_IMPORT_RELEASES_H_

#include <span>

namespace eyrie::hal {

struct ImportRelease {
  const char* module;     // "hal"
  const char* name;       // "buffer.length"
  const char* signature;  // calling convention
  int first;              // vm/isa/release.h
  int last;
  const char* roles;  // of the arguments: "- size"; see imports.def
};

std::span<const ImportRelease> ImportReleases();

}  // namespace eyrie::hal

#endif  // EYRIE_HAL_MODULE_IMPORT_RELEASES_H_
