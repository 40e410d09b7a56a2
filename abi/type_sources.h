// Types of a signature from what says less than records do: declarations, raw
// types of V0, registers.
// Tested by signature_test.cc.
#ifndef EYRIE_ABI_TYPE_SOURCES_H_
#define EYRIE_ABI_TYPE_SOURCES_H_

#include "abi/declaration.h"
#include "abi/signature.h"
#include "abi/v0/raw_signature.h"
#include "vm/value.h"

namespace eyrie::abi {

// Lists nest as deep as types may; below stands any list.
Type FromDeclared(const DeclaredType& declared);
Type FromCarrier(vm::ValueType carrier);
// What a raw type says, or else what is known already.
Type FromRaw(const v0::RawType& raw, const Type& known);
// True if a register of this type can carry the type. f16 and the like travel
// as bits in an i32 too.
bool Carries(vm::ValueType carrier, const Type& type);

}  // namespace eyrie::abi

#endif  // EYRIE_ABI_TYPE_SOURCES_H_
