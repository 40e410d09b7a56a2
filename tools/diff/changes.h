// The differences between the parts of two modules.
//
// Tested by changes_test.cc.
#ifndef EYRIE_TOOLS_DIFF_CHANGES_H_
#define EYRIE_TOOLS_DIFF_CHANGES_H_

#include <string>
#include <vector>

#include "tools/diff/module_parts.h"

namespace eyrie::tools {

// A property that only one item has, or that has other values. Null where an
// item lacks it. Borrows from the modules' parts.
struct PropertyChange {
  const Property* before = nullptr;
  const Property* after = nullptr;

  const std::string& name() const { return (before ? before : after)->name; }
};

// An item that only one module has, or that differs.
struct ItemChange {
  const Item* before = nullptr;
  const Item* after = nullptr;
  // All properties of an added or removed item, else those that differ.
  std::vector<PropertyChange> properties;

  const std::string& name() const { return (before ? before : after)->name; }
};

struct SectionChange {
  const Section* before = nullptr;
  const Section* after = nullptr;
  std::vector<ItemChange> items;  // not empty
};

// Returns the sections that differ. Items and properties are paired by their
// names, the second of a name with the second; their order does not matter.
// Changed and removed items are in the order of `before`, then added ones in
// that of `after`. Takes linear time.
std::vector<SectionChange> CompareParts(const ModuleParts& before,
                                        const ModuleParts& after);

}  // namespace eyrie::tools

#endif  // EYRIE_TOOLS_DIFF_CHANGES_H_
