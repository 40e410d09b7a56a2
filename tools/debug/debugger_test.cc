// Calls of tests/modules/manifest.json with and without the debugger. Stepping
// through a call must not change its results, errors or fuel.
#include "tools/debug/debugger.h"

#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "abi/call/session.h"
#include "abi/call/value_text.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "gtest/gtest.h"
#include "hal/device.h"
#include "tests/support/call_inputs.h"
#include "tests/support/manifest.h"
#include "vm/isa/value.h"
#include "vm/run/context.h"

namespace eyrie::tools {
namespace {

using tests::Json;
using Lines = std::vector<std::string>;

constexpr char kFolder[] = "tests/modules/";
constexpr int64_t kFuel = int64_t{1} << 40;
// After this many stops of a call, steps are longer, because of loops.
constexpr int kMaxStops = 500;

// The outcome of a call.
struct Seen {
  std::string text;  // results, or the error and its backtrace
  std::string printed;
  int64_t fuel = 0;  // used

  std::string ToString() const {
    return absl::StrCat(text, "printed: ", printed, "\nfuel: ", fuel, "\n");
  }
};

// Enters "step" repeatedly and counts the stops.
class Walker {
 public:
  explicit Walker(std::vector<const vm::BytecodeModule*> modules)
      : debugger_(
            std::move(modules), [this] { return NextCommand(); },
            [this](const std::string& text) {
              said_ = text;
              return absl::OkStatus();
            },
            /*repeats=*/false) {}

  Debugger& debugger() { return debugger_; }
  int stops() const { return stops_; }
  void Begin() { stops_ = 0; }

 private:
  std::optional<std::string> NextCommand() {
    if (absl::StrContains(said_, "The call has failed")) return "continue";
    if (*looks_ != nullptr) return *looks_++;
    // Commands that show state must not change the outcome.
    if (++stops_ % 64 == 0) looks_ = kLooks;
    return stops_ < kMaxStops ? "step" : "step 97";
  }

  static constexpr const char* kLooks[] = {
      "registers", "globals", "backtrace", "list", "up", "registers", nullptr};

  int stops_ = 0;
  std::string said_;
  const char* const* looks_ = kLooks;
  Debugger debugger_;
};

// A session of a module. If `pauses`, steps through its calls.
class Rig {
 public:
  Rig(const std::string& path, bool pauses) {
    auto program = abi::LoadProgram(absl::StrCat(kFolder, path), pauses);
    EXPECT_TRUE(program.ok()) << program.status();
    auto devices = abi::OpenDevices({}, {});
    EXPECT_TRUE(devices.ok()) << devices.status();
    if (!program.ok() || !devices.ok()) return;
    abi::SessionOptions options;
    options.print = [this](absl::string_view line) {
      absl::StrAppend(&printed_, line, "\n");
    };
    if (pauses) {
      walker_.emplace(std::vector<const vm::BytecodeModule*>{program->get()});
      walker_->debugger().StopNext();
      options.stepper = &walker_->debugger();
    }
    auto session =
        abi::Session::Create({*program}, *devices, std::move(options));
    EXPECT_TRUE(session.ok()) << session.status();
    if (session.ok()) session_ = *std::move(session);
  }

  absl::StatusOr<Seen> Call(const Json& call) {
    ASSIGN_OR_RETURN(abi::Callable callable,
                     session_->Lookup(call["function"].get<std::string>()));
    ASSIGN_OR_RETURN(const auto arguments,
                     ReadArguments(callable, session_->devices()[0],
                                   call["inputs"].get<Lines>()));
    if (walker_) {
      walker_->Begin();
      walker_->debugger().StopNext();
    }
    vm::CallBudget budget;
    budget.fuel = kFuel;
    vm::HostCall host_call(session_->context(), budget);
    const auto results = callable.Call(arguments);
    const absl::Status status = host_call.End(results.status());
    Seen seen;
    if (status.ok()) {
      abi::AppendValues("result", *results, {}, seen.text);
    } else {
      seen.text = absl::StrCat(status.ToString(), "\n");
    }
    seen.printed = printed_;
    seen.fuel = kFuel - budget.fuel;
    return seen;
  }

  bool ok() const { return session_ != nullptr; }
  int stops() const { return walker_ ? walker_->stops() : 0; }

 private:
  std::string printed_;
  std::optional<Walker> walker_;
  std::unique_ptr<abi::Session> session_;
};

// Runs each call of a case in two sessions. Returns how many were compared.
int RunCase(const std::string& path, const Json& entry, int& stops) {
  Rig plain(path, /*pauses=*/false);
  Rig walked(path, /*pauses=*/true);
  if (!plain.ok() || !walked.ok()) return 0;
  int compared = 0;
  for (const Json& call : tests::CallsOf(entry)) {
    const auto want = plain.Call(call);
    const auto got = walked.Call(call);
    EXPECT_EQ(want.ok(), got.ok()) << call.dump();
    if (!want.ok() || !got.ok()) continue;
    EXPECT_EQ(want->ToString(), got->ToString()) << call.dump();
    // A refused call does not begin.
    EXPECT_EQ(walked.stops() > 0, want->fuel > 0) << call.dump();
    stops += walked.stops();
    ++compared;
  }
  return compared;
}

// These modules use every opcode set, calls, imports, yields, lists, buffers,
// globals, devices, asynchronous functions and failures.
constexpr const char* kModules[] = {
    "3.13/loops.vmfb",      "3.13/loops.async.vmfb", "3.13/lists.debug.vmfb",
    "3.13/scalars.vmfb",    "3.13/vm_control.vmfb",  "3.13/vm_yield.vmfb",
    "3.13/vm_buffers.vmfb", "3.13/vm_globals.vmfb",  "3.13/vm_refs.vmfb",
    "3.13/vm_i32.vmfb",     "3.13/vm_i64.vmfb",      "3.13/vm_f64.vmfb",
    "3.13/vm_convert.vmfb", "3.13/strings.vmfb",     "3.13/counter.async.vmfb",
    "3.13/add.async.vmfb",  "3.13/mlp.debug.vmfb",   "3.9/results.async.vmfb",
    "3.3/loops.vmfb",       "3.3/lists.vmfb",        "3.3/vm_control.vmfb",
};

TEST(Debugger, StepsDoWhatTheCallDoesAlone) {
  const std::vector<Json> modules = tests::ManifestModules();
  int compared = 0;
  int stops = 0;
  for (const char* const path : kModules) {
    SCOPED_TRACE(path);
    int of_module = 0;
    for (const Json& module : modules) {
      if (module["file"] != path) continue;
      for (const Json& entry : module["cases"]) {
        of_module += RunCase(path, entry, stops);
      }
    }
    EXPECT_GT(of_module, 0);
    compared += of_module;
  }
  std::printf("%d calls, %d stops\n", compared, stops);
}

}  // namespace
}  // namespace eyrie::tools
