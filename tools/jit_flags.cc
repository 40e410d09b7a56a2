// Tested by cli_test.sh.
#include "tools/jit_flags.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "tools/command.h"
#include "vm/jit/jit.h"

namespace eyrie::tools {
namespace {

constexpr Flag kFlags[] = {
    {"jit", FlagKind::kString, "off",
     "Machine code for functions of modules: off; lazy: for those that are\n"
     "hot; eager: for each that is called. The interpreter runs the others."},
};

}  // namespace

std::span<const Flag> JitFlags() { return kFlags; }

absl::StatusOr<std::shared_ptr<const vm::Jit>> JitOf(
    const Arguments& arguments) {
  const std::string& text = arguments.GetString("jit");
  if (text == "off") return std::shared_ptr<const vm::Jit>();
  if (text != "lazy" && text != "eager") {
    return absl::InvalidArgumentError(
        absl::StrCat("--jit='", text, "' is not off, lazy or eager."));
  }
  auto jit = vm::jit::Create(text == "lazy" ? vm::jit::Mode::kLazy
                                            : vm::jit::Mode::kEager);
  if (jit.ok()) return jit;
  PrintNote(absl::StrCat(jit.status().message(), " Modules are interpreted."));
  return std::shared_ptr<const vm::Jit>();
}

}  // namespace eyrie::tools
