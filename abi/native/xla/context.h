// The opaque objects of the C ABI that handlers use: errors, futures, and the
// context, which gives them stage states, memory for the call, threads and user
// data.
// Tested by tools/native_test.sh.
#ifndef EYRIE_ABI_NATIVE_XLA_CONTEXT_H_
#define EYRIE_ABI_NATIVE_XLA_CONTEXT_H_

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "abi/native/cuda_device.h"
#include "abi/native/ffi_registry.h"
#include "abi/native/guarded_call.h"
#include "abi/native/task_pool.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/memory_meter.h"
#include "base/plain_text.h"
#include "base/ref.h"
#include "eyrie/xla_ffi.h"
#include "hal/host_semaphore.h"

// The result of an asynchronous handler. Any thread may fulfil it, even before
// the handler returns. The handler owns one reference, which it releases by
// fulfilling the future; the host owns the other. Thread-safe.
struct eyrie_ffi_future final : public eyrie::RefObject {
 public:
  static constexpr eyrie::RefType kType{"eyrie.ffi_future"};
  static constexpr uint64_t kDone = 1;  // the timeline's final value

  eyrie_ffi_future() : RefObject(kType) {}

  // Reaches kDone, or fails.
  const eyrie::Ref<eyrie::hal::Semaphore>& timeline() const {
    return timeline_;
  }

 private:
  eyrie::Ref<eyrie::hal::Semaphore> timeline_ =
      eyrie::MakeRef<eyrie::hal::HostSemaphore>(0);
};

struct eyrie_ffi_error {
  absl::Status status;  // never OK
  std::string message;  // null-terminated copy of the message
};

struct eyrie_ffi_context {};  // an FfiContext

namespace eyrie::native {

// Completes a future for the handler and takes its reference.
inline absl::Status Fulfil(eyrie_ffi_future_t* future, absl::Status status) {
  const Ref<eyrie_ffi_future> owned = Ref<eyrie_ffi_future>::Adopt(future);
  if (status.ok()) return owned->timeline()->Signal(eyrie_ffi_future::kDone);
  owned->timeline()->Fail(std::move(status));
  return absl::OkStatus();
}

// Returns the text of an exception of native code as lines of a message.
inline std::string ThrownLines(const Thrown& thrown) {
  return MessageLines(*thrown.what, kMaxThrownText);
}

// Returns null for an OK status; otherwise an error that the receiver owns.
inline eyrie_ffi_error_t* CreateFfiError(absl::Status status) {
  if (status.ok()) return nullptr;
  std::string message(status.message());
  return std::make_unique<eyrie_ffi_error>(
             eyrie_ffi_error{std::move(status), std::move(message)})
      .release();
}

// Takes ownership of an error and returns its status; null is OK.
inline absl::Status TakeFfiError(eyrie_ffi_error_t* error) {
  if (error == nullptr) return absl::OkStatus();
  const std::unique_ptr<eyrie_ffi_error> owned(error);
  return std::move(owned->status);
}

// An object that one stage creates for later stages. Thread-compatible.
class FfiState {
 public:
  FfiState() = default;
  FfiState(const FfiState&) = delete;
  FfiState& operator=(const FfiState&) = delete;
  ~FfiState() { Reset(); }

  bool is_set() const { return object_ != nullptr; }
  int64_t type_id() const { return type_id_; }
  void* object() const { return object_; }
  // Takes ownership of the object. With a null deleter it is never deleted.
  void Set(void* object, int64_t type_id, FfiDeleter deleter);
  // Deletes the object. Exceptions of the deleter are caught.
  void Reset() {
    if (object_ != nullptr) [[unlikely]]
      Delete();
  }

 private:
  void Delete();

  void* object_ = nullptr;
  int64_t type_id_ = 0;
  FfiDeleter deleter_ = nullptr;
};

struct PackedFunction;

// Shared by all calls of a module. Must outlive them.
struct FfiServices {
  std::shared_ptr<TaskPool> tasks;         // null: tasks run in the caller
  std::map<int64_t, void*> user_data;      // by FfiTypeIdOf of the type's name
  std::shared_ptr<const CudaDevice> cuda;  // of handlers for CUDA, else null
  const PackedFunction* packed = nullptr;  // for the handler CallPacked
};

// Fails a call's future if one of its tasks throws. Shared by the call and its
// tasks, which may outlive the call. Thread-safe.
class TaskWatch {
 public:
  void Run(void (*task)(void* data), void* data);
  // Sets the call's future, once the handler has returned it.
  void Attach(Ref<eyrie_ffi_future> future);

 private:
  std::mutex mutex_;
  absl::Status failure_;  // guarded by mutex_, as is the next
  Ref<eyrie_ffi_future> future_;
};

// Used by one call at a time; that call's tasks may use it from any thread.
class FfiContext final : public eyrie_ffi_context {
 public:
  // `instantiated` is the import's state, set by its first stage.
  FfiContext(const FfiServices& services, const FfiRegistry& registry,
             FfiState& instantiated, std::shared_ptr<MemoryMeter> memory)
      : services_(services),
        registry_(registry),
        instantiated_(instantiated),
        memory_(std::move(memory)) {}
  FfiContext(const FfiContext&) = delete;
  FfiContext& operator=(const FfiContext&) = delete;
  ~FfiContext() { End(); }

  static FfiContext& From(eyrie_ffi_context_t& context) {
    return static_cast<FfiContext&>(context);
  }

  // Must be called before and after a call. End deletes the stage states and
  // memory of the call.
  void Begin(int64_t run_id) { run_id_ = run_id; }
  void End() {
    for (FfiState& state : states_) state.Reset();
    if (!allocations_.empty()) [[unlikely]]
      allocations_.clear();
    if (watch_ != nullptr) [[unlikely]]
      watch_ = nullptr;
  }
  // The current stage, whose state is used by calls that do not name a stage.
  void set_stage(int32_t stage) { stage_ = stage; }
  int32_t stage() const { return stage_; }

  const FfiServices& services() const { return services_; }
  const FfiRegistry& registry() const { return registry_; }
  int64_t run_id() const { return run_id_; }
  // Returns a stage's state, or nullptr if the stage has none.
  FfiState* state(int32_t stage);

  // Allocates memory of the handler's platform. INVALID_ARGUMENT: the alignment
  // is not a power of two, or is larger than the platform's.
  // RESOURCE_EXHAUSTED: out of memory, or over the context's limit.
  absl::StatusOr<void*> Allocate(size_t bytes, size_t alignment);
  // INVALID_ARGUMENT: `data` was not allocated by this call.
  absl::Status Free(void* data);

  // Runs a task on a pool thread, or on this thread if there is no pool.
  void Schedule(void (*task)(void* data), void* data);
  // Makes a task that throws fail this future, which must be the call's.
  void Watch(const Ref<eyrie_ffi_future>& future) {
    if (watch_ != nullptr) watch_->Attach(future);
  }

 private:
  struct FreeDeleter {
    const CudaDevice* device;  // null: memory of the host
    void operator()(void* data) const;
  };
  struct Allocation {
    std::unique_ptr<void, FreeDeleter> data;
    MemoryCharge charge;
    // The handler has freed memory of the device, which its stream may still
    // use. It is released at the end of the call.
    bool is_freed = false;
  };
  // Per-call states: of the stages prepare and initialize.
  static constexpr size_t kCallStates = 2;

  const FfiServices& services_;
  const FfiRegistry& registry_;
  FfiState& instantiated_;
  const std::shared_ptr<MemoryMeter> memory_;
  int64_t run_id_ = 0;
  int32_t stage_ = EYRIE_FFI_EXECUTE;
  std::array<FfiState, kCallStates> states_;
  std::mutex mutex_;
  std::vector<Allocation> allocations_;  // guarded by mutex_
  std::shared_ptr<TaskWatch> watch_;     // guarded by mutex_; created on demand
};

}  // namespace eyrie::native

#endif  // EYRIE_ABI_NATIVE_XLA_CONTEXT_H_
