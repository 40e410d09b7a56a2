// A verified module ready to run: each function's frame laid out, its types
// resolved; and what one context owns of it: globals, imports, rodata.
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

// An import as a context resolved it. One of many, it is found by a shift.
struct alignas(64) ResolvedImport {
  const CallingConvention* signature = nullptr;
  // A native function, or
  NativeImport native;
  // another bytecode module's; neither: an optional import nobody has.
  const FunctionCode* callee = nullptr;
  BytecodeState* callee_state = nullptr;

  bool resolved() const { return native.resolved() || callee != nullptr; }
};

// Offsets in a function's lowered code, ascending, and in its bytecode.
struct LoweredFunctionPlaces {
  std::vector<std::pair<uint32_t, uint32_t>> places;
  size_t bytes = 0;  // of the lowered code
};

// Immutable; shared by threads.
class BytecodeModule final
    : public Module,
      public std::enable_shared_from_this<BytecodeModule> {
 public:
  // Creates a module that an interpreter with these handlers runs; see
  // InterpreterHandlers(). A type that is not in `types` has no objects: only
  // null is of it. If `pauses`, a context's Stepper is asked before each
  // instruction; such modules run slower and are never compiled.
  static absl::StatusOr<std::shared_ptr<const BytecodeModule>> Create(
      const Handlers& handlers, std::shared_ptr<const VerifiedModule> verified,
      const RefTypes& types = RefTypes(), bool pauses = false);

  absl::string_view name() const override { return def().name; }
  uint32_t version() const override { return def().version; }
  // An exported function, by name and canonical convention.
  // NOT_FOUND: no such name. UNIMPLEMENTED: it has another convention.
  absl::StatusOr<uint32_t> ResolveImport(absl::string_view name,
                                         absl::string_view signature) const;
  absl::StatusOr<std::unique_ptr<ModuleState>> CreateState() const override;
  const BytecodeModule* AsBytecode() const override { return this; }

  const VerifiedModule& verified() const { return *verified_; }
  const ModuleDef& def() const { return verified_->def(); }
  const FunctionCode& function(uint32_t ordinal) const {
    return functions_[ordinal];
  }
  // By ordinal.
  std::span<const FunctionCode> functions() const {
    return {functions_.get(), def().functions.size()};
  }
  const std::vector<ElementType>& types() const { return types_; }
  bool pauses() const { return pauses_; }
  const Handlers& handlers() const { return handlers_; }

  // Lowers a function, once, and gives its first instruction; null: there is no
  // memory for it now. Thread-safe.
  const uint8_t* LowerFunction(uint32_t ordinal, bool traced) const;
  // Compiles a function, once, lowering it first, and gives its compiled code,
  // compiled_entry; null: it stays interpreted, for now if `stopped` said that
  // the call is to stop. Thread-safe.
  const void* CompileFunction(const Jit& jit, uint32_t ordinal,
                              CompileStopped stopped) const;
  // The same if that pays for who calls it, once it has been found hot.
  const void* CompileHot(const Jit& jit, uint32_t ordinal,
                         CompileStopped stopped) const;
  // The compiled functions, of which there are some. Under their own lock.
  const CompiledModule* compiled() const { return compiled_.get(); }

  // Where a function's lowered code comes from. Takes as long as lowering it:
  // for messages.
  LoweredFunctionPlaces PlacesOf(uint32_t ordinal) const;
  // The offset in the function's bytecode of an instruction of its lowered
  // code.
  uint32_t BytecodeOffset(uint32_t ordinal, const uint8_t* lowered,
                          const LoweredFunctionPlaces& places) const;
  uint32_t BytecodeOffset(uint32_t ordinal, const uint8_t* lowered) const {
    return BytecodeOffset(ordinal, lowered, PlacesOf(ordinal));
  }

  // Begins the span of a function, or of an import's. Thread-safe.
  void TraceFunction(uint32_t ordinal) const;
  void TraceImport(uint32_t ordinal) const;

 private:
  friend class BytecodeState;

  BytecodeModule(const Handlers& handlers,
                 std::shared_ptr<const VerifiedModule> verified, bool pauses)
      : handlers_(handlers), verified_(std::move(verified)), pauses_(pauses) {}
  // What only a traced module has.
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
  // Under the mutex.
  const uint8_t* LowerLocked(uint32_t ordinal) const;
  const void* CompileLocked(const Jit& jit, uint32_t ordinal,
                            CompileStopped stopped) const;
  // With what it calls, so far as that may yet be compiled with it.
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
  // By ordinal; written under the mutex, once each.
  mutable std::vector<LoweredCode> lowered_;
  mutable std::unique_ptr<CompiledModule> compiled_;  // made under the mutex
  // To compile; guarded by the mutex.
  enum class Attempt : uint8_t { kNone, kDoesNotPay, kMade };
  mutable std::vector<Attempt> attempts_;
  mutable std::once_flag traced_once_;
  mutable std::unique_ptr<Traced> traced_;
};

// Returns a rodata segment as a read-only buffer, which keeps the module's file
// and fails CheckOrigin() if the file has been changed.
Ref<Buffer> BorrowRodata(const ModuleDef& def, uint32_t ordinal);

// One context's part of a bytecode module; its thread's alone. Fields are the
// interpreter's, which runs verified code and indexes without checking.
class BytecodeState final : public ModuleState {
 public:
  // What grows with the module.
  struct Storage {
    std::vector<uint64_t> globals;
    std::vector<RefObject*> refs;
    std::vector<Ref<Buffer>> rodata;
    std::vector<ResolvedImport> imports;
  };
  BytecodeState(std::shared_ptr<const BytecodeModule> module, Storage storage);
  ~BytecodeState() override;

  // The rodata segment as a buffer, made at first use. Borrowed.
  Buffer* Rodata(uint32_t ordinal);
  // Those that have been made, by ordinal; else null.
  const Ref<Buffer>* rodata() const { return storage_.rodata.data(); }

  const std::shared_ptr<const BytecodeModule> module;
  const ElementType* const types;
  const uint32_t global_bytes;
  const uint32_t global_ref_count;

 private:
  Storage storage_;

 public:
  uint8_t* const globals;               // global_bytes of them, zeroed
  RefObject** const global_refs;        // owned; null at first
  std::vector<ResolvedImport> imports;  // all, as the context links them
};

}  // namespace eyrie::vm

#endif  // EYRIE_VM_RUN_BYTECODE_MODULE_H_
