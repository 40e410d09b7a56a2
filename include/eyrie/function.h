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
#include <cstddef>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "eyrie/array.h"
#include "eyrie/c.h"
#include "eyrie/call_options.h"
#include "eyrie/result.h"
#include "eyrie/value.h"

namespace eyrie {

namespace internal {

// A row of pointers, which does not allocate if they are few.
template <typename T>
class Row {
 public:
  explicit Row(size_t size) : size_(size) {
    if (size > kFew) many_.reset(new T[size]);
  }
  T* data() { return size_ > kFew ? many_.get() : few_; }
  size_t size() const { return size_; }

 private:
  static constexpr size_t kFew = 16;
  size_t size_;
  T few_[kFew];  // not initialized
  std::unique_ptr<T[]> many_;
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
  GivenArguments(RowOf<Value> arguments, RowOf<Value::Entry> named,
                 RowOf<Value> outs = {})
      : values_(arguments.size() + named.size()),
        names_(named.size()),
        outs_(outs.size()) {
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
    eyrie_value_t** places = outs_.data();
    for (const Value& out : outs) *places++ = out.get();
    args_ = {sizeof(args_), values_.data(), values_.size(), names_.data(),
             names_.size(), outs_.data(),   outs_.size()};
  }
  GivenArguments(const GivenArguments&) = delete;
  GivenArguments& operator=(const GivenArguments&) = delete;

  const eyrie_call_args_t* get() const { return &args_; }

 private:
  Row<eyrie_value_t*> values_;
  Row<const char*> names_;
  Row<eyrie_value_t*> outs_;
  eyrie_call_args_t args_;
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
  bool is_async() const { return signature().is_async != 0; }
  // Return the signature, its arguments and its results. Strings and shapes in
  // them are valid as long as the context.
  eyrie_signature_t signature() const {
    return internal::CopyOf(eyrie_function_signature(handle_));
  }
  std::vector<eyrie_argument_info_t> arguments() const {
    const eyrie_signature_t all = signature();
    return internal::CopiesOf(all.arguments, all.argument_count);
  }
  std::vector<eyrie_argument_info_t> results() const {
    const eyrie_signature_t all = signature();
    return internal::CopiesOf(all.results, all.result_count);
  }

  // Calls the function and waits for its results, unless `options` have a fence
  // to signal. INVALID_ARGUMENT: an argument is missing, unexpected, passed
  // twice, or does not match the signature; or a negative timeout.
  // RESOURCE_EXHAUSTED: no memory, or a limit is exceeded. DEADLINE_EXCEEDED,
  // CANCELLED: the call was stopped. FAILED_PRECONDITION: the context has
  // failed before, or limits are given inside of a call of the same context.
  // Otherwise the error of the function. See eyrie_function_call.
  Result<std::vector<Value>> Call(RowOf<Value> arguments,
                                  RowOf<Value::Entry> named = {},
                                  const CallOptions& options = {}) {
    return CallOut({}, arguments, named, options);
  }

  // Calls the function as Call does, but replaces existing values: if they are
  // reused, calls with numbers allocate nothing. An argument may be one of
  // them. They are not changed if the call fails.
  Result<void> CallInto(std::vector<Value>& results, RowOf<Value> arguments,
                        RowOf<Value::Entry> named = {},
                        const CallOptions& options = {}) {
    return Make(results, {}, arguments, named,
                internal::GivenOptions(options).get());
  }

  // Calls the function with results in the caller's memory. `outs` has at most
  // one value for each result, in order: an array, which gets the elements and
  // whose memory the result shares, or Value() to leave the result to the call.
  // A function that takes storage for the result writes to the array itself, if
  // that is dense, aligned to 64 bytes and not lent to the call; any other
  // result is copied. If the call fails, the arrays may have been written to.
  // Returns the errors of Call, and INVALID_ARGUMENT if an array cannot take
  // its result or overlaps another one; see eyrie_call_args_t.
  Result<std::vector<Value>> CallOut(RowOf<Value> outs, RowOf<Value> arguments,
                                     RowOf<Value::Entry> named = {},
                                     const CallOptions& options = {}) {
    std::vector<Value> results;
    if (auto done = Make(results, outs, arguments, named,
                         internal::GivenOptions(options).get());
        !done) {
      return done.error();
    }
    return results;
  }

  // Returns how the arrays of the last call were passed.
  eyrie_call_statistics_t statistics() const {
    return internal::CopyOf(eyrie_function_statistics(handle_));
  }

  eyrie_function_t* get() const { return handle_; }

 private:
  Result<void> Make(std::vector<Value>& results, RowOf<Value> outs,
                    RowOf<Value> arguments, RowOf<Value::Entry> named,
                    const eyrie_call_options_t* options) {
    internal::GivenArguments given(arguments, named, outs);
    internal::ResultRow returned(results, result_count_);
    if (eyrie_error_t* error = eyrie_function_call(
            handle_, given.get(), options, returned.data(), returned.size())) {
      return Error(error);
    }
    returned.GiveTo(results);
    return {};
  }

  eyrie_function_t* handle_;
  size_t result_count_;
};

}  // namespace eyrie

#endif  // EYRIE_FUNCTION_H_
