// Loaded programs, linked on devices, and calls of their functions with the
// checks and fences a caller wants.
//
//   ASSIGN_OR_RETURN(auto program, LoadProgram("model.vmfb"));
//   ASSIGN_OR_RETURN(auto session, Session::Create({program}, {}));
//   ASSIGN_OR_RETURN(Callable add, session->Lookup("add"));
//   ASSIGN_OR_RETURN(std::vector<vm::Value> sums, add.Call(arguments));
// Tested by session_test.cc.
#ifndef EYRIE_ABI_SESSION_H_
#define EYRIE_ABI_SESSION_H_

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "abi/declaration.h"
#include "abi/fence_line.h"
#include "abi/native/native_libraries.h"
#include "abi/tensor.h"
#include "abi/v0/result_storage.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "base/ref.h"
#include "hal/device.h"
#include "hal/driver.h"
#include "hal/module/hal_module.h"
#include "hal/parameters/parameter_index.h"
#include "vm/run/bytecode_module.h"
#include "vm/run/context.h"
#include "vm/limits/limits.h"
#include "vm/run/machine.h"
#include "vm/module/module.h"
#include "vm/isa/value.h"

namespace eyrie::abi {

// The device of a session that names none.
inline constexpr char kDefaultDevice[] = "local-sync";

// A verified module that may be linked into any number of sessions.
using Program = std::shared_ptr<const vm::BytecodeModule>;

// Reads and verifies a file ("-": standard input). The errors name it.
// `pauses`: for a session with a stepper.
absl::StatusOr<Program> LoadProgram(const std::string& path,
                                    bool pauses = false);
// The same for bytes, which are copied.
absl::StatusOr<Program> LoadProgram(std::span<const uint8_t> bytes,
                                    const std::string& name);

// True if the program imports the native module of this name, such as "hal".
bool UsesModule(const vm::ModuleDef& def, absl::string_view name);

// Opens a device that loads executables of every format there is: those of the
// driver and of `options`, and bytecode, which `jit` compiles if there is one.
// Fails as hal::OpenDevice does.
absl::StatusOr<Ref<hal::Device>> OpenDevice(
    absl::string_view uri, hal::DriverOptions options,
    const std::shared_ptr<const vm::Jit>& jit = nullptr);

// Opens --device values; none are kDefaultDevice. The errors name the value.
absl::StatusOr<std::vector<Ref<hal::Device>>> OpenDevices(
    std::span<const std::string> uris, const hal::DriverOptions& options,
    const std::shared_ptr<const vm::Jit>& jit = nullptr);

struct SessionOptions {
  hal::HalModuleOptions hal;  // who listens to tensor traces
  vm::PrintSink print;        // who listens to what modules print
  // Who is told what modules fail with when the session ends.
  std::function<void(const absl::Status&)> lost;
  vm::Limits limits;                   // of each call, and of the memory of all
  std::shared_ptr<const vm::Jit> jit;  // as vm::ContextOptions has it
  // Asked before each instruction of programs that pause; outlives the session.
  vm::Stepper* stepper = nullptr;
  // What counts the memory; null: one of limits.max_memory.
  std::shared_ptr<MemoryMeter> memory;
  // Cancels the session, also before Create has returned it; null: nothing.
  std::shared_ptr<vm::Cancellation> cancellation;
  // What programs load parameters from; null: nothing.
  std::shared_ptr<const hal::ParameterScopes> parameters;
  // Whose functions programs may import; results are in the first device.
  std::vector<std::shared_ptr<const native::LoadedLibrary>> native_libraries;
  // Further native modules that programs may import, by their names.
  std::vector<std::shared_ptr<const vm::Module>> modules;
  // What handlers may ask for, by its type's name; outlives the session.
  std::map<std::string, void*> native_user_data;
};

// The native modules that programs import, of those there are: `hal` and those
// of inline execution over the devices, and of parameters.
using HostModules = std::vector<std::shared_ptr<const vm::Module>>;
absl::StatusOr<HostModules> CreateHostModules(
    std::span<const Program> programs,
    const std::vector<Ref<hal::Device>>& devices,
    const SessionOptions& options);

class Session;

// A function of a session: what it takes as a caller sees it, and calls of it.
// A small value, valid while the session is. One thread at a time.
class Callable {
 public:
  const vm::Function& function() const { return function_; }
  // The source's declaration, if the module has it.
  const std::optional<Declaration>& declaration() const { return declaration_; }

  // Counts what the session's context holds; null if it has no limit.
  const std::shared_ptr<MemoryMeter>& memory() const;

  // True if a call returns before its results are ready, with a fence.
  bool is_async() const { return adds_fences_; }
  // How a function of V0's raw convention gets storage for its results; null
  // for other functions, and for one whose signature is wrong: raw_status().
  const v0::ResultStorage* raw() const { return raw_.get(); }
  const absl::Status& raw_status() const { return raw_status_; }

  // Types as the calling convention has them, without the two fences of an
  // asynchronous function. Storage that a raw function fills, and does not
  // return, is a result too.
  std::span<const vm::ValueType> argument_types() const;
  std::span<const vm::ValueType> result_types() const { return results_; }
  // What is declared of an argument or result; nullptr if nothing is.
  const DeclaredValue* declared_argument(size_t index) const;
  const DeclaredValue* declared_result(size_t index) const;
  // "argument 0 ('input0')"
  std::string ArgumentName(size_t index) const;

  // What the function takes, "(input0: 4xf32, input1: index)".
  std::string ArgumentsText() const;

  // Compares arguments with the convention and the declaration, or the raw
  // signature if storage is left out: their number, types, ranks, dimensions.
  // INVALID_ARGUMENT names the argument.
  absl::Status CheckArguments(std::span<const vm::Value> arguments) const;

  // Checks, calls and waits: results are ready when this returns. Arguments
  // are borrowed. Storage for the results of a raw function is made if it is
  // not given. Fails as the function does. The limits of the session hold for
  // all of it.
  absl::StatusOr<std::vector<vm::Value>> Call(
      std::span<const vm::Value> arguments);

  // The same without checks, for slots of argument_types() and result_types(),
  // or the inputs of a raw signature.
  // The caller owns the results, which are null after an error.
  absl::Status Invoke(std::span<const vm::Slot> arguments,
                      std::span<vm::Slot> results);

  // Checks and calls, without a wait: an asynchronous function begins when
  // `wait` is reached and signals `signal`, if the call succeeds; `wait` may be
  // null, and for others both are. `slots` says what storage was made; where
  // it has_unknown(), results are known when the call is complete.
  absl::Status Start(std::span<const vm::Value> arguments, hal::Fence* wait,
                     hal::Fence* signal, v0::ResultStorage::Slots& slots,
                     std::vector<vm::Value>& results);
  // For a call in pieces: appends to the inputs of a raw function the storage
  // that Call would make; nothing for others. An asynchronous function is to
  // wait for `slots.usable`, if that is there.
  absl::Status AddStorage(std::vector<vm::Value>& arguments,
                          v0::ResultStorage::Slots& slots) const;
  // Makes what such a call has returned its results: storage that the function
  // fills and does not return is added.
  absl::Status AddFilled(const v0::ResultStorage::Slots& slots,
                         std::vector<vm::Value>& values) const;
  // INVALID_ARGUMENT: results that are not what a raw signature says.
  absl::Status CheckResults(std::span<const vm::Slot> results) const;

 private:
  friend class Session;

  // Reads the raw signature, if there is one.
  absl::Status BindRaw(Session& session);
  // Whether arguments are those of the raw signature alone.
  bool MakesStorage(size_t arguments) const {
    return raw_ != nullptr && arguments == raw_->input_count();
  }
  // Start without checks.
  absl::Status Begin(std::span<const vm::Slot> arguments, hal::Fence* wait,
                     hal::Fence* signal, v0::ResultStorage::Slots& made,
                     std::span<vm::Slot> results);
  absl::Status WrongCount(size_t given) const;
  // What of an argument is not as declared, as the end of a sentence.
  std::string Difference(const vm::Value& argument, size_t index) const;

  Session* session_ = nullptr;
  vm::Function function_;
  std::vector<vm::ValueType> results_;
  std::optional<Declaration> declaration_;
  bool adds_fences_ = false;
  FenceLine fences_;  // of calls of an asynchronous function
  std::shared_ptr<v0::ResultStorage> raw_;
  absl::Status raw_status_;
};

// One thread's at a time. Owns its context and thus all globals.
class Session {
 public:
  // Links programs in order, dependencies first, and runs their initializers.
  // Fails as vm::Context::Create does.
  static absl::StatusOr<std::unique_ptr<Session>> Create(
      std::vector<Program> programs, std::vector<Ref<hal::Device>> devices,
      SessionOptions options = {});

  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  vm::Context& context() { return *context_; }
  std::span<const Ref<hal::Device>> devices() const { return devices_; }
  // True if a program imports a module that uses the devices.
  bool uses_hal() const { return uses_hal_; }
  // Ends the running call; see vm::Context::Cancel. Any thread's.
  void Cancel() { context_->Cancel(); }

  // The exports of the last program that a user calls; see UserExports.
  std::vector<vm::Function> Functions() const { return FunctionsOf(*main_); }

  // "function" of the last program, or "module.function". Empty: the only one
  // there is, or the only one whose name does not begin with "__". NOT_FOUND
  // and INVALID_ARGUMENT list those that could be meant.
  absl::StatusOr<Callable> Lookup(absl::string_view name);

  // The same for a function that is already known.
  absl::StatusOr<Callable> Bind(const vm::Function& function);

  // Waits within a call, for its results. DEADLINE_EXCEEDED or CANCELLED: the
  // call was stopped; else how the fence fails.
  absl::Status WaitFor(const hal::Fence& fence) const;

 private:
  Session() = default;

  std::vector<vm::Function> FunctionsOf(const vm::Module& module) const;
  // The error of a name, which may be "module.function".
  absl::Status NoSuchFunction(absl::string_view name) const;

  std::vector<Ref<hal::Device>> devices_;
  bool uses_hal_ = false;
  const vm::Module* main_ = nullptr;  // the last program
  std::unique_ptr<vm::Context> context_;
};

}  // namespace eyrie::abi

#endif  // EYRIE_ABI_SESSION_H_
