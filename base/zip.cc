// Finds the directory at the end of a ZIP, and the bytes of its members.
#include "base/zip.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/allocate.h"
#include "base/byte_reader.h"
#include "base/checked_math.h"
#include "base/plain_text.h"
#include "base/status_macros.h"
#include "base/zip_format.h"

namespace eyrie {
namespace {

// For the message "Cannot allocate N bytes for ...".
constexpr absl::string_view kMembers = "the directory of a ZIP";

// One call of ReadZip.
class ZipReader {
 public:
  ZipReader(std::span<const uint8_t> bytes, absl::string_view file)
      : bytes_(bytes), file_(file) {}

  absl::StatusOr<ZipDirectory> Read();

 private:
  struct Place {
    uint64_t offset;
    uint64_t count;
  };
  // A row of the directory: the member, and its place in the file.
  struct Row {
    ZipMember member;
    uint64_t packed, offset;  // bytes; of the local header
  };
  // A range of the file's bytes, and the name of the part.
  struct Part {
    uint64_t begin;
    uint64_t end;
    absl::string_view name;
  };

  template <typename... Texts>
  absl::Status Damaged(const Texts&... texts) const {
    return DamagedZip(file_, absl::StrCat(texts...));
  }
  absl::StatusOr<Place> FindDirectory() const;
  absl::StatusOr<Place> FindDirectory64(size_t end) const;
  absl::StatusOr<Row> ReadRow(ByteReader& reader) const;
  absl::Status ReadZip64Field(std::span<const uint8_t> extra, Row& row) const;
  absl::Status FindPacked(Row& row) const;
  absl::Status CheckParts(std::vector<Part> parts) const;
  uint64_t End(std::span<const uint8_t> part) const {
    return static_cast<uint64_t>(part.data() + part.size() - bytes_.data());
  }

  const std::span<const uint8_t> bytes_;
  const absl::string_view file_;
};

absl::StatusOr<ZipReader::Place> ZipReader::FindDirectory64(size_t end) const {
  using zip::kLocator64Size;
  if (end < kLocator64Size) return Damaged("its ZIP64 locator is missing");
  const uint8_t* locator = bytes_.data() + end - kLocator64Size;
  if (LoadLittleEndian<uint32_t>(locator) != zip::kLocator64Signature) {
    return Damaged("its ZIP64 locator is missing");
  }
  const auto offset = LoadLittleEndian<uint64_t>(locator + 8);
  if (!RangeFits(offset, zip::kEnd64Size, bytes_.size())) {
    return Damaged("its ZIP64 directory is outside the file");
  }
  const uint8_t* record = bytes_.data() + offset;
  if (LoadLittleEndian<uint32_t>(record) != zip::kEnd64Signature) {
    return Damaged("its ZIP64 directory is not where it should be");
  }
  return Place{LoadLittleEndian<uint64_t>(record + 48),
               LoadLittleEndian<uint64_t>(record + 32)};
}

// Finds the end record. Only its comment can follow it in the file.
absl::StatusOr<ZipReader::Place> ZipReader::FindDirectory() const {
  using zip::kEndSize;
  if (bytes_.size() < kEndSize) return Damaged("it is too short");
  const size_t last = bytes_.size() - kEndSize;
  const size_t first = last > 65535 ? last - 65535 : 0;
  for (size_t at = last + 1; at-- > first;) {
    const uint8_t* end = bytes_.data() + at;
    if (LoadLittleEndian<uint32_t>(end) != zip::kEndSignature ||
        LoadLittleEndian<uint16_t>(end + 20) != last - at) {
      continue;
    }
    const Place place = {LoadLittleEndian<uint32_t>(end + 16),
                         LoadLittleEndian<uint16_t>(end + 10)};
    const bool is_wide =
        place.offset == zip::kFull32 || place.count == zip::kFull16;
    return is_wide ? FindDirectory64(at) : place;
  }
  return Damaged("it ends without a ZIP directory");
}

// Replaces fields whose bits are all 1 by those of the ZIP64 extra field.
absl::Status ZipReader::ReadZip64Field(std::span<const uint8_t> extra,
                                       Row& row) const {
  ByteReader reader(extra);
  while (reader.remaining() >= 4) {
    ASSIGN_OR_RETURN(const uint16_t id, reader.ReadU16());
    ASSIGN_OR_RETURN(const uint16_t size, reader.ReadU16());
    if (size > reader.remaining()) return Damaged("an extra field is cut off");
    ASSIGN_OR_RETURN(const auto field, reader.Take(size));
    if (id != zip::kZip64Field) continue;
    ByteReader values(field);
    for (uint64_t* value : {&row.member.size, &row.packed, &row.offset}) {
      if (*value != zip::kFull32) continue;
      if (values.remaining() < 8) return Damaged("a ZIP64 field is cut off");
      ASSIGN_OR_RETURN(*value, values.ReadU64());
    }
  }
  return absl::OkStatus();
}

// Sets the member's bytes in the file.
absl::Status ZipReader::FindPacked(Row& row) const {
  ZipMember& member = row.member;
  const std::string name = PlainName(member.name);
  if (!RangeFits(row.offset, zip::kLocalSize, bytes_.size())) {
    return Damaged("'", name, "' is outside the file");
  }
  if (LoadLittleEndian<uint32_t>(bytes_.data() + row.offset) !=
      zip::kLocalSignature) {
    return Damaged("'", name, "' is not where it should be");
  }
  const std::optional<uint64_t> begin = ZipContents(bytes_, row.offset);
  if (!begin || !RangeFits(*begin, row.packed, bytes_.size())) {
    return Damaged("'", name, "' is cut off");
  }
  if (member.method == kZipStored && member.size != row.packed) {
    return Damaged("the two sizes of '", name, "' differ");
  }
  member.packed = bytes_.subspan(*begin, row.packed);
  return absl::OkStatus();
}

absl::StatusOr<ZipReader::Row> ZipReader::ReadRow(ByteReader& reader) const {
  if (reader.remaining() < zip::kCentralSize) {
    return Damaged("its directory is cut off");
  }
  ASSIGN_OR_RETURN(const auto fixed, reader.Take(zip::kCentralSize));
  const uint8_t* at = fixed.data();
  if (LoadLittleEndian<uint32_t>(at) != zip::kCentralSignature) {
    return Damaged("its directory is not where it should be");
  }
  Row row;
  row.member.flags = LoadLittleEndian<uint16_t>(at + 8);
  row.member.method = LoadLittleEndian<uint16_t>(at + 10);
  row.member.crc = LoadLittleEndian<uint32_t>(at + 16);
  row.packed = LoadLittleEndian<uint32_t>(at + 20);
  row.member.size = LoadLittleEndian<uint32_t>(at + 24);
  row.offset = LoadLittleEndian<uint32_t>(at + 42);
  const uint64_t name_size = LoadLittleEndian<uint16_t>(at + 28);
  const uint64_t extra_size = LoadLittleEndian<uint16_t>(at + 30);
  const uint64_t comment_size = LoadLittleEndian<uint16_t>(at + 32);
  if (name_size + extra_size + comment_size > reader.remaining()) {
    return Damaged("its directory is cut off");
  }
  ASSIGN_OR_RETURN(const auto name, reader.Take(name_size));
  row.member.name.assign(name.begin(), name.end());
  ASSIGN_OR_RETURN(const auto extra, reader.Take(extra_size));
  RETURN_IF_ERROR(ReadZip64Field(extra, row));
  RETURN_IF_ERROR(reader.Skip(comment_size));
  RETURN_IF_ERROR(FindPacked(row));
  return row;
}

// Checks that no byte of the file belongs to two members, or to a member and
// the directory.
absl::Status ZipReader::CheckParts(std::vector<Part> parts) const {
  std::sort(parts.begin(), parts.end(), [](const Part& a, const Part& b) {
    return std::tie(a.begin, a.end) < std::tie(b.begin, b.end);
  });
  for (size_t i = 1; i < parts.size(); ++i) {
    if (parts[i].begin >= parts[i - 1].end) continue;
    return Damaged("'", PlainName(parts[i - 1].name), "' and '",
                   PlainName(parts[i].name), "' share bytes, from ",
                   parts[i].begin, " on");
  }
  return absl::OkStatus();
}

absl::StatusOr<ZipDirectory> ZipReader::Read() {
  ASSIGN_OR_RETURN(const Place place, FindDirectory());
  ByteReader reader(bytes_);
  if (!reader.Seek(place.offset).ok()) {
    return Damaged("its directory is outside the file");
  }
  ZipDirectory directory;
  std::vector<uint64_t> begins;  // of local headers
  for (uint64_t i = 0; i < place.count; ++i) {
    ASSIGN_OR_RETURN(Row row, ReadRow(reader));
    RETURN_IF_ERROR(PushBack(begins, row.offset, kMembers));
    RETURN_IF_ERROR(
        PushBack(directory.members, std::move(row.member), kMembers));
  }
  directory.rows = bytes_.subspan(place.offset, reader.offset() - place.offset);
  std::vector<Part> parts;
  RETURN_IF_ERROR(Reserve(parts, begins.size() + 1, kMembers));
  parts.push_back({place.offset, reader.offset(), "the directory"});
  for (size_t i = 0; i < begins.size(); ++i) {
    const ZipMember& member = directory.members[i];
    parts.push_back({begins[i], End(member.packed), member.name});
  }
  RETURN_IF_ERROR(CheckParts(std::move(parts)));
  return directory;
}

}  // namespace

absl::Status DamagedZip(absl::string_view file, absl::string_view what) {
  return absl::InvalidArgumentError(
      absl::StrCat(file, " is damaged: ", what, "."));
}

bool LooksLikeZip(std::span<const uint8_t> bytes) {
  if (bytes.size() < 4) return false;
  const auto signature = LoadLittleEndian<uint32_t>(bytes.data());
  return signature == zip::kLocalSignature || signature == zip::kEndSignature;
}

std::optional<uint64_t> ZipContents(std::span<const uint8_t> bytes,
                                    uint64_t header) {
  if (!RangeFits(header, zip::kLocalSize, bytes.size())) return std::nullopt;
  const uint8_t* at = bytes.data() + header;
  if (LoadLittleEndian<uint32_t>(at) != zip::kLocalSignature) {
    return std::nullopt;
  }
  const uint64_t size = zip::kLocalSize + LoadLittleEndian<uint16_t>(at + 26) +
                        uint64_t{LoadLittleEndian<uint16_t>(at + 28)};
  if (!RangeFits(header, size, bytes.size())) return std::nullopt;
  return header + size;
}

absl::StatusOr<ZipDirectory> ReadZip(std::span<const uint8_t> bytes,
                                     absl::string_view file) {
  return ZipReader(bytes, file).Read();
}

}  // namespace eyrie
