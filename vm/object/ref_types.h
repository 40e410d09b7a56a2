// The reference types modules may name: "vm.buffer", "hal.buffer_view" …
//
// An embedder makes one, adds what its native modules bring and gives it to
// every bytecode module; there is no process-wide registry.
// Tested by list_buffer_test.cc.
#ifndef EYRIE_VM_OBJECT_REF_TYPES_H_
#define EYRIE_VM_OBJECT_REF_TYPES_H_

#include <initializer_list>
#include <vector>

#include "absl/strings/string_view.h"
#include "base/ref.h"

namespace eyrie::vm {

// A set of types by name. A plain value; thread-compatible.
class RefTypes {
 public:
  // Holds vm.buffer and vm.list.
  RefTypes();
  // These and vm.buffer and vm.list.
  RefTypes(std::initializer_list<const RefType*> types);

  // Adds a type with static storage; a known name keeps its first type.
  void Add(const RefType& type);

  // The type with this name, without a leading '!'; nullptr if unknown.
  const RefType* Find(absl::string_view name) const;

 private:
  std::vector<const RefType*> types_;
};

}  // namespace eyrie::vm

#endif  // EYRIE_VM_OBJECT_REF_TYPES_H_
