// Functions of native libraries, whatever their convention: declared by a
// manifest, loaded from a library, bound to an import, called.
//
//   NativeDeclaration ── Load(library) ──> NativeFunction
//   NativeFunction ── Bind(import) ──> BoundFunction ── Invoke(slots)
//
// A convention (conventions.def) implements the three of them.
#ifndef EYRIE_ABI_NATIVE_NATIVE_FUNCTION_H_
#define EYRIE_ABI_NATIVE_NATIVE_FUNCTION_H_

#include <cstdint>
#include <map>
#include <memory>
#include <string>

#include "abi/native/task_pool.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "base/ref.h"
#include "hal/device.h"
#include "vm/callconv.h"
#include "vm/module.h"
#include "vm/value.h"

namespace eyrie::native {

class NativeLibrary;

// What functions of all libraries of a module share. Outlives their calls.
struct NativeServices {
  Ref<hal::Device> device;  // where results are made; host-visible memory
  std::shared_ptr<TaskPool> tasks;
  // What an embedder gives to handlers that ask for it, by its type's name.
  std::map<std::string, void*> user_data;
};

// An import of a module, in one context.
struct ImportRequest {
  absl::string_view name;        // "module.function?axis=1:i32", for messages
  absl::string_view attributes;  // behind the '?'; may be empty
  const vm::CallingConvention& signature;
  std::shared_ptr<const NativeServices> services;
  vm::ModuleState& state;  // of the native module: limits; outlives the import
  uint64_t owner;          // of memory, for hal::BufferParams
};

// What an import calls. One per import and context; the context's thread's.
// Calls that go on after they return keep it alive.
class BoundFunction : public vm::ModuleState {
 public:
  // Calls the function. Arguments are borrowed; results are owned by the
  // caller, and not written after an error. Nothing but results is allocated.
  virtual absl::Status Invoke(const vm::Slot* arguments, vm::Slot* results) = 0;

  // For vm::NativeImport.
  static absl::Status Call(vm::ModuleState* state, const vm::Slot* arguments,
                           vm::Slot* results) {
    return static_cast<BoundFunction*>(state)->Invoke(arguments, results);
  }
};

// Immutable; shared by threads.
class NativeFunction {
 public:
  virtual ~NativeFunction() = default;

  // INVALID_ARGUMENT: the import's convention is not what the manifest says,
  // or its attributes are malformed. Else as the function's own preparation.
  virtual absl::StatusOr<std::shared_ptr<BoundFunction>> Bind(
      const ImportRequest& request) const = 0;
};

// Immutable.
class NativeDeclaration {
 public:
  virtual ~NativeDeclaration() = default;

  // NOT_FOUND: a symbol that the library has not. UNIMPLEMENTED: a version or
  // platform that is not ours. INVALID_ARGUMENT: the function is not what it
  // is declared to be.
  virtual absl::StatusOr<std::shared_ptr<const NativeFunction>> Load(
      std::shared_ptr<const NativeLibrary> library) const = 0;

  // What the function takes and returns, "(?xf32, scale: f32) -> (like 0)".
  virtual std::string Describe() const = 0;
  // The calling convention of an import of this function, "0rf_r": with so
  // many operands, if their number is not fixed.
  virtual std::string ImportConvention(size_t operands) const = 0;
  // True if the last two operands of that are fences.
  virtual bool has_fences() const { return false; }
};

}  // namespace eyrie::native

#endif  // EYRIE_ABI_NATIVE_NATIVE_FUNCTION_H_
