#include "abi/value/json_value.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include "abi/signature/signature.h"
#include "abi/tensor/npy.h"
#include "abi/tensor/npz.h"
#include "abi/tensor/tensor_compare.h"
#include "abi/tensor/tensor_text.h"
#include "abi/value/convert.h"
#include "absl/status/status.h"
#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "base/allocate.h"
#include "base/byte_reader.h"
#include "base/hex.h"
#include "base/json.h"
#include "base/mapped_file.h"
#include "base/name_list.h"
#include "base/plain_text.h"
#include "base/status_macros.h"
#include "base/text_stream.h"
#include "hal/packed_elements.h"

namespace eyrie::abi {
namespace {

using ArrayPtr = std::shared_ptr<const HostArray>;
using hal::ElementType;

absl::Status Malformed(absl::string_view what, const Json& where) {
  return absl::InvalidArgumentError(
      absl::StrCat(what, " at byte ", where.offset, "."));
}

// Returns a member's text. INVALID_ARGUMENT: the member is not a string.
absl::StatusOr<std::string> StringOf(const Json& json, absl::string_view key) {
  const Json* member = json.Find(key);
  if (member == nullptr) {
    return Malformed(absl::StrCat("An object lacks '", key, "'"), json);
  }
  if (!member->is(Json::Kind::kString)) {
    return Malformed(
        absl::StrCat("'", key, "' is ", member->Describe(), ", not a string,"),
        *member);
  }
  return member->text;
}

// Rejects keys that a form does not have, and duplicate keys.
absl::Status CheckKeys(const Json& json,
                       std::initializer_list<absl::string_view> known) {
  for (size_t i = 0; i < json.keys.size(); ++i) {
    const std::string& key = json.keys[i];
    if (std::find(known.begin(), known.end(), key) == known.end()) {
      return Malformed(
          absl::StrCat("The key '", PlainName(key), "' is not one of '",
                       absl::StrJoin(known, "', '"), "'"),
          json.items[i]);
    }
    if (json.Find(key) != &json.items[i]) {
      return Malformed(absl::StrCat("The key '", key, "' is given twice"),
                       json.items[i]);
    }
  }
  return absl::OkStatus();
}

using Meter = std::shared_ptr<MemoryMeter>;

// The elements of a file's array, and the memory charge for them.
struct KeptArray {
  MemoryCharge charge;
  std::vector<uint8_t> elements;
};

absl::StatusOr<ArrayPtr> CopyOf(const NpyArray& array, const Meter& memory) {
  constexpr absl::string_view kWhat = "an array of a file";
  auto kept = std::make_shared<KeptArray>();
  const size_t size = array.bytes.size();
  ASSIGN_OR_RETURN(kept->charge, MemoryCharge::Take(memory, size, kWhat));
  RETURN_IF_ERROR(Resize(kept->elements, size, kWhat));
  RETURN_IF_ERROR(array.CopyTo(kept->elements));
  const std::span<const uint8_t> elements = kept->elements;
  return HostArray::Borrow(array.spec.element, array.spec.shape, {}, elements,
                           0, std::move(kept));
}

absl::StatusOr<ArrayPtr> ReadNpyFile(const std::string& path,
                                     const Meter& memory) {
  auto opened = MappedFile::Open(path);
  if (const size_t colon = ArrayColon(path);
      absl::IsNotFound(opened.status()) && colon != path.npos) {
    return Annotate(opened.status(),
                    absl::StrCat("(an array in a .npz file is {\"$npz\": \"",
                                 path.substr(0, colon), "\", \"key\": \"",
                                 path.substr(colon + 1), "\"})"));
  }
  ASSIGN_OR_RETURN(const auto file, std::move(opened));
  ByteReader reader(file->bytes());
  const auto array = ReadNpy(reader);
  if (array.ok()) return CopyOf(*array, memory);
  return Annotate(array.status(), absl::StrCat("(file '", path, "')"));
}

// Reads the array with this name from a .npz, or its only array.
absl::StatusOr<ArrayPtr> ReadNpzFile(const std::string& path, const Json* key,
                                     const Meter& memory) {
  ASSIGN_OR_RETURN(const auto file, MappedFile::Open(path));
  const auto members = ReadNpz(file->bytes());
  if (!members.ok()) {
    return Annotate(members.status(), absl::StrCat("(file '", path, "')"));
  }
  std::vector<std::string> names;
  for (const ZipMember& member : *members) {
    names.push_back(std::string(ArrayName(member)));
    const bool meant =
        key ? ArrayName(member) == key->text : members->size() == 1;
    if (!meant) continue;
    const auto array = ReadNpzArray(member, memory);
    if (array.ok()) return CopyOf(array->array, memory);
    return Annotate(array.status(), absl::StrCat("(array '", names.back(),
                                                 "' of '", path, "')"));
  }
  return absl::NotFoundError(
      absl::StrCat("'", path, "' has the arrays ", QuotedNames(names), "; ",
                   key ? absl::StrCat("'", key->text, "' is not one of them.")
                       : "\"key\" must name one."));
}

// Returns the shape of nested lists, from the first item of each.
std::vector<int64_t> ShapeOf(const Json& data) {
  std::vector<int64_t> shape;
  const Json* row = &data;
  while (row->is(Json::Kind::kArray) && shape.size() < Signature::kMaxRank) {
    shape.push_back(static_cast<int64_t>(row->items.size()));
    if (row->items.empty()) break;
    row = &row->items[0];
  }
  return shape;
}

absl::StatusOr<HostValue> Number(const Json& json) {
  switch (json.kind) {
    case Json::Kind::kBool:
      return HostValue(json.boolean);
    case Json::Kind::kInt:
      return HostValue(HostValue::Int{json.integer});
    case Json::Kind::kUint:
      return HostValue(
          HostValue::Int{static_cast<int64_t>(json.natural), 0, true});
    case Json::Kind::kFloat:
      return HostValue(HostValue::Float{json.number});
    case Json::Kind::kString:
      return HostValue::Bytes(json.text);
    default:
      return Malformed(
          absl::StrCat("An element of an array is ", json.Describe()), json);
  }
}

// Appends the elements of nested lists. The lists must have the shape `shape`,
// which is empty for one element.
absl::Status AppendElements(const Json& data, ElementType type,
                            std::span<const int64_t> shape,
                            std::vector<uint8_t>& bytes) {
  if (shape.empty()) {
    ASSIGN_OR_RETURN(const HostValue number, Number(data));
    const size_t width = BytesOfElement(type);
    bytes.resize(bytes.size() + width);
    const absl::Status status =
        WriteElement(number, type, bytes.data() + bytes.size() - width);
    if (status.ok()) return status;
    return Annotate(status, absl::StrCat("(byte ", data.offset, ")"));
  }
  if (!data.is(Json::Kind::kArray) ||
      static_cast<int64_t>(data.items.size()) != shape[0]) {
    return Malformed(absl::StrCat("A row of an array is ", data.Describe(),
                                  data.is(Json::Kind::kArray)
                                      ? absl::StrCat(" of ", data.items.size())
                                      : "",
                                  ", not an array of ", shape[0], ","),
                     data);
  }
  for (const Json& item : data.items) {
    RETURN_IF_ERROR(AppendElements(item, type, shape.subspan(1), bytes));
  }
  return absl::OkStatus();
}

// Converts {"$dtype": "f32", "shape": [2, 2], "data": [1, 2, 3, 4]}.
absl::StatusOr<ArrayPtr> TypedArray(const Json& json) {
  ASSIGN_OR_RETURN(const std::string name, StringOf(json, "$dtype"));
  ASSIGN_OR_RETURN(const ElementType type, hal::ParseElementType(name));
  const Json* data = json.Find("data");
  if (data == nullptr) return Malformed("An array lacks its 'data'", json);
  std::vector<int64_t> shape = ShapeOf(*data);
  std::vector<uint8_t> bytes;
  RETURN_IF_ERROR(AppendElements(*data, type, shape, bytes));
  if (hal::StrideBits(type) < 8) {
    const std::vector<uint8_t> elements = std::move(bytes);
    bytes.resize((elements.size() * hal::StrideBits(type) + 7) / 8);
    hal::Pack(type, elements, bytes.data());
  }
  if (const Json* given = json.Find("shape")) {
    if (!given->is(Json::Kind::kArray)) {
      return Malformed(absl::StrCat("'shape' is ", given->Describe(),
                                    ", not an array of dimensions,"),
                       *given);
    }
    shape.clear();
    for (const Json& dimension : given->items) {
      if (!dimension.is(Json::Kind::kInt)) {
        return Malformed(absl::StrCat("A dimension is ", dimension.Describe()),
                         dimension);
      }
      shape.push_back(dimension.integer);
    }
  }
  return HostArray::Copy(type, shape, bytes);
}

constexpr absl::string_view kForms[] = {"$npy", "$npz",   "$dtype",
                                        "$hex", "$tuple", "$dict"};

// Returns the key that tells the form of an object, in any order of keys; null
// for a plain dict.
absl::StatusOr<const std::string*> FormOf(const Json& json) {
  const std::string* special = nullptr;
  for (const std::string& key : json.keys) {
    if (std::find(std::begin(kForms), std::end(kForms), key) !=
        std::end(kForms)) {
      return &key;
    }
    if (special == nullptr && absl::StartsWith(key, "$")) special = &key;
  }
  if (special == nullptr) return special;
  return Malformed(
      absl::StrCat("The form '", PlainName(*special), "' is not one of ",
                   absl::StrJoin(kForms, ", "),
                   "; a dict with such keys is {\"$dict\": {...}},"),
      json);
}

// Allows lossy conversion of the array if the object has "$cast": true.
absl::Status ApplyCast(const Json& json, ArrayPtr& array) {
  const Json* cast = json.Find("$cast");
  if (cast == nullptr) return absl::OkStatus();
  if (!cast->is(Json::Kind::kBool)) {
    return Malformed(
        absl::StrCat("'$cast' is ", cast->Describe(), ", not true or false,"),
        *cast);
  }
  if (cast->boolean) array = array->Casting();
  return absl::OkStatus();
}

absl::StatusOr<HostValue> DictOf(const Json& json, JsonFiles files,
                                 const Meter& memory) {
  HostValue::Entries entries;
  entries.reserve(json.items.size());
  for (size_t i = 0; i < json.items.size(); ++i) {
    ASSIGN_OR_RETURN(HostValue value, FromJson(json.items[i], files, memory));
    entries.emplace_back(json.keys[i], std::move(value));
  }
  return HostValue::Dict(std::move(entries));
}

absl::StatusOr<HostValue> Special(const Json& json, absl::string_view form,
                                  JsonFiles files, const Meter& memory) {
  ArrayPtr array;
  if (form == "$npy" || form == "$npz") {
    ASSIGN_OR_RETURN(const std::string path, StringOf(json, form));
    if (json.Find("key") != nullptr) {
      RETURN_IF_ERROR(StringOf(json, "key").status());
    }
    if (files == JsonFiles::kRefused) {
      return Malformed(absl::StrCat("'", form, "' names a file"), json);
    }
    if (form == "$npy") {
      RETURN_IF_ERROR(CheckKeys(json, {"$npy", "$cast"}));
      ASSIGN_OR_RETURN(array, ReadNpyFile(path, memory));
    } else {
      RETURN_IF_ERROR(CheckKeys(json, {"$npz", "key", "$cast"}));
      ASSIGN_OR_RETURN(array, ReadNpzFile(path, json.Find("key"), memory));
    }
  } else if (form == "$dtype") {
    RETURN_IF_ERROR(CheckKeys(json, {"$dtype", "shape", "data", "$cast"}));
    ASSIGN_OR_RETURN(array, TypedArray(json));
  } else if (form == "$hex") {
    RETURN_IF_ERROR(CheckKeys(json, {"$hex"}));
    ASSIGN_OR_RETURN(const std::string digits, StringOf(json, "$hex"));
    std::optional<std::string> bytes = BytesOfHex(digits);
    if (!bytes.has_value()) {
      return Malformed("'$hex' is not pairs of hexadecimal digits,", json);
    }
    return HostValue::Bytes(*std::move(bytes));
  } else if (form == "$dict") {
    RETURN_IF_ERROR(CheckKeys(json, {"$dict"}));
    if (!json.items[0].is(Json::Kind::kObject)) {
      return Malformed("'$dict' is not an object,", json);
    }
    return DictOf(json.items[0], files, memory);
  } else {
    RETURN_IF_ERROR(CheckKeys(json, {"$tuple"}));
    if (!json.items[0].is(Json::Kind::kArray)) {
      return Malformed("'$tuple' is not an array,", json);
    }
    ASSIGN_OR_RETURN(const HostValue list,
                     FromJson(json.items[0], files, memory));
    return HostValue::Tuple(*list.items());
  }
  RETURN_IF_ERROR(ApplyCast(json, array));
  return HostValue(std::move(array));
}

constexpr size_t kChunkBytes = size_t{1} << 14;  // written at a time

// Removes a part of at most kChunkBytes from the front, without splitting a
// UTF-8 character.
absl::string_view TakeChunk(absl::string_view& bytes) {
  size_t size = std::min(bytes.size(), kChunkBytes);
  for (int i = 0; i < 3 && size < bytes.size(); ++i) {
    if (!IsUtf8Continuation(bytes[size])) break;
    --size;
  }
  const absl::string_view chunk = bytes.substr(0, size);
  bytes.remove_prefix(size);
  return chunk;
}

// Reports whether a key begins with '$', so that the dict would be read back as
// one of the forms.
bool LooksLikeForm(const HostValue::Entries& entries) {
  return std::any_of(entries.begin(), entries.end(), [](const auto& entry) {
    return absl::StartsWith(entry.first, "$");
  });
}

// Writes values to a stream, until the stream is full.
class Writer {
 public:
  explicit Writer(TextStream& out) : out_(out) {}

  void Write(const HostValue& value);

 private:
  template <typename T>
  void WriteFloat(T value);
  void WriteString(absl::string_view text);
  void WriteBytes(absl::string_view bytes);
  void WritePacked(const HostArray& array, int64_t index);
  void WriteEmpty(const HostArray& array);
  void WriteRows(const HostArray& array, size_t depth, const uint8_t* at,
                 int64_t& index);
  void WriteItems(const HostValue::Items& items);
  void WriteEntries(const HostValue::Entries& entries);

  TextStream& out_;
};

template <typename T>
void Writer::WriteFloat(T value) {
  if (!std::isfinite(value)) {
    out_.Add(std::isnan(value) ? "\"nan\""
             : value > 0       ? "\"inf\""
                               : "\"-inf\"");
    return;
  }
  std::string text;
  AppendJsonFloat(value, text);
  out_.Add(text);
}

void Writer::WriteString(absl::string_view text) {
  std::string escaped;
  out_.Add("\"");
  while (!text.empty() && out_.ok()) {
    escaped.clear();
    AppendJsonText(TakeChunk(text), escaped);
    out_.Add(escaped);
  }
  out_.Add("\"");
}

void Writer::WriteBytes(absl::string_view bytes) {
  if (IsUtf8(bytes)) return WriteString(bytes);
  out_.Add("{\"$hex\": \"");
  while (!bytes.empty() && out_.ok()) {
    out_.Add(absl::BytesToHexString(TakeChunk(bytes)));
  }
  out_.Add("\"}");
}

// Writes an element narrower than a byte. Its position is in bits.
void Writer::WritePacked(const HostArray& array, int64_t index) {
  if (IsFloat(array.type())) {
    const auto bits = static_cast<uint8_t>(hal::BitCount(array.type()));
    const double number = *FloatAt(array.bytes(), index, array.type());
    return Write(HostValue(HostValue::Float{number, bits}));
  }
  std::string text;
  const uint32_t bits = hal::StrideBits(array.type());
  AppendElement(array.bytes(), static_cast<uint64_t>(index) * bits,
                array.type(), FloatCase::kLower, text);
  if (IsInteger(array.type()) && bits > 1) {
    out_.Add(text);
  } else {
    WriteString(text);
  }
}

// Writes an array without elements. Nested rows would not show its shape, and
// could be very many.
void Writer::WriteEmpty(const HostArray& array) {
  if (array.shape().size() == 1) return out_.Add("[]");
  out_.Add("{\"$dtype\": \"", hal::ElementTypeName(array.type()),
           "\", \"shape\": [", absl::StrJoin(array.shape(), ", "),
           "], \"data\": []}");
}

// Writes the rows from dimension `depth` on. `index` counts the elements that
// were written.
void Writer::WriteRows(const HostArray& array, size_t depth, const uint8_t* at,
                       int64_t& index) {
  if (depth == array.shape().size()) {
    if (hal::StrideBits(array.type()) % 8 != 0) {
      WritePacked(array, index);
    } else {
      Write(ReadElement(at, array.type()));
    }
    ++index;
    return;
  }
  out_.Add("[");
  for (int64_t i = 0; i < array.shape()[depth] && out_.ok(); ++i) {
    if (i > 0) out_.Add(", ");
    WriteRows(array, depth + 1, at + i * array.strides()[depth], index);
  }
  out_.Add("]");
}

void Writer::WriteItems(const HostValue::Items& items) {
  out_.Add("[");
  for (const HostValue& item : items) {
    if (!out_.ok()) return;
    if (&item != &items.front()) out_.Add(", ");
    Write(item);
  }
  out_.Add("]");
}

void Writer::WriteEntries(const HostValue::Entries& entries) {
  const bool wrapped = LooksLikeForm(entries);
  out_.Add(wrapped ? "{\"$dict\": {" : "{");
  for (const HostValue::Entry& entry : entries) {
    if (!out_.ok()) return;
    if (&entry != &entries.front()) out_.Add(", ");
    WriteString(entry.first);
    out_.Add(": ");
    Write(entry.second);
  }
  out_.Add(wrapped ? "}}" : "}");
}

void Writer::Write(const HostValue& value) {
  using Kind = HostValue::Kind;
  switch (value.kind()) {
    case Kind::kNull:
      return out_.Add("null");
    case Kind::kBool:
      return out_.Add(*value.boolean() ? "true" : "false");
    case Kind::kInt:
      if (value.integer()->is_unsigned) {
        return out_.Add(static_cast<uint64_t>(value.integer()->value));
      }
      return out_.Add(value.integer()->value);
    case Kind::kFloat: {
      const HostValue::Float& number = *value.number();
      if (number.bits != 0 && number.bits <= 32) {
        return WriteFloat(static_cast<float>(number.value));
      }
      return WriteFloat(number.value);
    }
    case Kind::kBytes:
      return WriteBytes(*value.bytes());
    case Kind::kArray: {
      const HostArray& array = *value.array();
      if (array.element_count() == 0) return WriteEmpty(array);
      int64_t index = 0;
      return WriteRows(array, 0, array.data(), index);
    }
    case Kind::kList:
    case Kind::kTuple:
      return WriteItems(*value.items());
    case Kind::kDict:
      return WriteEntries(*value.entries());
    case Kind::kRef:
      out_.Add("{\"$ref\": ");
      WriteString((*value.ref())->type().name);
      out_.Add("}");
      return;
  }
}

}  // namespace

absl::StatusOr<HostValue> FromJson(const Json& json, JsonFiles files,
                                   const std::shared_ptr<MemoryMeter>& memory) {
  switch (json.kind) {
    case Json::Kind::kNull:
      return HostValue();
    case Json::Kind::kArray: {
      HostValue::Items items;
      items.reserve(json.items.size());
      for (const Json& item : json.items) {
        ASSIGN_OR_RETURN(HostValue value, FromJson(item, files, memory));
        items.push_back(std::move(value));
      }
      return HostValue::List(std::move(items));
    }
    case Json::Kind::kObject: {
      ASSIGN_OR_RETURN(const std::string* form, FormOf(json));
      if (form == nullptr) return DictOf(json, files, memory);
      return Special(json, *form, files, memory);
    }
    default:
      return Number(json);
  }
}

void WriteJson(const HostValue& value, TextStream& out) {
  Writer(out).Write(value);
}

}  // namespace eyrie::abi
