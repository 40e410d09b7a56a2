// Opens sessions with one module of tests/modules.
#ifndef EYRIE_TESTS_SUPPORT_SESSIONS_H_
#define EYRIE_TESTS_SUPPORT_SESSIONS_H_

#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "abi/call/invoker.h"
#include "abi/call/session.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "base/ref.h"
#include "base/status_macros.h"
#include "gtest/gtest.h"
#include "hal/device.h"
#include "tests/support/status_text.h"
#include "vm/isa/value.h"

namespace eyrie::tests {

// Returns a session on `local-sync`. If it cannot be opened, fails the test and
// returns null.
inline std::unique_ptr<abi::Session> OpenSession(
    absl::string_view file, abi::SessionOptions options = {}) {
  const auto program = abi::LoadProgram(absl::StrCat("tests/modules/", file));
  EXPECT_EQ(StatusText(program), "OK") << file;
  if (!program.ok()) return nullptr;
  auto session = abi::Session::Create(
      {*program}, *abi::OpenDevices({}, hal::DriverOptions()),
      std::move(options));
  EXPECT_EQ(StatusText(session), "OK") << file;
  return session.ok() ? *std::move(session) : nullptr;
}

// Calls a function with values in registers. Fails as
// abi::Invoker::EncodeRegisters and the function do.
inline absl::StatusOr<std::vector<vm::Value>> CallRegisters(
    abi::Session& session, abi::Callable& callable,
    std::span<const vm::Value> values) {
  Ref<hal::Device> device;
  if (!session.devices().empty()) device = session.devices()[0];
  ASSIGN_OR_RETURN(const std::vector<vm::Value> arguments,
                   abi::Invoker::EncodeRegisters(callable, device, values));
  return callable.Call(arguments);
}

}  // namespace eyrie::tests

#endif  // EYRIE_TESTS_SUPPORT_SESSIONS_H_
