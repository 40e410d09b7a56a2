// Reads parameter archives. A file may contain several, each with the offset of
// the next.
//
// Tested by parameters_test.cc, testing/parameters_fuzz.cc.
#include <algorithm>
#include <cstring>
#include <optional>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/allocate.h"
#include "base/byte_reader.h"
#include "base/checked_math.h"
#include "base/status_macros.h"
#include "hal/parameters/irpa_format.h"
#include "hal/parameters/parameter_formats.h"

namespace eyrie::hal {
namespace {

using irpa::EntryType;

// A segment of an archive, as a range of the file.
struct Segment {
  uint64_t begin = 0;
  uint64_t length = 0;
};

class IrpaParser {
 public:
  explicit IrpaParser(std::span<const uint8_t> file)
      : file_(file), budget_(file.size() * 4) {}

  // Reads the archive at `begin`; sets `next` to the next one's offset, or 0.
  absl::Status ReadArchive(uint64_t begin, uint64_t& next);
  std::vector<ParameterEntry> TakeEntries() { return std::move(entries_); }

 private:
  absl::Status ReadHeader(uint64_t begin, irpa::Header& header) const;
  absl::StatusOr<Segment> Locate(uint64_t begin, const irpa::Range& range,
                                 absl::string_view what) const;
  absl::Status ReadTable(uint64_t count);
  absl::Status ReadEntry(std::span<const uint8_t> bytes);
  // Reads text of the metadata segment.
  absl::StatusOr<std::string> ReadText(irpa::Range range,
                                       absl::string_view what);
  absl::Status ReadSplat(std::span<const uint8_t> bytes,
                         ParameterEntry& entry) const;
  absl::Status ReadData(std::span<const uint8_t> bytes,
                        ParameterEntry& entry) const;

  // Limits the memory that a file makes us allocate. Archives that share tables
  // or text could otherwise need any amount.
  absl::Status Spend(uint64_t bytes);

  std::span<const uint8_t> file_;
  uint64_t budget_;  // bytes
  Segment table_;
  Segment metadata_;
  Segment storage_;
  std::vector<ParameterEntry> entries_;
};

// Reads a struct of the format. Returns false if there are too few bytes.
template <typename T>
bool Load(std::span<const uint8_t> bytes, T& value) {
  if (bytes.size() < sizeof(T)) return false;
  std::memcpy(&value, bytes.data(), sizeof(T));
  return true;
}

absl::Status TooShort(absl::string_view what, uint64_t size, uint64_t least) {
  return absl::OutOfRangeError(absl::StrCat("The ", what, " has ", size,
                                            " bytes; it needs ", least, "."));
}

absl::Status IrpaParser::ReadHeader(uint64_t begin,
                                    irpa::Header& header) const {
  const std::span<const uint8_t> bytes = file_.subspan(begin);
  if (bytes.size() < irpa::kHeaderPrefixSize) {
    return TooShort("archive's header", bytes.size(), sizeof(header));
  }
  header = {};
  std::memcpy(&header, bytes.data(), std::min(bytes.size(), sizeof(header)));
  if (header.magic != irpa::kMagic) {
    return absl::InvalidArgumentError(
        absl::StrCat("There is no archive at offset ", begin, "."));
  }
  if (header.version_major != 0 || header.version_minor != 0) {
    return absl::UnimplementedError(
        absl::StrCat("The archive has version ", header.version_major, ".",
                     header.version_minor, "; supported is 0.0."));
  }
  if (header.header_size < sizeof(header) || bytes.size() < sizeof(header)) {
    return TooShort("archive's header",
                    std::min<uint64_t>(bytes.size(), header.header_size),
                    sizeof(header));
  }
  return absl::OkStatus();
}

absl::StatusOr<Segment> IrpaParser::Locate(uint64_t begin,
                                           const irpa::Range& range,
                                           absl::string_view what) const {
  if (range.length == 0) return Segment();
  const uint64_t room = file_.size() - begin;
  if (RangeFits(range.offset, range.length, room)) {
    return Segment{begin + range.offset, range.length};
  }
  return absl::OutOfRangeError(absl::StrCat(
      "The ", what, " of the archive has ", range.length, " bytes at offset ",
      range.offset, "; the file has ", room, " from the archive's header on."));
}

absl::Status IrpaParser::ReadArchive(uint64_t begin, uint64_t& next) {
  irpa::Header header;
  RETURN_IF_ERROR(ReadHeader(begin, header));
  ASSIGN_OR_RETURN(table_, Locate(begin, header.entries, "table of entries"));
  ASSIGN_OR_RETURN(metadata_, Locate(begin, header.metadata, "metadata"));
  ASSIGN_OR_RETURN(storage_, Locate(begin, header.storage, "storage"));
  RETURN_IF_ERROR(ReadTable(header.entry_count));
  next = 0;
  if (header.next_header == 0) return absl::OkStatus();
  // Offsets only increase, so that archives cannot form a cycle.
  if (header.next_header % irpa::kHeaderAlignment != 0 ||
      !RangeFits(header.next_header, irpa::kHeaderPrefixSize,
                 file_.size() - begin)) {
    return absl::OutOfRangeError(
        absl::StrCat("The offset of the next archive is ", header.next_header,
                     ", which is not a multiple of ", irpa::kHeaderAlignment,
                     " within the file's ", file_.size() - begin, " bytes."));
  }
  next = begin + header.next_header;
  return absl::OkStatus();
}

absl::Status IrpaParser::ReadTable(uint64_t count) {
  const std::span<const uint8_t> table =
      file_.subspan(table_.begin, table_.length);
  uint64_t offset = 0;
  for (uint64_t i = 0; i < count; ++i) {
    irpa::Entry entry;
    if (offset > table.size() || !Load(table.subspan(offset), entry)) {
      return absl::OutOfRangeError(absl::StrCat("The table of ", table.size(),
                                                " bytes ends within entry ", i,
                                                " of ", count, "."));
    }
    const uint64_t size = entry.size;
    if (size < sizeof(entry) || size > table.size() - offset) {
      return absl::OutOfRangeError(absl::StrCat(
          "Entry ", i, " has ", size, " bytes; it needs ", sizeof(entry),
          ", and ", table.size() - offset, " are left."));
    }
    absl::Status status = ReadEntry(table.subspan(offset, size));
    if (!status.ok()) {
      return Annotate(status, absl::StrCat("(entry ", i, " of the archive)"));
    }
    const std::optional<uint64_t> end =
        CheckedAlignUp<uint64_t>(offset + size, irpa::kEntryAlignment);
    offset = end.value_or(table.size());
  }
  return absl::OkStatus();
}

absl::Status IrpaParser::Spend(uint64_t bytes) {
  if (bytes > budget_) {
    return absl::ResourceExhaustedError(
        absl::StrCat("The archive's entries and names take more than ",
                     file_.size() * 4, " bytes, four times the file's size."));
  }
  budget_ -= bytes;
  return absl::OkStatus();
}

absl::StatusOr<std::string> IrpaParser::ReadText(irpa::Range range,
                                                 absl::string_view what) {
  if (range.length == 0) return std::string();
  if (!RangeFits(range.offset, range.length, metadata_.length)) {
    return absl::OutOfRangeError(absl::StrCat(
        "The ", what, " has ", range.length, " bytes at offset ", range.offset,
        " of the metadata, which has ", metadata_.length, "."));
  }
  RETURN_IF_ERROR(Spend(range.length));
  const uint8_t* data = file_.data() + metadata_.begin + range.offset;
  std::string text;
  RETURN_IF_ERROR(
      Assign(text, {reinterpret_cast<const char*>(data), range.length}, what));
  return text;
}

absl::Status IrpaParser::ReadEntry(std::span<const uint8_t> bytes) {
  RETURN_IF_ERROR(Spend(sizeof(irpa::Entry)));
  irpa::Entry header;
  Load(bytes, header);
  if (header.type == EntryType::kSkip) return absl::OkStatus();
  ParameterEntry entry;
  ASSIGN_OR_RETURN(entry.key, ReadText(header.name, "name"));
  ASSIGN_OR_RETURN(entry.metadata, ReadText(header.metadata, "metadata"));
  absl::Status status;
  switch (header.type) {
    case EntryType::kSplat:
      status = ReadSplat(bytes, entry);
      break;
    case EntryType::kData:
      status = ReadData(bytes, entry);
      break;
    case EntryType::kExternal:
      entry.fault = absl::UnimplementedError(
          "The entry's data are in another file, which is not supported.");
      break;
    default:
      entry.fault = absl::UnimplementedError(absl::StrCat(
          "The entry has type ", static_cast<uint32_t>(header.type),
          "; expected 0 to 2."));
  }
  absl::Status& failed = status.ok() ? entry.fault : status;
  if (!failed.ok()) {
    failed = Annotate(failed, absl::StrCat("(", QuotedName(entry.key), ")"));
  }
  RETURN_IF_ERROR(status);
  return PushBack(entries_, std::move(entry), kParameterEntries);
}

absl::Status IrpaParser::ReadSplat(std::span<const uint8_t> bytes,
                                   ParameterEntry& entry) const {
  irpa::SplatEntry splat;
  if (!Load(bytes, splat)) {
    return TooShort("entry of a splat", bytes.size(), sizeof(splat));
  }
  const unsigned length = splat.pattern_length;
  const uint64_t size = splat.length;
  if (length == 0 || length > 16 || (length & (length - 1)) != 0) {
    return absl::InvalidArgumentError(absl::StrCat(
        "The pattern's length (", length, ") is not 1, 2, 4, 8 or 16."));
  }
  if (size % length != 0) {
    return absl::InvalidArgumentError(
        absl::StrCat("The entry's length (", size,
                     ") is not a multiple of its pattern's (", length, ")."));
  }
  Splat storage;
  std::memcpy(storage.pattern.data(), splat.pattern, length);
  storage.length = static_cast<uint8_t>(length);
  entry.length = size;
  entry.storage = storage;
  return absl::OkStatus();
}

absl::Status IrpaParser::ReadData(std::span<const uint8_t> bytes,
                                  ParameterEntry& entry) const {
  irpa::DataEntry data;
  if (!Load(bytes, data)) {
    return TooShort("entry of data", bytes.size(), sizeof(data));
  }
  const irpa::Range range = data.storage;
  if (!RangeFits(range.offset, range.length, storage_.length)) {
    return absl::OutOfRangeError(absl::StrCat(
        "The data has ", range.length, " bytes at offset ", range.offset,
        " of the storage, which has ", storage_.length, "."));
  }
  entry.length = range.length;
  entry.storage = FileOffset{storage_.begin + range.offset};
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<std::vector<ParameterEntry>> ParseIrpa(
    std::span<const uint8_t> bytes) {
  IrpaParser parser(bytes);
  uint64_t begin = 0;
  do {
    uint64_t next = 0;
    RETURN_IF_ERROR(parser.ReadArchive(begin, next));
    begin = next;
  } while (begin != 0);
  return parser.TakeEntries();
}

}  // namespace eyrie::hal
