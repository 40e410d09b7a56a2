// HAL objects as VM references: the type names that compiled modules use.
//
// Tested by imports_test.cc.
#ifndef EYRIE_HAL_MODULE_TYPES_H_
#define EYRIE_HAL_MODULE_TYPES_H_

#include <span>

#include "base/ref.h"

namespace eyrie::hal {

// A type that modules may name, although no objects of it exist.
inline constexpr RefType kEventType{"hal.event"};

// Returns all types that a module's type table may name with the prefix "hal.",
// in ascending order of names, for vm::RefTypes::Add.
std::span<const RefType* const> HalTypes();

}  // namespace eyrie::hal

#endif  // EYRIE_HAL_MODULE_TYPES_H_
