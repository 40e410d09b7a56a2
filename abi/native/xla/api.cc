// The functions that handlers call, and the tables of the versions. All
// arguments come from handlers, so their sizes are checked first, as api.def
// says.
#include "abi/native/xla/api.h"

#include <algorithm>
#include <iterator>
#include <string>
#include <type_traits>
#include <utility>

#include "abi/native/ffi_registry.h"
#include "abi/native/xla/context.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "base/plain_text.h"

namespace eyrie::native {
namespace {

using Error = eyrie_ffi_error_t*;

Error TooSmall(absl::string_view function, size_t size, size_t least) {
  return CreateFfiError(absl::InvalidArgumentError(
      absl::StrCat("XLA FFI's ", function, " is called with a struct of ", size,
                   " bytes; it has ", least, ".")));
}

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
  if (absl::StripAsciiWhitespace(message).empty()) {
    message =
        absl::StrCat("The handler failed without a message, with ", named, ".");
  } else if (!known) {
    absl::StripTrailingAsciiWhitespace(&message);
    absl::StrAppend(&message, " (", named, ")");
  }
  // The handler gets its own text back; the call's error has it in lines.
  Error error =
      CreateFfiError(absl::Status(code, MessageLines(message, message.size())));
  error->message = std::move(message);
  return error;
}

void ErrorDetails(eyrie_ffi_error_details_t* args) {
  args->message = args->error->message.c_str();
  if (args->size >= EYRIE_FFI_SIZE(eyrie_ffi_error_details_t, code)) {
    args->code = static_cast<int32_t>(args->error->status.code());
  }
}

void ErrorDestroy(eyrie_ffi_error_destroy_t* args) {
  TakeFfiError(args->error).IgnoreError();
}

Error NotOpening(absl::string_view what) {
  return CreateFfiError(absl::FailedPreconditionError(absl::StrCat(
      what, " can be registered only while a library is opened.")));
}

// The struct before 0.4, whose bundle has one stage less. The members before
// the traits are the same in all versions.
struct eyrie_ffi_handler_register_1_t {
  EYRIE_FFI_PREFIX;
  eyrie_ffi_bytes_t name;
  eyrie_ffi_bytes_t platform;
  eyrie_ffi_handler_t* stages[EYRIE_FFI_RECORD];
  uint32_t traits;
};

Error HandlerRegister(eyrie_ffi_handler_register_1_t* args) {
  FfiRegistry* registry = RegistrationScope::Current();
  if (registry == nullptr) return NotOpening("A handler");
  RegisteredHandler handler;
  handler.platform = std::string(View(args->platform));
  std::copy(std::begin(args->stages), std::end(args->stages),
            handler.bundle.stages);
  const auto* const newer =
      reinterpret_cast<eyrie_ffi_handler_register_t*>(args);
  constexpr size_t kNewer =
      EYRIE_FFI_SIZE(eyrie_ffi_handler_register_t, traits);
  if (args->size >= kNewer) {
    handler.bundle.stages[EYRIE_FFI_RECORD] =
        newer->bundle.stages[EYRIE_FFI_RECORD];
    // A longer struct may have more stages, and its traits elsewhere.
    if (args->size == kNewer) handler.traits = newer->traits;
  } else {
    handler.traits = args->traits;
  }
  return CreateFfiError(
      registry->AddHandler(View(args->name), std::move(handler)));
}

// For a caller of version 0.1 the bits after the struct are unrelated data.
// They are used only if the library is known to have a later version.
__attribute__((no_sanitize("address"))) const eyrie_ffi_type_info_t* InfoBehind(
    const eyrie_ffi_type_register_t* args) {
  return args->type_info;
}

Error TypeRegister(eyrie_ffi_type_register_t* args) {
  FfiRegistry* registry = RegistrationScope::Current();
  if (registry == nullptr) return NotOpening("A type");
  return CreateFfiError(
      registry->AddType(View(args->name), *args->type_id, InfoBehind(args)));
}

Error StreamGet(eyrie_ffi_stream_get_t* args) {
  if (const auto& cuda = ContextOf(args->context).services().cuda) {
    args->stream = cuda->stream();
    return nullptr;
  }
  return CreateFfiError(absl::UnimplementedError(
      "A handler requested its platform's stream; the CPU has none."));
}

Error ContextGet(eyrie_ffi_context_get_t* args) {
  const auto& user_data = ContextOf(args->context).services().user_data;
  const auto found = user_data.find(args->type_id->id);
  if (found == user_data.end()) {
    const RegisteredType* const type =
        ContextOf(args->context).registry().FindType(args->type_id->id);
    return CreateFfiError(absl::NotFoundError(absl::StrCat(
        "The call has no user data of the type ",
        type == nullptr ? absl::StrCat(args->type_id->id)
                        : absl::StrCat("'", PlainName(type->name), "'"),
        ".")));
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
Error StateSet1(eyrie_ffi_state_1_t* args) {
  return SetState(args->context, EYRIE_FFI_INSTANTIATE, args->type_id,
                  args->state, args->deleter);
}

// The same for 0.1 and 0.2.
Error StateGet2(eyrie_ffi_state_2_t* args) {
  return GetState(args->context, EYRIE_FFI_INSTANTIATE, args->type_id,
                  args->state);
}

Error StateSet2(eyrie_ffi_state_2_t* args) {
  return SetTypedState(args->context, EYRIE_FFI_INSTANTIATE, args->type_id,
                       args->state);
}

// 0.3: every stage except the last may set a state.
Error StateSet3(eyrie_ffi_state_3_t* args) {
  return SetTypedState(args->context, args->stage, args->type_id, args->state);
}

Error StateGet3(eyrie_ffi_state_3_t* args) {
  return GetState(args->context, args->stage, args->type_id, args->state);
}

Error MemoryAllocate(eyrie_ffi_memory_allocate_t* args) {
  absl::StatusOr<void*> data =
      ContextOf(args->context).Allocate(args->byte_count, args->alignment);
  if (!data.ok()) return CreateFfiError(data.status());
  args->data = *data;
  return nullptr;
}

Error MemoryFree(eyrie_ffi_memory_free_t* args) {
  return CreateFfiError(ContextOf(args->context).Free(args->data));
}

Error Schedule(eyrie_ffi_schedule_t* args) {
  ContextOf(args->context).Schedule(args->task, args->data);
  return nullptr;
}

Error ThreadCount(eyrie_ffi_thread_count_t* args) {
  const auto& tasks = ContextOf(args->context).services().tasks;
  *args->count = tasks ? static_cast<int64_t>(tasks->thread_count()) : 0;
  return nullptr;
}

Error FutureCreate(eyrie_ffi_future_create_t* args) {
  Ref<eyrie_ffi_future> future = MakeRef<eyrie_ffi_future>();
  future->AddRef();  // the handler's; the host has another
  args->future = future.release();
  return nullptr;
}

Error FutureAvailable(eyrie_ffi_future_available_t* args) {
  return CreateFfiError(Fulfil(args->future, absl::OkStatus()));
}

Error FutureError(eyrie_ffi_future_error_t* args) {
  absl::Status status = TakeFfiError(args->error);
  return CreateFfiError(Fulfil(args->future, std::move(status)));
}

// The first releases of 0.1; see api.def.
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
  args->run_id = ContextOf(args->context).run_id();
  return nullptr;
}

Error DeviceOrdinal(eyrie_ffi_device_ordinal_t* args) {
  const auto& cuda = ContextOf(args->context).services().cuda;
  args->ordinal = cuda == nullptr ? 0 : cuda->ordinal();
  return nullptr;
}

// No command is recorded, and communicators have no form that handlers and
// plug-ins for collectives agree on.
Error FindExtension(eyrie_ffi_find_extension_t* args) {
  args->found = nullptr;
  const char* why = "the call does not have it";
  switch (args->type) {
    case EYRIE_FFI_CALL_RECORD:
      why = "it records commands of GPUs; handlers are called here";
      break;
    case EYRIE_FFI_CALL_COLLECTIVES:
      why = "it gives a communicator of the platform; there is none";
      break;
    default:
      break;
  }
  return CreateFfiError(absl::UnimplementedError(
      absl::StrCat("A handler requested extension ", args->type,
                   " of its call; ", why, ".")));
}

constexpr eyrie_ffi_attributes_t kNoOptions = {
    EYRIE_FFI_SIZE(eyrie_ffi_attributes_t, values),
    nullptr,
    0,
    nullptr,
    nullptr,
    nullptr};

Error CustomOptions(eyrie_ffi_custom_options_t* args) {
  args->options = &kNoOptions;
  return nullptr;
}

enum Row {
#define FFI_FUNCTION(member, since, name, type, last, function) \
  k_##member##since,
#include "abi/native/xla/api.def"
#undef FFI_FUNCTION
};

struct RowInfo {
  const char* name;
  size_t least;  // bytes of the arguments
};
constexpr RowInfo kRows[] = {
#define FFI_FUNCTION(member, since, name, type, last, function) \
  {name, EYRIE_FFI_SIZE(eyrie_ffi_##type##_t, last)},
#include "abi/native/xla/api.def"
#undef FFI_FUNCTION
};

// A function with the type of its member in the table. It checks the size of
// its arguments first.
template <Row row, auto function, typename Member>
struct Checked;
template <Row row, typename Result, typename Args, Result (*function)(Args*),
          typename Parameter>
struct Checked<row, function, Result (*)(Parameter*)> {
  static Result Call(Parameter* parameter) {
    auto* const args = static_cast<Args*>(static_cast<void*>(parameter));
    if (args->size < kRows[row].least) [[unlikely]] {
      if constexpr (std::is_void_v<Result>) {
        return;
      } else {
        return TooSmall(kRows[row].name, args->size, kRows[row].least);
      }
    }
    return function(args);
  }
};

// Takes the place of a function that a table's version does not have.
template <typename Parameter>
Error Missing(Parameter*) {
  return CreateFfiError(absl::UnimplementedError(absl::StrCat(
      "The handler calls a function that its version of XLA FFI does not have, "
      "or that is newer than version ",
      EYRIE_FFI_MAJOR, ".", kNewestFfiMinor, ".")));
}
template <typename Parameter>
constexpr void SetMissing(Error (*&member)(Parameter*)) {
  member = Missing<Parameter>;
}
constexpr void SetMissing(void (*&)(eyrie_ffi_error_details_t*)) {}
constexpr void SetMissing(void (*&)(eyrie_ffi_error_destroy_t*)) {}

// A table, and functions that handlers of later versions may call past it.
struct Table {
  static constexpr size_t kLater = 32;
  eyrie_ffi_api_t api = {};
  Error (*later[kLater])(void*) = {};
};

constexpr Table CreateTable(int minor) {
  Table table;
  eyrie_ffi_api_t& api = table.api;
  api.version.size = EYRIE_FFI_SIZE(eyrie_ffi_version_t, minor);
  api.version.major = EYRIE_FFI_MAJOR;
  api.version.minor = minor;
#define FFI_FUNCTION(member, since, name, type, last, function)    \
  if (minor >= since) {                                            \
    api.member = Checked<k_##member##since, function,              \
                         decltype(eyrie_ffi_api_t::member)>::Call; \
    if (api.size < EYRIE_FFI_SIZE(eyrie_ffi_api_t, member)) {      \
      api.size = EYRIE_FFI_SIZE(eyrie_ffi_api_t, member);          \
    }                                                              \
  } else if (api.member == nullptr) {                              \
    SetMissing(api.member);                                        \
  }
#include "abi/native/xla/api.def"
#undef FFI_FUNCTION
  for (auto& member : table.later) SetMissing(member);
  return table;
}

constexpr Table kTables[] = {CreateTable(1), CreateTable(2), CreateTable(3),
                             CreateTable(4), CreateTable(5)};
static_assert(std::size(kTables) == kNewestFfiMinor - kOldestFfiMinor + 1);
static_assert(std::end(kTables)[-1].api.size == sizeof(eyrie_ffi_api_t));

}  // namespace

const eyrie_ffi_api_t& FfiApi(int minor) {
  return kTables[std::min(minor, kNewestFfiMinor) - kOldestFfiMinor].api;
}

}  // namespace eyrie::native

const eyrie_ffi_api_t* XLA_FFI_GetApi() {
  return &eyrie::native::FfiApi(eyrie::native::kNewestFfiMinor);
}

const eyrie_ffi_api_t* EyrieGetXlaFfiApi() { return XLA_FFI_GetApi(); }
