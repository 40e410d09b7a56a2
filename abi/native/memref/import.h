// Binds a memref function to an import: converts slots to descriptors, calls
// the function, and converts its results.
//
// All arguments are checked before the call, because the function checks
// nothing. With fences, the call first waits for the wait fence, within the
// limits of the context's call, and then signals the other.
// Tested by call_test.cc, copies_test.cc.
#ifndef EYRIE_ABI_NATIVE_MEMREF_IMPORT_H_
#define EYRIE_ABI_NATIVE_MEMREF_IMPORT_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "abi/native/memref/plan.h"
#include "abi/native/memref/results.h"
#include "abi/native/native_call.h"
#include "abi/native/native_function.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/ref.h"
#include "hal/buffer_view.h"

namespace eyrie::native {

// A function of a library. Immutable; may be shared by threads.
struct MemrefFunction {
  MemrefSignature signature;
  void* entry = nullptr;          // its C wrapper
  void (*free)(void*) = nullptr;  // frees what the function allocates
  std::shared_ptr<const NativeLibrary> library;  // keeps it loaded
};

// Shared by all calls of one import.
struct MemrefParts : NativeCallParts {
  std::shared_ptr<const MemrefFunction> function;
  std::shared_ptr<const NativeServices> services;
  MemrefPlan plan;
};

class MemrefImport final : public BoundFunction, private NativeCall {
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

  // Fast path: if all arguments are plain memrefs, with at most one scalar
  // result, writes their descriptors and returns true. Returns false if the
  // function is not of this form, or an argument does not match.
  bool SetPlainArguments(const vm::Slot* arguments);
  void FindPlainArguments();
  absl::Status Run(const vm::Slot* arguments, vm::Slot* results);
  absl::Status SetArguments(const vm::Slot* arguments);
  absl::Status SetScalar(size_t index, const vm::Slot& slot);
  void SetMemref(size_t index);
  void Point(size_t index, const MemrefDescriptor& descriptor);
  // Returns the layout of an argument, which may be an output.
  const TensorLayout& LayoutOf(size_t index) const;
  // Records the memory of an argument, for results that refer to it.
  void Lend(size_t index, void* data);
  absl::StatusOr<FfiType> CheckArgument(
      size_t index, const hal::BufferView& view) const override;
  absl::StatusOr<FfiType> CheckResult(size_t index,
                                      std::span<const int64_t> dims,
                                      hal::ElementType& element) const override;
  absl::StatusOr<void*> AllocateTemporary(uint64_t bytes) override {
    return absl::InternalError("Memref functions have no temporary results.");
  }

  absl::Status TakeResults(uint64_t word, vm::Slot* results);
  // Reads a result's descriptor from the result struct.
  absl::Status LoadResult(size_t index, MemrefDescriptor& descriptor);
  vm::Slot ScalarOf(const MemrefType& type, uint64_t bits) const;

  uint64_t* words_at(size_t offset) { return &arena_[offset / kWordBytes]; }
  uint8_t* arena(size_t offset) {
    return reinterpret_cast<uint8_t*>(arena_.data()) + offset;
  }

  explicit MemrefImport(std::unique_ptr<const MemrefParts> parts);

  const std::unique_ptr<const MemrefParts> owned_;
  const MemrefSignature& signature_;
  const MemrefPlan& plan_;
  const DescriptorLayout layout_;
  // State of the current call.
  MachineWords words_ = {};
  std::vector<uint64_t> arena_;
  std::vector<PlainArgument> plain_;  // all arguments, or empty
  std::vector<LentMemory> lent_;
};

}  // namespace eyrie::native

#endif  // EYRIE_ABI_NATIVE_MEMREF_IMPORT_H_
