// What the handles of the C API stand for.
//
// A value's handle points to a HostValue itself, so that lists' items are
// handles too. Everything else is a struct.
#ifndef EYRIE_ABI_C_HANDLES_H_
#define EYRIE_ABI_C_HANDLES_H_

#include <atomic>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "abi/c_options.h"
#include "abi/host_value.h"
#include "abi/invoker.h"
#include "abi/native/native_libraries.h"
#include "abi/session.h"
#include "absl/container/inlined_vector.h"
#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "base/ref.h"
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
// NULL reads as null.
inline const HostValue& FromHandle(const eyrie_value_t* value) {
  static const HostValue* const kNull = new HostValue();
  return value ? *reinterpret_cast<const HostValue*>(value) : *kNull;
}
inline eyrie_value_t* ToHandle(HostValue* value) {
  return reinterpret_cast<eyrie_value_t*>(value);
}
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

// A handle that the caller frees.
inline eyrie_value_t* NewHandle(HostValue value) {
  return ToHandle(new HostValue(std::move(value)));
}

// NULL if the status is OK.
inline eyrie_error_t* MakeError(const absl::Status& status) {
  if (status.ok()) return nullptr;
  return new eyrie_error_t{static_cast<eyrie_code_t>(status.code()),
                           std::string(status.message())};
}

// The arguments of a call, of which the last have names.
struct GivenArguments {
  GivenArguments(std::span<eyrie_value_t* const> arguments,
                 std::span<const char* const> given_names)
      : names(given_names.begin(), given_names.end()) {
    for (const eyrie_value_t* value : arguments) {
      values.push_back(&FromHandle(value));
    }
  }
  // INVALID_ARGUMENT: more names than arguments.
  absl::Status status() const;

  absl::InlinedVector<const HostValue*, 16> values;
  absl::InlinedVector<absl::string_view, 16> names;
};

// RESOURCE_EXHAUSTED: more results than there is room for.
absl::Status CheckRoom(const eyrie_function_t& function, size_t room);
// Gives the function's results to the caller: into his values, or new ones.
void HandOut(eyrie_function_t& function, std::span<eyrie_value_t*> results);

}  // namespace eyrie::abi

#endif  // EYRIE_ABI_C_HANDLES_H_
