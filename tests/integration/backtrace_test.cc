// Backtraces of modules of five compilers, with and without debug information.
// Compilers since 3.11 keep the source locations of one function only.
#include <string>
#include <vector>

#include "abi/call/session.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "tests/support/releases.h"

namespace eyrie {
namespace {

// Returns the backtrace that a call adds to its error message.
std::string BacktraceOf(const std::string& file, const char* function,
                        const std::vector<int32_t>& numbers) {
  const auto program =
      abi::LoadProgram(absl::StrCat("tests/modules/", file, ".vmfb"));
  if (!program.ok()) return program.status().ToString();
  hal::DriverOptions options;
  options.allow_native_code = false;
  absl::Status status;
  auto session =
      abi::Session::Create({*program}, *abi::OpenDevices({}, options));
  if (session.ok()) {
    auto callable = (*session)->Lookup(function);
    if (!callable.ok()) return callable.status().ToString();
    std::vector<vm::Value> args;
    for (const int32_t number : numbers) args.emplace_back(number);
    status = callable->Call(args).status();
  } else {
    status = session.status();
  }
  const absl::string_view message = status.message();
  const size_t begin = message.find('\n');
  if (begin == absl::string_view::npos) return status.ToString();
  // Omits the depth of recursion, which does not depend on the compiler.
  const size_t end = message.rfind(", ");
  return std::string(absl::StrContains(message, " deep")
                         ? message.substr(begin, end - begin)
                         : message.substr(begin));
}

TEST(Backtrace, OfEveryRelease) {
  const struct {
    const char* module;
    const char* function;
    std::vector<int32_t> numbers;
    // Expected from 3.3 and 3.9, and from later compilers.
    const char* before;
    const char* after;
  } kCases[] = {
      {"vm_control.debug",
       "fail_if",
       {1},
       "\n  at vm_control.fail_if+0x23 (vm_control.mlir:199:5)",
       "\n  at vm_control.fail_if+0x1f"},
      {"vm_control",
       "fail_if",
       {1},
       "\n  at vm_control.fail_if+0x23",
       "\n  at vm_control.fail_if+0x1f"},
      // Later compilers keep the locations of the last function.
      {"vm_control.debug",
       "endless_recursion",
       {1},
       "\n  at vm_control.endless_recursion+0x1 (vm_control.mlir:274:10)",
       "\n  at vm_control.endless_recursion+0x1 (vm_control.mlir:274:10)"},
      // The device does not run native code.
      {"add.debug",
       "add",
       {},
       "\n  at module.__init+0x169 (add.mlir)",
       "\n  at module.__init+0x18a (add.mlir)"},
      {"add.bare-debug",
       "add",
       {},
       "\n  at module.__init+0x169 (add.mlir)",
       "\n  at module.__init+0x18a (add.mlir)"},
      {"mlp.debug",
       "mlp",
       {},
       "\n  at module.__init+0x169 (mlp.mlir)",
       "\n  at module.__init+0x18a (mlp.mlir)"},
      {"mlp",
       "mlp",
       {},
       "\n  at module.__init+0x169",
       "\n  at module.__init+0x18a"},
  };
  for (const char* release : tests::kReleases) {
    const bool late = std::string(release).size() == 4;
    for (const auto& c : kCases) {
      const std::string file = absl::StrCat(release, "/", c.module);
      EXPECT_EQ(BacktraceOf(file, c.function, c.numbers),
                late ? c.after : c.before)
          << file << " " << c.function;
    }
  }
}

}  // namespace
}  // namespace eyrie
