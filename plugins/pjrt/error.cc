// Implements the functions of errors.
#include "plugins/pjrt/error.h"

#include <utility>

#include "plugins/pjrt/functions.h"

namespace eyrie::pjrt {
namespace {

void Destroy(Error* error) { delete error; }

void Message(const Error* error, const char** message, size_t* message_size) {
  *message = error->status.message().data();
  *message_size = error->status.message().size();
}

Error_Code Code(const Error* error) {
  return static_cast<Error_Code>(error->status.code());
}

void ForEachPayload(const Error* error, Error_PayloadVisitor visitor,
                    void* user_arg) {
  error->status.ForEachPayload(
      [&](absl::string_view key, const absl::Cord& value) {
        const std::string flat(value);
        visitor(key.data(), key.size(), flat.data(), flat.size(), user_arg);
      });
}

constexpr ErrorFunctions kFunctions = {
    sizeof(ErrorFunctions), sizeof(Error), nullptr, Destroy, Message, Code,
    ForEachPayload};

}  // namespace

Error* NewError(absl::Status status) {
  if (status.ok()) return nullptr;
  return new Error{&kFunctions, std::move(status)};
}

absl::Status StatusOf(Error_Code code, const char* message, size_t size) {
  const bool is_known = code > 0 && code <= 16;
  return absl::Status(
      is_known ? static_cast<absl::StatusCode>(code)
               : absl::StatusCode::kUnknown,
      size == 0 ? absl::string_view() : absl::string_view(message, size));
}

absl::Status Taken(eyrie_error_t* error) {
  if (error == nullptr) [[likely]]
    return absl::OkStatus();
  absl::Status status(static_cast<absl::StatusCode>(eyrie_error_code(error)),
                      eyrie_error_message(error));
  eyrie_error_free(error);
  return status;
}

absl::Status Error_Destroy(Error_Destroy_Args& args) {
  delete args.error;
  return absl::OkStatus();
}

absl::Status Error_Message(Error_Message_Args& args) {
  Message(args.error, &args.message, &args.message_size);
  return absl::OkStatus();
}

absl::Status Error_GetCode(Error_GetCode_Args& args) {
  args.code = Code(args.error);
  return absl::OkStatus();
}

absl::Status Error_ForEachPayload(Error_ForEachPayload_Args& args) {
  if (args.visitor == nullptr) {
    return absl::InvalidArgumentError("The visitor is null.");
  }
  ForEachPayload(args.error, args.visitor, args.user_arg);
  return absl::OkStatus();
}

}  // namespace eyrie::pjrt
