// A function of a context: what it takes and returns, and calls of it.
//
//   auto add = context->Find("add");
//   auto sums = add->Call({1, 2});                        // by position
//   auto more = add->Call({1}, {{"y", 2}});               // and by name
// Found, and its signature read, once. A small value, valid while its context
// is, and the same thread's.
#ifndef EYRIE_FUNCTION_H_
#define EYRIE_FUNCTION_H_

#include <array>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "eyrie/array.h"
#include "eyrie/c.h"
#include "eyrie/result.h"
#include "eyrie/value.h"

namespace eyrie {

namespace internal {

// A row of pointers, without allocation if they are few.
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

// Results of the C API in values that a caller has, for as long as it takes
// to make a call.
class ResultRow {
 public:
  ResultRow(const std::vector<Value>& values, size_t count) : row_(count) {
    for (size_t i = 0; i < count; ++i) {
      row_.data()[i] = i < values.size() ? values[i].get() : nullptr;
    }
  }
  eyrie_value_t** data() { return row_.data(); }
  size_t size() const { return row_.size(); }

  // After a call: the values become its results.
  void GiveTo(std::vector<Value>& values) {
    values.resize(size());
    for (size_t i = 0; i < size(); ++i) {
      values[i].Release();
      values[i] = Value::Adopt(row_.data()[i]);
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
    for (size_t i = 0; i < arguments.size(); ++i) {
      values_.data()[i] = arguments[i].get();
    }
    for (size_t i = 0; i < named.size(); ++i) {
      // No argument has a name with a NUL byte, and C would cut it there.
      const std::string& name = named[i].first;
      names_.data()[i] = name.find('\0') == std::string::npos
                             ? name.c_str()
                             : "(a name with a NUL byte)";
      values_.data()[arguments.size() + i] = named[i].second.get();
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

// Takes over what the C API has returned.
inline std::vector<Value> AdoptAll(const std::vector<eyrie_value_t*>& handles) {
  std::vector<Value> values;
  values.reserve(handles.size());
  for (eyrie_value_t* handle : handles) values.push_back(Value::Adopt(handle));
  return values;
}

}  // namespace internal

class Function {
 public:
  explicit Function(eyrie_function_t* handle) : handle_(handle) {}

  // Strings and shapes in these live as long as the context.
  eyrie_signature_t signature() const {
    return eyrie_function_signature(handle_);
  }
  std::vector<eyrie_parameter_t> arguments() const {
    std::vector<eyrie_parameter_t> list(signature().argument_count);
    for (size_t i = 0; i < list.size(); ++i) {
      list[i] = eyrie_function_argument(handle_, i);
    }
    return list;
  }
  std::vector<eyrie_parameter_t> results() const {
    std::vector<eyrie_parameter_t> list(signature().result_count);
    for (size_t i = 0; i < list.size(); ++i) {
      list[i] = eyrie_function_result(handle_, i);
    }
    return list;
  }

  // Calls and waits. INVALID_ARGUMENT: an argument that is missing, not
  // expected, given twice, or not what the signature says; else what the
  // function fails with.
  Result<std::vector<Value>> Call(RowOf<Value> arguments,
                                  RowOf<Value::Entry> named = {}) {
    std::vector<Value> results;
    if (auto done = CallInto(results, arguments, named); !done) {
      return done.error();
    }
    return results;
  }

  // The same into values that the caller has: numbers cost no memory then. An
  // argument may be one of them. Left alone after an error.
  Result<void> CallInto(std::vector<Value>& results, RowOf<Value> arguments,
                        RowOf<Value::Entry> named = {}) {
    internal::GivenArguments given(arguments, named);
    internal::ResultRow returned(results, signature().result_count);
    if (eyrie_error_t* error = eyrie_function_call_named(
            handle_, given.values(), given.count(), given.names(),
            given.name_count(), returned.data(), returned.size())) {
      return Error(error);
    }
    returned.GiveTo(results);
    return {};
  }

  // What became of the arrays of the last call.
  eyrie_call_statistics_t statistics() const {
    return eyrie_function_statistics(handle_);
  }

  eyrie_function_t* get() const { return handle_; }

 private:
  eyrie_function_t* handle_;
};

}  // namespace eyrie

#endif  // EYRIE_FUNCTION_H_
