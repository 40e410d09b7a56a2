// Calls functions of two modules and compares their results: --check.
//
// Tested by upgrade_test.txt.
#ifndef EYRIE_TOOLS_UPGRADE_UPGRADE_CHECK_H_
#define EYRIE_TOOLS_UPGRADE_UPGRADE_CHECK_H_

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "abi/call/session.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "base/ref.h"
#include "hal/device.h"
#include "tools/arg_parser.h"
#include "vm/isa/value.h"
#include "vm/module/verifier.h"

namespace eyrie::tools {

// The arguments must outlive it.
class UpgradeCheck {
 public:
  // Opens the devices and the native libraries, and loads the modules, which
  // may be standard input, once. Fails as these do.
  static absl::StatusOr<UpgradeCheck> Prepare(const Arguments& arguments);

  // The last of the modules, which is to be rewritten.
  const vm::VerifiedModule& module() const {
    return programs_.back()->verified();
  }

  // Calls --function of the module and of the rewritten one in `after`, or all
  // functions if no function is named. Prints a line for each. Returns false if
  // results differ. Functions whose arguments cannot be made are skipped,
  // unless one was named. May be called once.
  absl::StatusOr<bool> Run(std::span<const uint8_t> after);

 private:
  struct Side {
    std::vector<Ref<hal::Device>> devices;
    abi::SessionOptions options;
    std::unique_ptr<abi::Session> session;
  };

  explicit UpgradeCheck(const Arguments& arguments) : arguments_(&arguments) {}

  absl::Status PrepareSide(Side& side) const;
  static absl::Status Link(std::vector<abi::Program> programs, Side& side);
  // Compares one function. Returns false if its results differ.
  absl::StatusOr<bool> CheckFunction(const std::string& name) const;
  // Calls a function. `prepared` becomes true when its arguments are made.
  absl::StatusOr<std::vector<vm::Value>> Call(const Side& side,
                                              absl::string_view name,
                                              bool& prepared) const;

  const Arguments* arguments_;
  std::vector<abi::Program> programs_;
  Side before_;
  Side after_;
};

}  // namespace eyrie::tools

#endif  // EYRIE_TOOLS_UPGRADE_UPGRADE_CHECK_H_
