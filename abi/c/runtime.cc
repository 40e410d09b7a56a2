// Implements the C API's errors, features, devices, modules and contexts.
//
// Each function converts the C types, calls the library, and converts the
// status to an error object. It makes no decisions.
// Tested by runtime_test.cc, runtime_limits_test.cc, introspection_test.cc.
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "abi/c/c_handles.h"
#include "abi/c/c_options.h"
#include "abi/c/host_module.h"
#include "abi/call/globals.h"
#include "abi/call/session.h"
#include "abi/call/value_text.h"
#include "abi/signature/user_exports.h"
#include "absl/algorithm/container.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "base/allocate.h"
#include "base/mapped_file.h"
#include "base/plain_text.h"
#include "base/ref.h"
#include "base/status_macros.h"
#include "eyrie/c.h"
#include "hal/buffer_view.h"
#include "hal/drivers/drivers.h"
#include "hal/parameters/parameter_index.h"
#include "vm/limits/call_limits.h"
#include "vm/limits/limits.h"
#include "vm/module/archive.h"

namespace eyrie::abi {
namespace {

constexpr absl::string_view kModuleLists = "the lists of a module";
constexpr char kModuleInMemory[] = "The module in memory";

// Keeps a copy of a text in `texts`, followed by a NUL.
absl::Status Keep(absl::string_view text, std::deque<std::string>& texts,
                  const char*& kept) {
  std::string& place = texts.emplace_back();
  const absl::Status status = Assign(place, text, kModuleLists);
  kept = place.c_str();
  return status;
}

absl::Status ListFunctions(const vm::ModuleDef& def, eyrie_module_t& module) {
  ASSIGN_OR_RETURN(const std::vector<uint32_t> exports, UserExports(def));
  RETURN_IF_ERROR(Reserve(module.functions, exports.size(), kModuleLists));
  for (const uint32_t index : exports) {
    const vm::ExportDef& exported = def.exports[index];
    const vm::FunctionDef& function = def.functions[exported.function];
    const absl::string_view declaration =
        vm::FindAttribute(function.attributes, "iree.abi.declaration")
            .value_or("");
    eyrie_function_info_t& row = module.functions.emplace_back();
    row.struct_size = sizeof(row);
    RETURN_IF_ERROR(Keep(exported.name, module.texts, row.name));
    RETURN_IF_ERROR(Keep(function.calling_convention, module.texts,
                         row.calling_convention));
    RETURN_IF_ERROR(Keep(declaration, module.texts, row.declaration));
  }
  return absl::OkStatus();
}

absl::Status ListImports(const vm::ModuleDef& def, eyrie_module_t& module) {
  RETURN_IF_ERROR(Reserve(module.imports, def.imports.size(), kModuleLists));
  for (const vm::ImportDef& import : def.imports) {
    eyrie_import_info_t& row = module.imports.emplace_back();
    row.struct_size = sizeof(row);
    RETURN_IF_ERROR(Keep(import.full_name, module.texts, row.name));
    RETURN_IF_ERROR(
        Keep(import.calling_convention, module.texts, row.calling_convention));
    row.is_optional = import.optional ? 1 : 0;
  }
  return absl::OkStatus();
}

absl::Status ListGlobals(const vm::ModuleDef& def, eyrie_module_t& module) {
  for (const ExportedGlobal& global : ExportedGlobals(def)) {
    eyrie_global_info_t& row = module.globals.emplace_back();
    row.struct_size = sizeof(row);
    RETURN_IF_ERROR(Keep(global.name, module.texts, row.name));
    row.is_mutable = global.is_mutable ? 1 : 0;
  }
  return absl::OkStatus();
}

absl::StatusOr<std::unique_ptr<eyrie_module_t>> CreateModule(
    absl::StatusOr<Program> program) {
  RETURN_IF_ERROR(program);
  auto module = std::make_unique<eyrie_module_t>();
  module->program = *std::move(program);
  const vm::ModuleDef& def = module->program->def();
  RETURN_IF_ERROR(Assign(module->name, def.name, kModuleLists));
  RETURN_IF_ERROR(ListFunctions(def, *module));
  RETURN_IF_ERROR(ListImports(def, *module));
  RETURN_IF_ERROR(ListGlobals(def, *module));
  return module;
}

absl::StatusOr<Program> LoadMapped(
    absl::StatusOr<std::shared_ptr<const MappedFile>> file) {
  RETURN_IF_ERROR(file);
  return LoadProgram(vm::Archive::FromFile(*std::move(file)));
}

absl::Status LoadMemory(std::span<const uint8_t> bytes, eyrie_memory_use_t use,
                        std::shared_ptr<Loan> loan,
                        eyrie_module_t** out_module) {
  RETURN_IF_ERROR(CheckUse(use));
  ASSIGN_OR_RETURN(
      std::unique_ptr<eyrie_module_t> module,
      CreateModule(use == EYRIE_MEMORY_COPY
                       ? LoadProgram(bytes, kModuleInMemory)
                       : LoadProgram(vm::Archive::FromOwner(
                             std::move(loan), bytes, kModuleInMemory))));
  *out_module = module.release();
  return absl::OkStatus();
}

absl::Status CreateDevice(const char* uri,
                          const eyrie_device_options_t* options,
                          eyrie_device_t** out_device) {
  ASSIGN_OR_RETURN(DeviceSetup setup, DeviceSetupOf(options));
  ASSIGN_OR_RETURN(Ref<hal::Device> device,
                   abi::OpenDevice(uri, std::move(setup.driver), setup.jit));
  *out_device = new eyrie_device_t();
  (*out_device)->device = std::move(device);
  (*out_device)->log = std::move(setup.log);
  (*out_device)->jit = std::move(setup.jit);
  return absl::OkStatus();
}

absl::StatusOr<vm::Limits> LimitsOf(const eyrie_context_options_t& options) {
  vm::Limits limits;
  if (options.timeout_ns < 0) {
    return absl::InvalidArgumentError(
        absl::StrCat("The timeout (", options.timeout_ns, " ns) is below 0."));
  }
  if (options.fuel != 0) limits.fuel = options.fuel;
  if (options.timeout_ns != 0) {
    limits.timeout = absl::Nanoseconds(options.timeout_ns);
  }
  if (options.max_memory != 0) limits.max_memory = options.max_memory;
  if (options.max_stack != 0) limits.max_stack = options.max_stack;
  return limits;
}

// Returns the limits of initializers, if they are not those of calls.
absl::StatusOr<std::optional<vm::CallLimits>> InitializerLimitsOf(
    const eyrie_context_options_t& options, const vm::Limits& calls) {
  if (options.initializer_timeout_ns < 0) {
    return absl::InvalidArgumentError(
        absl::StrCat("The initializer's timeout (",
                     options.initializer_timeout_ns, " ns) is below 0."));
  }
  if (options.initializer_fuel == 0 && options.initializer_timeout_ns == 0) {
    return std::nullopt;
  }
  vm::CallLimits limits = {.fuel = calls.fuel, .timeout = calls.timeout};
  if (options.initializer_fuel != 0) limits.fuel = options.initializer_fuel;
  if (options.initializer_timeout_ns != 0) {
    limits.timeout = absl::Nanoseconds(options.initializer_timeout_ns);
  }
  return limits;
}

absl::StatusOr<std::shared_ptr<const hal::ParameterScopes>> ParametersOf(
    const eyrie_context_options_t& options) {
  const eyrie_parameters_t* const given = options.parameters;
  if (given != nullptr && options.parameter_file_count == 0) {
    return given->scopes;
  }
  auto scopes = given != nullptr
                    ? std::make_shared<hal::ParameterScopes>(*given->scopes)
                    : std::make_shared<hal::ParameterScopes>();
  for (size_t i = 0; i < options.parameter_file_count; ++i) {
    RETURN_IF_ERROR(scopes->AddFile(options.parameter_files[i],
                                    hal::ParameterFile::Mode::kMapped));
  }
  return scopes;
}

absl::Status AddNatives(const eyrie_context_options_t& options,
                        SessionOptions& session) {
  for (size_t i = 0; i < options.native_library_count; ++i) {
    session.native_libraries.push_back(options.native_libraries[i]->library);
  }
  constexpr size_t kSizes[] = {sizeof(eyrie_native_data_t)};
  ASSIGN_OR_RETURN(const std::vector<eyrie_native_data_t> given,
                   FullStructs(options.native_data, options.native_data_count,
                               kSizes, "the user data"));
  for (const eyrie_native_data_t& data : given) {
    if (data.data == nullptr ||
        !session.native_user_data.emplace(data.type, data.data).second) {
      return absl::InvalidArgumentError(
          absl::StrCat("The user data of the type '", PlainName(data.type),
                       "' is ", data.data ? "given twice." : "null."));
    }
  }
  return absl::OkStatus();
}

// Sends what modules print and trace to a log, and their errors at the end of
// the session.
void Listen(const Log& log, SessionOptions& session) {
  if (!log) return;
  session.print = [log](absl::string_view line) {
    log(EYRIE_SEVERITY_MODULE, line);
  };
  session.hal.trace = [log](absl::string_view key,
                            std::span<hal::BufferView* const> tensors) {
    std::string text;
    AppendTrace(key, tensors, PrintOptions(), text);
    log(EYRIE_SEVERITY_MODULE, absl::StripTrailingAsciiWhitespace(text));
  };
  session.notice = [log](absl::string_view sentence) {
    log(EYRIE_SEVERITY_WARNING, sentence);
  };
  session.lost = [log](const absl::Status& status) {
    log(EYRIE_SEVERITY_WARNING,
        absl::StrCat("A module fails when its context ends: ",
                     status.message()));
  };
}

absl::Status CreateContext(std::span<eyrie_module_t* const> modules,
                           std::span<eyrie_device_t* const> devices,
                           const eyrie_context_options_t* given,
                           eyrie_context_t** out_context) {
  ASSIGN_OR_RETURN(const eyrie_context_options_t options,
                   ContextOptionsOf(given));
  Log log = LogOf(options.log, options.log_data, options.free_log_data);
  RETURN_IF_ERROR(CheckNewer(given, "the context options"));
  if (!log && !devices.empty()) log = devices.front()->log;
  SessionOptions session_options;
  Listen(log, session_options);
  if (devices.empty()) {
    ASSIGN_OR_RETURN(session_options.jit, JitOf(EYRIE_JIT_LAZY));
  } else {
    session_options.jit = devices.front()->jit;
  }
  ASSIGN_OR_RETURN(session_options.limits, LimitsOf(options));
  ASSIGN_OR_RETURN(session_options.initializer,
                   InitializerLimitsOf(options, session_options.limits));
  ASSIGN_OR_RETURN(session_options.parameters, ParametersOf(options));
  RETURN_IF_ERROR(AddNatives(options, session_options));
  if (options.snapshot != nullptr) {
    session_options.snapshot = options.snapshot->snapshot;
  }
  std::vector<Program> programs;
  for (eyrie_module_t* module : modules) programs.push_back(module->program);
  std::vector<Ref<hal::Device>> opened;
  for (eyrie_device_t* device : devices) opened.push_back(device->device);
  HostModuleSet host;
  if (options.linker != nullptr) {
    ASSIGN_OR_RETURN(host, options.linker->CreateModules(
                               opened, session_options.native_user_data));
    session_options.modules = host.modules;
    session_options.offered = options.linker->names;
  }
  ASSIGN_OR_RETURN(std::unique_ptr<Session> session,
                   Session::Create(std::move(programs), std::move(opened),
                                   std::move(session_options)));
  *out_context = new eyrie_context_t();
  (*out_context)->session = std::move(session);
  if (host.services != nullptr) host.services->context = *out_context;
  return absl::OkStatus();
}

// Drivers and conventions of native functions are features by their names;
// these are the others.
constexpr const char* kOtherFeatures[] = {"jit", "mpi"};

constexpr const char* kConventions[] = {
#define NATIVE_CONVENTION(name, declare) name,
#include "abi/native/conventions.def"
#undef NATIVE_CONVENTION
};

// Returns all features, in ascending order.
const std::vector<std::string>& Features() {
  static const auto& kFeatures = *[] {
    auto* const features = new std::vector<std::string>();
    for (const char* const name : kOtherFeatures) features->emplace_back(name);
    for (const char* const name : kConventions) features->emplace_back(name);
    for (const auto& driver : hal::AllDrivers()) {
      features->emplace_back(driver->name());
    }
    absl::c_sort(*features);
    return features;
  }();
  return kFeatures;
}

}  // namespace
}  // namespace eyrie::abi

namespace abi = eyrie::abi;

eyrie_code_t eyrie_error_code(const eyrie_error_t* error) {
  return error == nullptr ? EYRIE_OK : error->code;
}

const char* eyrie_error_message(const eyrie_error_t* error) {
  return error == nullptr ? "" : error->message.c_str();
}

void eyrie_error_free(eyrie_error_t* error) {
  if (error != &abi::NoMemoryError()) delete error;
}

const char* eyrie_version(void) { return EYRIE_VERSION; }

int eyrie_has_feature(const char* name) {
  return absl::c_binary_search(abi::Features(), name) ? 1 : 0;
}

const char* const* eyrie_features(void) {
  static const auto& kNames = *[] {
    auto* const names = new std::vector<const char*>();
    for (const std::string& feature : abi::Features()) {
      names->push_back(feature.c_str());
    }
    names->push_back(nullptr);
    return names;
  }();
  return kNames.data();
}

eyrie_error_t* eyrie_device_open(const char* uri,
                                 const eyrie_device_options_t* options,
                                 eyrie_device_t** out_device) {
  return abi::CreateError(abi::CreateDevice(uri, options, out_device));
}

void eyrie_device_retain(eyrie_device_t* device) { abi::Retain(device); }
void eyrie_device_release(eyrie_device_t* device) { abi::Release(device); }

eyrie_error_t* eyrie_module_load_file(const char* path,
                                      eyrie_module_t** out_module) {
  if (path == nullptr) {
    return abi::CreateError(
        absl::InvalidArgumentError("The path of the module is NULL."));
  }
  auto module = abi::CreateModule(abi::LoadProgram(path));
  if (!module.ok()) return abi::CreateError(module.status());
  *out_module = module->release();
  return nullptr;
}

eyrie_error_t* eyrie_module_load_memory(const void* data, size_t size,
                                        eyrie_memory_use_t use,
                                        void (*release)(void* user), void* user,
                                        eyrie_module_t** out_module) {
  return abi::CreateError(
      abi::LoadMemory({static_cast<const uint8_t*>(data), size}, use,
                      std::make_shared<abi::Loan>(release, user), out_module));
}

eyrie_error_t* eyrie_module_load_descriptor(int descriptor, uint64_t offset,
                                            uint64_t size,
                                            eyrie_module_t** out_module) {
  auto module = abi::CreateModule(
      abi::LoadMapped(abi::MapDescriptor(descriptor, offset, size)));
  if (!module.ok()) return abi::CreateError(module.status());
  *out_module = module->release();
  return nullptr;
}

void eyrie_module_retain(eyrie_module_t* module) { abi::Retain(module); }
void eyrie_module_release(eyrie_module_t* module) { abi::Release(module); }

const char* eyrie_module_name(const eyrie_module_t* module) {
  return module->name.c_str();
}

size_t eyrie_module_import_count(const eyrie_module_t* module) {
  return module->imports.size();
}

const eyrie_import_info_t* eyrie_module_import(const eyrie_module_t* module,
                                               size_t index) {
  return index < module->imports.size() ? &module->imports[index] : nullptr;
}

size_t eyrie_module_function_count(const eyrie_module_t* module) {
  return module->functions.size();
}

const eyrie_function_info_t* eyrie_module_function(const eyrie_module_t* module,
                                                   size_t index) {
  return index < module->functions.size() ? &module->functions[index] : nullptr;
}

eyrie_error_t* eyrie_context_create(eyrie_module_t* const* modules,
                                    size_t module_count,
                                    eyrie_device_t* const* devices,
                                    size_t device_count,
                                    const eyrie_context_options_t* options,
                                    eyrie_context_t** out_context) {
  return abi::CreateError(abi::CreateContext(
      {modules, module_count}, {devices, device_count}, options, out_context));
}

eyrie_error_t* eyrie_context_open(const char* path, const char* device,
                                  const eyrie_context_options_t* options,
                                  eyrie_context_t** out_context) {
  eyrie_module_t* module = nullptr;
  eyrie_device_t* opened = nullptr;
  eyrie_error_t* error = eyrie_module_load_file(path, &module);
  if (error == nullptr && device != nullptr) {
    error = eyrie_device_open(device, nullptr, &opened);
  }
  // Without a module it fails, too, and frees the log's data.
  eyrie_error_t* const own =
      eyrie_context_create(&module, error == nullptr ? 1 : 0, &opened,
                           opened == nullptr ? 0 : 1, options, out_context);
  eyrie_device_release(opened);
  eyrie_module_release(module);
  if (error == nullptr) return own;
  eyrie_error_free(own);
  return error;
}

void eyrie_context_cancel(eyrie_context_t* context) {
  context->session->Cancel();
}

int eyrie_context_failed(const eyrie_context_t* context) {
  const eyrie::vm::Context& own = context->session->context();
  // The last two happen between calls; the next call fails because of them.
  return !own.failure().ok() || own.meter().stopped_for_good() ||
         own.meter().context_work()->refused();
}

void eyrie_context_retain(eyrie_context_t* context) { abi::Retain(context); }
void eyrie_context_release(eyrie_context_t* context) { abi::Release(context); }
