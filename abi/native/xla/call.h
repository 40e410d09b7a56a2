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
};

class FfiCall {
 public:
  explicit FfiCall(FfiImportParts& parts);
  FfiCall(const FfiCall&) = delete;
  FfiCall& operator=(const FfiCall&) = delete;

  // Checks the arguments and creates the results. INVALID_ARGUMENT: an argument
  // does not match its declaration. UNIMPLEMENTED: the handler's version cannot
  // know an argument's type.
  absl::Status Prepare(const vm::Slot* arguments);
  // Gives the handler copies of the packed arguments, with a byte per element.
  // Must be called before Run if there are fences; otherwise Prepare does it.
  void UnpackArguments();
  // Retains the arguments until End, for a call that continues after it
  // returns.
  void Retain(const vm::Slot* arguments);
  absl::Status Run(int64_t run_id, Ref<eyrie_ffi_future>& future) {
    context_.Begin(run_id);
    return frame_.Run(future);
  }
  // Stores a new reference to each result of the import.
  void ShareResults(vm::Slot* results) const;
  // Completes the results, which the handler must no longer use, and releases
  // all objects that the call retained.
  void End();

  absl::Status Instantiate() { return frame_.Instantiate(); }

 private:
  // The type and shape of the last call, which the frame has, too.
  struct Argument {
    hal::ElementType element = hal::ElementType::kNone;  // kNone: not known
    hal::BufferView::Shape shape;
  };
  struct Result {
    FfiResult::Kind kind = FfiResult::Kind::kToken;
    uint8_t current = 0;  // the view of this call, in `views`
    hal::ElementType element = hal::ElementType::kNone;
    uint64_t bytes = 0;
    int64_t count = 0;  // of elements
    hal::BufferView::Shape shape;
    // The last two results, used again while they are small. Two, because a
    // caller that keeps only the latest result has released the one before.
    std::array<Ref<hal::BufferView>, 2> views;
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
  // Prepares a call that is unlike the last one, or that has packed elements.
  absl::Status PrepareAnew();
  absl::StatusOr<Ref<hal::BufferView>> NewView(const Result& result) const;
  // Packs the results that the handler has seen unpacked, and releases those
  // that are too large to be kept.
  void EndResults();

  FfiImportParts& parts_;
  FfiContext context_;
  FfiFrame frame_;
  std::vector<const hal::BufferView*> views_;  // by argument; null: a token
  std::vector<Argument> arguments_;
  std::vector<Result> results_;
  size_t given_;          // number of arguments
  bool planned_ = false;  // results_ follows from arguments_
  bool at_end_ = false;   // EndResults is needed
  std::vector<Ref<RefObject>> retained_;
};

}  // namespace eyrie::native

#endif  // EYRIE_ABI_NATIVE_XLA_CALL_H_
