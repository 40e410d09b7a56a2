// The oracle and compiled code agree with the interpreter on every call of
// tests/modules/manifest.json: text of results, error codes, printed output.
//
// Each has its own `hal` module and devices; kernels are the same native code.
// tests/integration compares the results with the expected ones.
#include <algorithm>
#include <array>
#include <cstdio>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "abi/call/session.h"
#include "abi/call/value_text.h"
#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/time/time.h"
#include "base/deadline.h"
#include "base/status_macros.h"
#include "gtest/gtest.h"
#include "hal/fence.h"
#include "tests/oracle/engine.h"
#include "tests/oracle/oracle.h"
#include "tests/support/call_inputs.h"
#include "tests/support/manifest.h"

namespace eyrie::tests {
namespace {

using Lines = std::vector<std::string>;

constexpr size_t kGroups = 16;
constexpr uint64_t kMaxSteps = uint64_t{1} << 32;

// The outcome of one case on one engine.
struct Seen {
  std::string text;  // results, or the code of the error
  Lines printed;
};

std::string CodeOf(const absl::Status& status) {
  return absl::StatusCodeToString(status.code());
}

// The sign of a NaN depends on the processor.
std::string TextOf(const absl::StatusOr<std::vector<vm::Value>>& results) {
  if (!results.ok()) return CodeOf(results.status());
  std::string text;
  abi::AppendValues("result", *results, {}, text);
  return absl::StrReplaceAll(text, {{"-nan", "nan"}, {"-NAN", "NAN"}});
}

// Programs linked by the oracle, on their own device.
class OracleSession {
 public:
  static absl::StatusOr<std::unique_ptr<OracleSession>> Create(
      OracleEngine& oracle, const Programs& programs, vm::PrintSink print) {
    auto session = std::make_unique<OracleSession>();
    ASSIGN_OR_RETURN(session->devices_, abi::OpenDevices(programs.devices, {}));
    ASSIGN_OR_RETURN(abi::HostModules modules,
                     abi::CreateHostModules(programs, session->devices_, {}));
    modules.insert(modules.end(), programs.begin(), programs.end());
    ASSIGN_OR_RETURN(session->instance_,
                     oracle.Load(std::move(modules), std::move(print)));
    return session;
  }

  // Calls the callable's function. The callable belongs to another session.
  absl::StatusOr<std::vector<vm::Value>> Call(const abi::Callable& callable,
                                              const Json& call) {
    ASSIGN_OR_RETURN(
        std::vector<vm::Value> arguments,
        ReadArguments(callable, devices_[0], call["inputs"].get<Lines>()));
    Ref<hal::Fence> done;
    const vm::Function& function = callable.function();
    if (function.signature().argument_types().size() > arguments.size()) {
      ASSIGN_OR_RETURN(Ref<hal::Semaphore> timeline,
                       devices_[0]->CreateSemaphore(0));
      done = hal::Fence::ForPoint(std::move(timeline), 1);
      arguments.emplace_back(Ref<RefObject>());  // inputs are ready
      arguments.emplace_back(Ref<RefObject>(done));
    }
    ASSIGN_OR_RETURN(std::vector<vm::Value> results,
                     instance_->Call(function.name(), arguments));
    if (done) RETURN_IF_ERROR(done->Wait(Deadline::Never()));
    return results;
  }

 private:
  std::vector<Ref<hal::Device>> devices_;
  std::unique_ptr<Instance> instance_;
};

absl::StatusOr<std::vector<vm::Value>> CallSession(abi::Session& session,
                                                   abi::Callable& callable,
                                                   const Json& call) {
  ASSIGN_OR_RETURN(std::vector<vm::Value> arguments,
                   ReadArguments(callable, session.devices()[0],
                                 call["inputs"].get<Lines>()));
  return callable.Call(arguments);
}

// Opens a session. If `jit` is not null, it compiles functions and kernels.
absl::StatusOr<std::unique_ptr<abi::Session>> OpenSession(
    const Programs& programs, const std::shared_ptr<const vm::Jit>& jit,
    Seen& seen) {
  abi::SessionOptions options;
  options.jit = jit;
  options.print = [&seen](absl::string_view line) {
    seen.printed.emplace_back(line);
  };
  ASSIGN_OR_RETURN(auto devices, abi::OpenDevices(programs.devices, {}, jit));
  return abi::Session::Create(programs, std::move(devices), options);
}

// Runs a case on each engine and reports differences.
void RunCase(OracleEngine& oracle, const std::shared_ptr<const vm::Jit>& jit,
             const Programs& programs, const Json& entry) {
  Seen want;
  Seen compiled;
  Seen got;
  const auto session = OpenSession(programs, nullptr, want);
  const auto code = OpenSession(programs, jit, compiled);
  const auto own = OracleSession::Create(
      oracle, programs,
      [&](absl::string_view line) { got.printed.emplace_back(line); });
  ASSERT_EQ(CodeOf(session.status()), CodeOf(own.status()));
  ASSERT_EQ(CodeOf(session.status()), CodeOf(code.status()));
  if (!session.ok()) return;
  for (const Json& call : CallsOf(entry)) {
    auto callable = (*session)->Lookup(call["function"].get<std::string>());
    if (!callable.ok()) continue;  // it is never called
    want.text = TextOf(CallSession(**session, *callable, call));
    got.text = TextOf((*own)->Call(*callable, call));
    EXPECT_EQ(want.text, got.text) << call.dump();
    EXPECT_EQ(want.printed, got.printed) << call.dump();
    callable = (*code)->Lookup(call["function"].get<std::string>());
    ASSERT_TRUE(callable.ok()) << callable.status();
    compiled.text = TextOf(CallSession(**code, *callable, call));
    EXPECT_EQ(want.text, compiled.text) << call.dump();
    EXPECT_EQ(want.printed, compiled.printed) << call.dump();
  }
}

class Fixtures : public testing::TestWithParam<size_t> {};

TEST_P(Fixtures, EnginesAgree) {
  const auto jit = EagerJit();
  ASSERT_TRUE(jit.ok()) << jit.status();
  OracleEngine oracle;
  oracle.max_steps = kMaxSteps;
  size_t index = 0;
  int cases = 0;
  // On Vulkan, both engines would run the same kernels on the same device.
  for (const Json& module : ManifestModules()) {
    if (index++ % kGroups != GetParam()) continue;
    SCOPED_TRACE(module["file"].get<std::string>());
    const auto programs = LoadPrograms(module);
    ASSERT_TRUE(programs.ok()) << programs.status();
    for (const Json& entry : module["cases"]) {
      RunCase(oracle, *jit, *programs, entry);
      ++cases;
    }
  }
  EXPECT_GT(cases, 0);
  uint64_t steps = 0;
  for (uint64_t count : oracle.executed) steps += count;
  const auto used =
      std::count_if(oracle.executed.begin(), oracle.executed.end(),
                    [](uint64_t count) { return count > 0; });
  std::printf("%d cases, %llu instructions of %d kinds\n", cases,
              static_cast<unsigned long long>(steps), static_cast<int>(used));
}

INSTANTIATE_TEST_SUITE_P(Groups, Fixtures, testing::Range(size_t{0}, kGroups));

}  // namespace
}  // namespace eyrie::tests
