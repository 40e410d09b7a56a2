// Arrays of the caller that results of a call are written to.
//
// Tested by abi/call/out_test.cc.
#ifndef EYRIE_ABI_VALUE_OUT_ARRAY_H_
#define EYRIE_ABI_VALUE_OUT_ARRAY_H_

#include "abi/signature/signature.h"
#include "abi/value/host_value.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace eyrie::abi {

// Checks that an array can take a result of `type`. INVALID_ARGUMENT: the value
// is not an array, is read-only, has elements that share memory, or does not
// match the type.
absl::Status CheckOut(const HostValue& out, const Type& type);

// Reports whether two arrays may have a byte in common. Returns false for
// arrays whose elements alternate, such as two columns of a matrix.
bool MayOverlap(const HostArray& a, const HostArray& b);

// Writes the elements of a result to `out`. The two may overlap, in any order
// of their elements. RESOURCE_EXHAUSTED: no memory for a copy that this needs.
// INVALID_ARGUMENT: the result is not an array that the host can read, or its
// shape or element type is another one, so that CheckOut could not know it.
absl::Status CopyToOut(const HostValue& result, const HostArray& out);

// Returns a dense copy of an array in memory of its own. RESOURCE_EXHAUSTED: no
// memory.
absl::StatusOr<HostValue> CopyApart(const HostArray& array);

}  // namespace eyrie::abi

#endif  // EYRIE_ABI_VALUE_OUT_ARRAY_H_
