// The functions that handlers call. All arguments come from handlers, so their
// sizes are checked first.
#include "abi/native/xla/api.h"

#include <array>
#include <string>
#include <utility>

#include "abi/native/ffi_registry.h"
#include "abi/native/xla/context.h"
#include "abi/native/xla/error.h"
#include "abi/native/xla/future.h"
#include "absl/strings/str_cat.h"

namespace eyrie::native {
namespace {

using Error = eyrie_ffi_error_t*;

Error TooSmall(absl::string_view function, size_t size, size_t least) {
  return CreateFfiError(absl::InvalidArgumentError(
      absl::StrCat("XLA FFI's ", function, " is called with a struct of ", size,
                   " bytes; it has ", least, ".")));
}

#define RETURN_IF_SMALLER(function, args, least) \
  if ((args)->size < (least)) [[unlikely]]       \
  return TooSmall(function, (args)->size, least)

FfiContext& ContextOf(eyrie_ffi_context_t* context) {
  return FfiContext::From(*context);
}

absl::string_view View(const eyrie_ffi_bytes_t& bytes) {
  return {bytes.data, bytes.size};
}

Error ErrorCreate(eyrie_ffi_error_create_t* args) {
  // An unknown code is treated as UNKNOWN, because no error has code 0.
  const bool known = args->code >= 1 && args->code <= 16;
  const auto code = known ? static_cast<absl::StatusCode>(args->code)
                          : absl::StatusCode::kUnknown;
  const std::string named = absl::StrCat(
      "code ", args->code, known ? "" : ", which XLA FFI does not have");
  std::string message = args->message == nullptr ? "" : args->message;
  if (message.empty()) {
    message =
        absl::StrCat("The handler failed without a message, with ", named, ".");
  } else if (!known) {
    absl::StrAppend(&message, " (", named, ")");
  }
  return CreateFfiError(absl::Status(code, message));
}

void ErrorMessage(eyrie_ffi_error_message_t* args) {
  args->message = args->error->message.c_str();
}

void ErrorDestroy(eyrie_ffi_error_destroy_t* args) {
  TakeFfiError(args->error).IgnoreError();
}

Error NotOpening(absl::string_view what) {
  return CreateFfiError(absl::FailedPreconditionError(absl::StrCat(
      what, " can be registered only while a library is opened.")));
}

Error HandlerRegister(eyrie_ffi_handler_register_t* args) {
  RETURN_IF_SMALLER("Handler_Register", args,
                    EYRIE_FFI_SIZE(eyrie_ffi_handler_register_t, traits));
  FfiRegistry* registry = RegistrationScope::Current();
  if (registry == nullptr) return NotOpening("A handler");
  return CreateFfiError(registry->AddHandler(
      View(args->name),
      {std::string(View(args->platform)), args->bundle, args->traits}));
}

// For a caller of version 0.1 the bits after the struct are unrelated data.
// They are used only if the library is known to have a later version.
__attribute__((no_sanitize("address"))) const eyrie_ffi_type_info_t* InfoBehind(
    const eyrie_ffi_type_register_t* args) {
  return args->type_info;
}

Error TypeRegister(eyrie_ffi_type_register_t* args) {
  RETURN_IF_SMALLER("Type_Register", args, EYRIE_FFI_TYPE_REGISTER_SIZE);
  FfiRegistry* registry = RegistrationScope::Current();
  if (registry == nullptr) return NotOpening("A type");
  return CreateFfiError(
      registry->AddType(View(args->name), *args->type_id, InfoBehind(args)));
}

Error StreamGet(eyrie_ffi_stream_get_t*) {
  return CreateFfiError(absl::UnimplementedError(
      "A handler requested its platform's stream; the CPU has none."));
}

Error ContextGet(eyrie_ffi_context_get_t* args) {
  RETURN_IF_SMALLER("ExecutionContext_Get", args,
                    EYRIE_FFI_SIZE(eyrie_ffi_context_get_t, data));
  const auto& user_data = ContextOf(args->context).services().user_data;
  const auto found = user_data.find(args->type_id->id);
  if (found == user_data.end()) {
    return CreateFfiError(absl::NotFoundError(absl::StrCat(
        "The call has no user data of the type ", args->type_id->id, ".")));
  }
  args->data = found->second;
  return nullptr;
}

absl::Status NoStateOf(int32_t stage) {
  return absl::InvalidArgumentError(
      absl::StrCat("Stage ", stage, " cannot have a state."));
}

Error SetState(eyrie_ffi_context_t* context, int32_t stage,
               const eyrie_ffi_type_id_t* type_id, void* object,
               FfiDeleter deleter) {
  FfiState* state = ContextOf(context).state(stage);
  if (state == nullptr) return CreateFfiError(NoStateOf(stage));
  if (state->is_set()) {
    return CreateFfiError(absl::FailedPreconditionError(
        absl::StrCat("The state of stage ", stage, " is set twice.")));
  }
  state->Set(object, type_id->id, deleter);
  return nullptr;
}

// For versions whose types have deleters.
Error SetTypedState(eyrie_ffi_context_t* context, int32_t stage,
                    const eyrie_ffi_type_id_t* type_id, void* object) {
  const RegisteredType* type =
      ContextOf(context).registry().FindType(type_id->id);
  if (type == nullptr) {
    return CreateFfiError(absl::FailedPreconditionError(absl::StrCat(
        "A state has the type ", type_id->id, ", which is not registered.")));
  }
  return SetState(context, stage, type_id, object,
                  type->info == nullptr ? nullptr : type->info->deleter);
}

Error GetState(eyrie_ffi_context_t* context, int32_t stage,
               const eyrie_ffi_type_id_t* type_id, void*& object) {
  const FfiState* state = ContextOf(context).state(stage);
  if (state == nullptr) return CreateFfiError(NoStateOf(stage));
  if (!state->is_set()) {
    return CreateFfiError(absl::NotFoundError(
        absl::StrCat("Stage ", stage, " has set no state.")));
  }
  if (state->type_id() != type_id->id) {
    return CreateFfiError(absl::InvalidArgumentError(
        absl::StrCat("The state of stage ", stage, " has the type ",
                     state->type_id(), ", not ", type_id->id, ".")));
  }
  object = state->object();
  return nullptr;
}

// 0.1: the state belongs to the import and comes with a deleter.
Error StateSet1(void* raw) {
  auto* args = static_cast<eyrie_ffi_state_1_t*>(raw);
  RETURN_IF_SMALLER("State_Set", args,
                    EYRIE_FFI_SIZE(eyrie_ffi_state_1_t, deleter));
  return SetState(args->context, EYRIE_FFI_INSTANTIATE, args->type_id,
                  args->state, args->deleter);
}

// The same for 0.1 and 0.2.
Error StateGet2(void* raw) {
  auto* args = static_cast<eyrie_ffi_state_2_t*>(raw);
  RETURN_IF_SMALLER("State_Get", args,
                    EYRIE_FFI_SIZE(eyrie_ffi_state_2_t, state));
  return GetState(args->context, EYRIE_FFI_INSTANTIATE, args->type_id,
                  args->state);
}

Error StateSet2(void* raw) {
  auto* args = static_cast<eyrie_ffi_state_2_t*>(raw);
  RETURN_IF_SMALLER("State_Set", args,
                    EYRIE_FFI_SIZE(eyrie_ffi_state_2_t, state));
  return SetTypedState(args->context, EYRIE_FFI_INSTANTIATE, args->type_id,
                       args->state);
}

// 0.3: every stage except the last may set a state.
Error StateSet3(void* raw) {
  auto* args = static_cast<eyrie_ffi_state_3_t*>(raw);
  RETURN_IF_SMALLER("State_Set", args,
                    EYRIE_FFI_SIZE(eyrie_ffi_state_3_t, state));
  return SetTypedState(args->context, args->stage, args->type_id, args->state);
}

Error StateGet3(void* raw) {
  auto* args = static_cast<eyrie_ffi_state_3_t*>(raw);
  RETURN_IF_SMALLER("State_Get", args,
                    EYRIE_FFI_SIZE(eyrie_ffi_state_3_t, state));
  return GetState(args->context, args->stage, args->type_id, args->state);
}

Error MemoryAllocate(eyrie_ffi_memory_allocate_t* args) {
  RETURN_IF_SMALLER("DeviceMemory_Allocate", args,
                    EYRIE_FFI_SIZE(eyrie_ffi_memory_allocate_t, data));
  absl::StatusOr<void*> data =
      ContextOf(args->context).Allocate(args->byte_count, args->alignment);
  if (!data.ok()) return CreateFfiError(data.status());
  args->data = *data;
  return nullptr;
}

Error MemoryFree(eyrie_ffi_memory_free_t* args) {
  RETURN_IF_SMALLER("DeviceMemory_Free", args,
                    EYRIE_FFI_SIZE(eyrie_ffi_memory_free_t, data));
  return CreateFfiError(ContextOf(args->context).Free(args->data));
}

Error Schedule(eyrie_ffi_schedule_t* args) {
  RETURN_IF_SMALLER("ThreadPool_Schedule", args,
                    EYRIE_FFI_SIZE(eyrie_ffi_schedule_t, data));
  ContextOf(args->context).Schedule(args->task, args->data);
  return nullptr;
}

Error ThreadCount(eyrie_ffi_thread_count_t* args) {
  RETURN_IF_SMALLER("ThreadPool_NumThreads", args,
                    EYRIE_FFI_SIZE(eyrie_ffi_thread_count_t, count));
  const auto& tasks = ContextOf(args->context).services().tasks;
  *args->count = tasks ? static_cast<int64_t>(tasks->thread_count()) : 0;
  return nullptr;
}

Error FutureCreate(eyrie_ffi_future_create_t* args) {
  RETURN_IF_SMALLER("Future_Create", args, EYRIE_FFI_FUTURE_CREATE_SIZE);
  Ref<eyrie_ffi_future> future = MakeRef<eyrie_ffi_future>();
  future->AddRef();  // the handler's; the host has another
  args->future = future.release();
  return nullptr;
}

Error FutureAvailable(eyrie_ffi_future_available_t* args) {
  RETURN_IF_SMALLER("Future_SetAvailable", args,
                    EYRIE_FFI_SIZE(eyrie_ffi_future_available_t, future));
  return CreateFfiError(Fulfil(args->future, absl::OkStatus()));
}

Error FutureError(eyrie_ffi_future_error_t* args) {
  RETURN_IF_SMALLER("Future_SetError", args,
                    EYRIE_FFI_SIZE(eyrie_ffi_future_error_t, error));
  absl::Status status = TakeFfiError(args->error);
  return CreateFfiError(Fulfil(args->future, std::move(status)));
}

// The first releases of 0.1 had the future functions one slot earlier, where
// later releases have ThreadPool_NumThreads. The struct's size tells which
// function is called.
template <typename T, typename U>
T* As(U* args) {
  return reinterpret_cast<T*>(args);
}

Error ThreadCount1(eyrie_ffi_thread_count_t* args) {
  if (args->size >= EYRIE_FFI_SIZE(eyrie_ffi_thread_count_t, count)) {
    return ThreadCount(args);
  }
  return FutureCreate(As<eyrie_ffi_future_create_t>(args));
}

Error FutureCreate1(eyrie_ffi_future_create_t* args) {
  if (args->size >= EYRIE_FFI_SIZE(eyrie_ffi_future_available_t, future)) {
    return FutureAvailable(As<eyrie_ffi_future_available_t>(args));
  }
  return FutureCreate(args);
}

Error FutureAvailable1(eyrie_ffi_future_available_t* args) {
  if (args->size >= EYRIE_FFI_SIZE(eyrie_ffi_future_error_t, error)) {
    return FutureError(As<eyrie_ffi_future_error_t>(args));
  }
  return FutureAvailable(args);
}

Error RunId(eyrie_ffi_run_id_t* args) {
  RETURN_IF_SMALLER("RunId_Get", args,
                    EYRIE_FFI_SIZE(eyrie_ffi_run_id_t, run_id));
  args->run_id = ContextOf(args->context).run_id();
  return nullptr;
}

Error DeviceOrdinal(eyrie_ffi_device_ordinal_t* args) {
  RETURN_IF_SMALLER("DeviceOrdinal_Get", args,
                    EYRIE_FFI_SIZE(eyrie_ffi_device_ordinal_t, ordinal));
  args->ordinal = ContextOf(args->context).services().device_ordinal;
  return nullptr;
}

constexpr eyrie_ffi_api_t CreateApi(int minor) {
  eyrie_ffi_api_t api = {};
  api.size = sizeof(eyrie_ffi_api_t);
  api.version.size = EYRIE_FFI_SIZE(eyrie_ffi_version_t, minor);
  api.version.major = EYRIE_FFI_MAJOR;
  api.version.minor = minor;
  api.error_create = ErrorCreate;
  api.error_message = ErrorMessage;
  api.error_destroy = ErrorDestroy;
  api.handler_register = HandlerRegister;
  api.stream_get = StreamGet;
  api.type_register = TypeRegister;
  api.context_get = ContextGet;
  api.state_set = minor == 1 ? StateSet1 : minor == 2 ? StateSet2 : StateSet3;
  api.state_get = minor <= 2 ? StateGet2 : StateGet3;
  api.memory_allocate = MemoryAllocate;
  api.memory_free = MemoryFree;
  api.schedule = Schedule;
  api.thread_count = minor == 1 ? ThreadCount1 : ThreadCount;
  api.future_create = minor == 1 ? FutureCreate1 : FutureCreate;
  api.future_available = minor == 1 ? FutureAvailable1 : FutureAvailable;
  api.future_error = FutureError;
  api.run_id = RunId;
  api.device_ordinal = DeviceOrdinal;
  return api;
}

constexpr eyrie_ffi_api_t kApis[] = {CreateApi(1), CreateApi(2), CreateApi(3)};
static_assert(std::size(kApis) == kNewestFfiMinor - kOldestFfiMinor + 1);

}  // namespace

const eyrie_ffi_api_t& FfiApi(int minor) {
  return kApis[minor - kOldestFfiMinor];
}

}  // namespace eyrie::native

const eyrie_ffi_api_t* XLA_FFI_GetApi() {
  return &eyrie::native::FfiApi(eyrie::native::kNewestFfiMinor);
}

const eyrie_ffi_api_t* EyrieGetXlaFfiApi() { return XLA_FFI_GetApi(); }
