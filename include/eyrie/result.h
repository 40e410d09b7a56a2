// Error and Result<T>, with which the C++ API reports errors without
// exceptions.
//
// The public headers use no types of Abseil.
#ifndef EYRIE_RESULT_H_
#define EYRIE_RESULT_H_

#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "eyrie/c.h"
#include "eyrie/language.h"

namespace eyrie {

// A code and a message.
class Error {
 public:
  Error(eyrie_code_t code, std::string message)
      : code_(code), message_(std::move(message)) {}
  // Takes ownership of an error of the C API.
  explicit Error(eyrie_error_t* error)
      : Error(eyrie_error_code(error), eyrie_error_message(error)) {
    eyrie_error_free(error);
  }

  // Returns the error of a good result: EYRIE_OK, without a message.
  static const Error& None() {
    static const Error none(EYRIE_OK, "");
    return none;
  }

  eyrie_code_t code() const { return code_; }
  const std::string& message() const { return message_; }

 private:
  eyrie_code_t code_;
  std::string message_;
};

// A T or an Error. Check ok() first: if there is no value, value(), * and ->
// print the error to stderr and abort the process. If ok() is true, error() has
// the code EYRIE_OK and no message.
template <typename T>
class [[nodiscard]] Result {
 public:
  Result(T value) : value_(std::move(value)) {}      // NOLINT
  Result(Error error) : error_(std::move(error)) {}  // NOLINT

  bool ok() const { return value_.has_value(); }
  explicit operator bool() const { return ok(); }
  const Error& error() const { return error_ ? *error_ : Error::None(); }

  T& value() & {
    Require();
    return *value_;
  }
  const T& value() const& {
    Require();
    return *value_;
  }
  T value() && {
    Require();
    return std::move(*value_);
  }
  T& operator*() & { return value(); }
  const T& operator*() const& { return value(); }
  T operator*() && { return std::move(*this).value(); }
  T* operator->() { return &value(); }
  const T* operator->() const { return &value(); }

 private:
  void Require() const {
    if (ok()) return;
    std::fprintf(stderr, "eyrie: %s\n", error_->message().c_str());
    std::abort();
  }

  std::optional<T> value_;
  std::optional<Error> error_;
};

// Success or an Error. If ok() is true, error() has the code EYRIE_OK.
template <>
class [[nodiscard]] Result<void> {
 public:
  Result() = default;
  Result(Error error) : error_(std::move(error)) {}  // NOLINT

  bool ok() const { return !error_.has_value(); }
  explicit operator bool() const { return ok(); }
  const Error& error() const { return error_ ? *error_ : Error::None(); }

 private:
  std::optional<Error> error_;
};

namespace internal {
// A C handle that is freed by its destructor.
template <typename T, void (*kFree)(T*)>
class Handle {
 public:
  Handle() = default;
  explicit Handle(T* handle) : handle_(handle) {}
  Handle(Handle&& other) noexcept
      : handle_(std::exchange(other.handle_, nullptr)) {}
  Handle& operator=(Handle&& other) noexcept {
    std::swap(handle_, other.handle_);
    return *this;
  }
  ~Handle() {
    if (handle_ != nullptr) kFree(handle_);
  }
  T* get() const { return handle_; }

 private:
  T* handle_ = nullptr;
};

// Returns a copy of a struct that the library returned. Members that an older
// library does not have are 0.
template <typename T>
T CopyOf(const T* from) {
  T to = {};
  std::memcpy(&to, from, std::min(sizeof(T), from->struct_size));
  return to;
}

// Returns copies of the structs in such an array.
template <typename T>
std::vector<T> CopiesOf(const T* const* from, size_t count) {
  std::vector<T> list;
  list.reserve(count);
  for (size_t i = 0; i < count; ++i) list.push_back(CopyOf(from[i]));
  return list;
}

// A function that the library calls once, when it no longer needs what it
// borrowed, also if borrowing fails. The library owns it, so it must be passed
// to the C API exactly once.
struct Release {
  explicit Release(std::function<void()> release) {
    if (!release) return;
    user = new std::function<void()>(std::move(release));
    function = [](void* kept) {
      const std::unique_ptr<std::function<void()>> own(
          static_cast<std::function<void()>*>(kept));
      (*own)();
    };
  }

  void (*function)(void* user) = nullptr;
  void* user = nullptr;
};

// Like Handle, for a reference counted handle; each copy has a reference.
template <typename T, void (*kRetain)(T*), void (*kFree)(T*)>
class SharedHandle : public Handle<T, kFree> {
 public:
  using Handle<T, kFree>::Handle;
  SharedHandle(const SharedHandle& other) : Handle<T, kFree>(other.get()) {
    if (other.get() != nullptr) kRetain(other.get());
  }
  SharedHandle(SharedHandle&& other) noexcept = default;
  SharedHandle& operator=(SharedHandle other) noexcept {
    Handle<T, kFree>::operator=(std::move(other));
    return *this;
  }
};
}  // namespace internal
}  // namespace eyrie

#endif  // EYRIE_RESULT_H_
