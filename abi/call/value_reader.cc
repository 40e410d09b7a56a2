// Reads --input texts and the files that they name.
#include "abi/call/value_reader.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "abi/call/session.h"
#include "abi/call/value_writer.h"
#include "abi/tensor/npy.h"
#include "abi/tensor/npz.h"
#include "abi/tensor/tensor_text.h"
#include "abi/value/convert.h"
#include "abi/value/encoder.h"
#include "abi/value/host_value.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "base/byte_reader.h"
#include "base/name_list.h"
#include "base/plain_text.h"
#include "base/status_macros.h"
#include "hal/packed_elements.h"
#include "vm/object/buffer.h"

namespace eyrie::abi {
namespace {

using hal::ElementType;
using vm::Value;
using vm::ValueType;
using Kind = Type::Kind;

constexpr size_t kLongestQuote = 60;

// A member of a .npz that has more bytes cannot be a scalar, which needs at
// most 16 after its header.
constexpr uint64_t kLargestScalar = uint64_t{1} << 17;

bool IsNull(absl::string_view text) {
  return text == "(null)" || text == "(ignored)";
}

Value NullOf(ValueType type) {
  return Value::Adopt(type, vm::Slot{});  // zero, or a null reference
}

// Returns the element type of a register type.
ElementType ElementOf(ValueType type) {
  switch (type) {
    case ValueType::kI32:
      return ElementType::kInt32;
    case ValueType::kI64:
      return ElementType::kInt64;
    case ValueType::kF32:
      return ElementType::kFloat32;
    case ValueType::kF64:
      return ElementType::kFloat64;
    case ValueType::kRef:
      return ElementType::kNone;
  }
  return ElementType::kNone;
}

// Returns the type for parsing a scalar: the declared one if its register can
// hold it.
ElementType ScalarType(ValueType type, const Type* declared) {
  const ElementType carried = ElementOf(type);
  if (!declared || !declared->is(Kind::kScalar)) return carried;
  const ElementType element = declared->element;
  const uint32_t bits = hal::BitCount(element);
  switch (type) {
    case ValueType::kI32:
      return bits <= 32 && (hal::IsIntegerOrBool(element) || bits < 32)
                 ? element
                 : carried;
    case ValueType::kI64:
      return hal::IsIntegerOrBool(element) ? element : carried;
    default:
      return carried;
  }
}

bool IsBytes(const ValueSlot& slot) {
  return slot.declared && slot.declared->is(Kind::kBytes);
}

std::string DescribeSlot(const ValueSlot& slot) {
  std::string type;
  if (slot.declared && !slot.declared->is(Kind::kUnknown)) {
    type = slot.declared->ToString();
  } else if (slot.type == ValueType::kRef) {
    type = "a reference";
  } else {
    type = hal::ElementTypeName(ElementOf(slot.type));
  }
  return absl::StrCat(slot.name, ", ", type);
}

std::string Shortened(absl::string_view text) {
  if (text.size() <= kLongestQuote) return std::string(text);
  return absl::StrCat(text.substr(0, kLongestQuote), "…");
}

}  // namespace

std::vector<ValueSlot> ArgumentSlots(const Callable& function) {
  std::vector<ValueSlot> slots;
  for (const Parameter& argument : function.declared().arguments()) {
    slots.push_back({argument.carrier, &argument.type,
                     function.declared().ArgumentName(slots.size())});
  }
  return slots;
}

absl::StatusOr<Value> ParseScalar(absl::string_view text, ValueType type,
                                  const Type* declared, NarrowFloats floats) {
  const ElementType element = ScalarType(type, declared);
  const ElementType carried = ElementOf(type);
  const bool is_float = !hal::IsIntegerOrBool(element);
  // A float in an i32 is passed as its bits.
  bool bits_given =
      carried == ElementType::kInt32 && floats == NarrowFloats::kBits;
  // "i32=7", the format of printed results.
  if (const size_t equals = text.find('='); equals != absl::string_view::npos) {
    const auto named = hal::ParseElementType(text.substr(0, equals));
    if (named.ok() && (*named == element || *named == carried)) {
      text.remove_prefix(equals + 1);
      bits_given = *named == carried && carried == ElementType::kInt32;
    }
  }
  vm::Slot slot;
  uint8_t bytes[16] = {};
  bits_given |=
      carried == ElementType::kInt32 && absl::StartsWithIgnoreCase(text, "0x");
  const ElementType read_as = is_float && bits_given ? carried : element;
  const absl::Status status = ParseElement(text, read_as, bytes);
  if (!status.ok()) {
    return absl::InvalidArgumentError(
        absl::StrCat(status.message(), "; ", hal::ElementTypeName(element),
                     " is expected."));
  }
  if (type == ValueType::kI32 && hal::IsIntegerOrBool(element)) {
    // Narrow integers keep their sign.
    const uint32_t unused = 32 - hal::BitCount(element);
    uint32_t value;
    std::memcpy(&value, bytes, sizeof(value));
    slot.i32 = text[0] == '-' ? static_cast<int32_t>(value << unused) >> unused
                              : static_cast<int32_t>(value);
  } else {
    std::memcpy(&slot, bytes, sizeof(slot));
  }
  return Value::Adopt(type, slot);
}

absl::StatusOr<ValueReader::Source*> ValueReader::Open(absl::string_view path,
                                                       bool from_start) {
  Source& source = sources_[std::string(path)];
  if (!source.file) {
    auto file = MappedFile::Open(std::string(path));
    if (!file.ok()) {
      sources_.erase(std::string(path));
      return file.status();
    }
    source.file = *std::move(file);
  }
  if (from_start) {
    source.offset = 0;
    source.next_member = 0;
  }
  return &source;
}

namespace {

absl::Status NotScalar(const ValueSlot& slot) {
  return absl::InvalidArgumentError(absl::StrCat(
      "An array is given; ", DescribeSlot(slot), ", is expected."));
}

// Returns the type that a slot gives to elements without a type; kNone if it
// gives none.
ElementType ArrayElement(const ValueSlot& slot) {
  if (slot.result != nullptr) {
    const auto* view = RefCast<hal::BufferView>(slot.result->ref());
    if (view != nullptr) return view->element_type();
  }
  const bool says = slot.declared && slot.declared->is(Kind::kArray);
  return says ? slot.declared->element : ElementType::kNone;
}

// Returns the scalar in an array of rank 0. Converts it as JSON's numbers are
// converted, but a number of the register's type is the register's content: so
// --output writes scalars.
absl::StatusOr<Value> ScalarOf(NpyArray array, const ValueSlot& slot) {
  if (!array.spec.shape.empty()) return NotScalar(slot);
  const ElementType carried = ElementOf(slot.type);
  const ElementType element = ScalarType(slot.type, slot.declared);
  array.TakeType(element);
  uint8_t bytes[16] = {};
  ASSIGN_OR_RETURN(const uint64_t size, array.spec.ByteLength());
  RETURN_IF_ERROR(array.CopyTo(std::span(bytes).first(size)));
  vm::Slot content;
  const bool is_content = hal::EqualUpToSign(array.spec.element, carried);
  const bool is_any = slot.result != nullptr || element == carried ||
                      !hal::IsIntegerOrBool(element);
  if (is_content && is_any) {
    std::memcpy(&content, bytes, size);
    return Value::Adopt(slot.type, content);
  }
  Parameter parameter;
  parameter.carrier = slot.type;
  parameter.type.kind = Kind::kScalar;
  parameter.type.element = element;
  HostValue number = ReadElement(bytes, array.spec.element);  // if it is packed
  if (!hal::IsPacked(array.spec.element)) {
    ASSIGN_OR_RETURN(auto copy, HostArray::Copy(array.spec.element, {},
                                                std::span(bytes).first(size)));
    number = HostValue(std::move(copy));
  }
  CallStatistics none;
  RETURN_IF_ERROR(Encoder(nullptr, &none).Encode(number, parameter, content));
  if (is_content) std::memcpy(&content, bytes, size);  // 200 of i8 stays 200
  return Value::Adopt(slot.type, content);
}

}  // namespace

absl::StatusOr<Value> ValueReader::CopyOf(NpyArray array,
                                          const ValueSlot& slot) {
  if (slot.type != ValueType::kRef) return ScalarOf(array, slot);
  // The public tools have no types for raw bytes.
  if (floats_ != NarrowFloats::kBits) array.TakeType(ArrayElement(slot));
  ASSIGN_OR_RETURN(Ref<hal::BufferView> view,
                   NewTensor(*device_, array.spec, memory_));
  ASSIGN_OR_RETURN(const std::span<uint8_t> target,
                   view->buffer()->Map(hal::memory_access::kDiscardWrite, 0,
                                       view->byte_length()));
  RETURN_IF_ERROR(array.CopyTo(target));
  RETURN_IF_ERROR(view->buffer()->Unmap(0, view->byte_length()));
  return Value(std::move(view));
}

absl::Status ValueReader::CheckSlots(absl::string_view path, size_t count,
                                     std::span<const ValueSlot> slots) const {
  if (count > slots.size()) {
    return absl::InvalidArgumentError(
        absl::StrCat("'", path, "' gives ", count,
                     " arrays; the function takes ", slots.size(), " more."));
  }
  for (const ValueSlot& slot : slots.first(count)) {
    if (slot.type == ValueType::kRef) continue;
    if (floats_ == NarrowFloats::kBits) return NotScalar(slot);
  }
  return absl::OkStatus();
}

absl::StatusOr<Value> ValueReader::ReadMember(const ZipMember& member,
                                              const ValueSlot& slot) {
  if (slot.type != ValueType::kRef && member.size > kLargestScalar) {
    return NotScalar(slot);
  }
  if (member.method == kZipDeflated && memory_ == nullptr) {
    // A larger size fails below.
    inflated_ += std::min(member.size, kMaxInflated);
    if (inflated_ > kMaxInflated) {
      return absl::ResourceExhaustedError(
          absl::StrCat("The deflated arrays have ", inflated_,
                       " bytes so far; the limit is ", kMaxInflated, "."));
    }
  }
  ASSIGN_OR_RETURN(const NpzArray read, ReadNpzArray(member, memory_));
  return CopyOf(read.array, slot);
}

absl::Status ValueReader::ReadMembers(absl::string_view path, Source& source,
                                      char mode, absl::string_view member,
                                      std::span<const ValueSlot> slots,
                                      std::vector<ParsedValue>& values) {
  if (!source.is_zip) {
    ASSIGN_OR_RETURN(source.members, ReadNpz(source.file->bytes()));
    source.is_zip = true;
  }
  std::vector<const ZipMember*> wanted;
  for (size_t i = source.next_member; i < source.members.size(); ++i) {
    const ZipMember& array = source.members[i];
    if (!member.empty() && ArrayName(array) != member) continue;
    wanted.push_back(&array);
    source.next_member = i + 1;
    if (mode == '+' || !member.empty()) break;
  }
  // Nothing is inflated before its value is known to be taken.
  RETURN_IF_ERROR(
      CheckSlots(path, wanted.size(), slots.subspan(values.size())));
  for (const ZipMember* array : wanted) {
    absl::StatusOr<Value> value = ReadMember(*array, slots[values.size()]);
    if (!value.ok()) {
      return Annotate(
          value.status(),
          absl::StrCat("(array '", PlainName(ArrayName(*array)), "')"));
    }
    values.push_back({*std::move(value)});
  }
  if (!wanted.empty() || mode == '*' || (mode == '@' && member.empty())) {
    return absl::OkStatus();
  }
  if (!member.empty()) {
    std::vector<std::string> names;
    for (const ZipMember& array : source.members) {
      names.push_back(std::string(ArrayName(array)));
    }
    return absl::NotFoundError(
        absl::StrCat("The file has no array '", member, "'; it has ",
                     names.empty() ? "none" : QuotedNames(names), "."));
  }
  return absl::OutOfRangeError("The file has no further array.");
}

absl::Status ValueReader::ReadArrays(absl::string_view text,
                                     std::span<const ValueSlot> slots,
                                     std::vector<ParsedValue>& values) {
  const char mode = text[0];
  absl::string_view path = text.substr(1), member;
  absl::StatusOr<Source*> source = Open(path, mode == '@');
  if (const size_t colon = ArrayColon(path);
      absl::IsNotFound(source.status()) && colon != absl::string_view::npos) {
    member = path.substr(colon + 1);
    path = path.substr(0, colon);
    source = Open(path, true);
  }
  RETURN_IF_ERROR(source);
  const std::span<const uint8_t> bytes = (*source)->file->bytes();
  if (LooksLikeZip(bytes)) {
    return ReadMembers(path, **source, mode, member, slots, values);
  }
  if (!member.empty()) {
    return absl::InvalidArgumentError(
        absl::StrCat("'", path, "' is not a .npz; it has no named arrays."));
  }
  if (!bytes.empty() && bytes[0] != 0x93) {
    return absl::InvalidArgumentError(
        absl::StrCat("'", path,
                     "' is neither .npy nor .npz; bytes need a shape and an "
                     "element type before them, as in 4x2xf32=@",
                     path, "."));
  }
  std::vector<NpyArray> arrays;
  size_t& offset = (*source)->offset;
  while (mode != '*' || offset < bytes.size()) {
    ByteReader reader(bytes);
    RETURN_IF_ERROR(reader.Seek(offset));
    ASSIGN_OR_RETURN(arrays.emplace_back(), ReadNpy(reader));
    offset = reader.offset();
    if (mode != '*') break;
  }
  RETURN_IF_ERROR(
      CheckSlots(path, arrays.size(), slots.subspan(values.size())));
  for (const NpyArray& array : arrays) {
    ASSIGN_OR_RETURN(Value value, CopyOf(array, slots[values.size()]));
    values.push_back({std::move(value)});
  }
  return absl::OkStatus();
}

// INVALID_ARGUMENT: the elements begin with the header of an array's file.
absl::Status ValueReader::CheckRaw(absl::string_view path,
                                   const Source& source) const {
  if (floats_ == NarrowFloats::kBits) return absl::OkStatus();
  const auto bytes = source.file->bytes().subspan(source.offset);
  const bool is_zip = LooksLikeZip(bytes);
  if (!LooksLikeNpy(bytes) && !is_zip) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(
      "'", path, "' is a NumPy ",
      is_zip ? ".npz file, which says the shapes and types of its arrays"
             : "array, which says its shape and type",
      "; give it without them, as @", path, "."));
}

absl::StatusOr<Value> ValueReader::ReadTensor(absl::string_view text) {
  // Remove quotes that a shell or a flag file left.
  if (absl::ConsumePrefix(&text, "\"")) absl::ConsumeSuffix(&text, "\"");
  const size_t equals = std::min(text.find('='), text.size());
  ASSIGN_OR_RETURN(const hal::TensorType spec,
                   hal::TensorType::ParseStatic(text.substr(0, equals)));
  const absl::string_view contents =
      equals < text.size() ? text.substr(equals + 1) : absl::string_view();
  if (absl::StartsWith(contents, "@") || absl::StartsWith(contents, "+")) {
    ASSIGN_OR_RETURN(const uint64_t size, spec.ByteLength());
    ASSIGN_OR_RETURN(Source * source,
                     Open(contents.substr(1), contents[0] == '@'));
    RETURN_IF_ERROR(CheckRaw(contents.substr(1), *source));
    ByteReader reader(source->file->bytes());
    RETURN_IF_ERROR(reader.Seek(source->offset));
    if (size > reader.remaining()) {
      return absl::OutOfRangeError(
          absl::StrCat(spec.ToString(), " needs ", size, " bytes; '",
                       contents.substr(1), "' has ", reader.remaining(),
                       " from offset ", source->offset, " on."));
    }
    ASSIGN_OR_RETURN(const auto bytes, reader.Take(size));
    source->offset = reader.offset();
    ASSIGN_OR_RETURN(Ref<hal::BufferView> view,
                     CopyTensor(*device_, spec, bytes));
    return Value(std::move(view));
  }
  ASSIGN_OR_RETURN(Ref<hal::BufferView> view,
                   NewTensor(*device_, spec, memory_));
  ASSIGN_OR_RETURN(
      const std::span<uint8_t> target,
      view->buffer()->Map(hal::memory_access::kWrite, 0, view->byte_length()));
  RETURN_IF_ERROR(ParseElements(contents, spec, target));
  RETURN_IF_ERROR(view->buffer()->Unmap(0, view->byte_length()));
  return Value(std::move(view));
}

absl::StatusOr<Value> ValueReader::ReadStorage(absl::string_view text) {
  ASSIGN_OR_RETURN(const Value tensor, ReadTensor(text));
  return Value(
      Ref<hal::Buffer>(static_cast<hal::BufferView*>(tensor.ref())->buffer()));
}

absl::StatusOr<Value> ValueReader::ReadBytes(absl::string_view text) {
  if (absl::ConsumePrefix(&text, "@")) {
    ASSIGN_OR_RETURN(Source * source, Open(text, true));
    ASSIGN_OR_RETURN(Ref<vm::Buffer> buffer,
                     vm::Buffer::Copy(source->file->bytes()));
    return Value(std::move(buffer));
  }
  ASSIGN_OR_RETURN(Ref<vm::Buffer> buffer, vm::Buffer::CopyText(text));
  return Value(std::move(buffer));
}

absl::StatusOr<Value> ValueReader::ReadSingle(absl::string_view text,
                                              const ValueSlot& slot) {
  if (IsNull(text)) return NullOf(slot.type);
  if (slot.type != ValueType::kRef) {
    return ParseScalar(text, slot.type, slot.declared, floats_);
  }
  if (IsBytes(slot)) return ReadBytes(text);
  if (slot.declared && slot.declared->is_list()) {
    return absl::UnimplementedError("A list has no text on the command line.");
  }
  if (absl::ConsumePrefix(&text, "&")) return ReadStorage(text);
  return ReadTensor(text);
}

// Reports whether a text names a file of arrays.
bool ValueReader::IsArrayFile(absl::string_view text,
                              const ValueSlot& slot) const {
  if (!absl::StrContains("@+*", text[0])) return false;
  if (slot.type != ValueType::kRef && text[0] == '+') {
    return NamesArrays(text.substr(1));  // "+5" is a number
  }
  // Files of bytes may have any format, but --output=@x.npy writes an array.
  return !IsBytes(slot) ||
         (slot.result != nullptr && floats_ != NarrowFloats::kBits &&
          NamesArrays(text.substr(1)));
}

absl::Status ValueReader::ReadText(absl::string_view text,
                                   std::span<const ValueSlot> slots,
                                   std::vector<ParsedValue>& values) {
  if (values.size() == slots.size()) {
    return absl::InvalidArgumentError(absl::StrCat(
        "Only ", slots.size(), slots.size() == 1 ? " value is" : " values are",
        " taken; one more is given."));
  }
  const ValueSlot& slot = slots[values.size()];
  if (text.empty()) {
    return absl::InvalidArgumentError("The text of a value is empty.");
  }
  if (IsArrayFile(text, slot)) {
    return ReadArrays(text, slots, values);
  }
  ASSIGN_OR_RETURN(Value value, ReadSingle(text, slot));
  values.push_back({std::move(value), text == "(ignored)"});
  return absl::OkStatus();
}

std::vector<vm::Value> ValuesOf(std::vector<ParsedValue> parsed) {
  std::vector<vm::Value> values;
  values.reserve(parsed.size());
  for (ParsedValue& each : parsed) values.push_back(std::move(each.value));
  return values;
}

absl::StatusOr<std::vector<ParsedValue>> ValueReader::Read(
    std::span<const std::string> texts, std::span<const ValueSlot> slots) {
  std::vector<ParsedValue> values;
  for (const std::string& text : texts) {
    const size_t index = values.size();
    const absl::Status status =
        ReadText(absl::StripAsciiWhitespace(text), slots, values);
    if (status.ok()) continue;
    std::string where = absl::StrCat("(", flag_, "='", Shortened(text), "'");
    if (index < slots.size()) absl::StrAppend(&where, ", ", slots[index].name);
    return Annotate(status, absl::StrCat(where, ")"));
  }
  return values;
}

}  // namespace eyrie::abi
