// Functions of native libraries in any convention: declared by a manifest,
// loaded from a library, bound to an import, called.
//
//   NativeDeclaration ── Load(library) ──> NativeFunction
//   NativeFunction ── Bind(import) ──> BoundFunction ── Invoke(slots)
//
// Each convention (conventions.def) implements all three classes.
#ifndef EYRIE_ABI_NATIVE_NATIVE_FUNCTION_H_
#define EYRIE_ABI_NATIVE_NATIVE_FUNCTION_H_

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "abi/native/cuda_device.h"
#include "abi/native/json_reader.h"
#include "abi/native/task_pool.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "base/ref.h"
#include "eyrie/xla_ffi.h"
#include "hal/device.h"
#include "vm/isa/callconv.h"
#include "vm/isa/value.h"
#include "vm/module/module.h"

namespace eyrie::native {

class NativeLibrary;

// Shared by the functions of all libraries of a module. Must outlive calls.
struct NativeServices {
  Ref<hal::Device> device;  // allocates results; host-visible memory
  std::shared_ptr<TaskPool> tasks;
  // Pointers from the embedder for handlers, by the names of their types.
  std::map<std::string, void*> user_data;
  // Receives a warning about a library. May be null. Thread-safe.
  std::function<void(absl::string_view)> notice = {};
  // For handlers of CUDA.
  std::shared_ptr<SharedCudaDevice> cuda = std::make_shared<SharedCudaDevice>();
};

// An import of a module, in one context.
struct ImportRequest {
  absl::string_view name;        // "module.function?axis=1:i32", for messages
  absl::string_view attributes;  // after the '?'; may be empty
  const vm::CallingConvention& signature;
  std::shared_ptr<const NativeServices> services;
  vm::ModuleState& state;  // the native module's, for limits; outlives it
  uint64_t owner;          // of memory, for hal::BufferParams
};

// The callee of an import, one for each import and context. Used by the
// context's thread. A call that continues after Invoke has returned keeps it
// alive.
class BoundFunction : public vm::ModuleState {
 public:
  // Calls the function. Borrows the arguments. The caller owns the results,
  // which are not written on error. Allocates only results.
  virtual absl::Status Invoke(const vm::Slot* arguments, vm::Slot* results) = 0;

  // Calls Invoke, in the form that vm::NativeImport needs.
  static absl::Status Call(vm::ModuleState* state, const vm::Slot* arguments,
                           vm::Slot* results) {
    return static_cast<BoundFunction*>(state)->Invoke(arguments, results);
  }
};

// A loaded function. Immutable; may be shared by threads.
class NativeFunction {
 public:
  virtual ~NativeFunction() = default;

  // Binds the function to an import. INVALID_ARGUMENT: the import's convention
  // differs from the manifest's, or its attributes are malformed. Also returns
  // errors of the function's own setup.
  virtual absl::StatusOr<std::shared_ptr<BoundFunction>> Bind(
      const ImportRequest& request) const = 0;

  // Returns a warning for the user, such as "uses version 0.9 of …", which
  // follows the function's name. Empty if there is none.
  virtual std::string Notice() const { return ""; }
};

// A function as a manifest declares it. Immutable.
class NativeDeclaration {
 public:
  virtual ~NativeDeclaration() = default;

  // Finds the function in its library. NOT_FOUND: the library lacks a symbol.
  // UNIMPLEMENTED: the version or platform is not supported. INVALID_ARGUMENT:
  // the function does not match its declaration.
  virtual absl::StatusOr<std::shared_ptr<const NativeFunction>> Load(
      std::shared_ptr<const NativeLibrary> library) const = 0;

  // Adds the library's symbols that must be handlers of XLA FFI, and may be
  // other functions.
  virtual void CollectSymbols(
      const NativeLibrary& library,
      std::vector<eyrie_ffi_handler_t*>& symbols) const {}

  // Returns the parameters and results, such as "(?xf32, scale: f32) -> (like
  // 0)".
  virtual std::string Describe() const = 0;
  // Returns the calling convention of an import of this function, such as
  // "0rf_r". `operands` is used if their number is not fixed.
  virtual std::string ImportConvention(size_t operands) const = 0;
  // Returns the operands of that import, without fences, as the attribute
  // iree.abi.declaration has them: "%by: f32", "tensor<?x4xf32>".
  virtual std::vector<std::string> DeclareOperands(size_t operands) const = 0;
  // Reports whether an import may have any number of further operands.
  virtual bool has_rest() const { return false; }
  // Reports whether the last two operands in that convention are fences.
  virtual bool has_fences() const { return false; }
};

// Read the declaration of a function, one for each convention.
#define NATIVE_CONVENTION(name, declare)                      \
  absl::StatusOr<std::unique_ptr<NativeDeclaration>> declare( \
      absl::string_view function, JsonReader& json);
#include "abi/native/conventions.def"
#undef NATIVE_CONVENTION

// Asks symbols that must be handlers of XLA FFI for their versions, in one
// child process, so that loading each of them needs none. See ProbeTogether.
void AskFfiHandlers(std::span<eyrie_ffi_handler_t* const> symbols);

}  // namespace eyrie::native

#endif  // EYRIE_ABI_NATIVE_NATIVE_FUNCTION_H_
