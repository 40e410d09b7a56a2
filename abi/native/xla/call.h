// One call of a handler: its frame, its context, and the objects it retains.
//
// Reused for one call after another. Not thread-safe.
// Tested by tools/native_test.sh.
#ifndef EYRIE_ABI_NATIVE_XLA_CALL_H_
#define EYRIE_ABI_NATIVE_XLA_CALL_H_

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "abi/native/native_function.h"
#include "abi/native/xla/context.h"
#include "abi/native/xla/frame.h"
#include "abi/native/xla/import_plan.h"
#include "absl/container/inlined_vector.h"
#include "absl/status/status.h"
#include "base/memory_meter.h"
#include "base/ref.h"
#include "hal/buffer_view.h"
#include "hal/device.h"
#include "vm/isa/value.h"

namespace eyrie::native {

// Shared by all calls of one import. Must outlive them.
struct FfiImportParts {
  FfiImportParts() = default;
  ~FfiImportParts() {
    const CudaDevice::Current current(ffi.cuda.get());
    instantiated.Reset();
  }

  std::string name;  // the import's, for messages
  FfiImportPlan plan;
  FfiHandlers handlers;
  std::unique_ptr<const AttributePack> pack;
  std::shared_ptr<const NativeServices> services;
  FfiServices ffi;
  const FfiRegistry* registry = nullptr;
  FfiState instantiated;
  std::shared_ptr<MemoryMeter> memory;
  hal::BufferParams result_params;
  vm::ModuleState* state = nullptr;  // pays for copies
};

class FfiCall {
 public:
  explicit FfiCall(FfiImportParts& parts);
  FfiCall(const FfiCall&) = delete;
  FfiCall& operator=(const FfiCall&) = delete;

  // Checks the arguments and creates the results. `import` knows which
  // arguments the caller gives away; the memory of these may become that of
  // "inout" results. INVALID_ARGUMENT: an argument
  // does not match its declaration. UNIMPLEMENTED: the handler's version cannot
  // know an argument's type.
  absl::Status Prepare(const vm::ModuleState& import,
                       const vm::Slot* arguments);
  // Retains the arguments until End, for a call that continues after it
  // returns.
  void Retain(const vm::Slot* arguments);
  absl::Status Run(int64_t run_id, Ref<eyrie_ffi_future>& future) {
    context_.Begin(run_id);
    return frame_.Run(future);
  }
  // Completes the results of a handler that has succeeded on a device, and
  // waits for the device. Must be called before ShareResults or End(true).
  absl::Status TakeFromDevice() {
    if (parts_.ffi.cuda == nullptr) [[likely]]
      return absl::OkStatus();
    return CopyFromDevice();
  }
  // Stores a new reference to each result of the import.
  void ShareResults(vm::Slot* results) const;
  // Copies the arguments that the handler cannot use where they are, if there
  // are any: their layout differs, their elements are packed, the host cannot
  // see them, the handler writes to them, or it runs on a device. A call with
  // fences must call it before Run, when its wait fence is reached; for others,
  // Prepare has done it.
  absl::Status CopyIn();
  // Completes the results if the handler succeeded, and releases all objects
  // that the call retained.
  void End(bool succeeded);

  absl::Status Instantiate() { return frame_.Instantiate(); }

 private:
  // Results up to this size are kept, in bytes: allocating one costs more than
  // a typical handler's work.
  static constexpr uint64_t kMaxKept = 16384;
  static constexpr size_t kAlignment = 64;  // of memory for one call

  // The type and shape of the last call, which the frame has, too.
  struct Argument {
    hal::ElementType element = hal::ElementType::kNone;  // kNone: not known
    hal::BufferView::Shape shape;
  };
  struct Result {
    FfiResult::Kind kind = FfiResult::Kind::kToken;
    uint8_t current = 0;       // the view of this call, in `views`
    bool is_argument = false;  // `views` has an argument of this call
    hal::ElementType element = hal::ElementType::kNone;
    uint64_t bytes = 0;
    hal::BufferView::Shape shape;
    // The last two results, used again while they are small. Two, because a
    // caller that keeps only the latest result has released the one before.
    std::array<Ref<hal::BufferView>, 2> views;
  };

  // A copy of an argument or a result, as the handler has it.
  struct Copy {
    size_t index;
    uint8_t* elements;  // in the handler's layout
    // The elements in row-major order, if tensors pack them; otherwise null.
    // Equal to `elements` if the layout does not move them.
    uint8_t* unpacked;
  };

  // A result in memory of the device, which the frame has.
  struct DeviceResult {
    size_t index;
    void* host;  // where it is copied to
    uint64_t bytes;
  };

  absl::Status SetBuffer(size_t index, const vm::Slot* arguments);
  // Checks an argument that differs from the last call's in type or shape.
  absl::Status Learn(size_t index, const hal::BufferView& view);
  absl::StatusOr<FfiType> CheckType(size_t index,
                                    const hal::BufferView& view) const;
  absl::Status CheckDims(size_t index, const hal::BufferView& view,
                         FfiType type) const;
  absl::Status SetScalar(size_t index, const vm::Slot& slot);
  // Computes the type and shape of a result.
  absl::Status PlanResult(size_t index);
  absl::Status CreateResult(size_t index);
  absl::StatusOr<Ref<hal::BufferView>> NewView(const Result& result) const;
  // Creates the results of a call that is not like the last one, or has copies.
  absl::Status PrepareUnusual(const vm::ModuleState& import,
                              const vm::Slot* arguments);
  // Makes an "inout" result the argument itself, if that is given away and the
  // handler can use it where it is.
  bool TakeArgument(size_t index, const vm::ModuleState& import,
                    const vm::Slot* arguments);
  // Lists the copies, allocates memory for them and charges their work.
  absl::Status PlanCopies();
  absl::Status PlanArgumentCopy(size_t index, uint64_t& bytes);
  absl::Status PlanResultCopy(size_t index, uint64_t& bytes);
  // Allocates the memory that the copy of a view lacks, adds the copy to
  // `copies`, and its bytes to `bytes`. `elements` may be null.
  absl::Status AddCopy(size_t index, const hal::BufferView& view, bool moves,
                       void*& elements, std::vector<Copy>& copies,
                       uint64_t& bytes);
  void CopyOut();
  // Returns the bytes of an argument or result as the handler has it; 0 if it
  // has no memory of the import.
  uint64_t ArgumentBytes(size_t index) const;
  uint64_t ResultBytes(size_t index) const;
  absl::Status CopyToDevice();
  absl::Status CopyFromDevice();
  // Ends a call that has copies or large results.
  void Attend(bool succeeded);

  FfiImportParts& parts_;
  FfiContext context_;
  FfiFrame frame_;
  std::vector<const hal::BufferView*> views_;  // by argument; null: a token
  std::vector<Argument> arguments_;
  std::vector<Result> results_;
  size_t given_;           // number of arguments
  bool planned_ = false;   // results_ follows from arguments_
  bool usual_ = false;     // planned_, and the call has no copies
  bool large_ = false;     // a result is too large to be kept
  bool attended_ = false;  // End must call Attend
  std::vector<Copy> copies_in_;
  std::vector<Copy> copies_out_;
  std::vector<DeviceResult> on_device_;
  bool busy_ = false;  // the device may use memory of this call
  std::vector<Ref<RefObject>> retained_;
};

}  // namespace eyrie::native

#endif  // EYRIE_ABI_NATIVE_XLA_CALL_H_
