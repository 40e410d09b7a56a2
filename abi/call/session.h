// Loads programs, links them with devices, and finds their functions.
//
//   ASSIGN_OR_RETURN(auto program, LoadProgram("model.vmfb"));
//   ASSIGN_OR_RETURN(auto session, Session::Create({program}, {}));
//   ASSIGN_OR_RETURN(Callable add, session->Lookup("add"));
//   ASSIGN_OR_RETURN(Invoker invoker, Invoker::Create(*session, add));
// Tested by session_test.cc.
#ifndef EYRIE_ABI_CALL_SESSION_H_
#define EYRIE_ABI_CALL_SESSION_H_

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "abi/call/callable.h"
#include "abi/call/snapshot.h"
#include "abi/native/native_libraries.h"
#include "abi/signature/signature.h"
#include "abi/tensor/tensor.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "base/ref.h"
#include "hal/device.h"
#include "hal/driver.h"
#include "hal/module/hal_module.h"
#include "hal/parameters/parameter_index.h"
#include "vm/isa/value.h"
#include "vm/limits/call_limits.h"
#include "vm/limits/limits.h"
#include "vm/module/archive.h"
#include "vm/module/module.h"
#include "vm/run/bytecode_module.h"
#include "vm/run/context.h"
#include "vm/run/machine.h"

namespace eyrie::abi {

// The device that OpenDevices opens if none is named.
inline constexpr char kDefaultDevice[] = "local-sync";

// A verified module. Immutable; any number of sessions may share it.
using Program = std::shared_ptr<const vm::BytecodeModule>;

// Reads and verifies a file; "-" is standard input. Error messages name the
// file. `pauses` must be true if a session has a stepper.
absl::StatusOr<Program> LoadProgram(const std::string& path,
                                    bool pauses = false);
// Reads and verifies bytes, which are copied. Error messages contain `name`.
absl::StatusOr<Program> LoadProgram(std::span<const uint8_t> bytes,
                                    const std::string& name);
// Reads and verifies an open archive. If there is an error instead of an
// archive, returns that error.
absl::StatusOr<Program> LoadProgram(
    const absl::StatusOr<std::shared_ptr<const vm::Archive>>& archive);

// Reports whether the program imports the native module of this name, such as
// "hal".
bool UsesModule(const vm::ModuleDef& def, absl::string_view name);

// Opens a device that loads executables of all formats: those of the driver and
// of `options`, and bytecode. `jit` compiles the bytecode; null interprets it.
// Fails as hal::OpenDevice does.
absl::StatusOr<Ref<hal::Device>> OpenDevice(
    absl::string_view uri, hal::DriverOptions options,
    const std::shared_ptr<const vm::Jit>& jit = nullptr);

// Opens the devices of --device, or kDefaultDevice if there are none. Error
// messages contain the value.
absl::StatusOr<std::vector<Ref<hal::Device>>> OpenDevices(
    std::span<const std::string> uris, const hal::DriverOptions& options,
    const std::shared_ptr<const vm::Jit>& jit = nullptr);

struct SessionOptions {
  hal::HalModuleOptions hal;  // receives tensor traces
  vm::PrintSink print;        // receives what modules print
  // Receives the errors of modules that fail while the session ends.
  std::function<void(const absl::Status&)> lost;
  // Receives warnings about native libraries. Thread-safe.
  std::function<void(absl::string_view)> notice;
  vm::Limits limits;                          // per call; memory: of all calls
  std::optional<vm::CallLimits> initializer;  // as vm::ContextOptions has it
  std::shared_ptr<const vm::Jit> jit;         // as vm::ContextOptions has it
  // Called before each instruction of programs that were loaded with `pauses`.
  // Must outlive the session. May be null.
  vm::Stepper* stepper = nullptr;
  // Counts the memory; null creates a meter with limits.max_memory.
  std::shared_ptr<MemoryMeter> memory;
  // Cancels the session, even while Create runs. May be null.
  std::shared_ptr<vm::Cancellation> cancellation;
  // The parameters that programs load; null if there are none.
  std::shared_ptr<const hal::ParameterScopes> parameters;
  // Libraries with functions that programs may import. The first device holds
  // their results.
  std::vector<std::shared_ptr<const native::LoadedLibrary>> native_libraries;
  // Other native modules that programs may import, by their names.
  std::vector<std::shared_ptr<const vm::Module>> modules;
  // The names of the functions of `modules` that the host offers, such as
  // "host.scale", for messages.
  std::vector<std::string> offered;
  // Globals to begin with, instead of running initializers. Null: none.
  std::shared_ptr<const Snapshot> snapshot;
  // Data that native functions may ask for, keyed by the name of its type. Must
  // outlive the session.
  std::map<std::string, void*> native_user_data;
};

// Creates the native modules for `programs`: `options.modules`, `hal`, the
// modules of inline execution and of parameters if a program imports them, and
// those of native libraries. INVALID_ARGUMENT: there are native libraries but
// no device. PERMISSION_DENIED: a device does not allow native code.
// ALREADY_EXISTS: a native library's module has the name of another module.
using HostModules = std::vector<std::shared_ptr<const vm::Module>>;
absl::StatusOr<HostModules> CreateHostModules(
    std::span<const Program> programs,
    const std::vector<Ref<hal::Device>>& devices,
    const SessionOptions& options);

// Linked programs on devices. Thread-compatible, except for Cancel. Owns its
// context and thus all globals.
class Session {
 public:
  // Links programs and runs their initializers. A program must come after its
  // dependencies. INVALID_ARGUMENT: there are no programs. FAILED_PRECONDITION:
  // this process was forked after a device with threads was opened. Otherwise
  // fails as CreateHostModules, vm::Context::Create and Snapshot::Restore do.
  static absl::StatusOr<std::unique_ptr<Session>> Create(
      std::vector<Program> programs, std::vector<Ref<hal::Device>> devices,
      SessionOptions options = {});

  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  vm::Context& context() { return *context_; }
  std::span<const Ref<hal::Device>> devices() const { return devices_; }
  // Reports whether the session has modules besides the programs, such as the
  // one that uses the devices.
  bool has_host_modules() const { return has_host_modules_; }
  // Ends the running call; see vm::Context::Cancel. Thread-safe.
  void Cancel() { context_->Cancel(); }

  // Returns the exports of the last program that users call; see UserExports.
  std::vector<vm::Function> Functions() const { return FunctionsOf(*main_); }

  // Returns "function" of the last program, or "module.function". An empty name
  // means the only function, or the only one whose name does not begin with
  // "__". NOT_FOUND: it does not exist. INVALID_ARGUMENT: the name is empty and
  // there are several functions. The messages list the functions.
  absl::StatusOr<Callable> Lookup(absl::string_view name);

  // Makes a known function callable. FAILED_PRECONDITION: the function signals
  // a fence, and the session has no device.
  absl::StatusOr<Callable> Bind(const vm::Function& function);

  // Copies the globals, or replaces them; see Snapshot.
  absl::StatusOr<std::shared_ptr<const Snapshot>> TakeSnapshot();
  absl::Status Restore(const Snapshot& snapshot);

 private:
  Session() = default;

  std::vector<vm::Function> FunctionsOf(const vm::Module& module) const;
  // Returns the error for an unknown name, which may be "module.function".
  absl::Status NoSuchFunction(absl::string_view name) const;

  std::vector<Ref<hal::Device>> devices_;
  bool has_host_modules_ = false;
  const vm::Module* main_ = nullptr;  // the last program
  std::unique_ptr<vm::Context> context_;
};

}  // namespace eyrie::abi

#endif  // EYRIE_ABI_CALL_SESSION_H_
