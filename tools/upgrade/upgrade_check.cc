// Each module has a session of its own, and both get the same calls in the same
// order, so that functions with state can be compared, too.
#include "tools/upgrade/upgrade_check.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "abi/call/function_io.h"
#include "abi/call/session.h"
#include "absl/strings/str_cat.h"
#include "base/plain_text.h"
#include "base/status_macros.h"
#include "tools/command.h"
#include "tools/load_flags.h"

namespace eyrie::tools {
namespace {

using Values = std::vector<vm::Value>;

struct Side {
  std::vector<Ref<hal::Device>> devices;
  std::unique_ptr<abi::Session> session;
};

absl::StatusOr<Side> Open(const Arguments& arguments, abi::Program program) {
  Side side;
  ASSIGN_OR_RETURN(side.devices, OpenDevices(arguments));
  abi::SessionOptions options;
  ASSIGN_OR_RETURN(options.native_libraries, LoadNativeLibraries(arguments));
  RETURN_IF_ERROR(ReadSessionOptions(arguments, options));
  ASSIGN_OR_RETURN(auto programs,
                   LoadPrograms(arguments, options.native_libraries));
  if (program != nullptr) programs.back() = std::move(program);
  ASSIGN_OR_RETURN(side.session,
                   abi::Session::Create(std::move(programs), side.devices,
                                        std::move(options)));
  return side;
}

// Calls a function. `prepared` is false if its arguments could not be made.
absl::StatusOr<Values> Call(const Arguments& arguments, const Side& side,
                            absl::string_view name, bool& prepared) {
  ASSIGN_OR_RETURN(abi::Callable function, side.session->Lookup(name));
  ASSIGN_OR_RETURN(const Values inputs,
                   ReadInputs(arguments, function, side.devices[0]));
  prepared = true;
  return function.Call(inputs);
}

absl::StatusOr<abi::Comparison> Compare(Values before, const Values& after) {
  std::vector<abi::ParsedValue> expected;
  for (vm::Value& value : before) expected.push_back({std::move(value)});
  abi::Tolerance exact;
  exact.exact = true;
  return abi::CompareValues(expected, after, exact, {});
}

// Compares one function. Returns false if its results differ.
absl::StatusOr<bool> CheckFunction(const Arguments& arguments,
                                   const Side& before, const Side& after,
                                   const std::string& name, bool skips) {
  bool prepared = false;
  const std::string shown = PlainName(name.empty() ? "the function" : name);
  absl::StatusOr<Values> old = Call(arguments, before, name, prepared);
  if (!prepared) {
    if (!skips) return old.status();
    RETURN_IF_ERROR(WriteStdout(
        absl::StrCat("[SKIPPED] ", shown, ": ", old.status().message(), "\n")));
    return true;
  }
  const absl::StatusOr<Values> now = Call(arguments, after, name, prepared);
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

}  // namespace

absl::StatusOr<bool> CheckUpgrade(const Arguments& arguments,
                                  std::span<const uint8_t> after) {
  ASSIGN_OR_RETURN(abi::Program program,
                   abi::LoadProgram(after, "the rewritten module"));
  ASSIGN_OR_RETURN(const Side old_side, Open(arguments, nullptr));
  ASSIGN_OR_RETURN(const Side new_side, Open(arguments, std::move(program)));
  const bool all = !arguments.IsSet("function");
  std::vector<std::string> names = {arguments.GetString("function")};
  if (all) {
    names.clear();
    for (const vm::Function& function : old_side.session->Functions()) {
      names.emplace_back(function.name());
    }
  }
  bool same = true;
  for (const std::string& name : names) {
    ASSIGN_OR_RETURN(const bool equal,
                     CheckFunction(arguments, old_side, new_side, name, all));
    same = same && equal;
  }
  if (arguments.GetBool("print_statistics")) PrintStatistics(new_side.devices);
  return same;
}

}  // namespace eyrie::tools
