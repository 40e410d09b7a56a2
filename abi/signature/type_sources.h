// Converts types from sources with fewer details than records, raw types of V0
// and registers, and compares types of several sources.
// Tested by signature_test.cc.
#ifndef EYRIE_ABI_SIGNATURE_TYPE_SOURCES_H_
#define EYRIE_ABI_SIGNATURE_TYPE_SOURCES_H_

#include "abi/signature/signature.h"
#include "abi/v0/raw_signature.h"
#include "vm/isa/value.h"

namespace eyrie::abi {

Type FromCarrier(vm::ValueType carrier);
// Converts a raw type. Returns `known` if the raw type says less than that.
Type FromRaw(const v0::RawType& raw, const Type& known);
// Reports whether a register of this type can hold a value of the type. Floats
// of up to 16 bits are also passed as bits in an i32.
bool Carries(vm::ValueType carrier, const Type& type);
// Reports whether a type from metadata can be true of a value that the function
// declares as `declared`. Narrower integers, dimensions that only one of them
// knows, and elements of the same bits do not contradict each other.
bool Agrees(const Type& declared, const Type& said);
// Combines two types that agree. Returns `said`, unless the function declares a
// buffer or bytes.
Type Merged(const Type& declared, Type said);

}  // namespace eyrie::abi

#endif  // EYRIE_ABI_SIGNATURE_TYPE_SOURCES_H_
