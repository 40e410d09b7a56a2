// Calls a handler by its address, for a process that has one: Python, which
// reaches jaxlib's own handlers through capsules.
//
// Used by jaxlib_test.py; probes, packs and calls as imports do.
#include <cstdint>
#include <cstdio>
#include <span>
#include <string>
#include <utility>

#include "abi/native/attributes.h"
#include "abi/native/task_pool.h"
#include "abi/native/xla/attribute_pack.h"
#include "abi/native/xla/context.h"
#include "abi/native/xla/frame.h"
#include "abi/native/xla/probe.h"
#include "absl/status/status.h"
#include "absl/time/time.h"
#include "base/status_macros.h"

namespace eyrie::native {
namespace {

// As the script has it.
struct Buffer {
  int32_t type;
  int64_t rank;
  const int64_t* dims;
  void* data;
};

void Fill(eyrie_ffi_buffer_t& to, const Buffer& from) {
  FfiFrame::Fill(to, static_cast<FfiType>(from.type), from.data,
                 {from.dims, static_cast<size_t>(from.rank)});
}

absl::Status Call(eyrie_ffi_handler_t* handler, const char* text,
                  std::span<const Buffer> args,
                  std::span<const Buffer> results) {
  ASSIGN_OR_RETURN(const FfiMetadata metadata, ProbeHandler(handler));
  Attributes attributes;
  if (*text != '\0') {
    ASSIGN_OR_RETURN(attributes, ParseAttributes(text));
  }
  ASSIGN_OR_RETURN(
      const auto pack,
      AttributePack::Create(std::move(attributes),
                            [](const std::string&) -> absl::StatusOr<void*> {
                              return absl::NotFoundError("No symbols here.");
                            }));
  FfiHandlers handlers;
  handlers.minor = metadata.minor;
  handlers.stages[EYRIE_FFI_EXECUTE] = handler;
  FfiServices services;
  services.tasks = std::make_shared<TaskPool>();
  const FfiRegistry registry;
  FfiState instantiated;
  FfiContext context(services, registry, instantiated, nullptr);
  FfiFrame frame(handlers, *pack, context, args.size(), results.size());
  for (size_t i = 0; i < args.size(); ++i) Fill(frame.arg(i), args[i]);
  for (size_t i = 0; i < results.size(); ++i) {
    Fill(frame.result(i), results[i]);
  }
  context.Begin(1);
  Ref<eyrie_ffi_future> future;
  RETURN_IF_ERROR(frame.Run(future));
  if (!future) return absl::OkStatus();
  return future->timeline()->Wait(eyrie_ffi_future::kDone,
                                  absl::InfiniteFuture());
}

}  // namespace
}  // namespace eyrie::native

// Returns the error's code; its sentence goes into `message`.
extern "C" int EyrieCallHandler(void* handler, const char* attributes,
                                const eyrie::native::Buffer* args,
                                int64_t arg_count,
                                const eyrie::native::Buffer* results,
                                int64_t result_count, char* message,
                                int64_t message_size) {
  const absl::Status status =
      eyrie::native::Call(reinterpret_cast<eyrie_ffi_handler_t*>(handler),
                          attributes, {args, static_cast<size_t>(arg_count)},
                          {results, static_cast<size_t>(result_count)});
  std::snprintf(message, static_cast<size_t>(message_size), "%s",
                std::string(status.message()).c_str());
  return static_cast<int>(status.code());
}
