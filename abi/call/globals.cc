#include "abi/call/globals.h"

#include <memory>

#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "base/name_list.h"
#include "base/plain_text.h"
#include "vm/module/module.h"
#include "vm/run/bytecode_module.h"

namespace eyrie::abi {
namespace {

constexpr absl::string_view kPrefix = "global$";
constexpr absl::string_view kGet = "$get";
constexpr absl::string_view kSet = "$set";
constexpr size_t kMaxListedGlobals = 8;

// Returns the name of the function, without the module's.
std::string AccessorOf(absl::string_view global, GlobalAccess access) {
  return absl::StrCat(kPrefix, global,
                      access == GlobalAccess::kGet ? kGet : kSet);
}

std::string ListOf(const vm::Context& context) {
  std::vector<std::string> names;
  for (const auto& module : context.modules()) {
    if (module->AsBytecode() == nullptr) continue;
    for (const ExportedGlobal& global :
         ExportedGlobals(module->AsBytecode()->def())) {
      names.emplace_back(global.name);
    }
  }
  if (names.empty()) return " The modules export no globals.";
  return absl::StrCat(" The globals are ",
                      QuotedNames(names, kMaxListedGlobals), ".");
}

}  // namespace

std::vector<ExportedGlobal> ExportedGlobals(const vm::ModuleDef& def) {
  std::vector<ExportedGlobal> globals;
  for (const vm::ExportDef& exported : def.exports) {
    absl::string_view name = exported.name;
    if (!absl::ConsumePrefix(&name, kPrefix) ||
        !absl::ConsumeSuffix(&name, kGet) || name.empty()) {
      continue;
    }
    const bool is_mutable =
        def.FindExport(AccessorOf(name, GlobalAccess::kSet)) != nullptr;
    globals.push_back({name, is_mutable});
  }
  return globals;
}

absl::Status FindGlobal(const vm::Context& context, absl::string_view global,
                        GlobalAccess access, std::string& function) {
  const auto& modules = context.modules();
  for (size_t i = modules.size(); i-- > 0;) {
    const vm::BytecodeModule* const module = modules[i]->AsBytecode();
    if (module == nullptr) continue;
    // Names of globals may contain dots, too.
    absl::string_view local = global;
    for (const bool is_whole : {true, false}) {
      if (!is_whole && (!absl::ConsumePrefix(&local, module->name()) ||
                        !absl::ConsumePrefix(&local, "."))) {
        continue;
      }
      const std::string accessor = AccessorOf(local, access);
      if (module->def().FindExport(accessor) != nullptr) {
        function = absl::StrCat(module->name(), ".", accessor);
        return absl::OkStatus();
      }
      // A constant hides those of earlier modules.
      if (module->def().FindExport(AccessorOf(local, GlobalAccess::kGet)) !=
          nullptr) {
        return absl::NotFoundError(absl::StrCat(
            "The global '", PlainName(global), "' is a constant."));
      }
    }
  }
  return absl::NotFoundError(absl::StrCat("No module exports a global '",
                                          PlainName(global), "'.",
                                          ListOf(context)));
}

}  // namespace eyrie::abi
