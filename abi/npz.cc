// Reads and writes the ZIP files that hold .npy arrays.
//
// Tested by npy_test.cc.
#include "abi/npz.h"

#include <zlib.h>

#include <algorithm>
#include <cstring>
#include <optional>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "base/byte_reader.h"
#include "base/checked_math.h"
#include "base/crc32.h"
#include "base/status_macros.h"

namespace eyrie::abi {
namespace {

constexpr uint32_t kLocalSignature = 0x04034b50;
constexpr uint32_t kCentralSignature = 0x02014b50;
constexpr uint32_t kEndSignature = 0x06054b50;
constexpr uint32_t kEnd64Signature = 0x06064b50;
constexpr uint32_t kLocator64Signature = 0x07064b50;
constexpr size_t kEndSize = 22;
constexpr size_t kLocator64Size = 20;
constexpr size_t kLocalSize = 30;
constexpr uint32_t kFull32 = 0xFFFFFFFF;
constexpr uint16_t kStored = 0, kDeflated = 8;
constexpr uint16_t kEncrypted = 1;
constexpr size_t kMemberAlignment = 64;
constexpr uint16_t kZip64Field = 1;
constexpr uint16_t kPaddingField = 0xD935;  // as Android's zipalign uses

absl::Status Damaged(absl::string_view what) {
  return absl::InvalidArgumentError(
      absl::StrCat("The .npz file is damaged: ", what, "."));
}

// Where the central directory is.
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

// The end record is the last thing in the file but for a comment.
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

// One row of the central directory.
struct Row {
  std::string name;
  uint16_t flags, method;
  uint32_t crc;
  uint64_t packed, size, offset;
};

// Replaces the fields that are all ones by those of the ZIP64 extra field.
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

// The member's bytes as they are in the file.
absl::StatusOr<std::span<const uint8_t>> PackedBytes(
    std::span<const uint8_t> bytes, const Row& row) {
  if (!RangeFits(row.offset, kLocalSize, bytes.size())) {
    return Damaged(absl::StrCat("'", row.name, "' is outside the file"));
  }
  const uint8_t* local = bytes.data() + row.offset;
  if (LoadLittleEndian<uint32_t>(local) != kLocalSignature) {
    return Damaged(absl::StrCat("'", row.name, "' is not where it should be"));
  }
  const uint64_t begin = row.offset + kLocalSize +
                         LoadLittleEndian<uint16_t>(local + 26) +
                         LoadLittleEndian<uint16_t>(local + 28);
  if (!RangeFits(begin, row.packed, bytes.size())) {
    return Damaged(absl::StrCat("'", row.name, "' is cut off"));
  }
  return bytes.subspan(begin, row.packed);
}

absl::Status Inflate(std::span<const uint8_t> packed, const Row& row,
                     std::vector<uint8_t>& out) {
  z_stream stream = {};
  if (inflateInit2(&stream, -MAX_WBITS) != Z_OK) {
    return absl::ResourceExhaustedError("zlib cannot be started.");
  }
  const auto damaged = [&] {
    return Damaged(absl::StrCat("'", row.name, "' cannot be inflated"));
  };
  absl::Status status;
  size_t in = 0;
  int code = Z_OK;
  while (code == Z_OK && status.ok()) {
    if (stream.avail_in == 0) {
      const size_t step = std::min<size_t>(packed.size() - in, 1u << 30);
      stream.next_in = const_cast<Bytef*>(packed.data() + in);
      stream.avail_in = static_cast<uInt>(step);
      in += step;
    }
    // Grows as data comes: a size that lies costs nothing.
    const size_t have = out.size();
    const size_t room = static_cast<size_t>(std::min<uint64_t>(
        row.size - have + 1, std::max<size_t>(have, size_t{1} << 16)));
    out.resize(have + room);
    stream.next_out = out.data() + have;
    stream.avail_out = static_cast<uInt>(std::min<size_t>(room, 1u << 30));
    const size_t offered = stream.avail_out;
    code = inflate(&stream, Z_NO_FLUSH);
    const size_t made = offered - stream.avail_out;
    out.resize(have + made);
    if (out.size() > row.size || (code == Z_BUF_ERROR && made == 0)) {
      status = damaged();
    }
  }
  inflateEnd(&stream);
  RETURN_IF_ERROR(status);
  if (code != Z_STREAM_END || out.size() != row.size) return damaged();
  return absl::OkStatus();
}

absl::StatusOr<NpzMember> ReadMember(std::span<const uint8_t> bytes, Row row,
                                     uint64_t max_inflated) {
  if (row.flags & kEncrypted) {
    return absl::UnimplementedError(
        absl::StrCat("'", row.name, "' in the .npz file is encrypted."));
  }
  ASSIGN_OR_RETURN(const auto packed, PackedBytes(bytes, row));
  NpzMember member;
  if (row.method == kStored) {
    if (row.size != row.packed) return Damaged("two sizes of a member differ");
    member.bytes = packed;
  } else if (row.method == kDeflated) {
    if (row.size > max_inflated) {
      return absl::ResourceExhaustedError(
          absl::StrCat("'", row.name, "' inflates to ", row.size,
                       " bytes; the limit is ", max_inflated, "."));
    }
    RETURN_IF_ERROR(Inflate(packed, row, member.inflated));
    member.bytes = member.inflated;
  } else {
    return absl::UnimplementedError(
        absl::StrCat("'", row.name, "' has the ZIP compression ", row.method,
                     "; stored (0) and deflated (8) are known."));
  }
  if (Crc32(member.bytes) != row.crc) {
    return Damaged(absl::StrCat("the checksum of '", row.name, "' differs"));
  }
  member.name = std::move(row.name);
  return member;
}

template <typename T>
void Append(std::string& out, T value) {
  out.append(reinterpret_cast<const char*>(&value), sizeof(T));
}

// Sizes that ZIP's 32 bits cannot hold stand in a ZIP64 field.
uint32_t Narrow(uint64_t value) {
  return static_cast<uint32_t>(std::min<uint64_t>(value, kFull32));
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

absl::StatusOr<std::vector<NpzMember>> ReadZip(std::span<const uint8_t> bytes,
                                               uint64_t max_inflated) {
  ASSIGN_OR_RETURN(const Directory directory, FindDirectory(bytes));
  ByteReader reader(bytes);
  if (!reader.Seek(directory.offset).ok()) {
    return Damaged("its directory is outside the file");
  }
  std::vector<NpzMember> members;
  for (uint64_t i = 0; i < directory.count; ++i) {
    ASSIGN_OR_RETURN(Row row, ReadRow(reader));
    ASSIGN_OR_RETURN(NpzMember member,
                     ReadMember(bytes, std::move(row), max_inflated));
    members.push_back(std::move(member));
  }
  return members;
}

absl::StatusOr<ZipWriter> ZipWriter::Continue(std::span<const uint8_t> zip) {
  ZipWriter writer;
  if (zip.empty()) return writer;
  ASSIGN_OR_RETURN(const Directory directory, FindDirectory(zip));
  ByteReader reader(zip);
  if (!reader.Seek(directory.offset).ok()) {
    return Damaged("its directory is outside the file");
  }
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

void ZipWriter::Add(absl::string_view name, absl::string_view bytes) {
  Entry entry;
  entry.name = std::string(name);
  entry.size = bytes.size();
  entry.offset = begin_ + file_.size();
  entry.crc =
      Crc32({reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size()});
  const bool wide = entry.size >= kFull32;
  const size_t fixed = kLocalSize + name.size() + (wide ? 20 : 0) + 4;
  const size_t padding =
      (kMemberAlignment - (entry.offset + fixed) % kMemberAlignment) %
      kMemberAlignment;
  Append<uint32_t>(file_, kLocalSignature);
  Append<uint16_t>(file_, wide ? 45 : 20);  // version needed
  Append<uint16_t>(file_, 0);
  Append<uint16_t>(file_, kStored);
  Append<uint32_t>(file_, 0x00210000);  // 1 January 1980, midnight
  Append<uint32_t>(file_, entry.crc);
  Append<uint32_t>(file_, Narrow(entry.size));
  Append<uint32_t>(file_, Narrow(entry.size));
  Append<uint16_t>(file_, static_cast<uint16_t>(name.size()));
  Append<uint16_t>(file_, static_cast<uint16_t>((wide ? 20 : 0) + 4 + padding));
  absl::StrAppend(&file_, name);
  if (wide) {
    Append<uint16_t>(file_, kZip64Field);
    Append<uint16_t>(file_, 16);
    Append<uint64_t>(file_, entry.size);
    Append<uint64_t>(file_, entry.size);
  }
  Append<uint16_t>(file_, kPaddingField);
  Append<uint16_t>(file_, static_cast<uint16_t>(padding));
  file_.append(padding, 0);
  absl::StrAppend(&file_, bytes);
  entries_.push_back(std::move(entry));
}

std::string ZipWriter::Finish() {
  const uint64_t begin = begin_ + file_.size();
  const uint64_t entry_count = old_count_ + entries_.size();
  absl::StrAppend(&file_, old_rows_);
  for (const Entry& entry : entries_) {
    const bool wide = entry.size >= kFull32 || entry.offset >= kFull32;
    Append<uint32_t>(file_, kCentralSignature);
    Append<uint16_t>(file_, 0x0300 | 20);  // made on Unix
    Append<uint16_t>(file_, wide ? 45 : 20);
    Append<uint16_t>(file_, 0);
    Append<uint16_t>(file_, kStored);
    Append<uint32_t>(file_, 0x00210000);
    Append<uint32_t>(file_, entry.crc);
    Append<uint32_t>(file_, wide ? kFull32 : Narrow(entry.size));
    Append<uint32_t>(file_, wide ? kFull32 : Narrow(entry.size));
    Append<uint16_t>(file_, static_cast<uint16_t>(entry.name.size()));
    Append<uint16_t>(file_, wide ? 28 : 0);
    Append<uint16_t>(file_, 0);  // comment
    Append<uint32_t>(file_, 0);  // disk, internal attributes
    Append<uint32_t>(file_, 0644u << 16);
    Append<uint32_t>(file_, wide ? kFull32 : Narrow(entry.offset));
    absl::StrAppend(&file_, entry.name);
    if (wide) {
      Append<uint16_t>(file_, kZip64Field);
      Append<uint16_t>(file_, 24);
      Append<uint64_t>(file_, entry.size);
      Append<uint64_t>(file_, entry.size);
      Append<uint64_t>(file_, entry.offset);
    }
  }
  const uint64_t end = begin_ + file_.size();
  if (begin >= kFull32 || entry_count >= 0xFFFF) {
    Append<uint32_t>(file_, kEnd64Signature);
    Append<uint64_t>(file_, 44);
    Append<uint32_t>(file_, 45 | 45 << 16);
    Append<uint64_t>(file_, 0);  // disks
    Append<uint64_t>(file_, entry_count);
    Append<uint64_t>(file_, entry_count);
    Append<uint64_t>(file_, end - begin);
    Append<uint64_t>(file_, begin);
    Append<uint32_t>(file_, kLocator64Signature);
    Append<uint32_t>(file_, 0);
    Append<uint64_t>(file_, end);
    Append<uint32_t>(file_, 1);
  }
  const auto count =
      static_cast<uint16_t>(std::min<uint64_t>(entry_count, 0xFFFF));
  Append<uint32_t>(file_, kEndSignature);
  Append<uint32_t>(file_, 0);
  Append<uint16_t>(file_, count);
  Append<uint16_t>(file_, count);
  Append<uint32_t>(file_, Narrow(end - begin));
  Append<uint32_t>(file_, begin >= kFull32 ? kFull32 : Narrow(begin));
  Append<uint16_t>(file_, 0);
  std::string rest = std::move(file_);
  *this = ZipWriter();
  return rest;
}

}  // namespace eyrie::abi
