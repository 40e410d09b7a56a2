// One side of a comparison: a module on its devices. Each run loads it anew, so
// that all runs begin with the same state.
//
// Tested by bisect_test.txt.
#ifndef EYRIE_TOOLS_BISECT_SIDE_H_
#define EYRIE_TOOLS_BISECT_SIDE_H_

#include <atomic>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "abi/call/session.h"
#include "abi/call/value_reader.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/ref.h"
#include "hal/device.h"
#include "hal/dispatch_observer.h"
#include "tools/arg_parser.h"
#include "tools/bisect/finding.h"
#include "tools/inspect/report.h"
#include "vm/isa/value.h"

namespace eyrie::tools {

// Thread-compatible, except for Cancel.
class Side {
 public:
  // `name` is "good" or "bad". Opens the devices. `arguments` must outlive the
  // side. Fails as LoadProgram and OpenDevices do.
  static absl::StatusOr<std::unique_ptr<Side>> Create(
      const Arguments& arguments, std::string name, std::string path,
      std::vector<std::string> uris);

  const std::string& name() const { return name_; }
  // For messages: the path, or what set_label gave.
  const std::string& label() const { return label_; }
  void set_label(std::string label) { label_ = std::move(label); }
  // The devices' names on the command line.
  std::span<const std::string> uris() const { return uris_; }
  const Ref<hal::Device>& device() const { return devices_[0]; }

  // Links the module, runs its initializers, calls the function with the
  // arguments of the command and returns the results. Reads --expected_output.
  // `observer` may be null. Fails as Session::Create, ReadInputs and the call
  // do.
  absl::StatusOr<std::vector<vm::Value>> Run(hal::DispatchObserver* observer);

  // The values of --expected_output in the last run.
  std::span<const abi::ParsedValue> expected() const { return expected_; }
  // The types of the arguments in the last run: "4x8xf32".
  std::span<const std::string> argument_types() const { return types_; }

  // Ends the running call. Async-signal-safe.
  void Cancel();

  // Returns what `eyrie inspect` knows of the module, which the side owns.
  // Fails as CreateReport does.
  absl::StatusOr<const Report*> ReadReport();

  // Adds the call site and the source to a place of a dispatch, if the module
  // tells them.
  void Locate(DispatchPlace& place);

 private:
  Side(const Arguments& arguments, std::string name, std::string path,
       std::vector<std::string> uris)
      : arguments_(&arguments),
        name_(std::move(name)),
        path_(std::move(path)),
        uris_(std::move(uris)) {}

  absl::StatusOr<std::vector<vm::Value>> Call(hal::DispatchObserver* observer);

  const Arguments* arguments_;
  const std::string name_;
  const std::string path_;
  const std::vector<std::string> uris_;
  std::vector<Ref<hal::Device>> devices_;
  bool must_reopen_ = false;  // a run failed, and may have ended the device
  abi::Program program_;
  std::string label_;
  std::vector<abi::ParsedValue> expected_;
  std::vector<std::string> types_;
  std::unique_ptr<Report> report_;  // null: not read yet
  std::atomic<abi::Session*> running_ = nullptr;
  std::atomic<int> cancelling_ = 0;  // threads in Cancel
};

// Returns the type of a value: "4x8xf32", or "no tensor".
std::string TypeOf(const vm::Value& value);

}  // namespace eyrie::tools

#endif  // EYRIE_TOOLS_BISECT_SIDE_H_
