// The types of the handles of the C API.
//
// A value's handle points to a HostValue itself, so that the items of a list
// are handles, too. Every other handle points to a struct.
#ifndef EYRIE_ABI_C_C_HANDLES_H_
#define EYRIE_ABI_C_C_HANDLES_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <new>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "abi/c/c_options.h"
#include "abi/call/invoker.h"
#include "abi/call/session.h"
#include "abi/call/snapshot.h"
#include "abi/native/native_libraries.h"
#include "abi/value/host_value.h"
#include "absl/container/inlined_vector.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "base/ref.h"
#include "eyrie/c.h"
#include "eyrie/c_state.h"
#include "hal/device.h"
#include "hal/element_type.h"
#include "hal/fence.h"
#include "hal/parameters/parameter_index.h"
#include "hal/semaphore.h"

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
  std::atomic<uint32_t> references{1};
  eyrie::abi::Program program;
  std::string name;
  std::deque<std::string> texts;  // of the lists
  std::vector<eyrie_function_info_t> functions;
  std::vector<eyrie_import_info_t> imports;
  std::vector<eyrie_global_info_t> globals;
};

struct eyrie_snapshot_t {
  std::atomic<uint32_t> references{1};
  std::shared_ptr<const eyrie::abi::Snapshot> snapshot;
};

struct eyrie_parameters_t {
  std::atomic<uint32_t> references{1};
  // Shared with contexts.
  std::shared_ptr<eyrie::hal::ParameterScopes> scopes =
      std::make_shared<eyrie::hal::ParameterScopes>();
};

struct eyrie_native_library_t {
  std::atomic<uint32_t> references{1};
  std::shared_ptr<const eyrie::native::LoadedLibrary> library;
  std::vector<std::string> functions;
};

// The signal that the host owes a fence of eyrie_fence_create. Shared by that
// fence and by those of calls that wait for it, directly or not.
struct HostSignal {
  std::atomic<bool> is_given{false};  // or can never be given
};

struct eyrie_fence_t {
  ~eyrie_fence_t() {
    if (own_signal != nullptr) own_signal->is_given = true;
  }

  std::atomic<uint32_t> references{1};
  std::shared_ptr<HostSignal> own_signal;  // null: not for the host to signal
  // The signal without which the fence is not reached; null if none is known.
  std::mutex mutex;
  std::shared_ptr<HostSignal> awaited;  // guarded by mutex
  eyrie::Ref<eyrie::hal::Fence> fence;
  // Keep the semaphores referenced, because any thread of the host may signal:
  // a wait must never count as one that nothing can end.
  absl::InlinedVector<eyrie::Ref<eyrie::hal::Semaphore>, 1> semaphores;
};

struct eyrie_function_t {
  eyrie_function_t(eyrie_context_t& of, eyrie::abi::Invoker function);

  eyrie_context_t* const context;  // owns this
  eyrie::abi::Session* const session;
  eyrie::abi::Invoker invoker;
  std::vector<eyrie::abi::HostValue> results;  // of the last call
  // The result of eyrie_function_signature. Its pointers refer to `strings` and
  // to the invoker's signature.
  eyrie_signature_t signature = {};
  std::vector<eyrie_argument_info_t> arguments;
  std::vector<eyrie_argument_info_t> returned;
  std::vector<const eyrie_argument_info_t*> argument_rows;
  std::vector<const eyrie_argument_info_t*> returned_rows;
  std::deque<std::string> strings;
  // The result of eyrie_function_statistics.
  eyrie_call_statistics_t statistics = {};
};

struct eyrie_context_t {
  std::atomic<uint32_t> references{1};
  std::unique_ptr<eyrie::abi::Session> session;
  // Keyed by the name that the caller passed.
  std::map<std::string, std::unique_ptr<eyrie_function_t>, std::less<>>
      functions;
};

inline eyrie_function_t::eyrie_function_t(eyrie_context_t& of,
                                          eyrie::abi::Invoker function)
    : context(&of), session(of.session.get()), invoker(std::move(function)) {}

namespace eyrie::abi {

inline HostValue* FromHandle(eyrie_value_t* value) {
  return reinterpret_cast<HostValue*>(value);
}
// A null value that is initialized at compile time and never destroyed.
union SharedValue {
  constexpr SharedValue() : null() {}
  ~SharedValue() {}

  HostValue null;
};
inline constinit SharedValue shared_value;

// Returns the null value for NULL.
inline const HostValue& FromHandle(const eyrie_value_t* value) {
  return value ? *reinterpret_cast<const HostValue*>(value) : shared_value.null;
}
inline eyrie_value_t* ToHandle(HostValue* value) {
  return reinterpret_cast<eyrie_value_t*>(value);
}
// Returns the handle that all values of EYRIE_KIND_NO_MEMORY share. It reads as
// null. It is never changed, freed, or an item of another value.
inline eyrie_value_t* NoMemoryHandle() { return ToHandle(&shared_value.null); }

// Reference counts of handles. Retain and Release do nothing for null.
template <typename T>
void Retain(T* handle) {
  if (handle == nullptr) return;
  handle->references.fetch_add(1, std::memory_order_relaxed);
}
template <typename T>
void Release(T* handle) {
  if (handle == nullptr) return;
  if (handle->references.fetch_sub(1, std::memory_order_acq_rel) == 1) {
    delete handle;
  }
}

// A reference to a handle; null or counted.
template <typename T>
class Retained {
 public:
  Retained() = default;
  explicit Retained(T* handle) : handle_(handle) { Retain(handle); }
  Retained(Retained&& other) noexcept
      : handle_(std::exchange(other.handle_, nullptr)) {}
  Retained& operator=(Retained&& other) noexcept {
    std::swap(handle_, other.handle_);
    return *this;
  }
  ~Retained() { Release(handle_); }

  T* get() const { return handle_; }
  T* operator->() const { return handle_; }
  explicit operator bool() const { return handle_ != nullptr; }

 private:
  T* handle_ = nullptr;
};

// Returns a handle that the caller must free, or NoMemoryHandle() if an
// allocation fails.
inline eyrie_value_t* NewHandle(HostValue value) {
  auto* const made = new (std::nothrow) HostValue(std::move(value));
  return made != nullptr ? ToHandle(made) : NoMemoryHandle();
}
// Creates a handle that the caller must free. RESOURCE_EXHAUSTED: an allocation
// fails.
absl::Status NewHandle(HostValue value, eyrie_value_t** out_value);

// Returns the element type of a dtype. INVALID_ARGUMENT: it is unknown.
absl::StatusOr<hal::ElementType> TypeOf(eyrie_dtype_t dtype);

// Returns the error that is reported if an error itself cannot be allocated. It
// is never freed.
eyrie_error_t& NoMemoryError();
// Returns an error that the caller must free; NULL if the status is OK.
eyrie_error_t* CreateError(const absl::Status& status);

// Returns a handle of a fence, which the caller must release; NULL for null.
eyrie_fence_t* NewFence(Ref<hal::Fence> fence);
// Returns the signal of the host without which the fence is not reached; null
// if there is none.
std::shared_ptr<HostSignal> AwaitedBy(eyrie_fence_t& fence);
// Sets it for a fence that a call will signal.
void SetAwaited(std::shared_ptr<HostSignal> awaited, eyrie_fence_t& fence);

// Implements eyrie_context_find_function.
absl::Status FindFunction(eyrie_context_t& context, const char* name,
                          eyrie_function_t** out_function);

}  // namespace eyrie::abi

#endif  // EYRIE_ABI_C_C_HANDLES_H_
