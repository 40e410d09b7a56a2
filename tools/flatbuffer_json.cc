// Prints tables by the rows of flatbuffer_fields.cc.
#include "tools/flatbuffer_json.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "base/json.h"
#include "base/optional_field.h"
#include "base/plain_text.h"
#include "flatbuffers/flatbuffers.h"
#include "tools/flatbuffer_fields.h"

namespace eyrie::tools {
namespace {

using flatbuffers::ReadScalar;
using flatbuffers::Table;
using Vector = flatbuffers::VectorOfAny;

// Prints brackets, commas and, in pretty text, lines.
class Layout {
 public:
  Layout(bool pretty, TextStream& to) : pretty_(pretty), to_(to) {}

  bool ok() const { return to_.ok(); }
  template <typename... Args>
  void Add(const Args&... args) {
    to_.Add(args...);
  }
  void Open(const char* bracket) {
    to_.Add(bracket);
    ++depth_;
    is_first_ = true;
  }
  void Close(const char* bracket) {
    --depth_;
    Line();
    to_.Add(bracket);
    is_first_ = false;
  }
  // Begins an element on a line of its own.
  void Item() {
    SameLineItem();
    Line();
  }
  // Begins an element on the line of what is before it.
  void SameLineItem() {
    if (!is_first_) to_.Add(",");
    is_first_ = false;
  }
  void Key(const char* name, const char* suffix = "") {
    Item();
    to_.Add("\"", name, suffix, pretty_ ? "\": " : "\":");
  }

 private:
  void Line() {
    if (pretty_) to_.Add("\n", std::string(2 * depth_, ' '));
  }

  const bool pretty_;
  TextStream& to_;
  size_t depth_ = 0;
  bool is_first_ = true;
};

void PrintTable(const Table& table, const Shape& shape, Layout& to);

void PrintText(absl::string_view text, Layout& to) {
  std::string valid;
  while (!text.empty()) {
    const size_t length = Utf8Length(text);
    absl::StrAppend(&valid, length ? text.substr(0, length) : "\uFFFD");
    text.remove_prefix(length ? length : 1);
  }
  std::string quoted;
  AppendJsonString(valid, quoted);
  to.Add(quoted);
}

// Prints a number. A number whose bits all have names prints as these.
void PrintNumber(uint64_t number, const Field& field, Layout& to) {
  switch (field.kind) {
    case FieldKind::kInt16:
      return to.Add(static_cast<int16_t>(number));
    case FieldKind::kInt32:
      return to.Add(static_cast<int32_t>(number));
    default:
      break;
  }
  if (number == 0 || number >> field.bits.size() != 0) return to.Add(number);
  std::string names;
  for (size_t bit = 0; bit < field.bits.size(); ++bit) {
    if ((number >> bit & 1) == 0) continue;
    absl::StrAppend(&names, names.empty() ? "" : " ", field.bits[bit]);
  }
  to.Add("\"", names, "\"");
}

uint64_t ReadNumber(const uint8_t* from, FieldKind kind) {
  switch (kind) {
    case FieldKind::kInt16:
      return ReadScalar<uint16_t>(from);
    case FieldKind::kUint64:
      return ReadScalar<uint64_t>(from);
    default:
      return ReadScalar<uint32_t>(from);
  }
}

void PrintStructs(const Vector& list, const Shape& shape, Layout& to) {
  const uint8_t* from = list.Data();
  to.Open("[");
  for (uint32_t i = 0; i < list.size() && to.ok(); ++i) {
    to.Item();
    to.Open("{");
    for (const Field& field : shape.fields) {
      to.Key(field.name);
      PrintNumber(ReadNumber(from + field.place, field.kind), field, to);
    }
    to.Close("}");
    from += shape.struct_bytes;
  }
  to.Close("]");
}

// Returns the table that element i of a vector of offsets refers to.
const Table& TableAt(const Vector& list, uint32_t i) {
  const uint8_t* from = list.Data() + i * sizeof(flatbuffers::uoffset_t);
  return *reinterpret_cast<const Table*>(
      from + ReadScalar<flatbuffers::uoffset_t>(from));
}

void PrintTables(const Vector& list, const Shape& shape, Layout& to) {
  to.Open("[");
  for (uint32_t i = 0; i < list.size() && to.ok(); ++i) {
    to.SameLineItem();
    PrintTable(TableAt(list, i), shape, to);
  }
  to.Close("]");
}

template <typename T>
void PrintScalars(const flatbuffers::Vector<T>& list, Layout& to) {
  to.Open("[");
  for (uint32_t i = 0; i < list.size() && to.ok(); ++i) {
    to.Item();
    to.Add(static_cast<int32_t>(list.Get(i)));
  }
  to.Close("]");
}

// Returns null for kind 0, which means none, and for unknown kinds.
const Member* FindMember(const Field& field, uint8_t kind) {
  const bool is_known = kind != 0 && kind <= field.members.size();
  return is_known ? &field.members[kind - 1] : nullptr;
}

void PrintKind(const Field& field, uint8_t kind, Layout& to) {
  const Member* member = FindMember(field, kind);
  if (member == nullptr && kind != 0) return to.Add(uint32_t{kind});
  to.Add("\"", member == nullptr ? "NONE" : member->name, "\"");
}

// The kind is the field before a union's own.
uint16_t KindPlace(const Field& field) {
  return field.place - sizeof(flatbuffers::voffset_t);
}

void PrintUnion(const Table& table, const Table& value, const Field& field,
                Layout& to) {
  const uint8_t kind = table.GetField<uint8_t>(KindPlace(field), 0);
  to.Key(field.name, "_type");
  PrintKind(field, kind, to);
  to.Key(field.name);
  const Member* member = FindMember(field, kind);
  if (member == nullptr) return to.Add("null");
  PrintTable(value, *member->shape, to);
}

// The verifier has found that both vectors have the same size.
void PrintUnions(const Table& table, const Vector& values, const Field& field,
                 Layout& to) {
  const auto& kinds =
      *table.GetPointer<const flatbuffers::Vector<uint8_t>*>(KindPlace(field));
  to.Key(field.name, "_type");
  to.Open("[");
  for (uint32_t i = 0; i < kinds.size() && to.ok(); ++i) {
    to.Item();
    PrintKind(field, kinds.Get(i), to);
  }
  to.Close("]");
  to.Key(field.name);
  to.Open("[");
  for (uint32_t i = 0; i < kinds.size() && to.ok(); ++i) {
    const Member* member = FindMember(field, kinds.Get(i));
    to.SameLineItem();
    if (member == nullptr) {
      to.Add("null");
    } else {
      PrintTable(TableAt(values, i), *member->shape, to);
    }
  }
  to.Close("]");
}

bool IsNumber(FieldKind kind) {
  return kind >= FieldKind::kInt16 && kind <= FieldKind::kUint64;
}

// Prints a field that the table has and that is not a number.
void PrintObject(const Table& table, const Field& field, Layout& to) {
  const uint8_t* at = table.GetPointer<const uint8_t*>(field.place);
  const auto& list = *reinterpret_cast<const Vector*>(at);
  const auto& other = *reinterpret_cast<const Table*>(at);
  if (field.kind == FieldKind::kUnion) {
    return PrintUnion(table, other, field, to);
  }
  if (field.kind == FieldKind::kUnions) {
    return PrintUnions(table, list, field, to);
  }
  to.Key(field.name);
  switch (field.kind) {
    case FieldKind::kText:
      return PrintText(
          View(table.GetPointer<const flatbuffers::String*>(field.place)), to);
    case FieldKind::kBytes:
      return PrintScalars(
          *reinterpret_cast<const flatbuffers::Vector<uint8_t>*>(at), to);
    case FieldKind::kInts:
      return PrintScalars(
          *reinterpret_cast<const flatbuffers::Vector<int32_t>*>(at), to);
    case FieldKind::kTables:
      return PrintTables(list, *field.shape, to);
    case FieldKind::kStructs:
      return PrintStructs(list, *field.shape, to);
    default:
      return PrintTable(other, *field.shape, to);
  }
}

void PrintTable(const Table& table, const Shape& shape, Layout& to) {
  to.Open("{");
  for (const Field& field : shape.fields) {
    if (!to.ok() || !table.CheckField(field.place)) continue;
    if (!IsNumber(field.kind)) {
      PrintObject(table, field, to);
      continue;
    }
    const uint64_t number =
        ReadNumber(table.GetAddressOf(field.place), field.kind);
    if (number == field.preset) continue;
    to.Key(field.name);
    PrintNumber(number, field, to);
  }
  to.Close("}");
}

}  // namespace

void PrintFlatBufferJson(const vm::fbs::Module& module, bool pretty,
                         TextStream& to) {
  Layout layout(pretty, to);
  PrintTable(reinterpret_cast<const Table&>(module), kModuleShape, layout);
  if (pretty) to.Add("\n");
}

}  // namespace eyrie::tools
