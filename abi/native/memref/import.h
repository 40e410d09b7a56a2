// Binds a memref function to an import: converts slots to descriptors, calls
// the function, and converts its results.
//
// All arguments are checked before the call, because the function checks
// nothing. Buffer views are not copied, unless the type or the layout has its
// own strides, the host cannot see them, or the function writes to them. With
// fences, the call first waits for the wait fence, within the limits of the
// context's call, and then signals the other. Tested by call_test.cc.
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
#include "hal/buffer_view.h"

namespace eyrie::native {

// A function of a library. Immutable; may be shared by threads.
struct MemrefFunction {
  MemrefSignature signature;
  void* entry = nullptr;          // its C wrapper
  void (*free)(void*) = nullptr;  // frees what the function allocates
  std::shared_ptr<const NativeLibrary> library;  // keeps it loaded
};

class MemrefImport final : public BoundFunction {
 public:
  MemrefImport(std::shared_ptr<const MemrefFunction> function, MemrefPlan plan,
               const ImportRequest& request);

  absl::Status Invoke(const vm::Slot* arguments, vm::Slot* results) override;

 private:
  static constexpr size_t kWordBytes = sizeof(uint64_t);

  // A memref that accepts any row-major tensor of its element and rank.
  struct PlainArgument {
    uint64_t* words;  // the descriptor
    size_t rank;
    hal::ElementType element;
  };

  // A result whose elements the function wrote elsewhere.
  struct PackedOutput {
    uint32_t output;
    const uint8_t* from;
    MemrefShape shape;
  };

  // Fast path: if all arguments are plain memrefs, with at most one scalar
  // result, writes their descriptors and returns true. Returns false if the
  // function is not of this form, or an argument does not match.
  bool SetPlainArguments(const vm::Slot* arguments);
  void FindPlainArguments();
  absl::Status Run(const vm::Slot* arguments, vm::Slot* results);
  absl::Status SetArguments(const vm::Slot* arguments);
  absl::Status SetScalar(size_t index, const vm::Slot& slot);
  absl::Status SetMemref(size_t index, const hal::BufferView& view);
  // Allocates memory for the argument `index`, which is an output.
  absl::Status SetOutput(size_t index);
  // Computes an output's shape, from its type or its rule.
  absl::Status OutputShape(size_t index, hal::BufferView::Shape& shape) const;
  // Reports whether the view matches the declaration.
  bool Fits(size_t index, const hal::BufferView& view) const;
  absl::Status Misfit(size_t index, const hal::BufferView& view) const;
  // Copies the argument to memory for a result, and passes that; or makes the
  // argument the result, if the caller gives it away.
  absl::Status SetInout(size_t index, hal::BufferView& view);
  // Reports whether the function cannot use the elements where they are.
  bool MustPack(size_t index, const hal::BufferView& view,
                const MemrefShape& shape) const;
  // Copies the view's elements to the strides that the type or layout requires.
  absl::Status Pack(size_t index, const hal::BufferView& view,
                    MemrefDescriptor& descriptor);
  // Copies the results that Pack has moved to where they belong.
  void Unpack();
  void Point(size_t index, const MemrefDescriptor& descriptor);

  absl::Status TakeResults(uint64_t word, vm::Slot* results);
  // Reads a result's descriptor from the result struct.
  absl::Status LoadResult(size_t index, MemrefDescriptor& descriptor);
  vm::Slot ScalarOf(const MemrefType& type, uint64_t bits) const;

  uint64_t* words_at(size_t offset) { return &arena_[offset / kWordBytes]; }
  uint8_t* arena(size_t offset) {
    return reinterpret_cast<uint8_t*>(arena_.data()) + offset;
  }

  const std::shared_ptr<const MemrefFunction> function_;
  const std::shared_ptr<const NativeServices> services_;
  const MemrefPlan plan_;
  const DescriptorLayout layout_;
  const MemrefResultParts parts_;
  vm::ModuleState& state_;  // for limits
  // State of the current call.
  MachineWords words_ = {};
  std::vector<uint64_t> arena_;
  std::vector<PlainArgument> plain_;  // all arguments, or empty
  std::vector<LentMemory> lent_;
  std::vector<Ref<hal::Buffer>> packed_;
  std::vector<Ref<hal::BufferView>> outputs_;
  std::vector<PackedOutput> packed_outputs_;
  // By input, null for scalars; used by output rules and equal dimensions.
  // Empty if there are none.
  std::vector<const hal::BufferView*> views_;
};

}  // namespace eyrie::native

#endif  // EYRIE_ABI_NATIVE_MEMREF_IMPORT_H_
