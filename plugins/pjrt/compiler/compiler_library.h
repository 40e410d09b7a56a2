// The C interface of libIREECompiler.so, as far as it is used here.
//
// The interface is stable within its major version, 1. The structures of MLIR's
// C interface are one pointer each, passed by value.
// Tested by compiler_process_test.cc.
#ifndef EYRIE_PLUGINS_PJRT_COMPILER_COMPILER_LIBRARY_H_
#define EYRIE_PLUGINS_PJRT_COMPILER_COMPILER_LIBRARY_H_

#include <dlfcn.h>

#include <cstddef>
#include <cstdint>

namespace eyrie::pjrt {

// Objects of the library.
struct Error;
struct Session;
struct Invocation;
struct Source;
struct Output;

// Pointers into the program, which its invocation owns.
struct MlirOperation {
  void* pointer;
};
struct MlirRegion {
  void* pointer;
};
struct MlirBlock {
  void* pointer;
};
struct MlirAttribute {
  const void* pointer;
};
struct MlirContext {
  void* pointer;
};
struct MlirIdentifier {
  void* pointer;
};
struct MlirLocation {
  const void* pointer;
};
struct MlirType {
  const void* pointer;
};
struct MlirValue {
  const void* pointer;
};
struct MlirNamedAttribute {
  MlirIdentifier name;
  MlirAttribute attribute;
};
struct MlirText {
  const char* data;
  size_t size;
};

// The parts of an operation.
struct MlirOperationState {
  MlirText name;
  MlirLocation location;
  intptr_t result_count;
  MlirType* results;
  intptr_t operand_count;
  MlirValue* operands;
  intptr_t region_count;
  MlirRegion* regions;
  intptr_t successor_count;
  MlirBlock* successors;
  intptr_t attribute_count;
  MlirNamedAttribute* attributes;
  bool infers_results;
};

enum class Severity : int { kNote, kWarning, kError, kRemark };
inline constexpr int kStandardPipeline = 0;

using OnDiagnostic = void(Severity, const char* message, size_t size, void*);
using OnText = void(MlirText, void*);

// Pointers to the functions.
struct CompilerLibrary {
#define COMPILER_FUNCTION(name, symbol, ...) \
  using name##Function = __VA_ARGS__;        \
  name##Function* name;
#include "plugins/pjrt/compiler/compiler_library.def"
};

// Sets all pointers. Returns null, or the linker's error about one that the
// library does not have.
inline const char* FindFunctions(void* handle, CompilerLibrary& library) {
#define COMPILER_FUNCTION(name, symbol, ...)                         \
  library.name = reinterpret_cast<CompilerLibrary::name##Function*>( \
      dlsym(handle, symbol));                                        \
  if (library.name == nullptr) return dlerror();
#include "plugins/pjrt/compiler/compiler_library.def"
  return nullptr;
}

}  // namespace eyrie::pjrt

#endif  // EYRIE_PLUGINS_PJRT_COMPILER_COMPILER_LIBRARY_H_
