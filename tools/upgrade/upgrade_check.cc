// Each module has a session of its own, and both get the same calls in the same
// order, so that functions with state can be compared, too.
#include "tools/upgrade/upgrade_check.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "abi/call/compare.h"
#include "abi/call/session.h"
#include "abi/call/value_reader.h"
#include "absl/strings/str_cat.h"
#include "base/plain_text.h"
#include "base/status_macros.h"
#include "tools/command.h"
#include "tools/load_flags.h"

namespace eyrie::tools {
namespace {

using Values = std::vector<vm::Value>;

absl::StatusOr<abi::Comparison> Compare(Values before, const Values& after) {
  std::vector<abi::ParsedValue> expected;
  for (vm::Value& value : before) expected.push_back({std::move(value)});
  abi::Tolerance exact;
  exact.exact = true;
  return abi::CompareValues(expected, after, exact, {});
}

}  // namespace

absl::Status UpgradeCheck::PrepareSide(Side& side) const {
  ASSIGN_OR_RETURN(side.devices, OpenDevices(*arguments_));
  ASSIGN_OR_RETURN(side.options.native_libraries,
                   LoadNativeLibraries(*arguments_));
  return ReadSessionOptions(*arguments_, side.options);
}

absl::StatusOr<UpgradeCheck> UpgradeCheck::Prepare(const Arguments& arguments) {
  UpgradeCheck check(arguments);
  RETURN_IF_ERROR(check.PrepareSide(check.before_));
  RETURN_IF_ERROR(check.PrepareSide(check.after_));
  ASSIGN_OR_RETURN(
      check.programs_,
      LoadPrograms(arguments, check.before_.options.native_libraries));
  return check;
}

absl::Status UpgradeCheck::Link(std::vector<abi::Program> programs,
                                Side& side) {
  ASSIGN_OR_RETURN(side.session,
                   abi::Session::Create(std::move(programs), side.devices,
                                        std::move(side.options)));
  return absl::OkStatus();
}

absl::StatusOr<Values> UpgradeCheck::Call(const Side& side,
                                          absl::string_view name,
                                          bool& prepared) const {
  ASSIGN_OR_RETURN(abi::Callable function, side.session->Lookup(name));
  ASSIGN_OR_RETURN(const Values inputs,
                   ReadInputs(*arguments_, function, side.devices[0]));
  prepared = true;
  return function.Call(inputs);
}

absl::StatusOr<bool> UpgradeCheck::CheckFunction(
    const std::string& name) const {
  bool prepared = false;
  const std::string shown = PlainName(name.empty() ? "the function" : name);
  absl::StatusOr<Values> old = Call(before_, name, prepared);
  if (!prepared) {
    if (arguments_->IsSet("function")) return old.status();
    RETURN_IF_ERROR(WriteStdout(
        absl::StrCat("[SKIPPED] ", shown, ": ", old.status().message(), "\n")));
    return true;
  }
  const absl::StatusOr<Values> now = Call(after_, name, prepared);
  if (!old.ok() || !now.ok()) {
    const bool same = old.status().code() == now.status().code();
    RETURN_IF_ERROR(WriteStdout(
        absl::StrCat(same ? "[SUCCESS] " : "[FAILED] ", shown, ": before ",
                     old.ok() ? "OK" : old.status().ToString(), ", after ",
                     now.ok() ? "OK" : now.status().ToString(), "\n")));
    return same;
  }
  const size_t count = old->size();
  ASSIGN_OR_RETURN(const abi::Comparison comparison,
                   Compare(*std::move(old), *now));
  RETURN_IF_ERROR(WriteStdout(
      comparison.same
          ? absl::StrCat("[SUCCESS] ", shown, ": ", count,
                         count == 1 ? " equal result\n" : " equal results\n")
          : absl::StrCat("[FAILED] ", shown, "\n", comparison.text)));
  return comparison.same;
}

absl::StatusOr<bool> UpgradeCheck::Run(std::span<const uint8_t> after) {
  std::vector<abi::Program> rewritten = programs_;
  ASSIGN_OR_RETURN(rewritten.back(),
                   abi::LoadProgram(after, "the rewritten module"));
  RETURN_IF_ERROR(Link(programs_, before_));
  RETURN_IF_ERROR(Link(std::move(rewritten), after_));
  std::vector<std::string> names = {arguments_->GetString("function")};
  if (!arguments_->IsSet("function")) {
    names.clear();
    for (const vm::Function& function : before_.session->Functions()) {
      names.emplace_back(function.name());
    }
  }
  bool same = true;
  for (const std::string& name : names) {
    ASSIGN_OR_RETURN(const bool equal, CheckFunction(name));
    same = same && equal;
  }
  if (arguments_->GetBool("print_statistics")) PrintStatistics(after_.devices);
  return same;
}

}  // namespace eyrie::tools
