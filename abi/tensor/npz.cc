// Reads the ZIP files that hold .npy arrays, and adds arrays to them.
//
// Tested by npy_test.cc.
#include "abi/tensor/npz.h"

#include <zlib.h>

#include <algorithm>
#include <cstring>
#include <optional>
#include <tuple>
#include <utility>

#include "abi/tensor/zip_format.h"
#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "base/allocate.h"
#include "base/byte_reader.h"
#include "base/checked_math.h"
#include "base/crc32.h"
#include "base/plain_text.h"
#include "base/status_macros.h"

namespace eyrie::abi {
namespace {

// For the message "Cannot allocate N bytes for ...".
constexpr absl::string_view kMembers = "the members of a .npz file";

absl::Status Damaged(absl::string_view what) {
  return absl::InvalidArgumentError(
      absl::StrCat("The .npz file is damaged: ", what, "."));
}

// The location of the central directory.
struct Directory {
  uint64_t offset;
  uint64_t count;
};

absl::StatusOr<Directory> ReadDirectory64(std::span<const uint8_t> bytes,
                                          size_t end) {
  if (end < kLocator64Size) return Damaged("its ZIP64 locator is missing");
  ByteReader locator(bytes.subspan(end - kLocator64Size, kLocator64Size));
  ASSIGN_OR_RETURN(const uint32_t signature, locator.ReadU32());
  RETURN_IF_ERROR(locator.Skip(4));
  ASSIGN_OR_RETURN(const uint64_t offset, locator.ReadU64());
  if (signature != kLocator64Signature) {
    return Damaged("its ZIP64 locator is missing");
  }
  ByteReader record(bytes);
  if (!record.Seek(offset).ok() || record.remaining() < 56) {
    return Damaged("its ZIP64 directory is outside the file");
  }
  ASSIGN_OR_RETURN(const uint32_t record_signature, record.ReadU32());
  if (record_signature != kEnd64Signature) {
    return Damaged("its ZIP64 directory is not where it should be");
  }
  Directory directory = {};
  RETURN_IF_ERROR(record.Skip(28));
  ASSIGN_OR_RETURN(directory.count, record.ReadU64());
  RETURN_IF_ERROR(record.Skip(8));
  ASSIGN_OR_RETURN(directory.offset, record.ReadU64());
  return directory;
}

// Finds the end record. Only a comment can follow it in the file.
absl::StatusOr<Directory> FindDirectory(std::span<const uint8_t> bytes) {
  if (bytes.size() < kEndSize) return Damaged("it is too short");
  const size_t last = bytes.size() - kEndSize;
  const size_t first = last > 65535 ? last - 65535 : 0;
  for (size_t at = last + 1; at-- > first;) {
    if (LoadLittleEndian<uint32_t>(bytes.data() + at) != kEndSignature) {
      continue;
    }
    const uint8_t* end = bytes.data() + at;
    const Directory directory = {LoadLittleEndian<uint32_t>(end + 16),
                                 LoadLittleEndian<uint16_t>(end + 10)};
    if (directory.offset == kFull32 || directory.count == 0xFFFF) {
      return ReadDirectory64(bytes, at);
    }
    return directory;
  }
  return Damaged("it has no ZIP directory");
}

// One entry of the central directory.
struct Row {
  std::string name;
  uint16_t flags, method;
  uint32_t crc;
  uint64_t packed, size, offset;
};

// Replaces fields whose bits are all 1 by those of the ZIP64 extra field.
absl::Status ReadZip64Field(std::span<const uint8_t> extra, Row& row) {
  ByteReader reader(extra);
  while (reader.remaining() >= 4) {
    ASSIGN_OR_RETURN(const uint16_t id, reader.ReadU16());
    ASSIGN_OR_RETURN(const uint16_t size, reader.ReadU16());
    if (size > reader.remaining()) return Damaged("an extra field is cut off");
    ASSIGN_OR_RETURN(const auto field, reader.Take(size));
    if (id != kZip64Field) continue;
    ByteReader values(field);
    for (uint64_t* value : {&row.size, &row.packed, &row.offset}) {
      if (*value != kFull32) continue;
      if (values.remaining() < 8) return Damaged("a ZIP64 field is cut off");
      ASSIGN_OR_RETURN(*value, values.ReadU64());
    }
  }
  return absl::OkStatus();
}

absl::StatusOr<Row> ReadRow(ByteReader& reader) {
  if (reader.remaining() < 46) return Damaged("its directory is cut off");
  ASSIGN_OR_RETURN(const auto fixed, reader.Take(46));
  const uint8_t* at = fixed.data();
  if (LoadLittleEndian<uint32_t>(at) != kCentralSignature) {
    return Damaged("its directory is not where it should be");
  }
  Row row;
  row.flags = LoadLittleEndian<uint16_t>(at + 8);
  row.method = LoadLittleEndian<uint16_t>(at + 10);
  row.crc = LoadLittleEndian<uint32_t>(at + 16);
  row.packed = LoadLittleEndian<uint32_t>(at + 20);
  row.size = LoadLittleEndian<uint32_t>(at + 24);
  row.offset = LoadLittleEndian<uint32_t>(at + 42);
  const uint64_t name_size = LoadLittleEndian<uint16_t>(at + 28);
  const uint64_t extra_size = LoadLittleEndian<uint16_t>(at + 30);
  const uint64_t comment_size = LoadLittleEndian<uint16_t>(at + 32);
  if (name_size + extra_size + comment_size > reader.remaining()) {
    return Damaged("its directory is cut off");
  }
  ASSIGN_OR_RETURN(const auto name, reader.Take(name_size));
  row.name.assign(reinterpret_cast<const char*>(name.data()), name.size());
  ASSIGN_OR_RETURN(const auto extra, reader.Take(extra_size));
  RETURN_IF_ERROR(ReadZip64Field(extra, row));
  RETURN_IF_ERROR(reader.Skip(comment_size));
  return row;
}

// Returns the member's bytes in the file, before inflation.
absl::StatusOr<std::span<const uint8_t>> PackedBytes(
    std::span<const uint8_t> bytes, const Row& row) {
  if (!RangeFits(row.offset, kLocalSize, bytes.size())) {
    return Damaged(
        absl::StrCat("'", PlainName(row.name), "' is outside the file"));
  }
  const uint8_t* local = bytes.data() + row.offset;
  if (LoadLittleEndian<uint32_t>(local) != kLocalSignature) {
    return Damaged(
        absl::StrCat("'", PlainName(row.name), "' is not where it should be"));
  }
  const uint64_t begin = row.offset + kLocalSize +
                         LoadLittleEndian<uint16_t>(local + 26) +
                         LoadLittleEndian<uint16_t>(local + 28);
  if (!RangeFits(begin, row.packed, bytes.size())) {
    return Damaged(absl::StrCat("'", PlainName(row.name), "' is cut off"));
  }
  return bytes.subspan(begin, row.packed);
}

// The maximum compression ratio of deflate.
constexpr uint64_t kMaxRatio = 1032;

// Inflates the member, but at most its first `most` bytes.
absl::Status Inflate(const NpzMember& member, uint64_t most,
                     std::vector<uint8_t>& out) {
  const std::span<const uint8_t> packed = member.packed;
  z_stream stream = {};
  if (inflateInit2(&stream, -MAX_WBITS) != Z_OK) {
    return absl::ResourceExhaustedError("zlib cannot be started.");
  }
  const auto damaged = [&] {
    return Damaged(
        absl::StrCat("'", PlainName(member.name), "' cannot be inflated"));
  };
  absl::Status status;
  size_t in = 0;
  int code = Z_OK;
  while (code == Z_OK && status.ok() && out.size() < most) {
    if (stream.avail_in == 0) {
      const size_t step = std::min<size_t>(packed.size() - in, 1u << 30);
      stream.next_in = const_cast<Bytef*>(packed.data() + in);
      stream.avail_in = static_cast<uInt>(step);
      in += step;
    }
    // Grow only as data arrives, so that a false size allocates nothing.
    const size_t have = out.size();
    const size_t room = static_cast<size_t>(
        std::min<uint64_t>(std::min(member.size - have + 1, most - have),
                           std::max<size_t>(have, size_t{1} << 16)));
    status = ReserveMore(out, room, "an inflated member of a .npz file");
    if (!status.ok()) break;
    out.resize(have + room);
    stream.next_out = out.data() + have;
    stream.avail_out = static_cast<uInt>(std::min<size_t>(room, 1u << 30));
    const size_t offered = stream.avail_out;
    code = inflate(&stream, Z_NO_FLUSH);
    const size_t made = offered - stream.avail_out;
    out.resize(have + made);
    if (out.size() > member.size || (code == Z_BUF_ERROR && made == 0)) {
      status = damaged();
    }
  }
  inflateEnd(&stream);
  RETURN_IF_ERROR(status);
  if (out.size() >= most && most < member.size) return absl::OkStatus();
  if (code != Z_STREAM_END || out.size() != member.size) return damaged();
  return absl::OkStatus();
}

absl::StatusOr<NpzMember> MemberOf(std::span<const uint8_t> bytes, Row row) {
  const auto name = [&row] { return PlainName(row.name); };
  if (row.flags & kEncrypted) {
    return absl::UnimplementedError(
        absl::StrCat("'", name(), "' in the .npz file is encrypted."));
  }
  if (row.method != kStored && row.method != kDeflated) {
    return absl::UnimplementedError(
        absl::StrCat("'", name(), "' has the ZIP compression ", row.method,
                     "; stored (0) and deflated (8) are known."));
  }
  NpzMember member;
  ASSIGN_OR_RETURN(member.packed, PackedBytes(bytes, row));
  member.deflated = row.method == kDeflated;
  if (!member.deflated && row.size != row.packed) {
    return Damaged("two sizes of a member differ");
  }
  if (member.deflated && row.size / kMaxRatio > row.packed) {
    return Damaged(absl::StrCat("'", name(), "' has ", row.packed,
                                " bytes, which cannot inflate to ", row.size));
  }
  member.crc = row.crc;
  member.size = row.size;
  member.name = std::move(row.name);
  return member;
}

// A range of the file's bytes, and the name of the part.
struct Part {
  uint64_t begin;
  uint64_t end;
  absl::string_view name;
};

// Checks that no byte of the file belongs to two members, or to a member and
// the directory.
absl::Status CheckParts(std::vector<Part> parts) {
  std::sort(parts.begin(), parts.end(), [](const Part& a, const Part& b) {
    return std::tie(a.begin, a.end) < std::tie(b.begin, b.end);
  });
  for (size_t i = 1; i < parts.size(); ++i) {
    if (parts[i].begin >= parts[i - 1].end) continue;
    return Damaged(absl::StrCat("'", PlainName(parts[i - 1].name), "' and '",
                                PlainName(parts[i].name),
                                "' share bytes, from ", parts[i].begin, " on"));
  }
  return absl::OkStatus();
}

absl::Status CheckNames(const std::vector<NpzMember>& members) {
  std::vector<absl::string_view> names;
  RETURN_IF_ERROR(Reserve(names, members.size(), kMembers));
  for (const NpzMember& member : members) names.push_back(member.name);
  std::sort(names.begin(), names.end());
  const auto twice = std::adjacent_find(names.begin(), names.end());
  if (twice == names.end()) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(
      "The .npz file has two members named '", PlainName(*twice), "'."));
}

// Returns at most the first `most` bytes of a member.
absl::Status ReadPrefix(const NpzMember& member, uint64_t most,
                        std::vector<uint8_t>& storage,
                        std::span<const uint8_t>& bytes) {
  most = std::min(most, member.size);
  if (member.deflated) {
    storage.clear();
    // For a whole member, ask for one byte more, to reach its end.
    RETURN_IF_ERROR(
        Inflate(member, most + (most == member.size ? 1 : 0), storage));
    bytes = std::span<const uint8_t>(storage).first(
        std::min<size_t>(storage.size(), most));
  } else {
    bytes = member.packed.first(most);
  }
  return absl::OkStatus();
}

}  // namespace

absl::string_view NpzMember::array_name() const {
  return absl::StripSuffix(name, ".npy");
}

bool LooksLikeZip(std::span<const uint8_t> bytes) {
  return bytes.size() >= 4 &&
         (LoadLittleEndian<uint32_t>(bytes.data()) == kLocalSignature ||
          LoadLittleEndian<uint32_t>(bytes.data()) == kEndSignature);
}

absl::StatusOr<std::vector<NpzMember>> ReadZip(std::span<const uint8_t> bytes) {
  ASSIGN_OR_RETURN(const Directory directory, FindDirectory(bytes));
  ByteReader reader(bytes);
  if (!reader.Seek(directory.offset).ok()) {
    return Damaged("its directory is outside the file");
  }
  std::vector<NpzMember> members;
  std::vector<uint64_t> begins;  // of local headers
  for (uint64_t i = 0; i < directory.count; ++i) {
    ASSIGN_OR_RETURN(Row row, ReadRow(reader));
    RETURN_IF_ERROR(PushBack(begins, row.offset, kMembers));
    ASSIGN_OR_RETURN(NpzMember member, MemberOf(bytes, std::move(row)));
    RETURN_IF_ERROR(PushBack(members, std::move(member), kMembers));
  }
  std::vector<Part> parts;
  RETURN_IF_ERROR(Reserve(parts, members.size() + 1, kMembers));
  parts.push_back({directory.offset, reader.offset(), "the directory"});
  for (size_t i = 0; i < members.size(); ++i) {
    const std::span<const uint8_t> packed = members[i].packed;
    const auto end =
        static_cast<uint64_t>(packed.data() + packed.size() - bytes.data());
    parts.push_back({begins[i], end, members[i].name});
  }
  RETURN_IF_ERROR(CheckParts(std::move(parts)));
  RETURN_IF_ERROR(CheckNames(members));
  return members;
}

absl::StatusOr<NpzContents> ReadMember(
    const NpzMember& member, const std::shared_ptr<MemoryMeter>& memory) {
  NpzContents contents;
  contents.bytes = member.packed;
  if (member.deflated) {
    if (memory == nullptr && member.size > kMaxInflated) {
      return absl::ResourceExhaustedError(absl::StrCat(
          "'", PlainName(member.name), "' inflates to ", member.size,
          " bytes; the limit is ", kMaxInflated, "."));
    }
    ASSIGN_OR_RETURN(contents.charge,
                     MemoryCharge::Take(memory, member.size,
                                        "an inflated member of a .npz file"));
    RETURN_IF_ERROR(Inflate(member, member.size + 1, contents.inflated));
    contents.bytes = contents.inflated;
  }
  if (Crc32(contents.bytes) != member.crc) {
    return Damaged(
        absl::StrCat("the checksum of '", PlainName(member.name), "' differs"));
  }
  return contents;
}

absl::StatusOr<NpzArray> ReadNpzArray(
    const NpzMember& member, const std::shared_ptr<MemoryMeter>& memory) {
  // Magic number, version and header length, in their longest form. The header
  // itself usually has a few hundred bytes.
  constexpr uint64_t kFixed = 12;
  constexpr uint64_t kMaxHeader = uint64_t{1} << 20;
  std::vector<uint8_t> storage;
  std::span<const uint8_t> prefix;
  RETURN_IF_ERROR(ReadPrefix(member, kFixed, storage, prefix));
  uint64_t length = 0;
  if (prefix.size() == kFixed) {
    length = prefix[6] == 1 ? LoadLittleEndian<uint16_t>(prefix.data() + 8)
                            : LoadLittleEndian<uint32_t>(prefix.data() + 8);
  }
  RETURN_IF_ERROR(ReadPrefix(member, kFixed + std::min(length, kMaxHeader),
                             storage, prefix));
  ByteReader header(prefix);
  ASSIGN_OR_RETURN(const NpyArray array, ReadNpyHeader(header));
  ASSIGN_OR_RETURN(const uint64_t elements, array.spec.ByteLength());
  if (CheckedAdd<uint64_t>(header.offset(), elements) != member.size) {
    return absl::InvalidArgumentError(absl::StrCat(
        "The .npy array of ", array.spec.ToString(), " needs ", elements,
        " bytes after its header of ", header.offset(),
        "; its member of the .npz file has ", member.size, " in all."));
  }
  NpzArray read;
  ASSIGN_OR_RETURN(read.contents, ReadMember(member, memory));
  ByteReader whole(read.contents.bytes);
  ASSIGN_OR_RETURN(read.array, ReadNpy(whole));
  return read;
}

absl::StatusOr<ZipWriter> ZipWriter::Continue(std::span<const uint8_t> zip) {
  ZipWriter writer;
  if (zip.empty()) return writer;
  RETURN_IF_ERROR(ReadZip(zip).status());
  ASSIGN_OR_RETURN(const Directory directory, FindDirectory(zip));
  ByteReader reader(zip);
  RETURN_IF_ERROR(reader.Seek(directory.offset));
  for (uint64_t i = 0; i < directory.count; ++i) {
    ASSIGN_OR_RETURN(Row row, ReadRow(reader));
    RETURN_IF_ERROR(PackedBytes(zip.first(directory.offset), row).status());
    writer.old_names_.insert(std::move(row.name));
  }
  const auto rows =
      zip.subspan(directory.offset)
          .first(zip.size() - directory.offset - reader.remaining());
  writer.old_rows_.assign(reinterpret_cast<const char*>(rows.data()),
                          rows.size());
  writer.old_count_ = directory.count;
  writer.next_array_ = directory.count;
  writer.begin_ = directory.offset;
  return writer;
}

void ZipWriter::AddArray(absl::string_view npy) {
  std::string name;
  do {
    name = absl::StrCat("arr_", next_array_++, ".npy");
  } while (old_names_.contains(name));
  Add(name, npy);
}

}  // namespace eyrie::abi
