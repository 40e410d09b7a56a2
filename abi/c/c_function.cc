// Functions of the C API and their signatures; errors.
//
// Tested by runtime_test.cc, runtime_call_test.cc, c_api_test.c.
#include <cstddef>
#include <memory>
#include <new>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "abi/c/c_handles.h"
#include "abi/call/invoker.h"
#include "abi/call/session.h"
#include "abi/signature/signature.h"
#include "abi/signature/signature_json.h"
#include "abi/value/convert.h"
#include "abi/value/host_value.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "base/allocate.h"
#include "base/plain_text.h"
#include "base/status_macros.h"
#include "eyrie/c.h"
#include "hal/element_type.h"

namespace eyrie::abi {
namespace {

const char* Keep(std::string text, eyrie_function_t& function) {
  return function.strings.emplace_back(std::move(text)).c_str();
}

eyrie_kind_t ScalarKind(hal::ElementType element) {
  if (IsFloat(element)) return EYRIE_KIND_FLOAT;
  return IsInteger(element) ? EYRIE_KIND_INT : EYRIE_KIND_BOOL;
}

// Returns the kind of a type's values.
eyrie_kind_t KindOf(const Type& type) {
  switch (type.kind) {
    case Type::Kind::kUnknown:
      return EYRIE_KIND_ANY;
    case Type::Kind::kNull:
      return EYRIE_KIND_NULL;
    case Type::Kind::kScalar:
      return ScalarKind(type.element);
    case Type::Kind::kArray:
      return EYRIE_KIND_ARRAY;
    case Type::Kind::kBytes:
    case Type::Kind::kByteList:
      return EYRIE_KIND_BYTES;
    case Type::Kind::kTuple:
      return EYRIE_KIND_TUPLE;
    case Type::Kind::kDict:
      return EYRIE_KIND_DICT;
    case Type::Kind::kRefArray:
    case Type::Kind::kList:
    case Type::Kind::kHomogeneous:
    case Type::Kind::kAnyList:
      return EYRIE_KIND_LIST;
    case Type::Kind::kBuffer:
    case Type::Kind::kFence:
      return EYRIE_KIND_REF;
  }
  return EYRIE_KIND_ANY;
}

void Describe(std::span<const Parameter> parameters, eyrie_function_t& function,
              std::vector<eyrie_argument_info_t>& described) {
  for (const Parameter& parameter : parameters) {
    const Type& type = parameter.type;
    eyrie_argument_info_t& row = described.emplace_back();
    row.struct_size = sizeof(row);
    const std::string& name = parameter.name;
    row.name = name.find('\0') == std::string::npos
                   ? name.c_str()
                   : Keep(EscapedName(name), function);
    row.type = Keep(type.ToString(), function);
    row.is_keyword = parameter.keyword ? 1 : 0;
    row.storage_of = parameter.storage_of.value_or(-1);
    row.kind = KindOf(type);
    row.dtype = static_cast<eyrie_dtype_t>(type.element);
    row.rank = type.ranked ? static_cast<int64_t>(type.shape.size()) : -1;
    row.shape = type.shape.data();
  }
}

void Describe(std::string error, eyrie_function_t& function) {
  const Signature& signature = function.invoker.signature();
  Describe(signature.arguments(), function, function.arguments);
  Describe(signature.results(), function, function.returned);
  function.signature.struct_size = sizeof(function.signature);
  function.signature.text = Keep(signature.ToString(), function);
  function.signature.json = Keep(SignatureJson(signature), function);
  function.signature.source =
      Keep(std::string(signature.source_name()), function);
  function.signature.doc = signature.doc().c_str();
  function.signature.error = Keep(std::move(error), function);
  for (const eyrie_argument_info_t& row : function.arguments) {
    function.argument_rows.push_back(&row);
  }
  for (const eyrie_argument_info_t& row : function.returned) {
    function.returned_rows.push_back(&row);
  }
  function.signature.argument_count = function.arguments.size();
  function.signature.arguments = function.argument_rows.data();
  function.signature.result_count = function.returned.size();
  function.signature.results = function.returned_rows.data();
  function.signature.is_async = function.invoker.callable().is_async() ? 1 : 0;
}

// Malformed metadata of a function is ignored.
absl::StatusOr<std::unique_ptr<eyrie_function_t>> Bind(eyrie_context_t& context,
                                                       const char* name) {
  Session& session = *context.session;
  ASSIGN_OR_RETURN(const Callable callable, session.Lookup(name));
  absl::StatusOr<Invoker> invoker = Invoker::Create(session, callable);
  std::string error(invoker.status().message());
  if (!invoker.ok()) invoker = Invoker::CreateDeclared(session, callable);
  auto function =
      std::make_unique<eyrie_function_t>(context, *std::move(invoker));
  Describe(std::move(error), *function);
  return function;
}

}  // namespace

absl::Status FindFunction(eyrie_context_t& context, const char* name,
                          eyrie_function_t** out_function) {
  auto found = context.functions.find(name);
  if (found == context.functions.end()) {
    ASSIGN_OR_RETURN(std::unique_ptr<eyrie_function_t> function,
                     Bind(context, name));
    found = context.functions.emplace(name, std::move(function)).first;
  }
  *out_function = found->second.get();
  return absl::OkStatus();
}

absl::Status NewHandle(HostValue value, eyrie_value_t** out_value) {
  eyrie_value_t* const made = NewHandle(std::move(value));
  if (made == NoMemoryHandle()) {
    return CannotAllocate(1, sizeof(HostValue), "a value");
  }
  *out_value = made;
  return absl::OkStatus();
}

eyrie_error_t& NoMemoryError() {
  // The message is short enough to be stored without allocation.
  alignas(eyrie_error_t) static std::byte place[sizeof(eyrie_error_t)];
  static auto* const error =
      new (place) eyrie_error_t{EYRIE_RESOURCE_EXHAUSTED, "No memory."};
  return *error;
}

eyrie_error_t* CreateError(const absl::Status& status) {
  if (status.ok()) return nullptr;
  std::unique_ptr<eyrie_error_t> error(new (std::nothrow) eyrie_error_t());
  if (error == nullptr ||
      !Assign(error->message, status.message(), "an error").ok()) {
    return &NoMemoryError();
  }
  error->code = static_cast<eyrie_code_t>(status.code());
  return error.release();
}

}  // namespace eyrie::abi

namespace abi = eyrie::abi;

eyrie_error_t* eyrie_context_find_function(eyrie_context_t* context,
                                           const char* name,
                                           eyrie_function_t** out_function) {
  return abi::CreateError(abi::FindFunction(*context, name, out_function));
}

const eyrie_signature_t* eyrie_function_signature(
    const eyrie_function_t* function) {
  return &function->signature;
}

const eyrie_call_statistics_t* eyrie_function_statistics(
    eyrie_function_t* function) {
  const abi::CallStatistics& last = function->invoker.statistics();
  function->statistics = {sizeof(eyrie_call_statistics_t),
                          last.lent,
                          last.copied,
                          last.packed,
                          last.converted,
                          last.bytes_copied};
  return &function->statistics;
}
