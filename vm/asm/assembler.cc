// Assembles text to a plan and a file, and verifies the file.
#include "vm/asm/assembler.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "vm/asm/module_parser.h"
#include "vm/module/archive.h"
#include "vm/module/module_def.h"
#include "vm/module/verifier.h"

namespace eyrie::vm {
namespace {

// Returns the source of the instruction at, or before, the offset of a fault.
const SourcePlace* FindPlace(const ModuleScope& scope,
                             const FaultPlace& fault) {
  if (fault.function >= scope.code_places.size()) return nullptr;
  const std::vector<CodePlace>& places = scope.code_places[fault.function];
  const auto next =
      std::upper_bound(places.begin(), places.end(), fault.offset,
                       [](uint32_t offset, const CodePlace& place) {
                         return offset < place.offset;
                       });
  return next == places.begin() ? nullptr : &(next - 1)->place;
}

// Returns the verifier's error, with its position in the text.
absl::Status Verify(const std::vector<uint8_t>& file, const std::string& name,
                    const ModuleScope& scope) {
  ASSIGN_OR_RETURN(auto archive, Archive::Borrow(file, name));
  ASSIGN_OR_RETURN(ModuleDef def, ModuleDef::Decode(std::move(archive)));
  FaultPlace fault;
  absl::Status status = VerifiedModule::Verify(std::move(def), &fault).status();
  if (status.ok()) return status;
  const SourcePlace* place = FindPlace(scope, fault);
  if (place == nullptr) return status;
  return absl::Status(status.code(), place->Error(status.message()).message());
}

}  // namespace

absl::StatusOr<ModulePlan> AssemblePlan(absl::string_view text,
                                        const std::string& name,
                                        const AssemblerOptions& options) {
  ModuleParser parser(options);
  RETURN_IF_ERROR(parser.Parse(text, name));
  return std::move(parser.scope().plan);
}

absl::StatusOr<std::vector<uint8_t>> Assemble(absl::string_view text,
                                              const std::string& name,
                                              const AssemblerOptions& options) {
  ModuleParser parser(options);
  RETURN_IF_ERROR(parser.Parse(text, name));
  absl::StatusOr<std::vector<uint8_t>> file = WriteModule(parser.scope().plan);
  if (!file.ok()) {
    return absl::Status(file.status().code(),
                        absl::StrCat(name, ": ", file.status().message()));
  }
  if (options.verify) {
    RETURN_IF_ERROR(Verify(*file, name, parser.scope()));
  }
  return file;
}

}  // namespace eyrie::vm
