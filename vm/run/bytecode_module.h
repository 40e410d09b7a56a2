// A verified module ready to run, with the layout of each function's frame and
// resolved types; and its state in one context: globals, imports, rodata.
//
// Tested by context_test.cc, tests/vm/rows_test.cc.
#ifndef EYRIE_VM_RUN_BYTECODE_MODULE_H_
#define EYRIE_VM_RUN_BYTECODE_MODULE_H_

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "base/ref.h"
#include "base/trace.h"
#include "vm/isa/callconv.h"
#include "vm/isa/value.h"
#include "vm/lower/function_code.h"
#include "vm/lower/handlers.h"
#include "vm/lower/lowering.h"
#include "vm/module/module.h"
#include "vm/module/verifier.h"
#include "vm/native/native_binding.h"
#include "vm/object/buffer.h"
#include "vm/object/list.h"
#include "vm/object/ref_types.h"
#include "vm/run/compiled.h"

namespace eyrie::vm {

class BytecodeState;

// An import, resolved for one context. Its size makes an array of them
// indexable by a shift.
struct alignas(64) ResolvedImport {
  const CallingConvention* signature = nullptr;
  // Set if a native module provides the import.
  NativeImport native;
  // Set if a bytecode module provides it. If neither is set, the import is
  // optional and no module provides it.
  const FunctionCode* callee = nullptr;
  BytecodeState* callee_state = nullptr;

  bool resolved() const { return native.resolved() || callee != nullptr; }
};

// Maps a function's lowered code to its bytecode.
struct LoweredFunctionPlaces {
  // Offsets in the lowered code and in the bytecode, in ascending order.
  std::vector<std::pair<uint32_t, uint32_t>> places;
  size_t bytes = 0;  // size of the lowered code
};

// Immutable; shared by threads.
class BytecodeModule final
    : public Module,
      public std::enable_shared_from_this<BytecodeModule> {
 public:
  // Creates a module for the interpreter that has these handlers, see
  // InterpreterHandlers(). A ref type that is not in `types` has no values
  // except null. If `pauses`, a context's Stepper is called before each
  // instruction; modules of this kind run slower and are never compiled.
  static absl::StatusOr<std::shared_ptr<const BytecodeModule>> Create(
      const Handlers& handlers, std::shared_ptr<const VerifiedModule> verified,
      const RefTypes& types = RefTypes(), bool pauses = false);

  absl::string_view name() const override { return def().name; }
  uint32_t version() const override { return def().version; }
  // Returns an export, never null. NOT_FOUND: no function has that name.
  absl::StatusOr<const ExportDef*> FindExport(absl::string_view name) const;
  // Returns the ordinal of an exported function. Returns NOT_FOUND if no
  // function has that name, and UNIMPLEMENTED if it has another signature.
  // Signatures are compared in their canonical form.
  absl::StatusOr<uint32_t> ResolveImport(absl::string_view name,
                                         absl::string_view signature) const;
  absl::StatusOr<std::unique_ptr<ModuleState>> CreateState() const override;
  const BytecodeModule* AsBytecode() const override { return this; }

  const VerifiedModule& verified() const { return *verified_; }
  const ModuleDef& def() const { return verified_->def(); }
  const FunctionCode& function(uint32_t ordinal) const {
    return functions_[ordinal];
  }
  // Indexed by ordinal.
  std::span<const FunctionCode> functions() const {
    return {functions_.get(), def().functions.size()};
  }
  const std::vector<ElementType>& types() const { return types_; }
  bool pauses() const { return pauses_; }
  const Handlers& handlers() const { return handlers_; }

  // Lowers a function, unless that has been done, and returns its first
  // instruction. Returns null if there is not enough memory. Thread-safe.
  const uint8_t* LowerFunction(uint32_t ordinal, bool traced) const;
  // Lowers and compiles a function, unless that has been done, and returns its
  // compiled_entry. Returns null if it remains interpreted. It may be tried
  // again later if `stopped` interrupted the compiler. Thread-safe.
  const void* CompileFunction(const Jit& jit, uint32_t ordinal,
                              CompileStopped stopped) const;
  // Compiles a function that was found hot, as CompileFunction does. Returns
  // null also if compiled code would not be faster, or if another thread is
  // compiling.
  const void* CompileHot(const Jit& jit, uint32_t ordinal,
                         CompileStopped stopped) const;
  // Returns the module's compiled functions, whose members are thread-safe.
  // Must be called only after a function was compiled.
  const CompiledModule* compiled() const { return compiled_.get(); }

  // Returns which bytecode a function's lowered code comes from. Takes as long
  // as lowering the function, so use it for messages only.
  LoweredFunctionPlaces PlacesOf(uint32_t ordinal) const;
  // Returns the offset in the function's bytecode of an instruction of its
  // lowered code.
  uint32_t BytecodeOffset(uint32_t ordinal, const uint8_t* lowered,
                          const LoweredFunctionPlaces& places) const;
  uint32_t BytecodeOffset(uint32_t ordinal, const uint8_t* lowered) const {
    return BytecodeOffset(ordinal, lowered, PlacesOf(ordinal));
  }

  // Begins a trace span for a call of a function or of an import. Thread-safe.
  void TraceFunction(uint32_t ordinal) const;
  void TraceImport(uint32_t ordinal) const;

 private:
  friend class BytecodeState;

  BytecodeModule(const Handlers& handlers,
                 std::shared_ptr<const VerifiedModule> verified, bool pauses)
      : handlers_(handlers), verified_(std::move(verified)), pauses_(pauses) {}
  // Exists only in a module that is traced.
  struct Traced {
    explicit Traced(const ModuleDef& def)
        : lowered(def.functions.size()),
          functions(def.functions.size()),
          imports(def.imports.size()) {}
    std::vector<LoweredCode> lowered;  // as lowered_
    std::vector<trace::NameCache> functions;
    std::vector<trace::NameCache> imports;
  };

  Traced& traced() const;
  // The caller must hold lowering_.
  const uint8_t* LowerLocked(uint32_t ordinal) const;
  const void* CompileLocked(const Jit& jit, uint32_t ordinal,
                            CompileStopped stopped) const;
  // Compiles a function together with the functions that it calls, as far as
  // `callees` allows.
  struct Callees;
  const void* CompileWith(const Jit& jit, uint32_t ordinal,
                          Callees& callees) const;
  LoweredCode LowerOnce(uint32_t ordinal, bool traced,
                        LoweredPlaces* places = nullptr) const;
  absl::Status ResolveTypes(const RefTypes& types);
  absl::Status LayOutFunctions();

  const Handlers& handlers_;
  std::shared_ptr<const VerifiedModule> verified_;
  const bool pauses_;
  std::vector<ElementType> types_;
  std::vector<std::unique_ptr<RefType>> unknown_types_;
  std::unique_ptr<FunctionCode[]> functions_;
  std::vector<std::vector<ArgumentPlace>> argument_places_;
  mutable std::mutex lowering_;
  // Indexed by ordinal. Each element is written once, with lowering_ held.
  mutable std::vector<LoweredCode> lowered_;
  // Created with lowering_ held.
  mutable std::unique_ptr<CompiledModule> compiled_;
  // Attempts to compile, by ordinal; guarded by lowering_.
  enum class Attempt : uint8_t { kNone, kDoesNotPay, kMade };
  mutable std::vector<Attempt> attempts_;
  mutable std::once_flag traced_once_;
  mutable std::unique_ptr<Traced> traced_;
};

// Returns a rodata segment as a read-only buffer. The buffer keeps the module's
// file alive; its CheckOrigin() fails if the file was modified.
Ref<Buffer> BorrowRodata(const ModuleDef& def, uint32_t ordinal);

// A bytecode module's state in one context; used by the context's thread only.
// The fields are public for the interpreter, which runs verified code and
// indexes them without checks.
class BytecodeState final : public ModuleState {
 public:
  // The parts whose size depends on the module.
  struct Storage {
    std::vector<uint64_t> globals;
    std::vector<RefObject*> refs;
    std::vector<Ref<Buffer>> rodata;
    std::vector<ResolvedImport> imports;
  };
  BytecodeState(std::shared_ptr<const BytecodeModule> module, Storage storage);
  ~BytecodeState() override;

  // Returns a rodata segment as a buffer, which is created at its first use and
  // owned by the state.
  Buffer* Rodata(uint32_t ordinal);
  // The buffers created so far, by ordinal; the others are null.
  const Ref<Buffer>* rodata() const { return storage_.rodata.data(); }

  const std::shared_ptr<const BytecodeModule> module;
  const ElementType* const types;
  const uint32_t global_bytes;
  const uint32_t global_ref_count;

 private:
  Storage storage_;

 public:
  uint8_t* const globals;               // global_bytes of them, zeroed at first
  RefObject** const global_refs;        // owned; null at first
  std::vector<ResolvedImport> imports;  // by ordinal; set by the context
};

}  // namespace eyrie::vm

#endif  // EYRIE_VM_RUN_BYTECODE_MODULE_H_
