// Describes how an argument differs from its declaration. The functions return
// the end of an English sentence for an error message.
//
// Tested by session_test.cc.
#ifndef EYRIE_ABI_CALL_ARGUMENT_DIFFERENCE_H_
#define EYRIE_ABI_CALL_ARGUMENT_DIFFERENCE_H_

#include <string>

#include "abi/signature/signature.h"
#include "absl/strings/string_view.h"
#include "base/ref.h"
#include "hal/element_type.h"

namespace eyrie::abi {

// Returns the name with its article: "an i32", "a hal.buffer".
std::string WithArticle(absl::string_view name);
// Returns what the caller must pass: "4xf32", "i32", "a hal.buffer".
std::string ExpectedText(const Parameter& declared);

// Reports quickly whether a reference is a tensor that matches its declaration,
// without building a message. If this returns false, the caller must use
// RefDifference. `object` may be null.
bool RefFits(const RefObject* object, const Parameter& declared);
// Returns how a reference differs from its declaration; empty if it matches.
// `object` may be null.
std::string RefDifference(RefObject* object, const Parameter& declared);
// Returns which integer of a tensor is out of range for the declared type of
// the same width: "200 is out of range for si8 (-128 to 127), at [3]." Empty if
// none is, or if `object` is null or not a tensor. If the host cannot read the
// elements, returns that error's message.
std::string ElementDifference(const RefObject* object,
                              hal::ElementType declared);
// Returns why a buffer is too small to be the storage for result `index`; empty
// if it fits, or if the result's size is not declared.
std::string StorageDifference(RefObject* object, int index, const Type& result);

}  // namespace eyrie::abi

#endif  // EYRIE_ABI_CALL_ARGUMENT_DIFFERENCE_H_
