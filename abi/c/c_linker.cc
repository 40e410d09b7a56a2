// Linkers, host functions and objects of the host of the C API.
//
// Tested by linker_test.cc, linker_hostile_test.cc.
#include "eyrie/c_linker.h"

#include <cstring>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include "abi/c/c_handles.h"
#include "abi/c/host_call.h"
#include "abi/c/host_module.h"
#include "abi/c/host_values.h"
#include "abi/native/native_libraries.h"
#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/allocate.h"
#include "base/checked_math.h"
#include "base/counted.h"
#include "base/plain_text.h"
#include "base/status_macros.h"
#include "hal/allocator.h"
#include "hal/buffer_view.h"
#include "hal/element_type.h"

namespace eyrie::abi {
namespace {

// The maximum size of an error's message; a longer one is cut.
constexpr size_t kMaxHostMessage = kSmallBytes / 2;

absl::Status Define(eyrie_linker_t& linker, const char* name,
                    const char* signature, eyrie_host_function_t entry,
                    std::shared_ptr<void> user) {
  auto function = std::make_shared<HostFunction>();
  absl::StatusOr<HostSignature> parsed = HostSignature::Parse(signature);
  if (!parsed.ok()) {
    return Annotate(parsed.status(),
                    absl::StrCat("(the host function ", PlainName(name), ")"));
  }
  function->name = name;
  function->signature = *std::move(parsed);
  function->SetKinds();
  function->entry = entry;
  function->user = std::move(user);
  return linker.Add(name, std::shared_ptr<const HostFunction>(function));
}

absl::Status AddLibrary(
    eyrie_linker_t& linker,
    const std::shared_ptr<const native::LoadedLibrary>& library) {
  for (const auto& row : library->manifest.functions) {
    ASSIGN_OR_RETURN(auto function, native::LoadFunction(*library, row.first));
    RETURN_IF_ERROR(
        linker.Add(absl::StrCat(library->manifest.module, ".", row.first),
                   std::move(function)));
    // Functions before one that fails remain in the linker.
    linker.has_library |= !library->library->is_of_program();
  }
  return absl::OkStatus();
}

// Defines one function that is linked into this program. `members` are those of
// the function in a manifest, without the first brace; they name `symbol`.
absl::Status DefineNative(eyrie_linker_t& linker, const std::string& name,
                          absl::string_view members, const char* symbol,
                          void* address) {
  const size_t dot = name.find('.');
  if (!IsPlainText(name) || absl::StrContains(name, '"') ||
      absl::StrContains(name, '\\') || dot == name.npos) {
    return absl::InvalidArgumentError(
        absl::StrCat("The name of a native function is '", PlainName(name),
                     "'; expected 'module.function'."));
  }
  const std::string manifest =
      absl::StrCat(R"({"module": ")", name.substr(0, dot),
                   R"(", "functions": {")", name.substr(dot + 1),
                   R"(": {"symbol": ")", symbol, "\", ", members, "}}");
  ASSIGN_OR_RETURN(const auto library,
                   native::LibraryOfProgram(manifest, {{symbol, address}}));
  return AddLibrary(linker, library);
}

absl::Status DefineMemref(eyrie_linker_t& linker, const char* name,
                          absl::string_view type, void* function) {
  if (!IsPlainText(type) || absl::StrContains(type, '"') ||
      absl::StrContains(type, '\\')) {
    return absl::InvalidArgumentError(
        absl::StrCat("The type of the memref function ", PlainName(name),
                     " is '", PlainName(type), "'."));
  }
  return DefineNative(
      linker, name,
      absl::StrCat(R"("convention": "memref", "type": ")", type, "\"}"),
      "_mlir_ciface_of_program", function);
}

absl::Status DefineXlaFfi(eyrie_linker_t& linker, const char* name,
                          absl::string_view declaration, void* handler) {
  const size_t brace = declaration.find('{');
  if (brace == declaration.npos) {
    return absl::InvalidArgumentError(
        absl::StrCat("The declaration of the XLA FFI handler ", PlainName(name),
                     " is not a JSON object."));
  }
  const absl::string_view members = declaration.substr(brace + 1);
  const size_t first = members.find_first_not_of(" \t\r\n");
  const bool empty = first == members.npos || members[first] == '}';
  return DefineNative(
      linker, name,
      absl::StrCat(R"("convention": "xla_ffi")", empty ? "" : ", ", members),
      "handler", handler);
}

// Returns the size of a dense array. INVALID_ARGUMENT: there is no such array.
absl::StatusOr<uint64_t> DenseBytes(hal::ElementType type,
                                    std::span<const int64_t> shape) {
  std::optional<int64_t> count = 1;
  for (const int64_t dimension : shape) {
    if (dimension < 0) count.reset();
    if (count) count = CheckedMul(*count, dimension);
  }
  const std::optional<uint64_t> bytes =
      count ? hal::DenseByteLength(type, *count) : std::nullopt;
  if (bytes) return *bytes;
  return absl::InvalidArgumentError(
      absl::StrCat("An array has the shape [", absl::StrJoin(shape, ", "),
                   "], whose elements cannot be counted."));
}

absl::Status NewArray(const eyrie_host_call_t& call, eyrie_dtype_t dtype,
                      std::span<const int64_t> shape, void** out_data,
                      eyrie_value_t** out_value) {
  ASSIGN_OR_RETURN(const hal::ElementType type, TypeOf(dtype));
  ASSIGN_OR_RETURN(const uint64_t bytes, DenseBytes(type, shape));
  hal::Device* const device = call.module.services().device.get();
  if (device == nullptr) {
    return absl::FailedPreconditionError(
        "The context has no device, and an array needs one.");
  }
  hal::BufferParams params;
  params.type = hal::memory_type::kDeviceLocal | hal::memory_type::kHostVisible;
  params.usage = hal::buffer_usage::kDefault | hal::buffer_usage::kMapping;
  params.owner = hal::kOverwritten;
  ASSIGN_OR_RETURN(
      Ref<hal::Buffer> buffer,
      device->allocator().AllocateCharged(
          call.module.memory(), "an array of a host function", params, bytes));
  uint8_t* const data = buffer->host_data();
  if (data == nullptr && bytes != 0) {
    return absl::FailedPreconditionError(
        "The host cannot access the memory of the context's first device.");
  }
  ASSIGN_OR_RETURN(Ref<hal::BufferView> view,
                   hal::BufferView::Create(std::move(buffer), shape, type));
  ASSIGN_OR_RETURN(auto array,
                   HostArray::OfTensor(std::move(view), HostArray::Use::kLend));
  RETURN_IF_ERROR(NewHandle(HostValue(std::move(array)), out_value));
  *out_data = data;
  return absl::OkStatus();
}

absl::Status Argument(const eyrie_host_call_t& call, size_t index,
                      eyrie_value_t** out_value) {
  if (index >= call.function.arguments.size()) {
    return absl::OutOfRangeError(
        absl::StrCat("The host function ", call.function.name,
                     " has no argument ", index, ", counted from 0."));
  }
  if (call.function.arguments[index] == SlotKind::kValue) {
    // It was decoded before the call. A const pointer allows it to be null.
    const eyrie_value_t* const decoded = call.slots[index].value;
    ASSIGN_OR_RETURN(HostValue copy, FromHandle(decoded).Copy());
    return NewHandle(std::move(copy), out_value);
  }
  ASSIGN_OR_RETURN(MemoryCharge charge,
                   MemoryCharge::Take(call.module.memory(), 0, "an argument"));
  ASSIGN_OR_RETURN(HostValue value, ArgumentOf(call, index, charge));
  return NewHandle(std::move(value), out_value);
}

absl::Status SetResults(const HostFunction& function,
                        std::span<eyrie_value_t* const> values,
                        eyrie_slot_t* results) {
  absl::Status status;
  if (values.size() != function.results.size()) {
    status = absl::InvalidArgumentError(
        absl::StrCat("The host function ", function.name, " returns ",
                     Counted(values.size(), "value"), "; expected ",
                     function.results.size(), "."));
  }
  for (size_t i = 0; i < values.size(); ++i) {
    if (status.ok()) {
      status = HostResults::SetSlot(function, i, values[i], results[i]);
    } else {
      eyrie_value_free(values[i]);
    }
  }
  return status;
}

}  // namespace
}  // namespace eyrie::abi

namespace abi = eyrie::abi;

eyrie_error_t* eyrie_error_create(eyrie_code_t code, const char* message) {
  const auto known = code == EYRIE_OK ? absl::StatusCode::kUnknown
                                      : static_cast<absl::StatusCode>(code);
  if (message == nullptr) message = "";
  return abi::CreateError(
      absl::Status(known, {message, strnlen(message, abi::kMaxHostMessage)}));
}

void eyrie_host_call_t::ReleaseInfo() {
  abi::Release(info->wait);
  abi::Release(info->signal);
}

const eyrie_host_call_info_t* eyrie_host_call_info(eyrie_host_call_t* call) {
  if (!call->info) {
    const auto fence = [](eyrie::hal::Fence* of) {
      return abi::NewFence(eyrie::Ref<eyrie::hal::Fence>::Share(of));
    };
    call->info = {sizeof(eyrie_host_call_info_t),
                  call->module.state(),
                  call->module.services().context,
                  call->function.arguments.size(),
                  fence(call->wait),
                  fence(call->signal)};
  }
  return &*call->info;
}

eyrie_error_t* eyrie_host_call_new_array(eyrie_host_call_t* call,
                                         eyrie_dtype_t dtype, size_t rank,
                                         const int64_t* shape, void** out_data,
                                         eyrie_value_t** out_value) {
  return abi::CreateError(
      abi::NewArray(*call, dtype, {shape, rank}, out_data, out_value));
}

eyrie_error_t* eyrie_host_call_copy_argument(eyrie_host_call_t* call,
                                             size_t index,
                                             eyrie_value_t** out_value) {
  return abi::CreateError(abi::Argument(*call, index, out_value));
}

eyrie_error_t* eyrie_host_call_set_results(eyrie_host_call_t* call,
                                           eyrie_value_t* const* values,
                                           size_t count,
                                           eyrie_slot_t* results) {
  return abi::CreateError(
      abi::SetResults(call->function, {values, count}, results));
}

eyrie_error_t* eyrie_host_call_check(eyrie_host_call_t* call, uint32_t fuel) {
  return abi::CreateError(call->module.Work(fuel));
}

eyrie_value_t* eyrie_value_new_object(const char* type, void* object,
                                      void (*free)(void* object)) {
  return abi::NewHandle(abi::HostValue(eyrie::Ref<eyrie::RefObject>(
      eyrie::MakeRef<abi::HostObject>(type, object, free))));
}

void* eyrie_value_get_object(const eyrie_value_t* value, const char* type) {
  const eyrie::Ref<eyrie::RefObject>* const ref = abi::FromHandle(value).ref();
  if (ref == nullptr) return nullptr;
  const auto* object = eyrie::RefCast<abi::HostObject>(ref->get());
  return object != nullptr && object->type_name() == type ? object->object()
                                                          : nullptr;
}

eyrie_linker_t* eyrie_linker_create(void) { return new eyrie_linker_t(); }
void eyrie_linker_retain(eyrie_linker_t* linker) { abi::Retain(linker); }
void eyrie_linker_release(eyrie_linker_t* linker) { abi::Release(linker); }

eyrie_error_t* eyrie_linker_define(eyrie_linker_t* linker, const char* name,
                                   const char* signature,
                                   eyrie_host_function_t function, void* user,
                                   void (*free_user)(void* user)) {
  return abi::CreateError(abi::Define(*linker, name, signature, function,
                                      abi::ShareData(user, free_user)));
}

eyrie_error_t* eyrie_linker_set_state(
    eyrie_linker_t* linker, const char* module,
    eyrie_error_t* (*create)(void* user, void** out_state),
    void (*free)(void* state), void* user, void (*free_user)(void* user)) {
  std::shared_ptr<void> shared = abi::ShareData(user, free_user);
  abi::HostTable& table = linker->TableOf(module);
  if (table.state.create != nullptr) {
    return abi::CreateError(absl::AlreadyExistsError(
        absl::StrCat("The module ", eyrie::PlainName(module),
                     " of the linker already has a state.")));
  }
  table.state = {create, free, std::move(shared)};
  return nullptr;
}

eyrie_error_t* eyrie_linker_add_library(eyrie_linker_t* linker,
                                        eyrie_native_library_t* library) {
  return abi::CreateError(abi::AddLibrary(*linker, library->library));
}

eyrie_error_t* eyrie_linker_define_memref(eyrie_linker_t* linker,
                                          const char* name, const char* type,
                                          void* function) {
  return abi::CreateError(abi::DefineMemref(*linker, name, type, function));
}

eyrie_error_t* eyrie_linker_define_xla_ffi(eyrie_linker_t* linker,
                                           const char* name,
                                           const char* declaration,
                                           void* handler) {
  return abi::CreateError(
      abi::DefineXlaFfi(*linker, name, declaration, handler));
}

size_t eyrie_linker_count(const eyrie_linker_t* linker) {
  return linker->names.size();
}

const char* eyrie_linker_name(const eyrie_linker_t* linker, size_t index) {
  return index < linker->names.size() ? linker->names[index].c_str() : nullptr;
}
