// Parses, prints and compares the values of rows. rows.h has the grammar.
// Tested by rows_test.cc.
#ifndef EYRIE_TESTS_VM_ROW_VALUES_H_
#define EYRIE_TESTS_VM_ROW_VALUES_H_

#include <span>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "vm/isa/value.h"

namespace eyrie::tests {

// Parses a value of the type. Aborts if the text is invalid.
vm::Value ParseValue(vm::ValueType type, absl::string_view text);

// Returns the value as rows write it. Floats have all their digits.
std::string TextOf(const vm::Value& value);

// Reports whether a word of `want` allows the value.
bool Matches(const vm::Value& value, absl::string_view want);

}  // namespace eyrie::tests

#endif  // EYRIE_TESTS_VM_ROW_VALUES_H_
