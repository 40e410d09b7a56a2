// Allocates storage for the results of a raw function before the call.
//
// If the signature determines a result's size, the oracle allocates its
// storage. Otherwise the function named by the attribute fbr is called with
// every dynamic dimension of the inputs, and returns a buffer or null for every
// dynamic result.
//
// A null slot means that the result depends on data; it is fetched after
// completion. For a function without storage the allocator is not called.
// Tested by abi/call/raw_call_test.cc.
#ifndef EYRIE_ABI_V0_CALL_RESULT_STORAGE_H_
#define EYRIE_ABI_V0_CALL_RESULT_STORAGE_H_

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "abi/signature/signature.h"
#include "abi/v0/call/buffer_description.h"
#include "abi/v0/raw_signature.h"
#include "absl/container/inlined_vector.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "base/ref.h"
#include "hal/buffer_view.h"
#include "hal/device.h"
#include "hal/fence.h"
#include "hal/fence_line.h"
#include "vm/isa/value.h"
#include "vm/object/list.h"
#include "vm/run/context.h"

namespace eyrie::abi::v0 {

// Checks a slot of a register type against a raw type. Returns an empty text if
// it matches; otherwise, a sentence that says why not.
bool RawMatches(const RawType& type, vm::ValueType carrier,
                const vm::Slot& slot);
std::string RawDifference(const RawType& type, vm::ValueType carrier,
                          const vm::Slot& slot);

// Valid while the context is. Not thread-safe.
class ResultStorage {
 public:
  // The storage that a call passes after its inputs.
  struct Slots {
    // One per storage argument; null if the result depends on data.
    absl::InlinedVector<Ref<RefObject>, 4> storage;
    size_t made = 0;         // from the signature
    size_t allocated = 0;    // by the result allocator
    Ref<hal::Fence> usable;  // to wait for before use; null: ready
    // If the function returns nothing: the storage, as the results it becomes.
    absl::InlinedVector<Ref<hal::BufferView>, 4> views;

    // Reports whether a result is known only after completion.
    bool has_unknown() const { return made + allocated < storage.size(); }
  };

  // NOT_FOUND: the module does not export the allocator. INVALID_ARGUMENT: the
  // allocator is not a function from a list to a list, or a result's size
  // overflows. FAILED_PRECONDITION: results need a device, and there is none.
  static absl::StatusOr<std::shared_ptr<ResultStorage>> Create(
      vm::Context& context, const vm::Function& function,
      std::shared_ptr<const RawCall> raw, Ref<hal::Device> device);

  const RawCall& raw() const { return *raw_; }
  // Reports whether there are results in storage whose size the signature does
  // not say. Slots::has_unknown() says more about one call.
  bool may_be_unknown() const { return dynamic_results_ > 0; }
  size_t input_count() const { return raw_->signature.inputs.size(); }

  // Creates storage for a call. The inputs must have the signature's register
  // types. INVALID_ARGUMENT: an input does not match its type, or the allocator
  // returns a wrong value. RESOURCE_EXHAUSTED: out of memory. Also returns the
  // allocator's errors.
  absl::Status Create(std::span<const vm::Slot> inputs, Slots& slots);

  // Returns the results of a function that returns nothing: the storage in
  // `slots` or, if that is empty, in `given`. The caller owns them.
  // INVALID_ARGUMENT: a buffer's size does not determine its dimensions.
  absl::Status TakeFilled(std::span<const vm::Slot> given, const Slots& slots,
                          std::span<vm::Slot> results) const;

 private:
  // How the storage of one result is made, if its function takes any.
  struct Result {
    const RawType* type = nullptr;
    std::optional<size_t> slot;  // of the storage
    bool as_buffer = false;      // storage is a hal.buffer, without a shape
    BufferDescription made;      // of a static result
  };

  ResultStorage(vm::Context& context, absl::string_view function,
                std::shared_ptr<const RawCall> raw, Ref<hal::Device> device)
      : context_(context),
        function_(function),
        raw_(std::move(raw)),
        device_(std::move(device)) {}

  absl::Status PlanResults();
  absl::Status BindAllocator(const vm::Function& function);
  absl::Status Allocate(std::span<const vm::Slot> inputs, Slots& slots);
  // Calls the allocator; `usable` becomes the fence to wait for before use.
  absl::StatusOr<Ref<RefObject>> CallAllocator(std::span<const vm::Slot> inputs,
                                               Ref<hal::Fence>& usable);
  absl::Status SetDimensions(std::span<const vm::Slot> inputs);
  // Takes the buffers from a list.
  absl::Status Take(const Ref<RefObject>& returned,
                    std::span<const vm::Slot> inputs, Slots& slots);
  absl::StatusOr<Ref<hal::BufferView>> TakeView(vm::List& list, size_t index,
                                                size_t result);
  // Returns a buffer or view as the result that it is storage for.
  absl::StatusOr<Ref<hal::BufferView>> Filled(const Result& result,
                                              RefObject* object) const;
  void Put(const Result& result, Ref<hal::BufferView> view, Slots& slots);
  // Returns an error that begins with "Result allocator '__allocate' of
  // function 'f' …".
  absl::Status Wrong(absl::string_view what) const;
  absl::Status Wrong(size_t result, absl::string_view why) const;

  vm::Context& context_;
  std::string function_;
  std::shared_ptr<const RawCall> raw_;
  Ref<hal::Device> device_;
  BufferOwner owner_;
  std::vector<Result> results_;
  size_t dynamic_results_ = 0;
  size_t dynamic_inputs_ = 0;  // in all inputs together

  vm::Function allocator_;
  bool has_allocator_ = false;
  bool allocator_takes_fences_ = false;
  hal::FenceLine allocations_;
  Ref<vm::List> dimensions_;  // reused if no one else retains it
};

}  // namespace eyrie::abi::v0

#endif  // EYRIE_ABI_V0_CALL_RESULT_STORAGE_H_
