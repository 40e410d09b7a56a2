// The tensors of one call of a native function, in any convention, and its
// fences: checks the arguments, creates the results, and copies what the
// function cannot use where it is.
//
// Each tensor becomes a buffer of XLA FFI. A convention derives from this
// class, says which tensors it accepts, and lays out the buffers in its own
// frame. Reused for one call after another: what depends only on types and
// shapes is computed again only if they change. Not thread-safe.
// Tested by memref/copies_test.cc, tools/native_test.sh, tools/vulkan_test.sh.
#ifndef EYRIE_ABI_NATIVE_NATIVE_CALL_H_
#define EYRIE_ABI_NATIVE_NATIVE_CALL_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <span>
#include <vector>

#include "abi/native/ffi_types.h"
#include "abi/native/native_plan.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/memory_meter.h"
#include "base/ref.h"
#include "eyrie/xla_ffi.h"
#include "hal/buffer_view.h"
#include "hal/device.h"
#include "hal/fence.h"
#include "hal/types.h"
#include "vm/isa/value.h"
#include "vm/module/module.h"

namespace eyrie::native {

// The fences of an import, borrowed from its slots.
struct CallFences {
  hal::Fence* wait;    // may be null
  hal::Fence* signal;  // never null
};

// Reads two slots. INVALID_ARGUMENT: a slot holds something else than a fence,
// or the fence to signal is null.
absl::StatusOr<CallFences> ReadFences(const vm::Slot* slots);

// Waits within the limits of the running call, if there is one. Returns the
// errors of Fence::Wait. DEADLINE_EXCEEDED or CANCELLED: the call was stopped.
absl::Status WaitWithinLimits(const hal::Fence& fence,
                              const vm::ModuleState& state);

// Signals the fence if `status` is OK; otherwise, or if signalling fails, fails
// the fence.
void EndFence(const hal::Fence& signal, const absl::Status& status);

// Returns parameters for results in host-visible memory. `owner` is as in
// BufferParams.
hal::BufferParams ResultParams(uint64_t owner);

// Shared by all calls of one import.
struct NativeCallParts {
  Ref<hal::Device> device;              // allocates the results
  hal::BufferParams params;             // of the results
  std::shared_ptr<MemoryMeter> memory;  // null: not counted
  vm::ModuleState* state = nullptr;     // pays for copies
  // The function gets memory of another device, to which all tensors are
  // copied.
  bool is_remote = false;
};

class NativeCall {
 public:
  NativeCall(const NativeCall&) = delete;
  NativeCall& operator=(const NativeCall&) = delete;

 protected:
  static constexpr size_t kAlignment = 64;  // of memory for one call

  // The plan and the parts must outlive the call.
  NativeCall(const NativePlan& plan, const NativeCallParts& parts);
  ~NativeCall() = default;

  static void Fill(eyrie_ffi_buffer_t& buffer, FfiType type, void* data,
                   std::span<const int64_t> dims) {
    buffer.type = static_cast<int32_t>(type);
    buffer.data = data;
    buffer.rank = static_cast<int64_t>(dims.size());
    buffer.dims = const_cast<int64_t*>(dims.data());
  }

  // Checks an argument, or a result that a rule gives, whose type or shape is
  // not that of the last call. Returns the type that the function sees.
  virtual absl::StatusOr<FfiType> CheckArgument(
      size_t index, const hal::BufferView& view) const = 0;
  virtual absl::StatusOr<FfiType> CheckResult(
      size_t index, std::span<const int64_t> dims,
      hal::ElementType& element) const = 0;
  // Allocates memory for a temporary result, until End.
  virtual absl::StatusOr<void*> AllocateTemporary(uint64_t bytes) = 0;

  // Checks the arguments and creates the results. `import` knows which
  // arguments the caller gives away; the memory of these may become that of
  // "inout" results. INVALID_ARGUMENT: an argument does not match its
  // declaration. RESOURCE_EXHAUSTED: a limit.
  absl::Status PrepareTensors(const vm::ModuleState& import,
                              const vm::Slot* arguments);
  // Copies the arguments that must be copied. Must be called before the
  // function, if the call is not usual.
  absl::Status CopyTensorsIn();
  // Stores a new reference to each result of the import.
  void ShareResults(vm::Slot* results) const;
  // Completes the results if the function succeeded, and releases all memory of
  // the call.
  void EndTensors(bool succeeded) {
    if (attended_) [[unlikely]]
      Attend(succeeded);
  }

  size_t given() const { return given_; }  // number of arguments
  // Reports whether the call is like the last one and copies nothing.
  bool is_usual() const { return usual_; }
  std::span<eyrie_ffi_buffer_t> arguments() { return argument_buffers_; }
  std::span<eyrie_ffi_buffer_t> results() { return result_buffers_; }
  // Returns the tensor of an argument, null if it is none, or of a result.
  const hal::BufferView* argument_view(size_t index) const {
    return views_[index];
  }
  const hal::BufferView& result_view(size_t index) const {
    return *results_[index].views[results_[index].current];
  }
  // Return the bytes of an argument or result as the function has it; 0 if it
  // has no memory of the import.
  uint64_t ArgumentBytes(size_t index) const;
  uint64_t ResultBytes(size_t index) const;

 private:
  // Results up to this size are kept, in bytes: allocating one costs more than
  // a typical function's work.
  static constexpr uint64_t kMaxKept = 16384;

  // The type and shape of the last call, which its buffer has, too.
  struct Argument {
    hal::ElementType element = hal::ElementType::kNone;  // kNone: not known
    hal::BufferView::Shape shape;
  };
  struct Result {
    NativePlan::Result::Kind kind = NativePlan::Result::Kind::kToken;
    uint8_t current = 0;       // the view of this call, in `views`
    bool is_argument = false;  // `views` has an argument of this call
    hal::ElementType element = hal::ElementType::kNone;
    uint64_t bytes = 0;
    hal::BufferView::Shape shape;
    // The last two results, used again while they are small. Two, because a
    // caller that keeps only the latest result has released the one before.
    std::array<Ref<hal::BufferView>, 2> views;
  };

  // A copy of an argument or a result, as the function has it.
  struct Copy {
    size_t index;
    uint8_t* elements;  // in the function's layout
    // The elements in row-major order, if tensors pack them; otherwise null.
    // Equal to `elements` if the layout does not move them.
    uint8_t* unpacked;
  };
  struct FreeDeleter {
    void operator()(void* data) const { std::free(data); }
  };
  struct Scratch {
    std::unique_ptr<void, FreeDeleter> data;
    MemoryCharge charge;
  };

  absl::Status SetBuffer(size_t index, const vm::Slot* arguments);
  absl::Status NotDenseError(size_t index, const hal::BufferView& view) const;
  // Checks an argument that differs from the last call's in type or shape.
  absl::Status Learn(size_t index, const hal::BufferView& view);
  // Computes the type and shape of a result.
  absl::Status PlanResult(size_t index);
  absl::Status CreateResult(size_t index);
  absl::StatusOr<Ref<hal::BufferView>> NewView(const Result& result) const;
  // Creates the results of a call that is not like the last one, or has copies.
  absl::Status PrepareUnusual(const vm::ModuleState& import,
                              const vm::Slot* arguments);
  // Makes an "inout" result the argument itself, if that is given away and the
  // function can use it where it is.
  bool TakeArgument(size_t index, const vm::ModuleState& import,
                    const vm::Slot* arguments);
  // Lists the copies, allocates memory for them and charges their work. An
  // argument is copied if the function's layout orders its elements
  // differently, if the tensor packs several elements in a byte, if the host
  // cannot see its memory, or if a result is "inout" with it and cannot take
  // its memory. A result is copied after the call if its layout differs or its
  // elements are packed; if both are true, it is copied twice.
  absl::Status PlanCopies();
  absl::Status PlanArgumentCopy(size_t index, uint64_t& bytes);
  absl::Status PlanResultCopy(size_t index, uint64_t& bytes);
  // Allocates the memory that the copy of a view lacks, adds the copy to
  // `copies`, and its bytes to `bytes`. `elements` may be null.
  absl::Status AddCopy(size_t index, const hal::BufferView& view,
                       const TensorLayout& layout, void*& elements,
                       std::vector<Copy>& copies, uint64_t& bytes);
  absl::StatusOr<void*> AllocateScratch(uint64_t bytes);
  void CopyOut();
  // Ends a call that has copies or large results.
  void Attend(bool succeeded);

  const NativePlan& plan_;
  const NativeCallParts& parts_;
  std::vector<const hal::BufferView*> views_;  // by argument; null: no tensor
  std::vector<eyrie_ffi_buffer_t> argument_buffers_;
  std::vector<eyrie_ffi_buffer_t> result_buffers_;
  std::vector<Argument> arguments_;
  std::vector<Result> results_;
  size_t given_;
  bool planned_ = false;   // results_ follows from arguments_
  bool usual_ = false;     // planned_, and the call has no copies
  bool large_ = false;     // a result is too large to be kept
  bool attended_ = false;  // EndTensors must call Attend
  std::vector<Copy> copies_in_;
  std::vector<Copy> copies_out_;
  std::vector<Scratch> scratch_;
};

}  // namespace eyrie::native

#endif  // EYRIE_ABI_NATIVE_NATIVE_CALL_H_
