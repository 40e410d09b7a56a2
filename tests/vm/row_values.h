// Values of rows, from text and compared with it. rows.h has the grammar.
// Tested by rows_test.cc.
#ifndef EYRIE_TESTS_VM_ROW_VALUES_H_
#define EYRIE_TESTS_VM_ROW_VALUES_H_

#include <span>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "vm/isa/value.h"

namespace eyrie::tests {

// A value of the type; aborts on text that is none.
vm::Value ParseValue(vm::ValueType type, absl::string_view text);

// As rows write it: floats with all their digits.
std::string TextOf(const vm::Value& value);

// Whether a word of `want` allows the value.
bool Matches(const vm::Value& value, absl::string_view want);

}  // namespace eyrie::tests

#endif  // EYRIE_TESTS_VM_ROW_VALUES_H_
