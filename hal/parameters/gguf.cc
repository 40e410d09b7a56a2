// Reads GGUF: key-value pairs, which are skipped, a table of tensors, data.
// What tensors take follows from their types (ggml_types.def) and shapes.
//
// Tested by parameters_test.cc, parameters_fuzz.cc.
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/byte_reader.h"
#include "base/checked_math.h"
#include "base/status_macros.h"
#include "hal/parameters/parameter_formats.h"

namespace eyrie::hal {
namespace {

constexpr uint32_t kMagic = 0x46554747;  // "GGUF"
constexpr uint32_t kMaxDimensions = 16;
constexpr absl::string_view kAlignmentKey = "general.alignment";

struct GgmlType {
  uint32_t number;
  const char* name;
  uint32_t block_elements;
  uint32_t block_bytes;
};
constexpr GgmlType kTypes[] = {
#define GGML_TYPE(number, name, elements, bytes) \
  {number, name, elements, bytes},
#include "hal/parameters/ggml_types.def"
#undef GGML_TYPE
};

// Kinds of values in key-value pairs.
constexpr uint32_t kUint32 = 4;
constexpr uint32_t kString = 8;
constexpr uint32_t kArray = 9;
// Bytes of each kind; 0 for strings and arrays.
constexpr uint8_t kValueSizes[] = {1, 1, 2, 2, 4, 4, 4, 1, 0, 0, 8, 8, 8};

absl::StatusOr<std::string> ReadString(ByteReader& reader) {
  ASSIGN_OR_RETURN(const uint64_t length, reader.ReadU64());
  ASSIGN_OR_RETURN(const std::span<const uint8_t> bytes, reader.Take(length));
  return std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size());
}

absl::Status SkipString(ByteReader& reader) {
  ASSIGN_OR_RETURN(const uint64_t length, reader.ReadU64());
  return reader.Skip(length);
}

absl::Status BadKind(uint32_t kind) {
  return absl::InvalidArgumentError(
      absl::StrCat("A value is of kind ", kind, ", not of 0 to ",
                   std::size(kValueSizes) - 1, "."));
}

// An array holds values of one kind, but no arrays.
absl::Status SkipArray(ByteReader& reader) {
  ASSIGN_OR_RETURN(const uint32_t kind, reader.ReadU32());
  ASSIGN_OR_RETURN(const uint64_t count, reader.ReadU64());
  if (kind >= std::size(kValueSizes) || kind == kArray) return BadKind(kind);
  if (kind == kString) {
    for (uint64_t i = 0; i < count; ++i) RETURN_IF_ERROR(SkipString(reader));
    return absl::OkStatus();
  }
  const auto size = CheckedMul<uint64_t>(kValueSizes[kind], count);
  return reader.Skip(size.value_or(~uint64_t{0}));
}

absl::Status SkipValue(ByteReader& reader, uint32_t kind) {
  if (kind >= std::size(kValueSizes)) return BadKind(kind);
  if (kind == kString) return SkipString(reader);
  if (kind == kArray) return SkipArray(reader);
  return reader.Skip(kValueSizes[kind]);
}

// Skips pairs, all but the alignment of data.
absl::Status ReadPairs(ByteReader& reader, uint64_t count,
                       uint32_t& alignment) {
  for (uint64_t i = 0; i < count; ++i) {
    ASSIGN_OR_RETURN(const std::string key, ReadString(reader));
    ASSIGN_OR_RETURN(const uint32_t kind, reader.ReadU32());
    if (key != kAlignmentKey) {
      RETURN_IF_ERROR(SkipValue(reader, kind));
      continue;
    }
    if (kind != kUint32) return BadKind(kind);
    ASSIGN_OR_RETURN(alignment, reader.ReadU32());
    if (alignment == 0 || (alignment & (alignment - 1)) != 0) {
      return absl::InvalidArgumentError(absl::StrCat(
          kAlignmentKey, " is ", alignment, ", which is no power of two."));
    }
  }
  return absl::OkStatus();
}

// Bytes of a tensor.
absl::StatusOr<uint64_t> ReadSize(ByteReader& reader, std::string& text) {
  ASSIGN_OR_RETURN(const uint32_t rank, reader.ReadU32());
  if (rank > kMaxDimensions) {
    return absl::InvalidArgumentError(
        absl::StrCat("It has ", rank, " dimensions; at most ", kMaxDimensions,
                     " are read."));
  }
  std::optional<uint64_t> elements = 1;
  uint64_t row = 1;  // elements; the first dimension varies fastest
  std::string shape;
  for (uint32_t i = 0; i < rank; ++i) {
    ASSIGN_OR_RETURN(const uint64_t size, reader.ReadU64());
    if (i == 0) row = size;
    shape = absl::StrCat(size, i == 0 ? "" : "x", shape);
    if (elements) elements = CheckedMul<uint64_t>(*elements, size);
  }
  ASSIGN_OR_RETURN(const uint32_t number, reader.ReadU32());
  const GgmlType* type = nullptr;
  for (const GgmlType& known : kTypes) {
    if (known.number == number) type = &known;
  }
  if (type == nullptr) {
    return absl::UnimplementedError(
        absl::StrCat("Its element type (", number, ") is not known."));
  }
  text = absl::StrCat(type->name, "[", shape, "]");
  std::optional<uint64_t> bytes;
  if (elements && row % type->block_elements == 0) {
    bytes = CheckedMul<uint64_t>(*elements / type->block_elements,
                                 type->block_bytes);
  }
  if (bytes) return *bytes;
  return absl::InvalidArgumentError(
      absl::StrCat("A tensor of ", text, " is no number of blocks of ",
                   type->block_elements, " elements."));
}

absl::StatusOr<ParameterEntry> ReadTensor(ByteReader& reader,
                                          uint32_t alignment) {
  ParameterEntry entry;
  ASSIGN_OR_RETURN(entry.key, ReadString(reader));
  const auto annotate = [&](const absl::Status& status) {
    return Annotate(status,
                    absl::StrCat("(tensor ", QuotedName(entry.key), ")"));
  };
  const absl::StatusOr<uint64_t> length = ReadSize(reader, entry.metadata);
  if (!length.ok()) return annotate(length.status());
  const absl::StatusOr<uint64_t> offset = reader.ReadU64();
  if (!offset.ok()) return annotate(offset.status());
  if (*offset % alignment != 0) {
    return annotate(absl::InvalidArgumentError(absl::StrCat(
        "Its offset ", *offset, " is no multiple of ", alignment, ".")));
  }
  entry.length = *length;
  entry.storage = FileOffset{*offset};
  return entry;
}

// Offsets were from the data's begin; makes them the file's.
absl::Status Place(uint64_t data_begin, uint64_t data_size,
                   std::vector<ParameterEntry>& entries) {
  for (ParameterEntry& entry : entries) {
    uint64_t& offset = std::get<FileOffset>(entry.storage).offset;
    if (!RangeFits(offset, entry.length, data_size)) {
      return absl::OutOfRangeError(
          absl::StrCat("Tensor ", QuotedName(entry.key), " has ", entry.length,
                       " bytes at offset ", offset, " of the data, which has ",
                       data_size, "."));
    }
    offset += data_begin;
  }
  return CheckDisjoint(entries);
}

}  // namespace

absl::StatusOr<std::vector<ParameterEntry>> ParseGguf(
    std::span<const uint8_t> bytes) {
  ByteReader reader(bytes);
  ASSIGN_OR_RETURN(const uint32_t magic, reader.ReadU32());
  if (magic != kMagic) {
    return absl::InvalidArgumentError("The file does not begin with 'GGUF'.");
  }
  ASSIGN_OR_RETURN(const uint32_t version, reader.ReadU32());
  if (version < 2 || version > 3) {
    return absl::UnimplementedError(absl::StrCat(
        "The file has GGUF's version ", version, "; known are 2 and 3."));
  }
  ASSIGN_OR_RETURN(const uint64_t tensor_count, reader.ReadU64());
  ASSIGN_OR_RETURN(const uint64_t pair_count, reader.ReadU64());
  uint32_t alignment = 32;
  RETURN_IF_ERROR(ReadPairs(reader, pair_count, alignment));
  std::vector<ParameterEntry> entries;
  for (uint64_t i = 0; i < tensor_count; ++i) {
    ASSIGN_OR_RETURN(ParameterEntry entry, ReadTensor(reader, alignment));
    entries.push_back(std::move(entry));
  }
  const uint64_t data_begin =
      CheckedAlignUp<uint64_t>(reader.offset(), alignment)
          .value_or(bytes.size());
  const uint64_t data_size =
      data_begin < bytes.size() ? bytes.size() - data_begin : 0;
  RETURN_IF_ERROR(Place(data_begin, data_size, entries));
  return entries;
}

}  // namespace eyrie::hal
