// Opens sessions with one module of tests/modules.
#ifndef EYRIE_TESTS_SUPPORT_SESSIONS_H_
#define EYRIE_TESTS_SUPPORT_SESSIONS_H_

#include <memory>
#include <utility>

#include "abi/call/session.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "gtest/gtest.h"
#include "tests/support/status_text.h"

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

}  // namespace eyrie::tests

#endif  // EYRIE_TESTS_SUPPORT_SESSIONS_H_
