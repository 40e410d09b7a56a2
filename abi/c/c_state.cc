// Globals and snapshots of the C API.
//
// Tested by state_test.cc.
#include "eyrie/c_state.h"

#include <atomic>
#include <memory>
#include <string>

#include "abi/c/c_handles.h"
#include "abi/call/globals.h"
#include "abi/call/session.h"
#include "abi/call/snapshot.h"
#include "absl/status/status.h"
#include "base/status_macros.h"

namespace eyrie::abi {
namespace {

// Returns the function that reads or writes a global.
absl::Status Accessor(eyrie_context_t& context, const char* name,
                      GlobalAccess access, eyrie_function_t** out_function) {
  std::string function;
  RETURN_IF_ERROR(
      FindGlobal(context.session->context(), name, access, function));
  return FindFunction(context, function.c_str(), out_function);
}

eyrie_error_t* GetGlobal(eyrie_context_t& context, const char* name,
                         eyrie_value_t** out_value) {
  eyrie_function_t* get = nullptr;
  const absl::Status found = Accessor(context, name, GlobalAccess::kGet, &get);
  if (!found.ok()) return CreateError(found);
  eyrie_value_t* value = nullptr;
  eyrie_error_t* const error =
      eyrie_function_call(get, nullptr, nullptr, &value, 1);
  if (error == nullptr) *out_value = value;
  return error;
}

eyrie_error_t* SetGlobal(eyrie_context_t& context, const char* name,
                         eyrie_value_t* value) {
  eyrie_function_t* set = nullptr;
  const absl::Status found = Accessor(context, name, GlobalAccess::kSet, &set);
  if (!found.ok()) return CreateError(found);
  eyrie_call_args_t args = {};
  args.struct_size = sizeof(args);
  args.values = &value;
  args.value_count = 1;
  return eyrie_function_call(set, &args, nullptr, nullptr, 0);
}

absl::Status TakeSnapshot(eyrie_context_t& context,
                          eyrie_snapshot_t** out_snapshot) {
  ASSIGN_OR_RETURN(std::shared_ptr<const Snapshot> snapshot,
                   context.session->TakeSnapshot());
  *out_snapshot = new eyrie_snapshot_t{.snapshot = std::move(snapshot)};
  return absl::OkStatus();
}

}  // namespace
}  // namespace eyrie::abi

namespace abi = eyrie::abi;

size_t eyrie_module_global_count(const eyrie_module_t* module) {
  return module->globals.size();
}

const eyrie_global_info_t* eyrie_module_global(const eyrie_module_t* module,
                                               size_t index) {
  return index < module->globals.size() ? &module->globals[index] : nullptr;
}

eyrie_error_t* eyrie_context_copy_global(eyrie_context_t* context,
                                         const char* name,
                                         eyrie_value_t** out_value) {
  return abi::GetGlobal(*context, name, out_value);
}

eyrie_error_t* eyrie_context_set_global(eyrie_context_t* context,
                                        const char* name,
                                        eyrie_value_t* value) {
  return abi::SetGlobal(*context, name, value);
}

eyrie_error_t* eyrie_snapshot_create(eyrie_context_t* context,
                                     eyrie_snapshot_t** out_snapshot) {
  return abi::CreateError(abi::TakeSnapshot(*context, out_snapshot));
}

void eyrie_snapshot_retain(eyrie_snapshot_t* snapshot) {
  abi::Retain(snapshot);
}
void eyrie_snapshot_release(eyrie_snapshot_t* snapshot) {
  abi::Release(snapshot);
}

eyrie_error_t* eyrie_context_restore(eyrie_context_t* context,
                                     const eyrie_snapshot_t* snapshot) {
  return abi::CreateError(context->session->Restore(*snapshot->snapshot));
}
