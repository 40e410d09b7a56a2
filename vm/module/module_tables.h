// The tables of a module's FlatBuffer, whichever of the two schemas it has.
//
// Tested by module_def_test.cc, testing/module_fuzz.cc.
#ifndef EYRIE_VM_MODULE_MODULE_TABLES_H_
#define EYRIE_VM_MODULE_MODULE_TABLES_H_

#include <cstdint>

#include "absl/status/statusor.h"
#include "flatbuffers/flatbuffers.h"
#include "vm/module/archive.h"
#include "vm/module/module_generated.h"
#include "vm/module/older_module_generated.h"

namespace eyrie::vm {

// Fields are null if they are absent. Pointers are valid as long as the bytes
// of the FlatBuffer.
struct ModuleTables {
  template <typename T>
  using Tables = flatbuffers::Vector<flatbuffers::Offset<T>>;

  struct Export {
    const flatbuffers::String* name;
    int32_t function;
    const fbs::Signature* signature;  // null if that is one of `signatures`
  };

  // Verifies the FlatBuffer and finds its tables. INVALID_ARGUMENT: an offset
  // in it points outside of it. UNIMPLEMENTED: it is too large.
  static absl::StatusOr<ModuleTables> Read(const Archive& archive);

  uint32_t export_count() const;
  Export export_at(uint32_t i) const;
  uint32_t function_count() const;
  // A function of the older schema has no requirements and no blocks.
  fbs::Function function_at(uint32_t i) const;

  const flatbuffers::String* name;
  uint32_t version;
  uint32_t requirements;
  const Tables<fbs::Attr>* attrs;
  const Tables<fbs::Type>* types;
  const Tables<fbs::Dependency>* dependencies;
  const Tables<fbs::Import>* imports;
  const Tables<fbs::Rodata>* rodata;
  const fbs::State* state;
  uint32_t bytecode_version;
  const flatbuffers::Vector<uint8_t>* bytecode;
  const fbs::DebugDatabase* debug;

  // Only in a module of the older schema.
  const Tables<fbs::OlderExport>* older_exports = nullptr;
  const flatbuffers::Vector<const fbs::OlderFunction*>* older_functions =
      nullptr;
  // Only in others.
  const Tables<fbs::Export>* exports = nullptr;
  const Tables<fbs::Signature>* signatures = nullptr;
  const flatbuffers::Vector<const fbs::Function*>* functions = nullptr;
};

}  // namespace eyrie::vm

#endif  // EYRIE_VM_MODULE_MODULE_TABLES_H_
