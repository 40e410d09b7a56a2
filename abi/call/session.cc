#include "abi/call/session.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "abi/native/native_libraries.h"
#include "abi/native/task_pool.h"
#include "abi/signature/user_exports.h"
#include "absl/algorithm/container.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/allocate.h"
#include "base/plain_text.h"
#include "base/status_macros.h"
#include "base/suggest.h"
#include "hal/drivers/drivers.h"
#include "hal/forked_device.h"
#include "hal/module/hal_module.h"
#include "hal/module/inline_modules.h"
#include "hal/module/parameters_module.h"
#include "hal/vmvx/executable.h"
#include "vm/module/lifecycle.h"
#include "vm/module/verifier.h"
#include "vm/native/native_module.h"
#include "vm/run/interpreter.h"

namespace eyrie::abi {
namespace {

// The modules that use devices, by their import names.
constexpr struct {
  absl::string_view name;
  decltype(&hal::CreateHalModule) create;
} kDeviceModules[] = {
    {"hal", hal::CreateHalModule},
    {"hal_inline", hal::CreateHalInlineModule},
    {"hal_loader", hal::CreateHalLoaderModule},
};
constexpr size_t kMaxListed = 50;  // functions in a message

absl::StatusOr<Program> CreateProgram(
    absl::StatusOr<std::shared_ptr<const vm::VerifiedModule>> verified,
    bool pauses = false) {
  RETURN_IF_ERROR(verified);
  return vm::BytecodeModule::Create(vm::InterpreterHandlers(),
                                    *std::move(verified), hal::HalRefTypes(),
                                    pauses);
}

// Returns "'a', 'b' and 'c'".
std::string ListOf(const std::vector<vm::Function>& functions) {
  std::string text;
  for (size_t i = 0; i < functions.size(); ++i) {
    if (i == kMaxListed && functions.size() > kMaxListed + 1) {
      absl::StrAppend(&text, " and ", functions.size() - i, " more");
      break;
    }
    absl::StrAppend(&text,
                    i == 0                      ? ""
                    : i + 1 == functions.size() ? " and "
                                                : ", ",
                    "'", PlainName(functions[i].name()), "'");
  }
  return text;
}

// Returns the name in `functions` that is nearest to a mistyped one; empty if
// none is near.
absl::string_view Nearest(const std::vector<vm::Function>& functions,
                          absl::string_view name) {
  absl::string_view nearest;
  size_t least = name.size() / 3 + 2;
  for (const vm::Function& function : functions) {
    const size_t distance = EditDistance(function.name(), name);
    if (distance < least) {
      least = distance;
      nearest = function.name();
    }
  }
  return nearest;
}

// Returns the function to call if the user names none: the only one or, as in
// upstream's tools, the only one whose name does not begin with "__". Null if
// there is no such function.
const vm::Function* OnlyOne(const std::vector<vm::Function>& functions) {
  if (functions.size() == 1) return &functions[0];
  const vm::Function* only = nullptr;
  for (const vm::Function& function : functions) {
    if (absl::StartsWith(function.name(), "__")) continue;
    if (only != nullptr) return nullptr;
    only = &function;
  }
  return only;
}

// Part of the message of programs of all releases if they do not find a device.
constexpr absl::string_view kNoDevice = "not found or unavailable";

// Requests of a module that no device can satisfy.
struct Refusals {
  std::vector<std::string> formats;  // formats of executables
  std::vector<std::string> devices;  // patterns of names: "vulkan*"
};

// Returns a failure's message without the attributes of the missing target,
// which are long and less helpful than the refusals.
std::string WithoutTarget(absl::string_view message) {
  const size_t at = message.find(kNoDevice);
  if (at == message.npos) return std::string(message);
  const size_t end = at + kNoDevice.size();
  return absl::StrCat(
      message.substr(0, end), ".",
      message.substr(std::min(message.find('\n', end), message.size())));
}

// Describes the formats that the module contains, and those that the devices
// run.
std::string RefusedFormats(const std::vector<std::string>& refused,
                           std::span<const Ref<hal::Device>> devices) {
  std::vector<absl::string_view> ids;
  std::vector<absl::string_view> runs;
  bool native_code = true;
  bool flag_helps = false;
  for (const Ref<hal::Device>& device : devices) {
    ids.push_back(device->id());
    for (const absl::string_view format : device->executable_formats()) {
      if (!absl::c_linear_search(runs, format)) runs.push_back(format);
    }
    native_code &= device->Query(hal::kNativeCodeQuery, "").value_or(1) != 0;
    for (const std::string& format : refused) {
      flag_helps |=
          device->Query(hal::kSystemFormatQuery, format).value_or(0) != 0;
    }
  }
  return absl::StrCat(
      "The module needs executables of the format ",
      absl::StrJoin(refused, ", "), ", which ", absl::StrJoin(ids, ", "),
      " does not run",
      flag_helps     ? " without --allow_system_executables"
      : !native_code ? ": native code is not allowed"
                     : "",
      runs.empty() ? ""
                   : absl::StrCat("; what runs: ", absl::StrJoin(runs, ", ")),
      ". ");
}

// Returns the name of the first function or module that a program needs from a
// module that is neither a program nor a host module; empty if there is none.
std::string LackingModule(std::span<const Program> programs,
                          const HostModules& modules) {
  const auto has = [&](absl::string_view name) {
    const auto is_it = [&](const auto& module) {
      return module->name() == name;
    };
    return absl::c_any_of(modules, is_it) || absl::c_any_of(programs, is_it);
  };
  for (const Program& program : programs) {
    const vm::ModuleDef& def = program->def();
    for (const vm::ImportDef& import : def.imports) {
      if (!import.optional && !has(import.module_name())) {
        return std::string(import.full_name);
      }
    }
    for (const vm::DependencyDef& need : def.dependencies) {
      if (!need.optional && !has(need.name)) return std::string(need.name);
    }
  }
  return "";
}

// Adds to a failure what the module asked for and no device provides.
absl::Status WithRefusals(const absl::Status& status, const Refusals& refusals,
                          std::span<const Ref<hal::Device>> devices) {
  const bool lacks_device = absl::StrContains(status.message(), kNoDevice);
  if (refusals.formats.empty() && refusals.devices.empty() && !lacks_device) {
    return status;
  }
  std::vector<absl::string_view> ids;
  for (const Ref<hal::Device>& device : devices) ids.push_back(device->id());
  if (refusals.formats.empty() && refusals.devices.empty()) {
    return absl::Status(
        status.code(),
        absl::StrCat("The module needs more devices than are given (",
                     ids.empty() ? "none" : absl::StrCat(ids.size(), ": "),
                     absl::StrJoin(ids, ", "), ")",
                     ids.empty() ? "" : "; one may be given several times",
                     ". ", WithoutTarget(status.message())));
  }
  if (refusals.formats.empty()) {
    return absl::Status(
        status.code(),
        absl::StrCat("The module needs a ",
                     absl::StrJoin(refusals.devices, " or "),
                     " device; given is ", absl::StrJoin(ids, ", "), ". ",
                     WithoutTarget(status.message())));
  }
  return absl::Status(status.code(),
                      absl::StrCat(RefusedFormats(refusals.formats, devices),
                                   WithoutTarget(status.message())));
}

}  // namespace

absl::StatusOr<Program> LoadProgram(const std::string& path, bool pauses) {
  return CreateProgram(vm::LoadModule(path), pauses);
}

absl::StatusOr<Program> LoadProgram(std::span<const uint8_t> bytes,
                                    const std::string& name) {
  return CreateProgram(vm::LoadModule(bytes, name));
}

absl::StatusOr<Program> LoadProgram(
    const absl::StatusOr<std::shared_ptr<const vm::Archive>>& archive) {
  return CreateProgram(vm::LoadModule(archive));
}

bool UsesModule(const vm::ModuleDef& def, absl::string_view name) {
  for (const vm::DependencyDef& dependency : def.dependencies) {
    if (dependency.name == name) return true;
  }
  for (const vm::ImportDef& import : def.imports) {
    if (import.module_name() == name) return true;
  }
  return false;
}

absl::StatusOr<Ref<hal::Device>> OpenDevice(
    absl::string_view uri, hal::DriverOptions options,
    const std::shared_ptr<const vm::Jit>& jit) {
  options.loaders.push_back(hal::vmvx::CreateLoader(jit));
  return hal::OpenDevice(uri, options);
}

absl::StatusOr<std::vector<Ref<hal::Device>>> OpenDevices(
    std::span<const std::string> uris, const hal::DriverOptions& options,
    const std::shared_ptr<const vm::Jit>& jit) {
  const std::string default_uri = kDefaultDevice;
  if (uris.empty()) uris = {&default_uri, 1};
  std::vector<Ref<hal::Device>> devices;
  for (const std::string& uri : uris) {
    ASSIGN_OR_RETURN(Ref<hal::Device> device,
                     abi::OpenDevice(uri, options, jit));
    devices.push_back(std::move(device));
  }
  return devices;
}

absl::StatusOr<HostModules> CreateHostModules(
    std::span<const Program> programs,
    const std::vector<Ref<hal::Device>>& devices,
    const SessionOptions& options) {
  const auto used = [&](absl::string_view name) {
    return absl::c_any_of(programs, [&](const Program& program) {
      return UsesModule(program->def(), name);
    });
  };
  HostModules modules = options.modules;
  for (const auto& host : kDeviceModules) {
    if (!used(host.name)) continue;
    ASSIGN_OR_RETURN(auto module, host.create(devices, options.hal));
    modules.push_back(std::move(module));
  }
  if (used(hal::kParametersModuleName)) {
    ASSIGN_OR_RETURN(auto module,
                     hal::CreateParametersModule(devices, options.parameters));
    modules.push_back(std::move(module));
  }
  if (!options.native_libraries.empty()) {
    if (devices.empty()) {
      return absl::InvalidArgumentError(
          "Native libraries are given, and no device for their results.");
    }
    for (const Ref<hal::Device>& device : devices) {
      if (device->Query(hal::kNativeLibrariesQuery, "").value_or(1) != 0) {
        continue;
      }
      return absl::PermissionDeniedError(
          absl::StrCat("Native libraries are given, and ", device->id(),
                       " does not allow native code."));
    }
    auto services = std::make_shared<const native::NativeServices>(
        native::NativeServices{devices[0], std::make_shared<native::TaskPool>(),
                               options.native_user_data, options.notice});
    ASSIGN_OR_RETURN(
        native::NativeModules natives,
        native::CreateNativeModules(options.native_libraries, services));
    for (auto& module : natives) {
      const auto is_named = [&](const auto& other) {
        return other->name() == module->name();
      };
      if (absl::c_any_of(modules, is_named) ||
          absl::c_any_of(programs, is_named)) {
        return absl::AlreadyExistsError(absl::StrCat(
            "A native library's functions are those of a module ",
            PlainName(module->name()), ", but another module has this name."));
      }
      modules.push_back(std::move(module));
    }
  }
  return modules;
}

absl::StatusOr<std::unique_ptr<Session>> Session::Create(
    std::vector<Program> programs, std::vector<Ref<hal::Device>> devices,
    SessionOptions options) {
  if (programs.empty()) {
    return absl::InvalidArgumentError("A session needs at least one module.");
  }
  for (const Ref<hal::Device>& device : devices) {
    RETURN_IF_ERROR(hal::CheckProcess(*device));
  }
  auto session = std::unique_ptr<Session>(new Session());
  session->devices_ = std::move(devices);
  session->main_ = programs.back().get();
  // Written by this thread while initializers run.
  auto refusals = std::make_shared<Refusals>();
  options.hal.query_refused = [refusals](absl::string_view category,
                                         absl::string_view key) {
    auto& list =
        category == "hal.device.id" ? refusals->devices : refusals->formats;
    // A hostile program may ask without end, and for very long names.
    constexpr size_t kMax = 16;
    constexpr size_t kLongest = 256;
    key = key.substr(0, kLongest);
    if (list.size() == kMax || absl::c_linear_search(list, key)) return;
    list.emplace_back(key.data(), key.size());
  };
  ASSIGN_OR_RETURN(HostModules modules,
                   CreateHostModules(programs, session->devices_, options));
  session->has_host_modules_ = !modules.empty();
  const std::string lacking = LackingModule(programs, modules);
  for (Program& program : programs) modules.push_back(std::move(program));
  vm::ContextOptions context_options;
  context_options.print = std::move(options.print);
  context_options.lost = std::move(options.lost);
  context_options.stepper = options.stepper;
  context_options.limits = options.limits;
  context_options.initializer = options.initializer;
  context_options.memory = options.memory;
  context_options.cancellation = options.cancellation;
  context_options.jit = options.jit;
  context_options.run_initializers = options.snapshot == nullptr;
  auto context = vm::Context::Create(std::move(modules), context_options);
  if (!lacking.empty() && absl::IsNotFound(context.status())) {
    return Annotate(
        context.status(),
        absl::StrCat("Another module's file before it may be that module, or a "
                     "native library may offer it (--native_library).",
                     DidYouMean(lacking, options.offered)));
  }
  if (!context.ok()) {
    return WithRefusals(context.status(), *refusals, session->devices_);
  }
  session->context_ = *std::move(context);
  if (options.snapshot == nullptr) return session;
  absl::Status restored = session->Restore(*options.snapshot);
  if (restored.ok()) return session;
  session->context_->Fail(restored);  // so that no __deinit runs
  return restored;
}

absl::StatusOr<std::shared_ptr<const Snapshot>> Session::TakeSnapshot() {
  return Snapshot::Take(*context_, devices_, [this](const hal::Fence& fence) {
    return WaitWithin(*context_, fence);
  });
}

absl::Status Session::Restore(const Snapshot& snapshot) {
  return snapshot.Restore(*context_, devices_, [this](const hal::Fence& fence) {
    return WaitWithin(*context_, fence);
  });
}

std::vector<vm::Function> Session::FunctionsOf(const vm::Module& module) const {
  std::vector<vm::Function> functions;
  const vm::BytecodeModule* bytecode = module.AsBytecode();
  if (bytecode == nullptr) return functions;
  const std::vector<vm::Function> exports = context_->ExportsOf(module);
  if (exports.empty()) return functions;
  const auto indices = UserExports(bytecode->def());
  if (!indices.ok() || !Reserve(functions, indices->size(), "functions").ok()) {
    return functions;
  }
  for (const uint32_t index : *indices) functions.push_back(exports[index]);
  return functions;
}

absl::Status Session::NoSuchFunction(absl::string_view name) const {
  // Names of functions may also contain dots.
  const size_t dot = name.find('.');
  const absl::string_view prefix = name.substr(0, std::min(dot, name.size()));
  const bool of_another = dot != name.npos && prefix != main_->name();
  const vm::Module* other = nullptr;
  for (const auto& loaded : context_->modules()) {
    if (of_another && loaded->name() == prefix) other = loaded.get();
  }
  const vm::Module& module = other ? *other : *main_;
  if (other != nullptr) name.remove_prefix(dot + 1);
  const std::vector<vm::Function> functions = FunctionsOf(module);
  const absl::string_view nearest = Nearest(functions, name);
  return absl::NotFoundError(absl::StrCat(
      of_another && other == nullptr
          ? absl::StrCat("No module '", PlainName(prefix), "' is loaded. ")
          : "",
      "Module '", PlainName(module.name()), "' exports no function '",
      PlainName(name),
      nearest.empty()
          ? "'"
          : absl::StrCat("'; did you mean '", PlainName(nearest), "'"),
      nearest.empty() ? "." : "?",
      functions.empty()
          ? ""
          : absl::StrCat(" It exports ", ListOf(functions), ".")));
}

absl::StatusOr<Callable> Session::Lookup(absl::string_view name) {
  if (!name.empty()) {
    absl::StatusOr<vm::Function> function = context_->Lookup(name);
    if (absl::IsNotFound(function.status()) ||
        (function.ok() && vm::IsLifecycleExport(function->name()))) {
      return NoSuchFunction(name);
    }
    RETURN_IF_ERROR(function);
    return Bind(*function);
  }
  const std::vector<vm::Function> functions = Functions();
  const std::string module = PlainName(main_->name());
  if (functions.empty()) {
    return absl::NotFoundError(
        absl::StrCat("Module '", module, "' exports no function to call."));
  }
  const vm::Function* function = OnlyOne(functions);
  if (function == nullptr) {
    return absl::InvalidArgumentError(absl::StrCat(
        "Module '", module, "' exports ", functions.size(),
        " functions; one must be named: ", ListOf(functions), "."));
  }
  return Bind(*function);
}

absl::StatusOr<Callable> Session::Bind(const vm::Function& function) {
  return Callable::Bind(*context_, devices_.empty() ? nullptr : devices_[0],
                        function);
}

}  // namespace eyrie::abi
