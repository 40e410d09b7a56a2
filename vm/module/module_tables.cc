// Recognizes the schema of a module's FlatBuffer by its bytecode version.
#include "vm/module/module_tables.h"

#include "base/optional_field.h"
#include "base/status_macros.h"
#include "vm/isa/version.h"
#include "vm/module/flatbuffer.h"

namespace eyrie::vm {
namespace {

// Takes the fields that both schemas have.
template <typename Module>
ModuleTables CommonTables(const Module& module) {
  ModuleTables tables = {};
  tables.name = module.name();
  tables.version = module.version();
  tables.attrs = module.attrs();
  tables.types = module.types();
  tables.dependencies = module.dependencies();
  tables.imports = module.imports();
  tables.rodata = module.rodata();
  tables.state = module.state();
  tables.bytecode_version = module.bytecode_version();
  tables.bytecode = module.bytecode();
  tables.debug = module.debug();
  return tables;
}

}  // namespace

absl::StatusOr<ModuleTables> ModuleTables::Read(const Archive& archive) {
  const absl::StatusOr<const fbs::Module*> module = VerifyFlatBuffer(archive);
  // The older schema has the version elsewhere. Its modules may by chance be
  // valid for the newer one, but do not have a known version then.
  if (!module.ok() ||
      !FindBytecodeVersion((*module)->bytecode_version()).ok()) {
    if (const fbs::OlderModule* older = FindOlderModule(archive)) {
      ModuleTables tables = CommonTables(*older);
      tables.older_exports = older->exports();
      tables.older_functions = older->functions();
      return tables;
    }
  }
  RETURN_IF_ERROR(module.status());
  ModuleTables tables = CommonTables(**module);
  tables.requirements = (*module)->requirements();
  tables.exports = (*module)->exports();
  tables.signatures = (*module)->signatures();
  tables.functions = (*module)->functions();
  return tables;
}

uint32_t ModuleTables::export_count() const {
  return Size(exports) + Size(older_exports);
}

ModuleTables::Export ModuleTables::export_at(uint32_t i) const {
  if (older_exports != nullptr) {
    const fbs::OlderExport& from = *older_exports->Get(i);
    return {from.local_name(), from.function(), from.signature()};
  }
  const fbs::Export& from = *exports->Get(i);
  return {from.local_name(), from.function(), nullptr};
}

uint32_t ModuleTables::function_count() const {
  return Size(functions) + Size(older_functions);
}

fbs::Function ModuleTables::function_at(uint32_t i) const {
  if (older_functions == nullptr) return *functions->Get(i);
  const fbs::OlderFunction& from = *older_functions->Get(i);
  return {from.bytecode_offset(),   from.bytecode_length(),
          /*requirements=*/0,
          /*reserved=*/0,
          /*block_count=*/0,        from.i32_register_count(),
          from.ref_register_count()};
}

}  // namespace eyrie::vm
