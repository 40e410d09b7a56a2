// Converts JSON to host values: the objects with '$' keys, and files.
#include "abi/value/json_value.h"

#include <algorithm>
#include <initializer_list>
#include <utility>
#include <vector>

#include "abi/signature/signature.h"
#include "abi/tensor/npy.h"
#include "abi/tensor/npz.h"
#include "abi/value/convert.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/allocate.h"
#include "base/byte_reader.h"
#include "base/hex.h"
#include "base/mapped_file.h"
#include "base/name_list.h"
#include "base/plain_text.h"
#include "base/status_macros.h"
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

}  // namespace eyrie::abi
