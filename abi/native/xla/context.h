// What a handler reaches through its context: the states of its stages, memory
// for the call, threads, user data, who it is.
//
// One call's at a time; tasks of that call may use it from any thread.
// Tested by tools/native_test.sh.
#ifndef EYRIE_ABI_NATIVE_XLA_CONTEXT_H_
#define EYRIE_ABI_NATIVE_XLA_CONTEXT_H_

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "abi/native/task_pool.h"
#include "abi/native/xla/future.h"
#include "abi/native/xla/registry.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/memory_meter.h"
#include "base/ref.h"
#include "eyrie/xla_ffi.h"

// What the C ABI's opaque type is here.
struct eyrie_ffi_context {};

namespace eyrie::native {

// An object that a stage has made for later ones. Thread-compatible.
class FfiState {
 public:
  FfiState() = default;
  FfiState(const FfiState&) = delete;
  FfiState& operator=(const FfiState&) = delete;
  ~FfiState() { Reset(); }

  bool is_set() const { return object_ != nullptr; }
  int64_t type_id() const { return type_id_; }
  void* object() const { return object_; }
  // Takes the object over. A null deleter: it is never deleted.
  void Set(void* object, int64_t type_id, FfiDeleter deleter);
  // Deletes the object. What the deleter throws ends here.
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

// What all calls of a module share; outlives them.
struct FfiServices {
  std::shared_ptr<TaskPool> tasks;     // null: tasks run in the caller
  std::map<int64_t, void*> user_data;  // by FfiTypeIdOf its type's name
  int32_t device_ordinal = 0;
};

// Fails the future of a call one of whose tasks throws. The tasks share it
// with the call, which may be over before they are. Thread-safe.
class TaskWatch {
 public:
  void Run(void (*task)(void* data), void* data);
  // The future of the call, once the handler has returned it.
  void Attach(Ref<eyrie_ffi_future> future);

 private:
  std::mutex mutex_;
  absl::Status failure_;  // guarded by mutex_, as is the next
  Ref<eyrie_ffi_future> future_;
};

class FfiContext final : public eyrie_ffi_context {
 public:
  // `instantiated` is the state of the import, set in its first stage.
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

  // Around a call. The end deletes the states of its stages and its memory.
  void Begin(int64_t run_id) { run_id_ = run_id; }
  void End() {
    for (FfiState& state : states_) state.Reset();
    if (!allocations_.empty()) [[unlikely]]
      allocations_.clear();
    if (watch_ != nullptr) [[unlikely]]
      watch_ = nullptr;
  }
  // The stage that runs: a state without a stage of its own is that one's.
  void set_stage(int32_t stage) { stage_ = stage; }
  int32_t stage() const { return stage_; }

  const FfiServices& services() const { return services_; }
  const FfiRegistry& registry() const { return registry_; }
  int64_t run_id() const { return run_id_; }
  // Null: the stage keeps no state.
  FfiState* state(int32_t stage);

  // INVALID_ARGUMENT: the alignment is no power of two up to a page.
  // RESOURCE_EXHAUSTED: no memory, or past the limit of the context.
  absl::StatusOr<void*> Allocate(size_t bytes, size_t alignment);
  // INVALID_ARGUMENT: not an allocation of this call.
  absl::Status Free(void* data);

  // Runs a task on a thread, or here if there are none.
  void Schedule(void (*task)(void* data), void* data);
  // A task that throws is to fail this future of the call's.
  void Watch(const Ref<eyrie_ffi_future>& future) {
    if (watch_ != nullptr) watch_->Attach(future);
  }

 private:
  struct FreeDeleter {
    void operator()(void* data) const;
  };
  struct Allocation {
    std::unique_ptr<void, FreeDeleter> data;
    MemoryCharge charge;
  };
  // States of calls: of the stages prepare and initialize.
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
  std::shared_ptr<TaskWatch> watch_;     // guarded by mutex_; made when needed
};

}  // namespace eyrie::native

#endif  // EYRIE_ABI_NATIVE_XLA_CONTEXT_H_
