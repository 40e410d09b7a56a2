#include "tools/upgrade/executables.h"

#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "abi/call/describe_executable.h"
#include "abi/call/host_imports.h"
#include "abi/needs/module_facts.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "base/plain_text.h"
#include "base/status_macros.h"
#include "hal/cpu/dispatch_abi.h"
#include "hal/cpu/library_rewrite.h"
#include "hal/executable_facts.h"
#include "tools/upgrade/module_plan_of.h"
#include "tools/upgrade/pipeline_layouts.h"
#include "vm/isa/release.h"

namespace eyrie::tools {
namespace {

constexpr char kBytecodeFormat[] = "vmvx-bytecode-fb";
// The first release whose runtime finds kernels by their names.
constexpr int kNamedKernels = 12;
constexpr char kElfFormat[] = "embedded-elf-x86_64";

// The releases whose libraries have the same version, from version 3 on.
constexpr vm::ReleaseRange kLibraries[] = {{vm::k20230209, vm::k20240226},
                                           {vm::k20240410, vm::k20240724},
                                           {vm::k20240828, 7},
                                           {8, vm::kNewestRelease}};
// The releases whose other executables have the same format.
constexpr vm::ReleaseRange kOthers[] = {{vm::k20230209, vm::k20230419},
                                        {vm::k20230524, vm::k20231113},
                                        {vm::k20231218, vm::k20240226},
                                        {vm::k20240410, vm::k20240724},
                                        {vm::k20240828, vm::kNewestRelease}};

// Returns the index of the range that contains the release.
size_t IndexOf(std::span<const vm::ReleaseRange> ranges, int release) {
  size_t i = 0;
  while (ranges[i].last < release) ++i;
  return i;
}

// Reports whether the range that contains the release has one that may have
// written the module.
bool IsSame(std::span<const vm::ReleaseRange> ranges,
            const vm::ReleaseRange& from, int release) {
  return !ranges[IndexOf(ranges, release)].And(from).empty();
}

// By kernel; nullopt: unknown, or contradicting.
using Counts = std::vector<std::optional<hal::cpu::KernelCounts>>;

// A limit of ordinals in the code, which are not yet known to exist.
constexpr int64_t kMaxKernels = 65536;

// Returns what the kernels of an executable take, as far as the module says it:
// by layouts, or by the dispatches of inline programs.
Counts CountsOf(const abi::ModuleFacts& facts, size_t executable,
                const PipelineLayouts& layouts) {
  Counts counts;
  const auto* const known = layouts.Find(facts.executables[executable].place);
  if (known != nullptr) {
    for (const KernelLayout& layout : *known) {
      counts.push_back(hal::cpu::KernelCounts{
          layout.constants, static_cast<uint32_t>(layout.bindings.size())});
    }
    return counts;
  }
  std::set<size_t> seen;
  for (const abi::DispatchUse& use : facts.dispatches) {
    const int64_t ordinal = use.ordinal.value_or(-1);
    if (use.executable != executable || ordinal < 0 || ordinal >= kMaxKernels) {
      continue;
    }
    const auto kernel = static_cast<size_t>(ordinal);
    if (counts.size() <= kernel) counts.resize(kernel + 1);
    // Without bindings, other calls give the dispatch its arguments.
    std::optional<hal::cpu::KernelCounts> used;
    if (use.bindings != 0) used = {use.constants, use.bindings};
    const bool is_first = seen.insert(kernel).second;
    if (is_first) counts[kernel] = used;
    if (counts[kernel] != used) counts[kernel].reset();
  }
  return counts;
}

// Adds the counts of a bytecode executable's kernels to the attributes of their
// functions, unless it declares them.
absl::StatusOr<std::vector<uint8_t>> AddCounts(std::vector<uint8_t> bytes,
                                               const Counts& counts) {
  ASSIGN_OR_RETURN(const hal::ExecutableFacts facts,
                   abi::DescribeExecutable(kBytecodeFormat, bytes));
  ASSIGN_OR_RETURN(const auto module, vm::LoadModule(bytes, "the executable"));
  ASSIGN_OR_RETURN(vm::ModulePlan plan, PlanOf(*module));
  for (size_t i = 0; i < facts.kernels.size(); ++i) {
    const hal::KernelFacts& kernel = facts.kernels[i];
    const vm::ExportDef* const entry = module->def().FindExport(kernel.name);
    if (kernel.binding_count.has_value() || entry == nullptr) continue;
    if (i >= counts.size() || !counts[i].has_value()) {
      return absl::UnimplementedError(absl::StrCat(
          "The numbers of constants and bindings of the kernel '",
          PlainName(kernel.name),
          "', which the release needs, are unknown, or differ between its "
          "dispatches."));
    }
    auto& attributes = plan.functions[entry->function].attributes;
    attributes.emplace_back("constant_count",
                            absl::StrCat(counts[i]->constants));
    attributes.emplace_back("binding_count", absl::StrCat(counts[i]->bindings));
  }
  return vm::WriteModule(plan);
}

// Rewrites an executable of a module that `from` may have written.
absl::Status Rewrite(const vm::ReleaseRange& from, int release,
                     const std::string& format, const Counts& counts,
                     ModuleRewriter rewrite, std::vector<uint8_t>& bytes) {
  if (format == kBytecodeFormat) {
    if (release >= vm::k20240828) {
      ASSIGN_OR_RETURN(bytes, AddCounts(std::move(bytes), counts));
    }
    ASSIGN_OR_RETURN(const auto executable,
                     vm::LoadModule(bytes, "the executable"));
    ASSIGN_OR_RETURN(bytes, rewrite(*executable));
    return absl::OkStatus();
  }
  if (format == kElfFormat) {
    const auto version = static_cast<uint32_t>(hal::cpu::kOldestLibraryVersion +
                                               IndexOf(kLibraries, release));
    ASSIGN_OR_RETURN(bytes, hal::cpu::RewriteLibrary(bytes, version, counts,
                                                     release >= kNamedKernels));
    return absl::OkStatus();
  }
  const bool is_library = absl::StartsWith(format, "embedded-elf-") ||
                          absl::StartsWith(format, "system-");
  if (is_library ? IsSame(kLibraries, from, release)
                 : IsSame(kOthers, from, release)) {
    return absl::OkStatus();
  }
  return absl::UnimplementedError(absl::StrCat(
      "Executables of the format '", PlainName(format),
      "' cannot be rewritten for release ", vm::ReleaseName(release), "."));
}

}  // namespace

absl::Status RewriteExecutables(const vm::VerifiedModule& module, int release,
                                ModuleRewriter rewrite, vm::ModulePlan& plan) {
  const vm::ReleaseRange from = abi::ReleasesOf(module.def());
  const PipelineLayouts layouts = PipelineLayouts::Read(module);
  std::set<uint32_t> done;
  const abi::ModuleFacts facts = abi::ReadModuleFacts(module);
  for (size_t i = 0; i < facts.executables.size(); ++i) {
    const abi::ExecutableUse& use = facts.executables[i];
    if (!use.rodata.has_value() || use.format.empty()) {
      return absl::UnimplementedError(
          "The module makes an executable whose content is not a constant.");
    }
    if (!done.insert(*use.rodata).second) continue;
    RETURN_IF_ERROR(
        Annotate(Rewrite(from, release, use.format, CountsOf(facts, i, layouts),
                         rewrite, plan.rodata[*use.rodata].bytes),
                 absl::StrCat("(in the executable that is constant ",
                              *use.rodata, ")")));
  }
  return absl::OkStatus();
}

}  // namespace eyrie::tools
