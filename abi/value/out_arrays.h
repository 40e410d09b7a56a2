// Arrays of the caller that results of a call are written to.
//
// Tested by abi/call/out_test.cc.
#ifndef EYRIE_ABI_VALUE_OUT_ARRAYS_H_
#define EYRIE_ABI_VALUE_OUT_ARRAYS_H_

#include <cstddef>
#include <span>
#include <vector>

#include "abi/signature/signature.h"
#include "abi/value/array_encoder.h"
#include "abi/value/host_value.h"
#include "absl/status/status.h"
#include "hal/device.h"
#include "vm/isa/value.h"

namespace eyrie::abi {

// Reports whether two arrays may have a byte in common. Returns false for
// arrays whose elements alternate, such as two columns of a matrix.
bool MayOverlap(const HostArray& a, const HostArray& b);

// Returns the type of the result that an argument is storage for, or null.
const Type* StorageType(const Signature& signature, size_t argument);
// Returns it if its size is known before the call; else null.
const Type* StaticStorageType(const Signature& signature, size_t argument);

// The arrays of one call: at most one for each result, in order; null leaves
// the result to the call. Borrows everything.
class OutArrays {
 public:
  OutArrays(const Signature& signature, std::span<const HostValue* const> outs)
      : signature_(signature), outs_(outs) {}

  // Returns the array of a result, or null.
  const HostArray* At(size_t index) const {
    return index < outs_.size() && outs_[index] != nullptr
               ? outs_[index]->array()
               : nullptr;
  }

  // INVALID_ARGUMENT: there are more than results; or one is not an array, is
  // read-only, has elements that share memory, overlaps another one, or does
  // not match its result's type.
  absl::Status Check() const;
  // Reports whether an argument may be storage in one of the arrays.
  bool MayBeStorage() const;
  // Stores the array of the result that an argument is storage for, if it can
  // be that. Otherwise leaves the slot null. `given` are all arguments.
  absl::Status UseAsStorage(size_t argument,
                            std::span<const HostValue* const> given,
                            hal::Device* device, CallStatistics& statistics,
                            vm::Slot& slot) const;
  // Copies the results to the arrays, unless they are there already, and
  // replaces them by values that share the arrays' memory. A result and an
  // array may overlap, in any order of their elements. RESOURCE_EXHAUSTED: no
  // memory for a copy that this needs. INVALID_ARGUMENT: a result is not an
  // array that the host can read, or its shape or element type is another one,
  // so that Check could not know it.
  absl::Status Write(std::vector<HostValue>& results,
                     CallStatistics& statistics) const;

 private:
  // Copies each result that lies in the array of another one, which may be
  // written first.
  absl::Status MoveApart(std::vector<HostValue>& results,
                         CallStatistics& statistics) const;

  const Signature& signature_;
  const std::span<const HostValue* const> outs_;
};

}  // namespace eyrie::abi

#endif  // EYRIE_ABI_VALUE_OUT_ARRAYS_H_
