// The fields of a module's FlatBuffer under the names of the public schema.
//
// The numbers of fields are those of vm/module/module.fbs; only names and text
// forms are added here. Tested by flatbuffer_json_test.cc.
#ifndef EYRIE_TOOLS_FLATBUFFER_FIELDS_H_
#define EYRIE_TOOLS_FLATBUFFER_FIELDS_H_

#include <cstdint>
#include <span>

namespace eyrie::tools {

enum class FieldKind : uint8_t {
  kText,
  kInt16,
  kInt32,
  kUint32,
  kUint64,
  kBytes,    // [uint8]
  kInts,     // [int32]
  kTable,    // a table of shape shapes[0]
  kTables,   // a vector of these
  kStructs,  // a vector of structs
  kUnion,    // a table of shape shapes[kind - 1]; its kind is the field before
  kUnions,   // vectors of these
};

// A table, or a struct of `struct_bytes` bytes. `fields` has the order in which
// they are printed.
struct Shape {
  std::span<const struct Field> fields;
  uint32_t struct_bytes = 0;
};

// A member of a union.
struct Member {
  const char* name;
  const Shape* shape;
};

struct Field {
  uint16_t place;  // in the vtable; in structs the offset in bytes
  const char* name;
  FieldKind kind;
  const Shape* shape = nullptr;            // of kTable, kTables, kStructs
  uint32_t preset = 0;                     // a number that is not printed
  std::span<const char* const> bits = {};  // names of the bits of a number
  std::span<const Member> members = {};    // of kUnion, kUnions
};

// The root table.
extern const Shape kModuleShape;

}  // namespace eyrie::tools

#endif  // EYRIE_TOOLS_FLATBUFFER_FIELDS_H_
