// What is wrong with an argument that a declaration tells of.
//
// Tested by session_test.cc.
#ifndef EYRIE_ABI_ARGUMENT_DIFFERENCE_H_
#define EYRIE_ABI_ARGUMENT_DIFFERENCE_H_

#include <string>

#include "abi/declaration.h"
#include "absl/strings/string_view.h"
#include "base/ref.h"
#include "hal/element_type.h"

namespace eyrie::abi {

// "an i32", "a hal.buffer".
std::string WithArticle(absl::string_view name);

// True if a reference certainly is as declared: the common case, a tensor,
// without a word. False says nothing.
bool RefFits(const RefObject* object, const DeclaredValue& declared);
// What is wrong with a reference, as the end of a sentence; empty if nothing.
std::string RefDifference(RefObject* object, const DeclaredValue& declared);
// Which integer of a tensor is out of the range of a type of the same width,
// likewise: "200 is out of range for si8 (-128 to 127), at [3]."
std::string ElementDifference(const RefObject* object,
                              hal::ElementType declared);
// What is wrong with storage for result `index`, likewise.
std::string StorageDifference(RefObject* object, int index,
                              const DeclaredType& result);

}  // namespace eyrie::abi

#endif  // EYRIE_ABI_ARGUMENT_DIFFERENCE_H_
