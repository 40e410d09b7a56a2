// The reference types that modules may name, such as "hal.buffer_view".
//
// An embedder creates a set, adds the types of its native modules and passes it
// to every bytecode module. There is no global registry.
// Tested by list_buffer_test.cc.
#ifndef EYRIE_VM_OBJECT_REF_TYPES_H_
#define EYRIE_VM_OBJECT_REF_TYPES_H_

#include <initializer_list>
#include <vector>

#include "absl/strings/string_view.h"
#include "base/ref.h"

namespace eyrie::vm {

// A set of types by name. Thread-compatible.
class RefTypes {
 public:
  // Contains vm.buffer and vm.list.
  RefTypes();
  // Contains `types`, vm.buffer and vm.list.
  RefTypes(std::initializer_list<const RefType*> types);

  // Adds a type, which must have static storage. Does nothing if the set has a
  // type with this name.
  void Add(const RefType& type);

  // Returns the type with this name (without a leading '!'), or null.
  const RefType* Find(absl::string_view name) const;

 private:
  std::vector<const RefType*> types_;
};

}  // namespace eyrie::vm

#endif  // EYRIE_VM_OBJECT_REF_TYPES_H_
