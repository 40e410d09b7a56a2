#include "vm/object/ref_types.h"

#include "vm/object/buffer.h"
#include "vm/object/list.h"

namespace eyrie::vm {

RefTypes::RefTypes() : types_{&Buffer::kType, &List::kType} {}

RefTypes::RefTypes(std::initializer_list<const RefType*> types) : RefTypes() {
  for (const RefType* type : types) Add(*type);
}

void RefTypes::Add(const RefType& type) {
  if (Find(type.name) == nullptr) types_.push_back(&type);
}

const RefType* RefTypes::Find(absl::string_view name) const {
  for (const RefType* type : types_) {
    if (name == type->name) return type;
  }
  return nullptr;
}

}  // namespace eyrie::vm
