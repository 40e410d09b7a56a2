// Storage for the results of a raw function, made before it is called: where
// the signature says all, by the oracle; else by the function that attribute
// fbr names, which is given every dynamic dimension of the inputs and returns
// a buffer, or null, for every dynamic result.
//
// A null slot is of a result that depends on data: it is fetched after
// completion. A function that takes no storage makes its results itself, and
// its allocator is not called.
// Tested by raw_call_test.cc.
#ifndef EYRIE_ABI_V0_RESULT_STORAGE_H_
#define EYRIE_ABI_V0_RESULT_STORAGE_H_

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "abi/fence_line.h"
#include "abi/signature.h"
#include "abi/v0/buffer_description.h"
#include "abi/v0/raw_signature.h"
#include "absl/container/inlined_vector.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "base/ref.h"
#include "hal/buffer_view.h"
#include "hal/device.h"
#include "hal/fence.h"
#include "vm/context.h"
#include "vm/list.h"
#include "vm/value.h"

namespace eyrie::abi::v0 {

// Whether what is in a slot of a register type is what a raw type says. Empty,
// or why it is not, as a sentence.
bool RawMatches(const RawType& type, vm::ValueType carrier,
                const vm::Slot& slot);
std::string RawDifference(const RawType& type, vm::ValueType carrier,
                          const vm::Slot& slot);

// Valid while the context is. One thread at a time.
class ResultStorage {
 public:
  // What a call passes behind its inputs.
  struct Slots {
    // One for each storage argument; null where a result depends on data.
    absl::InlinedVector<Ref<RefObject>, 4> storage;
    size_t made = 0;         // from the signature
    size_t allocated = 0;    // by the result allocator
    Ref<hal::Fence> usable;  // what to wait for before; null: nothing
    // Where the function returns nothing: storage as the results it becomes.
    absl::InlinedVector<Ref<hal::BufferView>, 4> views;

    // True if a result is known after completion alone.
    bool has_unknown() const { return made + allocated < storage.size(); }
  };

  // NOT_FOUND: the module exports no such allocator. INVALID_ARGUMENT: it is
  // no function of a list to a list, or a result has more bytes than can be
  // counted. FAILED_PRECONDITION: there is no device to hold results.
  static absl::StatusOr<std::shared_ptr<ResultStorage>> Create(
      vm::Context& context, const vm::Function& function,
      std::shared_ptr<const RawCall> raw, Ref<hal::Device> device);

  const RawCall& raw() const { return *raw_; }
  size_t input_count() const { return raw_->signature.inputs.size(); }

  // Makes storage for a call with these inputs, which are of the signature's
  // register types. INVALID_ARGUMENT: an input is not of its type, or what the
  // allocator returns is not what it is to return;
  // RESOURCE_EXHAUSTED: no memory; else what the allocator fails with.
  absl::Status Create(std::span<const vm::Slot> inputs, Slots& slots);

  // The results of a function that returns nothing: its storage, which `slots`
  // has or, where that is empty, `given`. The caller owns them.
  // INVALID_ARGUMENT: a buffer's bytes do not say what its dimensions are.
  absl::Status TakeFilled(std::span<const vm::Slot> given, const Slots& slots,
                          std::span<vm::Slot> results) const;

 private:
  // Who makes a result's storage, if its function takes any.
  struct Result {
    const RawType* type = nullptr;
    std::optional<size_t> slot;  // of storage
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
  // What the allocator returns, and by which fence it is usable.
  absl::StatusOr<Ref<RefObject>> CallAllocator(std::span<const vm::Slot> inputs,
                                               Ref<hal::Fence>& usable);
  absl::Status SetDimensions(std::span<const vm::Slot> inputs);
  // Takes the buffers of a list.
  absl::Status Take(const Ref<RefObject>& returned,
                    std::span<const vm::Slot> inputs, Slots& slots);
  absl::StatusOr<Ref<hal::BufferView>> TakeView(vm::List& list, size_t index,
                                                size_t result);
  // A buffer or view as the result that it is storage for.
  absl::StatusOr<Ref<hal::BufferView>> Filled(const Result& result,
                                              RefObject* object) const;
  void Put(const Result& result, Ref<hal::BufferView> view, Slots& slots);
  // "Result allocator '__allocate' of function 'f' …"
  absl::Status Wrong(absl::string_view what) const;
  absl::Status Wrong(size_t result, absl::string_view why) const;

  vm::Context& context_;
  std::string function_;
  std::shared_ptr<const RawCall> raw_;
  Ref<hal::Device> device_;
  BufferOwner owner_;
  std::vector<Result> results_;
  size_t dynamic_results_ = 0;
  size_t dynamic_inputs_ = 0;  // their dimensions

  vm::Function allocator_;
  bool has_allocator_ = false;
  bool allocator_takes_fences_ = false;
  FenceLine allocations_;
  Ref<vm::List> dimensions_;  // kept from call to call, if nobody else does
};

}  // namespace eyrie::abi::v0

#endif  // EYRIE_ABI_V0_RESULT_STORAGE_H_
