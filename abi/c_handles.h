// What the handles of the C API stand for.
//
// A value's handle points to a HostValue itself, so that lists' items are
// handles too. Everything else is a struct.
#ifndef EYRIE_ABI_C_HANDLES_H_
#define EYRIE_ABI_C_HANDLES_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <new>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "abi/c_options.h"
#include "abi/host_value.h"
#include "abi/invoker.h"
#include "abi/native/native_libraries.h"
#include "abi/session.h"
#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "base/ref.h"
#include "base/short_row.h"
#include "eyrie/c.h"
#include "hal/device.h"

struct eyrie_error_t {
  eyrie_code_t code;
  std::string message;
};

struct eyrie_device_t {
  std::atomic<uint32_t> references{1};
  eyrie::Ref<eyrie::hal::Device> device;
  eyrie::abi::Log log;
  std::shared_ptr<const eyrie::vm::Jit> jit;
};

struct eyrie_module_t {
  struct Function {
    std::string name;
    std::string calling_convention;
    std::string declaration;
  };

  std::atomic<uint32_t> references{1};
  eyrie::abi::Program program;
  std::string name;
  std::vector<Function> functions;
};

struct eyrie_native_library_t {
  std::atomic<uint32_t> references{1};
  std::shared_ptr<const eyrie::native::LoadedLibrary> library;
  std::vector<std::string> functions;
};

struct eyrie_function_t {
  eyrie_function_t(eyrie::abi::Session* of, eyrie::abi::Invoker function)
      : session(of), invoker(std::move(function)) {}

  eyrie::abi::Session* session;  // the context's
  eyrie::abi::Invoker invoker;
  std::vector<eyrie::abi::HostValue> results;  // of a call, until handed out
  // What readers are told; pointers are to `strings` and the signature.
  eyrie_signature_t signature = {};
  std::vector<eyrie_parameter_t> arguments;
  std::vector<eyrie_parameter_t> returned;
  std::deque<std::string> strings;
};

struct eyrie_context_t {
  std::unique_ptr<eyrie::abi::Session> session;
  // By the names they were asked for.
  std::map<std::string, std::unique_ptr<eyrie_function_t>, std::less<>>
      functions;
};

namespace eyrie::abi {

inline HostValue* FromHandle(eyrie_value_t* value) {
  return reinterpret_cast<HostValue*>(value);
}
// A null value that is there from the start to the end of the process.
union SharedValue {
  constexpr SharedValue() : null() {}
  ~SharedValue() {}

  HostValue null;
};
inline constinit SharedValue shared_value;

// NULL reads as null.
inline const HostValue& FromHandle(const eyrie_value_t* value) {
  return value ? *reinterpret_cast<const HostValue*>(value) : shared_value.null;
}
inline eyrie_value_t* ToHandle(HostValue* value) {
  return reinterpret_cast<eyrie_value_t*>(value);
}
// The one handle of all values of EYRIE_KIND_NO_MEMORY, which reads as null. It
// is never changed, freed, or an item of another value.
inline eyrie_value_t* NoMemoryHandle() { return ToHandle(&shared_value.null); }

// Handles that are counted.
template <typename T>
void Retain(T* handle) {
  handle->references.fetch_add(1, std::memory_order_relaxed);
}
template <typename T>
void Release(T* handle) {
  if (handle == nullptr) return;
  if (handle->references.fetch_sub(1, std::memory_order_acq_rel) == 1) {
    delete handle;
  }
}

// A handle that the caller frees, or NoMemoryHandle().
inline eyrie_value_t* NewHandle(HostValue value) {
  auto* const made = new (std::nothrow) HostValue(std::move(value));
  return made != nullptr ? ToHandle(made) : NoMemoryHandle();
}
// The same for functions that return an error: RESOURCE_EXHAUSTED.
absl::Status NewHandle(HostValue value, eyrie_value_t** out_value);

// The error of a lack of memory for an error. It is never freed.
eyrie_error_t& NoMemoryError();
// NULL if the status is OK.
eyrie_error_t* CreateError(const absl::Status& status);

// The arguments of a call, of which the last have names.
class GivenArguments {
 public:
  // INVALID_ARGUMENT: more names than arguments. RESOURCE_EXHAUSTED: a value
  // of EYRIE_KIND_NO_MEMORY, or no memory for these lists.
  absl::Status Set(std::span<eyrie_value_t* const> arguments,
                   std::span<const char* const> names);

  std::span<const HostValue* const> values() { return values_; }
  std::span<const absl::string_view> names() { return names_; }

 private:
  ShortRow<const HostValue*, 16> values_;
  ShortRow<absl::string_view, 16> names_;
};

// RESOURCE_EXHAUSTED: more results than there is room for.
absl::Status CheckRoom(const eyrie_function_t& function, size_t room);
// Moves the function's results to the caller's values, or to new ones.
void HandOut(eyrie_function_t& function, std::span<eyrie_value_t*> results);

}  // namespace eyrie::abi

#endif  // EYRIE_ABI_C_HANDLES_H_
