// Reads safetensors: the length of a JSON object, the object, and data.
//
// Tested by parameters_test.cc, testing/parameters_fuzz.cc.
#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/allocate.h"
#include "base/byte_reader.h"
#include "base/checked_math.h"
#include "base/json.h"
#include "base/plain_text.h"
#include "base/status_macros.h"
#include "hal/parameters/parameter_formats.h"

namespace eyrie::hal {
namespace {

constexpr size_t kPrefixSize = 8;

// The format's own limit.
constexpr uint64_t kMaxHeader = 100'000'000;

// Names of element types, their bits, and Eyrie's names for them.
struct DataType {
  const char* name;
  uint32_t bits;
  const char* element;
};
constexpr DataType kDataTypes[] = {
    {"BOOL", 8, "i1"},
    {"U8", 8, "ui8"},
    {"I8", 8, "i8"},
    {"F8_E5M2", 8, "f8E5M2"},
    {"F8_E4M3", 8, "f8E4M3FN"},
    {"F8_E8M0", 8, "f8E8M0FNU"},
    {"F8_E4M3FNUZ", 8, "f8E4M3FNUZ"},
    {"F8_E5M2FNUZ", 8, "f8E5M2FNUZ"},
    {"I16", 16, "i16"},
    {"U16", 16, "ui16"},
    {"F16", 16, "f16"},
    {"BF16", 16, "bf16"},
    {"I32", 32, "i32"},
    {"U32", 32, "ui32"},
    {"F32", 32, "f32"},
    {"F64", 64, "f64"},
    {"I64", 64, "i64"},
    {"U64", 64, "ui64"},
    {"C64", 64, "cf64"},
    {"F4", 4, "f4E2M1FN"},
    {"F6_E2M3", 6, "f6E2M3FN"},
    {"F6_E3M2", 6, "f6E3M2FN"},
};

absl::StatusOr<uint64_t> ReadNumber(const Json& json, absl::string_view what) {
  if (json.is(Json::Kind::kUint)) return json.natural;
  if (json.is(Json::Kind::kInt) && json.integer >= 0) {
    return static_cast<uint64_t>(json.integer);
  }
  return absl::InvalidArgumentError(
      absl::StrCat(what, " is ", json.Describe(), ", not a size."));
}

// Returns a required member.
absl::StatusOr<const Json*> ReadMember(const Json& tensor, const char* name,
                                       Json::Kind kind) {
  const Json* member = tensor.Find(name);
  if (member == nullptr) {
    return absl::InvalidArgumentError(absl::StrCat("It has no '", name, "'."));
  }
  if (!member->is(kind)) {
    return absl::InvalidArgumentError(
        absl::StrCat("Its '", name, "' is ", member->Describe(), "."));
  }
  return member;
}

// Returns the bytes of a tensor, none if its type is unknown, and sets the
// entry's type to "f32[2x3]".
absl::StatusOr<std::optional<uint64_t>> ReadShape(const Json& tensor,
                                                  ParameterEntry& entry) {
  ASSIGN_OR_RETURN(const Json* type,
                   ReadMember(tensor, "dtype", Json::Kind::kString));
  ASSIGN_OR_RETURN(const Json* shape,
                   ReadMember(tensor, "shape", Json::Kind::kArray));
  const DataType* known = nullptr;
  for (const DataType& row : kDataTypes) {
    if (type->text == row.name) known = &row;
  }
  std::string text =
      absl::StrCat(known ? known->element : PlainName(type->text), "[");
  std::optional<uint64_t> bits = known ? known->bits : 0;
  for (const Json& item : shape->items) {
    ASSIGN_OR_RETURN(const uint64_t size, ReadNumber(item, "A dimension"));
    absl::StrAppend(&text, &item == shape->items.data() ? "" : "x", size);
    if (bits) bits = CheckedMul<uint64_t>(*bits, size);
  }
  text += "]";
  entry.metadata = text;
  if (known == nullptr) {
    entry.fault = absl::UnimplementedError(
        absl::StrCat("Its dtype ", QuotedName(type->text), " is not known."));
    return std::optional<uint64_t>();
  }
  if (!bits || *bits % 8 != 0) {
    return absl::InvalidArgumentError(
        absl::StrCat("A tensor of ", text, " is not a whole number of bytes."));
  }
  return *bits / 8;
}

absl::Status ReadTensor(const Json& tensor, uint64_t data_begin,
                        uint64_t data_size, ParameterEntry& entry) {
  if (!tensor.is(Json::Kind::kObject)) {
    return absl::InvalidArgumentError(
        absl::StrCat("It is ", tensor.Describe(), "."));
  }
  ASSIGN_OR_RETURN(const std::optional<uint64_t> size,
                   ReadShape(tensor, entry));
  entry.has_type = true;
  ASSIGN_OR_RETURN(const Json* offsets,
                   ReadMember(tensor, "data_offsets", Json::Kind::kArray));
  if (offsets->items.size() != 2) {
    return absl::InvalidArgumentError(absl::StrCat(
        "Its data_offsets are ", offsets->items.size(), " numbers, not 2."));
  }
  ASSIGN_OR_RETURN(const uint64_t begin,
                   ReadNumber(offsets->items[0], "The offset"));
  ASSIGN_OR_RETURN(const uint64_t end,
                   ReadNumber(offsets->items[1], "The end"));
  if (begin > end || end > data_size) {
    return absl::OutOfRangeError(
        absl::StrCat("Its bytes ", begin, " to ", end,
                     " are not in the data, which has ", data_size, "."));
  }
  if (size && end - begin != *size) {
    return absl::InvalidArgumentError(absl::StrCat("It has ", end - begin,
                                                   " bytes; ", entry.metadata,
                                                   " takes ", *size, "."));
  }
  entry.length = end - begin;
  entry.storage = FileOffset{data_begin + begin};
  return absl::OkStatus();
}

// The format does not allow gaps: in sorted order, each tensor must begin where
// the previous one ends, and the last must end at the end of the file.
absl::Status CheckCovered(std::span<const ParameterEntry> entries,
                          uint64_t data_begin, uint64_t data_size) {
  RETURN_IF_ERROR(CheckDisjoint(entries));
  struct Range {
    uint64_t begin;
    uint64_t end;
    const ParameterEntry* entry;
  };
  std::vector<Range> ranges;
  RETURN_IF_ERROR(Reserve(ranges, entries.size(), kParameterEntries));
  for (const ParameterEntry& entry : entries) {
    const uint64_t begin =
        std::get<FileOffset>(entry.storage).offset - data_begin;
    ranges.push_back({begin, begin + entry.length, &entry});
  }
  std::sort(ranges.begin(), ranges.end(), [](const Range& a, const Range& b) {
    return std::pair(a.begin, a.end) < std::pair(b.begin, b.end);
  });
  uint64_t end = 0;
  for (const Range& range : ranges) {
    if (range.begin != end) {
      return absl::InvalidArgumentError(absl::StrCat(
          "Tensor ", QuotedName(range.entry->key), " begins at offset ",
          range.begin, " of the data; the one before it ends at ", end, "."));
    }
    end = range.end;
  }
  if (end == data_size) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("The tensors end at offset ", end,
                   " of the data, which has ", data_size, " bytes."));
}

}  // namespace

absl::StatusOr<std::vector<ParameterEntry>> ParseSafetensors(
    std::span<const uint8_t> bytes) {
  ByteReader reader(bytes);
  ASSIGN_OR_RETURN(const uint64_t header_size, reader.ReadU64());
  if (header_size > reader.remaining() || header_size > kMaxHeader) {
    return absl::OutOfRangeError(
        absl::StrCat("The header's size is ", header_size,
                     " bytes; the file has ", reader.remaining(),
                     " bytes left, and the limit is ", kMaxHeader, " bytes."));
  }
  ASSIGN_OR_RETURN(const std::span<const uint8_t> header,
                   reader.Take(header_size));
  ASSIGN_OR_RETURN(
      const Json root,
      ParseJson({reinterpret_cast<const char*>(header.data()), header.size()}));
  if (!root.is(Json::Kind::kObject)) {
    return absl::InvalidArgumentError(
        absl::StrCat("The header is ", root.Describe(), ", not an object."));
  }
  std::vector<ParameterEntry> entries;
  RETURN_IF_ERROR(Reserve(entries, root.items.size(), kParameterEntries));
  for (size_t i = 0; i < root.items.size(); ++i) {
    if (root.keys[i] == "__metadata__") continue;
    ParameterEntry entry;
    RETURN_IF_ERROR(Assign(entry.key, root.keys[i], "a parameter's key"));
    absl::Status status = ReadTensor(root.items[i], kPrefixSize + header_size,
                                     reader.remaining(), entry);
    const std::string where =
        absl::StrCat("(tensor ", QuotedName(entry.key), ")");
    if (!status.ok()) return Annotate(status, where);
    if (!entry.fault.ok()) entry.fault = Annotate(entry.fault, where);
    entries.push_back(std::move(entry));
  }
  RETURN_IF_ERROR(
      CheckCovered(entries, kPrefixSize + header_size, reader.remaining()));
  return entries;
}

}  // namespace eyrie::hal
