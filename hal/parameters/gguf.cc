// Reads GGUF: key-value pairs, which are skipped, a table of tensors, and data.
// The size of a tensor follows from its type (ggml_types.def) and shape.
//
// Tested by gguf_test.cc, testing/parameters_fuzz.cc.
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/allocate.h"
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
// Bytes per kind; 0 for strings and arrays.
constexpr uint8_t kValueSizes[] = {1, 1, 2, 2, 4, 4, 4, 1, 0, 0, 8, 8, 8};

// Minimum bytes of a pair (a name's length, a kind, a byte), and of a tensor (a
// name's length, a rank, a type, an offset).
constexpr uint64_t kLeastPair = 8 + 4 + 1;
constexpr uint64_t kLeastTensor = 8 + 4 + 4 + 8;

// Returns a view of the file's bytes.
absl::StatusOr<absl::string_view> ReadString(ByteReader& reader) {
  ASSIGN_OR_RETURN(const uint64_t length, reader.ReadU64());
  ASSIGN_OR_RETURN(const std::span<const uint8_t> bytes, reader.Take(length));
  return absl::string_view(reinterpret_cast<const char*>(bytes.data()),
                           bytes.size());
}

absl::Status SkipString(ByteReader& reader) {
  ASSIGN_OR_RETURN(const uint64_t length, reader.ReadU64());
  return reader.Skip(length);
}

// OUT_OF_RANGE: `count` exceeds what fits in the bytes left.
absl::Status CheckCount(const ByteReader& reader, absl::string_view what,
                        uint64_t count, uint64_t least_bytes) {
  const uint64_t most = reader.remaining() / least_bytes;
  if (count <= most) return absl::OkStatus();
  return absl::OutOfRangeError(
      absl::StrCat(what, " is ", count, "; the ", reader.remaining(),
                   " bytes left hold at most ", most, "."));
}

// Adds the name of a pair or tensor, its number, and the count: if the count is
// too large, the parser reads later bytes as another item.
absl::Status At(const absl::Status& status, absl::string_view what,
                absl::string_view name, uint64_t index,
                absl::string_view counter, uint64_t count) {
  return Annotate(
      status, absl::StrCat("(", what, " ", QuotedName(name), ", ", index + 1,
                           " of ", counter, "=", count, ")"));
}

absl::Status CheckKind(uint32_t kind) {
  if (kind < std::size(kValueSizes)) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("A value has kind ", kind, "; expected 0 to ",
                   std::size(kValueSizes) - 1, "."));
}

absl::Status SkipArray(ByteReader& reader) {
  ASSIGN_OR_RETURN(const uint32_t kind, reader.ReadU32());
  ASSIGN_OR_RETURN(const uint64_t count, reader.ReadU64());
  RETURN_IF_ERROR(CheckKind(kind));
  if (kind == kArray) {
    return absl::UnimplementedError("Arrays of arrays are not supported.");
  }
  const uint64_t least =
      kind == kString ? sizeof(uint64_t) : uint64_t{kValueSizes[kind]};
  RETURN_IF_ERROR(CheckCount(reader, "An array's length", count, least));
  if (kind != kString) return reader.Skip(count * least);
  for (uint64_t i = 0; i < count; ++i) RETURN_IF_ERROR(SkipString(reader));
  return absl::OkStatus();
}

absl::Status SkipValue(ByteReader& reader, uint32_t kind) {
  RETURN_IF_ERROR(CheckKind(kind));
  if (kind == kString) return SkipString(reader);
  if (kind == kArray) return SkipArray(reader);
  return reader.Skip(kValueSizes[kind]);
}

// Skips the value of a pair, except for the alignment of data, which it reads.
absl::Status ReadPair(ByteReader& reader, absl::string_view key,
                      uint32_t& alignment) {
  ASSIGN_OR_RETURN(const uint32_t kind, reader.ReadU32());
  if (key != kAlignmentKey) return SkipValue(reader, kind);
  if (kind != kUint32) {
    return absl::InvalidArgumentError(absl::StrCat(
        "Its value has kind ", kind, ", not ", kUint32, " (uint32)."));
  }
  ASSIGN_OR_RETURN(alignment, reader.ReadU32());
  if (alignment != 0 && (alignment & (alignment - 1)) == 0) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(
      absl::StrCat("It is ", alignment, "; expected a power of two."));
}

absl::Status ReadPairs(ByteReader& reader, uint64_t count,
                       uint32_t& alignment) {
  RETURN_IF_ERROR(CheckCount(reader, "n_kv", count, kLeastPair));
  for (uint64_t i = 0; i < count; ++i) {
    const absl::StatusOr<absl::string_view> key = ReadString(reader);
    absl::Status status = key.status();
    if (key.ok()) status = ReadPair(reader, *key, alignment);
    if (!status.ok()) {
      return At(status, "key", key.ok() ? *key : "", i, "n_kv", count);
    }
  }
  return absl::OkStatus();
}

// Sets the bytes of a tensor, its type and shape. Tensors of unknown types have
// no bytes.
absl::Status ReadSize(ByteReader& reader, ParameterEntry& entry) {
  ASSIGN_OR_RETURN(const uint32_t rank, reader.ReadU32());
  if (rank > kMaxDimensions) {
    return absl::InvalidArgumentError(
        absl::StrCat("It has ", rank, " dimensions; at most ", kMaxDimensions,
                     " are supported."));
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
    entry.metadata = absl::StrCat("type ", number, "[", shape, "]");
    entry.fault = absl::UnimplementedError(absl::StrCat(
        "The element type ", number, " of the tensor is not known."));
    return absl::OkStatus();
  }
  const std::string text = absl::StrCat(type->name, "[", shape, "]");
  if (elements && row % type->block_elements != 0) {
    return absl::InvalidArgumentError(absl::StrCat(
        "A tensor of ", text, " is not a whole number of blocks of ",
        type->block_elements, " elements."));
  }
  std::optional<uint64_t> bytes;
  if (elements) {
    bytes = CheckedMul<uint64_t>(*elements / type->block_elements,
                                 type->block_bytes);
  }
  if (!bytes) {
    return absl::InvalidArgumentError(
        absl::StrCat("A tensor of ", text, " has 2^64 bytes or more."));
  }
  entry.length = *bytes;
  entry.metadata = text;
  return absl::OkStatus();
}

absl::Status ReadTensor(ByteReader& reader, uint32_t alignment,
                        ParameterEntry& entry) {
  ASSIGN_OR_RETURN(const absl::string_view key, ReadString(reader));
  RETURN_IF_ERROR(Assign(entry.key, key, "a parameter's key"));
  RETURN_IF_ERROR(ReadSize(reader, entry));
  entry.has_type = true;
  ASSIGN_OR_RETURN(const uint64_t offset, reader.ReadU64());
  entry.storage = FileOffset{offset};
  if (offset % alignment == 0) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(
      "Its offset ", offset, " is not a multiple of ", alignment, "."));
}

absl::StatusOr<std::vector<ParameterEntry>> ReadTensors(ByteReader& reader,
                                                        uint64_t count,
                                                        uint32_t alignment) {
  RETURN_IF_ERROR(CheckCount(reader, "n_tensors", count, kLeastTensor));
  std::vector<ParameterEntry> entries;
  for (uint64_t i = 0; i < count; ++i) {
    RETURN_IF_ERROR(PushBack(entries, ParameterEntry(), kParameterEntries));
    ParameterEntry& entry = entries.back();
    const absl::Status status = ReadTensor(reader, alignment, entry);
    if (!status.ok()) {
      return At(status, "tensor", entry.key, i, "n_tensors", count);
    }
    if (!entry.fault.ok()) {
      entry.fault = At(entry.fault, "tensor", entry.key, i, "n_tensors", count);
    }
  }
  return entries;
}

// Converts offsets relative to the data to offsets in the file.
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
        "The file has GGUF version ", version, "; supported are 2 and 3."));
  }
  ASSIGN_OR_RETURN(const uint64_t tensor_count, reader.ReadU64());
  ASSIGN_OR_RETURN(const uint64_t pair_count, reader.ReadU64());
  uint32_t alignment = 32;
  RETURN_IF_ERROR(ReadPairs(reader, pair_count, alignment));
  ASSIGN_OR_RETURN(std::vector<ParameterEntry> entries,
                   ReadTensors(reader, tensor_count, alignment));
  const uint64_t data_begin =
      CheckedAlignUp<uint64_t>(reader.offset(), alignment)
          .value_or(bytes.size());
  const uint64_t data_size =
      data_begin < bytes.size() ? bytes.size() - data_begin : 0;
  RETURN_IF_ERROR(Place(data_begin, data_size, entries));
  return entries;
}

}  // namespace eyrie::hal
