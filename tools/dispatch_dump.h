// `eyrie run --dump_dispatch`: writes the bindings of dispatches as .npy files,
// so that two releases or devices can be compared.
//
// docs/bisect.md describes the files.
// Tested by dispatch_test.txt.
#ifndef EYRIE_TOOLS_DISPATCH_DUMP_H_
#define EYRIE_TOOLS_DISPATCH_DUMP_H_

#include <cstdint>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "hal/dispatch_observer.h"
#include "tools/arg_parser.h"

namespace eyrie::tools {

// The rows of these flags.
std::span<const Flag> DispatchDumpFlags();

// Returns the error if no name matches the pattern, NOT_FOUND with the names,
// or OK.
absl::Status CheckDispatchName(const std::set<std::string>& names,
                               const std::string& pattern);

// Thread-compatible.
class DispatchDump final : public hal::DispatchObserver {
 public:
  // Creates the folder if it is missing. Returns null if --dump_dispatch is not
  // given. FAILED_PRECONDITION: the folder has files. INVALID_ARGUMENT: a flag
  // needs another one, or is not a size. Otherwise fails as CreateFolders and
  // FileWriter do.
  static absl::StatusOr<std::unique_ptr<DispatchDump>> Open(
      const Arguments& arguments);

  // Checks that each pattern matches a dispatch of the loaded executables, if
  // there are any. NOT_FOUND: one does not; the message lists the names.
  absl::Status CheckBeforeCall() const;
  // Checks the same after the call; without executables, no pattern matches.
  // Prints a note that says how much was written.
  absl::Status Finish() const;

  void Loaded(const hal::Executable& executable) override;
  bool Wants(const hal::Executable& executable, uint32_t ordinal) override;
  absl::Status Before(const hal::ObservedDispatch& dispatch) override;
  absl::Status After(const hal::ObservedDispatch& dispatch) override;

 private:
  DispatchDump(std::string folder, std::vector<std::string> patterns,
               uint64_t room)
      : folder_(std::move(folder)),
        patterns_(std::move(patterns)),
        room_(room) {}

  // Writes a binding. RESOURCE_EXHAUSTED: it exceeds the limits.
  absl::Status Write(const hal::ObservedDispatch& dispatch, size_t binding,
                     absl::string_view when);
  // Appends a line about the dispatch to the list.
  absl::Status AddLine(const hal::ObservedDispatch& dispatch);

  const std::string folder_;
  const std::vector<std::string> patterns_;
  uint64_t room_;  // bytes that may still be written
  uint64_t files_ = 0;
  uint64_t dispatches_ = 0;
  std::set<std::string> names_;  // of the dispatches of loaded executables
};

}  // namespace eyrie::tools

#endif  // EYRIE_TOOLS_DISPATCH_DUMP_H_
