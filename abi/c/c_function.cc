// Functions of the C API: signatures and calls.
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
#include "abi/call/prepared_call.h"
#include "abi/call/session.h"
#include "abi/signature/named_function.h"
#include "abi/signature/signature.h"
#include "abi/signature/signature_json.h"
#include "abi/value/convert.h"
#include "abi/value/host_value.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "base/allocate.h"
#include "base/counted.h"
#include "base/plain_text.h"
#include "base/short_row.h"
#include "base/status_macros.h"
#include "eyrie/c.h"
#include "eyrie/c_out.h"
#include "hal/element_type.h"

struct eyrie_prepared_t {
  eyrie_function_t* function;
  eyrie::abi::PreparedCall call;
  // The arrays of the results, and their addresses; null if there is none.
  std::vector<eyrie::abi::HostValue> arrays;
  std::vector<const eyrie::abi::HostValue*> outs;
};

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
              std::vector<eyrie_parameter_t>& described) {
  for (const Parameter& parameter : parameters) {
    const Type& type = parameter.type;
    eyrie_parameter_t& row = described.emplace_back();
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
  function.signature.argument_count = function.arguments.size();
  function.signature.result_count = function.returned.size();
}

// Malformed metadata of a function is ignored.
absl::StatusOr<std::unique_ptr<eyrie_function_t>> Bind(Session& session,
                                                       const char* name) {
  ASSIGN_OR_RETURN(const Callable callable, session.Lookup(name));
  absl::StatusOr<Invoker> invoker = Invoker::Create(session, callable);
  std::string error(invoker.status().message());
  if (!invoker.ok()) invoker = Invoker::CreateDeclared(session, callable);
  auto function =
      std::make_unique<eyrie_function_t>(&session, *std::move(invoker));
  Describe(std::move(error), *function);
  return function;
}

constexpr absl::string_view kOuts = "arrays for results";

// The maximum number of results whose addresses are kept on the stack.
constexpr size_t kFewResults = 16;

// Stores the addresses of the values that the results replace. Returns false if
// there are more than kFewResults, or if a value must be created.
bool AllExist(const eyrie_function_t& function,
              std::span<eyrie_value_t* const> results, HostValue** targets) {
  const size_t count = function.returned.size();
  if (count > kFewResults) return false;
  for (size_t i = 0; i < count; ++i) {
    eyrie_value_t* const result = results[i];
    if (result == nullptr || result == NoMemoryHandle()) return false;
    targets[i] = FromHandle(result);
  }
  return true;
}

absl::Status Call(eyrie_function_t& function,
                  std::span<eyrie_value_t* const> arguments,
                  std::span<const char* const> names,
                  std::span<eyrie_value_t*> out_results) {
  RETURN_IF_ERROR(CheckRoom(function, out_results.size()));
  GivenArguments given;
  RETURN_IF_ERROR(given.Set(arguments, names));
  HostValue* targets[kFewResults];
  if (AllExist(function, out_results, targets)) [[likely]] {
    return function.invoker.Call(given.values(), given.names(),
                                 {targets, function.returned.size()},
                                 function.results);
  }
  RETURN_IF_ERROR(
      function.invoker.Call(given.values(), given.names(), function.results));
  HandOut(function, out_results);
  return absl::OkStatus();
}

// Stores the addresses of the arrays for results. RESOURCE_EXHAUSTED: there was
// no memory for one of them.
absl::Status SetOuts(std::span<eyrie_value_t* const> outs,
                     std::span<const HostValue*> arrays) {
  for (size_t i = 0; i < outs.size(); ++i) {
    if (outs[i] == NoMemoryHandle()) {
      return absl::ResourceExhaustedError(
          absl::StrCat("There was no memory for the array of result ", i, "."));
    }
    arrays[i] = outs[i] == nullptr ? nullptr : FromHandle(outs[i]);
  }
  return absl::OkStatus();
}

absl::Status Prepare(eyrie_function_t& function,
                     std::span<eyrie_value_t* const> arguments,
                     std::span<const char* const> names,
                     std::span<eyrie_value_t* const> outs,
                     eyrie_prepared_t** out_prepared) {
  GivenArguments given;
  RETURN_IF_ERROR(given.Set(arguments, names));
  std::vector<HostValue> arrays;
  std::vector<const HostValue*> places;
  RETURN_IF_ERROR(Resize(places, outs.size(), kOuts));
  RETURN_IF_ERROR(Reserve(arrays, outs.size(), kOuts));
  RETURN_IF_ERROR(SetOuts(outs, places));
  for (const HostValue*& place : places) {
    if (place == nullptr) continue;
    ASSIGN_OR_RETURN(HostValue array, place->Copy());
    arrays.push_back(std::move(array));
    place = &arrays.back();
  }
  ASSIGN_OR_RETURN(
      PreparedCall call,
      function.invoker.Prepare(given.values(), given.names(), places));
  *out_prepared = new eyrie_prepared_t{&function, std::move(call),
                                       std::move(arrays), std::move(places)};
  return absl::OkStatus();
}

absl::Status Call(eyrie_prepared_t& prepared,
                  std::span<eyrie_value_t*> out_results) {
  eyrie_function_t& function = *prepared.function;
  if (!prepared.outs.empty()) {
    return CallPrepared(prepared, nullptr, out_results);
  }
  RETURN_IF_ERROR(CheckRoom(function, out_results.size()));
  HostValue* targets[kFewResults];
  if (AllExist(function, out_results, targets)) [[likely]] {
    return function.invoker.Call(
        prepared.call, {targets, function.returned.size()}, function.results);
  }
  RETURN_IF_ERROR(function.invoker.Call(prepared.call, function.results));
  HandOut(function, out_results);
  return absl::OkStatus();
}

const eyrie_parameter_t* At(const std::vector<eyrie_parameter_t>& parameters,
                            size_t index) {
  return index < parameters.size() ? &parameters[index] : nullptr;
}

}  // namespace

absl::Status FindFunction(eyrie_context_t& context, const char* name,
                          eyrie_function_t** out_function) {
  auto found = context.functions.find(name);
  if (found == context.functions.end()) {
    ASSIGN_OR_RETURN(std::unique_ptr<eyrie_function_t> function,
                     Bind(*context.session, name));
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

absl::Status GivenArguments::Set(std::span<eyrie_value_t* const> arguments,
                                 std::span<const char* const> names) {
  if (names.size() > arguments.size()) {
    return absl::InvalidArgumentError(absl::StrCat(
        Counted(names.size(), "name"), names.size() == 1 ? " is" : " are",
        " given for ", Counted(arguments.size(), "argument"), "."));
  }
  const HostValue** values = few_;
  if (arguments.size() > kFew) {
    RETURN_IF_ERROR(many_.Resize(arguments.size(), "arguments"));
    values = many_.data();
  }
  values_ = {values, arguments.size()};
  for (size_t i = 0; i < arguments.size(); ++i) {
    const eyrie_value_t* const value = arguments[i];
    if (value == NoMemoryHandle()) return NoValue(i);
    values[i] = &FromHandle(value);
  }
  if (names.empty()) [[likely]]
    return absl::OkStatus();
  RETURN_IF_ERROR(names_.Resize(names.size(), "names of arguments"));
  for (size_t i = 0; i < names.size(); ++i) names_[i] = names[i];
  return absl::OkStatus();
}

absl::Status GivenArguments::NoValue(size_t index) {
  return absl::ResourceExhaustedError(
      absl::StrCat("There was no memory for the value of argument ", index,
                   ", counted from 0."));
}

eyrie_function_t& FunctionOf(const eyrie_prepared_t& prepared) {
  return *prepared.function;
}

absl::Status CallOut(eyrie_function_t& function,
                     std::span<eyrie_value_t* const> arguments,
                     std::span<const char* const> names,
                     std::span<eyrie_value_t* const> outs,
                     const ResultMemory* memory,
                     std::span<eyrie_value_t*> out_results) {
  RETURN_IF_ERROR(CheckRoom(function, out_results.size()));
  GivenArguments given;
  RETURN_IF_ERROR(given.Set(arguments, names));
  ShortRow<const HostValue*, 16> arrays;
  RETURN_IF_ERROR(arrays.Resize(outs.size(), kOuts));
  RETURN_IF_ERROR(SetOuts(outs, arrays));
  Invoker& invoker = function.invoker;
  RETURN_IF_ERROR(memory != nullptr
                      ? invoker.CallOut(given.values(), given.names(), arrays,
                                        *memory, function.results)
                      : invoker.CallOut(given.values(), given.names(), arrays,
                                        function.results));
  HandOut(function, out_results);
  return absl::OkStatus();
}

absl::Status CallPrepared(eyrie_prepared_t& prepared,
                          const ResultMemory* memory,
                          std::span<eyrie_value_t*> out_results) {
  eyrie_function_t& function = *prepared.function;
  RETURN_IF_ERROR(CheckRoom(function, out_results.size()));
  RETURN_IF_ERROR(
      function.invoker.CallOut(prepared.call, prepared.outs, function.results));
  if (memory != nullptr) {
    RETURN_IF_ERROR(
        function.invoker.Move(prepared.outs, *memory, function.results));
  }
  HandOut(function, out_results);
  return absl::OkStatus();
}

absl::Status NoRoom(const eyrie_function_t& function, size_t room) {
  return absl::ResourceExhaustedError(
      absl::StrCat(NamedFunction(function.invoker.signature().function()),
                   " has ", Counted(function.returned.size(), "result"),
                   " and there is room for ", room, "."));
}

void HandOut(eyrie_function_t& function, std::span<eyrie_value_t*> results) {
  for (size_t i = 0; i < function.results.size(); ++i) {
    HostValue& result = function.results[i];
    if (results[i] == nullptr || results[i] == NoMemoryHandle()) {
      results[i] = NewHandle(std::move(result));
    } else {
      *FromHandle(results[i]) = std::move(result);
    }
  }
}

}  // namespace eyrie::abi

namespace abi = eyrie::abi;

eyrie_error_t* eyrie_context_function(eyrie_context_t* context,
                                      const char* name,
                                      eyrie_function_t** out_function) {
  return abi::CreateError(abi::FindFunction(*context, name, out_function));
}

const eyrie_signature_t* eyrie_function_signature(
    const eyrie_function_t* function) {
  return &function->signature;
}

int eyrie_function_is_async(const eyrie_function_t* function) {
  return function->invoker.callable().is_async() ? 1 : 0;
}

const eyrie_parameter_t* eyrie_function_argument(
    const eyrie_function_t* function, size_t index) {
  return abi::At(function->arguments, index);
}

const eyrie_parameter_t* eyrie_function_result(const eyrie_function_t* function,
                                               size_t index) {
  return abi::At(function->returned, index);
}

eyrie_error_t* eyrie_function_call(eyrie_function_t* function,
                                   eyrie_value_t* const* arguments,
                                   size_t argument_count,
                                   eyrie_value_t** results,
                                   size_t result_capacity) {
  return eyrie_function_call_named(function, arguments, argument_count, nullptr,
                                   0, results, result_capacity);
}

eyrie_error_t* eyrie_function_call_named(
    eyrie_function_t* function, eyrie_value_t* const* arguments,
    size_t argument_count, const char* const* names, size_t name_count,
    eyrie_value_t** results, size_t result_capacity) {
  return abi::CreateError(abi::Call(*function, {arguments, argument_count},
                                    {names, name_count},
                                    {results, result_capacity}));
}

eyrie_error_t* eyrie_function_call_out(
    eyrie_function_t* function, eyrie_value_t* const* arguments,
    size_t argument_count, const char* const* names, size_t name_count,
    eyrie_value_t* const* outs, size_t out_count, eyrie_value_t** results,
    size_t result_capacity) {
  return abi::CreateError(abi::CallOut(*function, {arguments, argument_count},
                                       {names, name_count}, {outs, out_count},
                                       nullptr, {results, result_capacity}));
}

eyrie_error_t* eyrie_function_prepare(eyrie_function_t* function,
                                      eyrie_value_t* const* arguments,
                                      size_t argument_count,
                                      const char* const* names,
                                      size_t name_count,
                                      eyrie_prepared_t** out_prepared) {
  return eyrie_function_prepare_out(function, arguments, argument_count, names,
                                    name_count, nullptr, 0, out_prepared);
}

eyrie_error_t* eyrie_function_prepare_out(
    eyrie_function_t* function, eyrie_value_t* const* arguments,
    size_t argument_count, const char* const* names, size_t name_count,
    eyrie_value_t* const* outs, size_t out_count,
    eyrie_prepared_t** out_prepared) {
  return abi::CreateError(abi::Prepare(*function, {arguments, argument_count},
                                       {names, name_count}, {outs, out_count},
                                       out_prepared));
}

eyrie_error_t* eyrie_prepared_call(eyrie_prepared_t* prepared,
                                   eyrie_value_t** results,
                                   size_t result_capacity) {
  return abi::CreateError(abi::Call(*prepared, {results, result_capacity}));
}

void eyrie_prepared_free(eyrie_prepared_t* prepared) { delete prepared; }

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
