// An import that a memref function serves: slots to descriptors, the call, and
// back.
//
// All is checked before the call, as the function itself checks nothing. Buffer
// views are passed without a copy, unless their declared layout has strides of
// its own. Between fences the call waits for the first one, within the limits
// of the context's call, and signals the second.
// Tested by call_test.cc.
#ifndef EYRIE_ABI_NATIVE_MEMREF_IMPORT_H_
#define EYRIE_ABI_NATIVE_MEMREF_IMPORT_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "abi/native/memref/plan.h"
#include "abi/native/memref/results.h"
#include "abi/native/native_function.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/ref.h"
#include "hal/buffer.h"

namespace eyrie::native {

// A function of a library. Immutable; shared by threads.
struct MemrefFunction {
  MemrefSignature signature;
  void* entry = nullptr;                         // its C wrapper
  void (*free)(void*) = nullptr;                 // for what it allocates
  std::shared_ptr<const NativeLibrary> library;  // keeps it loaded
};

class MemrefImport final : public BoundFunction {
 public:
  MemrefImport(std::shared_ptr<const MemrefFunction> function, MemrefPlan plan,
               const ImportRequest& request);

  absl::Status Invoke(const vm::Slot* arguments, vm::Slot* results) override;

 private:
  static constexpr size_t kWordBytes = sizeof(uint64_t);

  // A memref that any row-major tensor of its element and rank is.
  struct PlainArgument {
    uint64_t* words;  // its descriptor
    size_t rank;
    hal::ElementType element;
  };

  // If a call is of such memrefs alone, with one scalar result or none: makes
  // their descriptors. False: it is not, or an argument is not as declared.
  bool SetPlainArguments(const vm::Slot* arguments);
  void FindPlainArguments();
  absl::Status Run(const vm::Slot* arguments, vm::Slot* results);
  absl::Status SetArguments(const vm::Slot* arguments);
  absl::Status SetScalar(size_t index, const vm::Slot& slot);
  absl::Status SetMemref(size_t index, const hal::BufferView& view);
  // Memory for the argument `index`, which is a result.
  absl::Status SetOutput(size_t index);
  // Its shape: the type's own, or by its rule.
  absl::Status OutputShape(size_t index, hal::BufferView::Shape& shape) const;
  // True if the view is what is declared, and the function can reach it.
  bool Fits(size_t index, const hal::BufferView& view) const;
  absl::Status Misfit(size_t index, const hal::BufferView& view) const;
  // Lays the view's elements out as the type's strides want them.
  absl::Status Pack(const MemrefType& type, const hal::BufferView& view,
                    MemrefDescriptor& descriptor);
  void Point(size_t index, const MemrefDescriptor& descriptor);

  absl::Status TakeResults(uint64_t word, vm::Slot* results);
  // A descriptor of a result in the struct.
  absl::Status LoadResult(size_t index, MemrefDescriptor& descriptor);
  vm::Slot ScalarOf(MemrefElement element, uint64_t bits) const;

  uint64_t* words_at(size_t offset) { return &arena_[offset / kWordBytes]; }
  uint8_t* arena(size_t offset) {
    return reinterpret_cast<uint8_t*>(arena_.data()) + offset;
  }

  const std::shared_ptr<const MemrefFunction> function_;
  const std::shared_ptr<const NativeServices> services_;
  const MemrefPlan plan_;
  const DescriptorLayout layout_;
  const MemrefResultParts parts_;
  const vm::ModuleState& state_;  // for limits
  // Of the call that runs, if any.
  MachineWords words_ = {};
  std::vector<uint64_t> arena_;
  std::vector<PlainArgument> plain_;  // all arguments, or none
  std::vector<LentMemory> lent_;
  std::vector<Ref<hal::Buffer>> packed_;
  std::vector<Ref<hal::BufferView>> outputs_;
  // By input, null: a scalar. For outputs' rules; none: they have none.
  std::vector<const hal::BufferView*> views_;
};

}  // namespace eyrie::native

#endif  // EYRIE_ABI_NATIVE_MEMREF_IMPORT_H_
