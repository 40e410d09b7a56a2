// The C API: thin handles over sessions, programs and values.
//
// Each function turns the C types into ours, calls, and turns the status into
// an error object. Nothing here decides anything.
// Tested by runtime_test.cc.
#include <atomic>
#include <cstring>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "abi/session.h"
#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/time/time.h"
#include "base/memory_meter.h"
#include "base/ref.h"
#include "base/status_macros.h"
#include "eyrie/c.h"
#include "hal/buffer_view.h"
#include "hal/driver.h"
#include "vm/limits.h"
#include "vm/value.h"

struct eyrie_error_t {
  eyrie_code_t code;
  std::string message;
};

struct eyrie_device_t {
  std::atomic<uint32_t> references{1};
  eyrie::Ref<eyrie::hal::Device> device;
};

struct eyrie_module_t {
  struct Function {
    std::string name;
    std::string calling_convention;
    std::string declaration;
  };

  std::atomic<uint32_t> references{1};
  eyrie::abi::Program program;
  std::string name;
  std::vector<Function> functions;
};

struct eyrie_value_t {
  eyrie::vm::Value value;
};

struct eyrie_context_t {
  std::unique_ptr<eyrie::abi::Session> session;
  // Functions called before, by the names they were called by.
  std::map<std::string, eyrie::abi::Callable, std::less<>> callables;
};

namespace eyrie::abi {
namespace {

std::string Text(absl::string_view view) {
  return std::string(view.data(), view.size());
}

eyrie_error_t* MakeError(const absl::Status& status) {
  if (status.ok()) return nullptr;
  return new eyrie_error_t{static_cast<eyrie_code_t>(status.code()),
                           Text(status.message())};
}

template <typename T>
void Retain(T* handle) {
  handle->references.fetch_add(1, std::memory_order_relaxed);
}

template <typename T>
void Release(T* handle) {
  if (handle == nullptr) return;
  if (handle->references.fetch_sub(1, std::memory_order_acq_rel) == 1) {
    delete handle;
  }
}

hal::BufferView* TensorOf(const eyrie_value_t* value) {
  return RefCast<hal::BufferView>(value->value.ref());
}

absl::StatusOr<std::unique_ptr<eyrie_module_t>> MakeModule(
    absl::StatusOr<Program> program) {
  RETURN_IF_ERROR(program);
  auto module = std::make_unique<eyrie_module_t>();
  module->program = *std::move(program);
  const vm::ModuleDef& def = module->program->def();
  module->name = Text(def.name);
  for (const vm::ExportDef& exported : def.exports) {
    const absl::string_view name = exported.name;
    if (name.substr(0, 2) == "__") continue;  // the module's own
    const vm::FunctionDef& function = def.functions[exported.function];
    module->functions.push_back(
        {Text(name), Text(function.calling_convention),
         Text(vm::FindAttribute(function.attributes, "iree.abi.declaration")
                  .value_or(""))});
  }
  return module;
}

absl::Status OpenDevice(const char* uri, const eyrie_device_options_t* options,
                        eyrie_device_t** out_device) {
  hal::DriverOptions driver;
  if (options != nullptr) {
    if (options->struct_size < sizeof(eyrie_device_options_t)) {
      return absl::InvalidArgumentError(absl::StrCat(
          "The device options' struct_size (", options->struct_size,
          ") is below that of the first version (",
          sizeof(eyrie_device_options_t), ")."));
    }
    driver.allow_system_executables = options->allow_system_executables != 0;
    driver.allow_native_code = options->no_native_code == 0;
  }
  ASSIGN_OR_RETURN(Ref<hal::Device> device, hal::OpenDevice(uri, driver));
  *out_device = new eyrie_device_t();
  (*out_device)->device = std::move(device);
  return absl::OkStatus();
}

absl::Status MakeTensor(eyrie_device_t* device, eyrie_dtype_t dtype,
                        std::span<const int64_t> shape,
                        std::span<const uint8_t> bytes,
                        eyrie_value_t** out_value) {
  TensorSpec spec;
  spec.type = static_cast<hal::ElementType>(dtype);
  spec.shape.assign(shape.begin(), shape.end());
  if (absl::StartsWith(hal::ElementTypeName(spec.type), "*")) {
    return absl::InvalidArgumentError(absl::StrCat(
        "There is no element type 0x", absl::Hex(uint32_t{dtype}), "."));
  }
  for (size_t i = 0; i < shape.size(); ++i) {
    if (shape[i] >= 0) continue;
    return absl::InvalidArgumentError(absl::StrCat(
        "Dimension ", i, " of ", spec.ToString(), " is below 0."));
  }
  ASSIGN_OR_RETURN(Ref<hal::BufferView> view,
                   CopyTensor(*device->device, spec, bytes));
  *out_value = new eyrie_value_t{vm::Value(Ref<RefObject>(std::move(view)))};
  return absl::OkStatus();
}

absl::Status ReadTensor(eyrie_value_t* value, eyrie_tensor_t* out_tensor) {
  const hal::BufferView* view = TensorOf(value);
  if (view == nullptr) {
    return absl::InvalidArgumentError("The value is not a tensor.");
  }
  ASSIGN_OR_RETURN(const std::span<const uint8_t> bytes, BytesOf(*view));
  out_tensor->dtype = static_cast<eyrie_dtype_t>(view->element_type());
  out_tensor->rank = view->shape().size();
  out_tensor->shape = view->shape().data();
  out_tensor->data = bytes.data();
  out_tensor->size = bytes.size();
  return absl::OkStatus();
}

absl::StatusOr<vm::Limits> LimitsOf(const eyrie_context_options_t* options) {
  vm::Limits limits;
  if (options == nullptr) return limits;
  if (options->struct_size < sizeof(eyrie_context_options_t)) {
    return absl::InvalidArgumentError(absl::StrCat(
        "The context options' struct_size (", options->struct_size,
        ") is below that of the first version (",
        sizeof(eyrie_context_options_t), ")."));
  }
  if (options->timeout_ns < 0) {
    return absl::InvalidArgumentError(absl::StrCat(
        "The timeout (", options->timeout_ns, " ns) is below 0."));
  }
  if (options->fuel != 0) limits.fuel = options->fuel;
  if (options->timeout_ns != 0) {
    limits.timeout = absl::Nanoseconds(options->timeout_ns);
  }
  if (options->max_memory != 0) limits.max_memory = options->max_memory;
  if (options->max_stack != 0) limits.max_stack = options->max_stack;
  return limits;
}

absl::Status CreateContext(std::span<eyrie_module_t* const> modules,
                           std::span<eyrie_device_t* const> devices,
                           const eyrie_context_options_t* options,
                           eyrie_context_t** out_context) {
  SessionOptions session_options;
  ASSIGN_OR_RETURN(session_options.limits, LimitsOf(options));
  std::vector<Program> programs;
  for (eyrie_module_t* module : modules) programs.push_back(module->program);
  std::vector<Ref<hal::Device>> opened;
  for (eyrie_device_t* device : devices) opened.push_back(device->device);
  ASSIGN_OR_RETURN(std::unique_ptr<Session> session,
                   Session::Create(std::move(programs), std::move(opened),
                                   std::move(session_options)));
  *out_context = new eyrie_context_t();
  (*out_context)->session = std::move(session);
  return absl::OkStatus();
}

absl::StatusOr<Callable*> FindCallable(eyrie_context_t& context,
                                       const char* name) {
  const auto known = context.callables.find(name);
  if (known != context.callables.end()) return &known->second;
  ASSIGN_OR_RETURN(Callable callable, context.session->Lookup(name));
  return &context.callables.emplace(name, std::move(callable)).first->second;
}

// An argument for the call alone: compiled code may update tensors in place.
// Storage for results is there to be written.
absl::StatusOr<vm::Value> ForCall(const eyrie_value_t* argument,
                                  const DeclaredValue* declared,
                                  Session& session) {
  if (argument == nullptr) return vm::Value(Ref<RefObject>());
  const hal::BufferView* view = TensorOf(argument);
  if (view == nullptr || (declared != nullptr && declared->storage_of) ||
      session.devices().empty()) {
    return argument->value;
  }
  ASSIGN_OR_RETURN(const std::span<const uint8_t> bytes, BytesOf(*view));
  ASSIGN_OR_RETURN(MemoryCharge charge,
                   MemoryCharge::Take(session.context().memory(), bytes.size(),
                                      "the copy of an argument"));
  ASSIGN_OR_RETURN(Ref<hal::BufferView> copy,
                   CopyTensor(*session.devices()[0], SpecOf(*view), bytes));
  copy->buffer()->Hold(std::move(charge));
  return vm::Value(Ref<RefObject>(std::move(copy)));
}

absl::Status CallFunction(eyrie_context_t* context, const char* function,
                          std::span<eyrie_value_t* const> arguments,
                          std::span<eyrie_value_t*> out_results,
                          size_t* out_count) {
  ASSIGN_OR_RETURN(Callable * callable, FindCallable(*context, function));
  const size_t count = callable->result_types().size();
  if (count > out_results.size()) {
    return absl::ResourceExhaustedError(
        absl::StrCat("Function '", function, "' has ", count,
                     " results and there is room for ", out_results.size(),
                     "."));
  }
  std::vector<vm::Value> values;
  values.reserve(arguments.size());
  for (size_t i = 0; i < arguments.size(); ++i) {
    ASSIGN_OR_RETURN(vm::Value value,
                     ForCall(arguments[i], callable->declared_argument(i),
                             *context->session));
    values.push_back(std::move(value));
  }
  ASSIGN_OR_RETURN(std::vector<vm::Value> results, callable->Call(values));
  for (size_t i = 0; i < results.size(); ++i) {
    out_results[i] = new eyrie_value_t{std::move(results[i])};
  }
  *out_count = results.size();
  return absl::OkStatus();
}

}  // namespace
}  // namespace eyrie::abi

namespace abi = eyrie::abi;
namespace vm = eyrie::vm;

eyrie_code_t eyrie_error_code(const eyrie_error_t* error) {
  return error->code;
}

const char* eyrie_error_message(const eyrie_error_t* error) {
  return error->message.c_str();
}

void eyrie_error_free(eyrie_error_t* error) { delete error; }

const char* eyrie_version(void) { return "0.1.0"; }

eyrie_error_t* eyrie_device_open(const char* uri,
                                 const eyrie_device_options_t* options,
                                 eyrie_device_t** out_device) {
  return abi::MakeError(abi::OpenDevice(uri, options, out_device));
}

void eyrie_device_retain(eyrie_device_t* device) { abi::Retain(device); }
void eyrie_device_release(eyrie_device_t* device) { abi::Release(device); }

eyrie_error_t* eyrie_module_load_file(const char* path,
                                      eyrie_module_t** out_module) {
  auto module = abi::MakeModule(abi::LoadProgram(path));
  if (!module.ok()) return abi::MakeError(module.status());
  *out_module = module->release();
  return nullptr;
}

eyrie_error_t* eyrie_module_load_memory(const void* data, size_t size,
                                        eyrie_module_t** out_module) {
  auto module = abi::MakeModule(abi::LoadProgram(
      {static_cast<const uint8_t*>(data), size}, "The module in memory"));
  if (!module.ok()) return abi::MakeError(module.status());
  *out_module = module->release();
  return nullptr;
}

void eyrie_module_retain(eyrie_module_t* module) { abi::Retain(module); }
void eyrie_module_release(eyrie_module_t* module) { abi::Release(module); }

const char* eyrie_module_name(const eyrie_module_t* module) {
  return module->name.c_str();
}

size_t eyrie_module_function_count(const eyrie_module_t* module) {
  return module->functions.size();
}

eyrie_function_info_t eyrie_module_function(const eyrie_module_t* module,
                                            size_t index) {
  if (index >= module->functions.size()) return {};
  const eyrie_module_t::Function& function = module->functions[index];
  return {function.name.c_str(), function.calling_convention.c_str(),
          function.declaration.c_str()};
}

eyrie_value_t* eyrie_value_i32(int32_t value) {
  return new eyrie_value_t{vm::Value(value)};
}
eyrie_value_t* eyrie_value_i64(int64_t value) {
  return new eyrie_value_t{vm::Value(value)};
}
eyrie_value_t* eyrie_value_f32(float value) {
  return new eyrie_value_t{vm::Value(value)};
}
eyrie_value_t* eyrie_value_f64(double value) {
  return new eyrie_value_t{vm::Value(value)};
}

eyrie_error_t* eyrie_value_tensor(eyrie_device_t* device, eyrie_dtype_t dtype,
                                  size_t rank, const int64_t* shape,
                                  const void* data, size_t size,
                                  eyrie_value_t** out_value) {
  return abi::MakeError(abi::MakeTensor(
      device, dtype, {shape, rank}, {static_cast<const uint8_t*>(data), size},
      out_value));
}

void eyrie_value_free(eyrie_value_t* value) { delete value; }

eyrie_kind_t eyrie_value_kind(const eyrie_value_t* value) {
  switch (value->value.type()) {
    case vm::ValueType::kI32: return EYRIE_KIND_I32;
    case vm::ValueType::kI64: return EYRIE_KIND_I64;
    case vm::ValueType::kF32: return EYRIE_KIND_F32;
    case vm::ValueType::kF64: return EYRIE_KIND_F64;
    case vm::ValueType::kRef: break;
  }
  if (value->value.ref() == nullptr) return EYRIE_KIND_NULL;
  return abi::TensorOf(value) ? EYRIE_KIND_TENSOR : EYRIE_KIND_OTHER;
}

int32_t eyrie_value_get_i32(const eyrie_value_t* value) {
  return value->value.type() == vm::ValueType::kI32 ? value->value.i32() : 0;
}
int64_t eyrie_value_get_i64(const eyrie_value_t* value) {
  return value->value.type() == vm::ValueType::kI64 ? value->value.i64() : 0;
}
float eyrie_value_get_f32(const eyrie_value_t* value) {
  return value->value.type() == vm::ValueType::kF32 ? value->value.f32() : 0;
}
double eyrie_value_get_f64(const eyrie_value_t* value) {
  return value->value.type() == vm::ValueType::kF64 ? value->value.f64() : 0;
}

eyrie_error_t* eyrie_value_get_tensor(eyrie_value_t* value,
                                      eyrie_tensor_t* out_tensor) {
  return abi::MakeError(abi::ReadTensor(value, out_tensor));
}

eyrie_error_t* eyrie_context_create(eyrie_module_t* const* modules,
                                    size_t module_count,
                                    eyrie_device_t* const* devices,
                                    size_t device_count,
                                    eyrie_context_t** out_context) {
  return eyrie_context_create_with_options(modules, module_count, devices,
                                           device_count, nullptr, out_context);
}

eyrie_error_t* eyrie_context_create_with_options(
    eyrie_module_t* const* modules, size_t module_count,
    eyrie_device_t* const* devices, size_t device_count,
    const eyrie_context_options_t* options, eyrie_context_t** out_context) {
  return abi::MakeError(abi::CreateContext({modules, module_count},
                                           {devices, device_count}, options,
                                           out_context));
}

void eyrie_context_cancel(eyrie_context_t* context) {
  context->session->Cancel();
}

void eyrie_context_free(eyrie_context_t* context) { delete context; }

eyrie_error_t* eyrie_context_call(eyrie_context_t* context,
                                  const char* function,
                                  eyrie_value_t* const* arguments,
                                  size_t argument_count,
                                  eyrie_value_t** out_results,
                                  size_t result_capacity, size_t* out_count) {
  return abi::MakeError(abi::CallFunction(
      context, function, {arguments, argument_count},
      {out_results, result_capacity}, out_count));
}
