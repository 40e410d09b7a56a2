// Types of a signature from what says less than records do: declarations, raw
// types of V0, registers.
// Tested by signature_test.cc.
#ifndef EYRIE_ABI_TYPE_SOURCES_H_
#define EYRIE_ABI_TYPE_SOURCES_H_

#include "abi/declaration.h"
#include "abi/signature.h"
#include "abi/v0/raw_signature.h"
#include "vm/isa/value.h"

namespace eyrie::abi {

// Lists nest as deep as types may; below stands any list.
Type FromDeclared(const DeclaredType& declared);
Type FromCarrier(vm::ValueType carrier);
// What a raw type says, or else what is known already.
Type FromRaw(const v0::RawType& raw, const Type& known);
// True if a register of this type can carry the type. f16 and the like travel
// as bits in an i32 too.
bool Carries(vm::ValueType carrier, const Type& type);
// False if what is said of a value cannot be true of the type that the
// function declares for it. Narrower integers, fewer or more dimensions known
// and elements of the same bits are no contradiction.
bool Agrees(const Type& declared, const Type& said);
// What both together say, where they agree: what is said, unless it is an
// array's elements in a bare buffer or bytes that are no list.
Type Merged(const Type& declared, Type said);

}  // namespace eyrie::abi

#endif  // EYRIE_ABI_TYPE_SOURCES_H_
