// The encoding and the executables change first, then calls, by one row of
// shims.def at a time: what one step writes, the next one reads as a module.
#include "tools/upgrade/rewrite.h"

#include <cstdint>
#include <memory>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "base/zip.h"
#include "tools/upgrade/call_rewriter.h"
#include "tools/upgrade/encoding.h"
#include "tools/upgrade/executables.h"
#include "tools/upgrade/module_plan_of.h"
#include "vm/asm/module_plan.h"
#include "vm/isa/release.h"
#include "vm/isa/version.h"
#include "vm/module/archive.h"

namespace eyrie::tools {
namespace {

using Bytes = std::vector<uint8_t>;

// More than the rows of shims.def that can follow each other.
constexpr int kMaxSteps = 8;

absl::StatusOr<Bytes> Write(vm::ModulePlan& plan) {
  SetRequirements(plan);
  SetDependencies(plan);
  return vm::WriteModule(plan);
}

// Executables are modules that contain no executables.
enum class Role : uint8_t { kProgram, kExecutable };

absl::StatusOr<Bytes> Rewrite(const vm::VerifiedModule& module, int release,
                              Role role) {
  const uint32_t major = vm::BytecodeVersionOf(release)->major;
  RETURN_IF_ERROR(vm::FindWritableVersion(major << 16).status());
  ASSIGN_OR_RETURN(vm::ModulePlan plan, PlanOf(module));
  RETURN_IF_ERROR(ChangeEncoding(module, release, plan));
  if (role == Role::kProgram) {
    RETURN_IF_ERROR(RewriteExecutables(
        module, release,
        [release](const vm::VerifiedModule& executable) {
          return Rewrite(executable, release, Role::kExecutable);
        },
        plan));
  }
  ASSIGN_OR_RETURN(Bytes bytes, Write(plan));
  for (int step = 0; step < kMaxSteps; ++step) {
    ASSIGN_OR_RETURN(const auto current,
                     vm::LoadModule(bytes, "the rewritten module"));
    if (HasImports(release, current->def())) return bytes;
    ASSIGN_OR_RETURN(plan, PlanOf(*current));
    RETURN_IF_ERROR(RewriteCalls(*current, release, plan));
    ASSIGN_OR_RETURN(bytes, Write(plan));
  }
  return absl::InternalError(
      absl::StrCat("The module's calls still differ from those of the release "
                   "after ",
                   kMaxSteps, " rewrites."));
}

// Returns the file with the notes of another one: members that end with .json,
// which no runtime reads (docs/jax.md).
absl::StatusOr<Bytes> WithNotesOf(const vm::Archive& from, Bytes file) {
  if (!LooksLikeZip(file)) return file;
  ASSIGN_OR_RETURN(const ZipDirectory directory, ReadZip(file, "The module"));
  ZipWriter writer(file, directory);
  for (const ZipMember& member : from.members()) {
    if (!absl::EndsWith(member.name, ".json") || member.method != kZipStored ||
        writer.Has(member.name)) {
      continue;
    }
    writer.Add(member.name,
               {reinterpret_cast<const char*>(member.packed.data()),
                member.packed.size()},
               /*alignment=*/1);
  }
  file.resize(writer.begin());
  const std::string rest = writer.Finish();
  file.insert(file.end(), rest.begin(), rest.end());
  return file;
}

}  // namespace

absl::StatusOr<Bytes> RewriteModule(const vm::VerifiedModule& module,
                                    int release) {
  ASSIGN_OR_RETURN(Bytes bytes, Rewrite(module, release, Role::kProgram));
  return WithNotesOf(module.def().archive(), std::move(bytes));
}

}  // namespace eyrie::tools
