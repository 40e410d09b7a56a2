// A function of a context: its signature, and calls.
//
//   auto add = context->Find("add");
//   auto sums = add->Call({1, 2});                        // by position
//   auto more = add->Call({1}, {{"y", 2}});               // and by name
//
// A Function is valid as long as its context. Two threads must not use
// functions of the same context at the same time.
#ifndef EYRIE_FUNCTION_H_
#define EYRIE_FUNCTION_H_

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "eyrie/array.h"
#include "eyrie/c.h"
#include "eyrie/c_limits.h"
#include "eyrie/c_out.h"
#include "eyrie/call_options.h"
#include "eyrie/result.h"
#include "eyrie/value.h"

namespace eyrie {

namespace internal {

// A row of pointers, which does not allocate if they are few.
template <typename T>
class Row {
 public:
  explicit Row(size_t size) : size_(size), many_(size > kFew ? size : 0) {}
  T* data() { return size_ > kFew ? many_.data() : few_.data(); }
  size_t size() const { return size_; }

 private:
  static constexpr size_t kFew = 16;
  size_t size_;
  std::array<T, kFew> few_;
  std::vector<T> many_;
};

// Passes a caller's values to a call of the C API, as results to replace.
class ResultRow {
 public:
  ResultRow(const std::vector<Value>& values, size_t count) : row_(count) {
    eyrie_value_t** const entries = row_.data();
    const size_t known = std::min(count, values.size());
    for (size_t i = 0; i < known; ++i) entries[i] = values[i].get();
    for (size_t i = known; i < count; ++i) entries[i] = nullptr;
  }
  eyrie_value_t** data() { return row_.data(); }
  size_t size() const { return row_.size(); }

  // Stores the results in `values` after a successful call.
  void GiveTo(std::vector<Value>& values) {
    const size_t count = size();
    if (values.size() != count) values.resize(count);
    eyrie_value_t* const* const entries = row_.data();
    Value* const to = values.data();
    for (size_t i = 0; i < count; ++i) {
      if (to[i].get() == entries[i]) continue;
      to[i].Release();
      to[i] = Value::Adopt(entries[i]);
    }
  }

 private:
  Row<eyrie_value_t*> row_;
};

// The arguments of a call as the C API takes them.
class GivenArguments {
 public:
  GivenArguments(RowOf<Value> arguments, RowOf<Value::Entry> named)
      : values_(arguments.size() + named.size()), names_(named.size()) {
    eyrie_value_t** values = values_.data();
    for (const Value& argument : arguments) *values++ = argument.get();
    for (size_t i = 0; i < named.size(); ++i) {
      // No argument has a name with a NUL byte. C would end the name there.
      const std::string& name = named[i].first;
      names_.data()[i] = name.find('\0') == std::string::npos
                             ? name.c_str()
                             : "(a name with a NUL byte)";
      *values++ = named[i].second.get();
    }
  }
  eyrie_value_t* const* values() { return values_.data(); }
  size_t count() const { return values_.size(); }
  const char* const* names() { return names_.data(); }
  size_t name_count() const { return names_.size(); }

 private:
  Row<eyrie_value_t*> values_;
  Row<const char*> names_;
};

// Takes ownership of values of the C API.
inline std::vector<Value> AdoptAll(const std::vector<eyrie_value_t*>& handles) {
  std::vector<Value> values;
  values.reserve(handles.size());
  for (eyrie_value_t* handle : handles) values.push_back(Value::Adopt(handle));
  return values;
}

}  // namespace internal

class Function {
 public:
  explicit Function(eyrie_function_t* handle)
      : handle_(handle),
        result_count_(eyrie_function_signature(handle)->result_count) {}

  // Reports whether the function returns before its results are ready, and
  // signals a fence when they are.
  bool is_async() const { return eyrie_function_is_async(handle_) != 0; }
  // Return the signature, its arguments and its results. Strings and shapes in
  // them are valid as long as the context.
  eyrie_signature_t signature() const {
    return internal::CopyOf(eyrie_function_signature(handle_));
  }
  std::vector<eyrie_parameter_t> arguments() const {
    std::vector<eyrie_parameter_t> list(signature().argument_count);
    for (size_t i = 0; i < list.size(); ++i) {
      list[i] = internal::CopyOf(eyrie_function_argument(handle_, i));
    }
    return list;
  }
  std::vector<eyrie_parameter_t> results() const {
    std::vector<eyrie_parameter_t> list(signature().result_count);
    for (size_t i = 0; i < list.size(); ++i) {
      list[i] = internal::CopyOf(eyrie_function_result(handle_, i));
    }
    return list;
  }

  // Calls the function and waits for its results. INVALID_ARGUMENT: an argument
  // is missing, unexpected, passed twice, or does not match the signature.
  // RESOURCE_EXHAUSTED: no memory, or a limit is exceeded. DEADLINE_EXCEEDED,
  // CANCELLED: the call was stopped. FAILED_PRECONDITION: the context has
  // failed before. Otherwise the error of the function.
  Result<std::vector<Value>> Call(RowOf<Value> arguments,
                                  RowOf<Value::Entry> named = {}) {
    std::vector<Value> results;
    if (auto done = CallInto(results, arguments, named); !done) {
      return done.error();
    }
    return results;
  }

  // The same, but replaces existing values: if they are reused, calls with
  // numbers allocate nothing. An argument may be one of them. They are not
  // changed if the call fails.
  Result<void> CallInto(std::vector<Value>& results, RowOf<Value> arguments,
                        RowOf<Value::Entry> named = {}) {
    internal::GivenArguments given(arguments, named);
    internal::ResultRow returned(results, result_count_);
    if (eyrie_error_t* error = eyrie_function_call_named(
            handle_, given.values(), given.count(), given.names(),
            given.name_count(), returned.data(), returned.size())) {
      return Error(error);
    }
    returned.GiveTo(results);
    return {};
  }

  // The same with limits of the call. INVALID_ARGUMENT: also for a negative
  // timeout. FAILED_PRECONDITION: also inside a call of the same context.
  Result<std::vector<Value>> Call(RowOf<Value> arguments,
                                  RowOf<Value::Entry> named,
                                  const CallOptions& options) {
    std::vector<Value> results;
    if (auto done = CallInto(results, arguments, named, options); !done) {
      return done.error();
    }
    return results;
  }
  Result<void> CallInto(std::vector<Value>& results, RowOf<Value> arguments,
                        RowOf<Value::Entry> named, const CallOptions& options) {
    internal::GivenArguments given(arguments, named);
    internal::ResultRow returned(results, result_count_);
    const eyrie_call_options_t limits = internal::ToC(options);
    if (eyrie_error_t* error = eyrie_function_call_with(
            handle_, given.values(), given.count(), given.names(),
            given.name_count(), &limits, returned.data(), returned.size())) {
      return Error(error);
    }
    returned.GiveTo(results);
    return {};
  }

  // Calls the function with results in the caller's memory. `outs` has at most
  // one value for each result, in order: an array, which gets the elements and
  // whose memory the result shares, or Value() to leave the result to the call.
  // A function that takes storage for the result writes to the array itself, if
  // that is dense, aligned to 64 bytes and not lent to the call; any other
  // result is copied. If the call fails, the arrays may have been written to.
  // Returns the errors of Call, and INVALID_ARGUMENT if an array cannot take
  // its result or overlaps another one; see eyrie_function_call_out.
  Result<std::vector<Value>> CallOut(RowOf<Value> outs, RowOf<Value> arguments,
                                     RowOf<Value::Entry> named = {}) {
    internal::GivenArguments given(arguments, named);
    internal::GivenArguments arrays(outs, {});
    std::vector<Value> results;
    internal::ResultRow returned(results, result_count_);
    if (eyrie_error_t* error = eyrie_function_call_out(
            handle_, given.values(), given.count(), given.names(),
            given.name_count(), arrays.values(), arrays.count(),
            returned.data(), returned.size())) {
      return Error(error);
    }
    returned.GiveTo(results);
    return results;
  }

  // The same with limits of the call; see Call.
  Result<std::vector<Value>> CallOut(RowOf<Value> outs, RowOf<Value> arguments,
                                     RowOf<Value::Entry> named,
                                     const CallOptions& options) {
    internal::GivenArguments given(arguments, named);
    internal::GivenArguments arrays(outs, {});
    std::vector<Value> results;
    internal::ResultRow returned(results, result_count_);
    const eyrie_call_options_t limits = internal::ToC(options);
    if (eyrie_error_t* error = eyrie_function_call_out_with(
            handle_, given.values(), given.count(), given.names(),
            given.name_count(), arrays.values(), arrays.count(), &limits,
            returned.data(), returned.size())) {
      return Error(error);
    }
    returned.GiveTo(results);
    return results;
  }

  // Returns how the arrays of the last call were passed.
  eyrie_call_statistics_t statistics() const {
    return internal::CopyOf(eyrie_function_statistics(handle_));
  }

  eyrie_function_t* get() const { return handle_; }

 private:
  eyrie_function_t* handle_;
  size_t result_count_;
};

}  // namespace eyrie

#endif  // EYRIE_FUNCTION_H_
