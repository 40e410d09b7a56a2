// The parts of a module that `eyrie diff` compares, as named properties.
//
// No code is run. Texts from the file are unescaped; printing functions must
// escape them.
// Tested by diff_test.txt, changes_test.cc.
#ifndef EYRIE_TOOLS_DIFF_MODULE_PARTS_H_
#define EYRIE_TOOLS_DIFF_MODULE_PARTS_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "vm/module/verifier.h"

namespace eyrie::tools {

struct Property {
  std::string name;   // "signature"
  std::string value;  // "(i32) -> ()"
};

// An import, a function, a constant, and so on. Items of a section may have the
// same name.
struct Item {
  std::string name;
  std::vector<Property> properties;
};

struct Section {
  std::string name;  // "imports"
  std::vector<Item> items;
};

// Every module has the same sections in the same order.
struct ModuleParts {
  std::vector<Section> sections;
  std::vector<std::string> constants;  // names in code, by ordinal
};

// The only property of items that are a name and a value.
inline constexpr char kValue[] = "value";

// The section whose items are the functions, in order of their ordinals.
inline constexpr char kFunctions[] = "functions";

// The property of a function whose value changes with its instructions.
inline constexpr char kCode[] = "code";

// RESOURCE_EXHAUSTED: the text of the module's functions would exceed
// MostTextOf() the file, or its constants are the same bytes too often.
absl::StatusOr<ModuleParts> ReadModuleParts(const vm::VerifiedModule& module);

}  // namespace eyrie::tools

#endif  // EYRIE_TOOLS_DIFF_MODULE_PARTS_H_
