// Loads programs, links them with devices, and calls their functions. Calls
// check their arguments and add the fences that asynchronous functions need.
//
//   ASSIGN_OR_RETURN(auto program, LoadProgram("model.vmfb"));
//   ASSIGN_OR_RETURN(auto session, Session::Create({program}, {}));
//   ASSIGN_OR_RETURN(Callable add, session->Lookup("add"));
//   ASSIGN_OR_RETURN(std::vector<vm::Value> sums, add.Call(arguments));
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

#include "abi/call/fence_line.h"
#include "abi/call/result_storage.h"
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

// Names in errors: there is no memory for the values of a call.
inline constexpr char kArguments[] = "the arguments of a call";
inline constexpr char kResults[] = "the results of a call";

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

class Session;

// A function of a session: its types as a caller sees them, and calls. A small
// value. Thread-compatible. The session must outlive it.
class Callable {
 public:
  const vm::Function& function() const { return function_; }
  // Returns the signature of the source's declaration, or that of the calling
  // convention if the module has no declaration.
  const Signature& declared() const { return declared_; }
  // Returns the signature that `count` arguments in registers must match: that
  // of a raw function if they can be its inputs alone, else declared().
  const Signature& OfRegisters(size_t count) const {
    return raw_ != nullptr && count <= raw_->input_count() ? *inputs_
                                                           : declared_;
  }

  // The meter of the session's memory; null if it has no limit.
  const std::shared_ptr<MemoryMeter>& memory() const;

  // Reports whether the function returns before its results are ready, and
  // signals a fence when they are.
  bool is_async() const { return adds_fences_; }
  // Allocates storage for the results of a function with V0's raw convention.
  // Null for other functions, and if the signature is wrong; raw_status() has
  // the error.
  const v0::ResultStorage* raw() const { return raw_.get(); }
  const absl::Status& raw_status() const { return raw_status_; }

  // The types of the calling convention, without the two fences of an
  // asynchronous function. Storage that a raw function fills but does not
  // return counts as a result.
  std::span<const vm::ValueType> argument_types() const;
  std::span<const vm::ValueType> result_types() const { return results_; }
  // Returns the declared type of a result; null for storage that a raw function
  // fills but does not return.
  const Type* declared_result(size_t index) const;

  // Calls the function and waits for its results. The arguments, which the call
  // borrows, are those that Invoker::Encode or EncodeRegisters returned.
  // Allocates storage for the results of a raw function if the caller does not
  // pass it. The session's limits apply to the whole call. Fails as the
  // function does, or if the registers are not those of the function.
  absl::StatusOr<std::vector<vm::Value>> Call(
      std::span<const vm::Value> arguments);

  // Calls with slots: `arguments` match argument_types(), or
  // the inputs of a raw signature; `results` match result_types(). The caller
  // owns the results. On errors there are none: `results` must not be read.
  absl::Status Invoke(std::span<const vm::Slot> arguments,
                      std::span<vm::Slot> results);

  // Calls the function without waiting for its results. An asynchronous
  // function begins when `wait` is reached, and signals `signal` if this
  // succeeds; `wait` may be null. For other functions both must be null.
  // `slots` receives the storage that was allocated; if it has_unknown(), the
  // results are known only after the call completes. Fails as Call does.
  absl::Status Start(std::span<const vm::Value> arguments, hal::Fence* wait,
                     hal::Fence* signal, v0::ResultStorage::Slots& slots,
                     std::vector<vm::Value>& results);
  // For a call in several steps: appends the storage that Call would allocate
  // to the inputs of a raw function. Does nothing for other functions. An
  // asynchronous function must wait for `slots.usable` if it is not null.
  absl::Status AddStorage(std::vector<vm::Value>& arguments,
                          v0::ResultStorage::Slots& slots) const;
  // Turns the values that such a call returned into its results, by adding
  // storage that the function fills but does not return.
  absl::Status AddFilled(const v0::ResultStorage::Slots& slots,
                         std::vector<vm::Value>& values) const;
  // INVALID_ARGUMENT: a result does not match the raw signature.
  absl::Status CheckResults(std::span<const vm::Slot> results) const;
  absl::Status CheckResults(std::span<const vm::Value> results) const;

 private:
  friend class Session;

  // Reads the raw signature if there is one.
  absl::Status BindRaw(Session& session);
  // Reports whether the caller left out storage, so that a call allocates it.
  bool MakesStorage(size_t arguments) const {
    return raw_ != nullptr && arguments == raw_->input_count();
  }
  // As Start, without checks.
  absl::Status Begin(std::span<const vm::Slot> arguments, hal::Fence* wait,
                     hal::Fence* signal, v0::ResultStorage::Slots& made,
                     std::span<vm::Slot> results);
  absl::Status WrongCount(size_t given) const;
  // INVALID_ARGUMENT: the number of registers, or the type of one, is not the
  // function's.
  absl::Status CheckRegisters(std::span<const vm::Value> arguments) const;

  Session* session_ = nullptr;
  vm::Function function_;
  std::vector<vm::ValueType> results_;
  Signature declared_;
  bool adds_fences_ = false;
  FenceLine fences_;  // for calls of an asynchronous function
  std::shared_ptr<v0::ResultStorage> raw_;
  std::shared_ptr<const Signature> inputs_;  // of raw_
  absl::Status raw_status_;
};

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

  // Waits for the results of a running call. DEADLINE_EXCEEDED or CANCELLED:
  // the call was stopped. Otherwise fails as the fence does.
  absl::Status WaitFor(const hal::Fence& fence) const;

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
