// Writes ZIPs of stored members.
//
// Tested by abi/tensor/npy_test.cc, vm/asm/module_plan_test.cc.
#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/checked_math.h"
#include "base/crc32.h"
#include "base/zip.h"
#include "base/zip_format.h"

namespace eyrie {
namespace {

// Appends each value in little-endian order, with the size of its type.
template <typename... Values>
void Append(std::string& out, Values... values) {
  (out.append(reinterpret_cast<const char*>(&values), sizeof(values)), ...);
}

// Sizes that need more than 32 bits are in a ZIP64 field.
uint32_t Narrow(uint64_t value) {
  return static_cast<uint32_t>(std::min<uint64_t>(value, zip::kFull32));
}

bool IsWide(uint64_t value) { return value >= zip::kFull32; }

constexpr uint16_t kVersion = 20, kVersion64 = 45;
constexpr uint32_t kDate = 0x00210000;  // 1 January 1980, midnight
constexpr uint16_t kNoFlags = 0;        // flags, comments
constexpr size_t kField64Size = 20;     // of a local header

}  // namespace

ZipWriter::ZipWriter(std::span<const uint8_t> zip, const ZipDirectory& old)
    : begin_(static_cast<uint64_t>(old.rows.data() - zip.data())),
      count_(old.members.size()),
      rows_(old.rows.begin(), old.rows.end()) {
  for (const ZipMember& member : old.members) names_.insert(member.name);
}

uint64_t ZipWriter::Place(uint64_t at, absl::string_view name, uint64_t size,
                          size_t alignment) {
  const uint64_t header = zip::kLocalSize + name.size() +
                          (IsWide(size) ? kField64Size : 0) +
                          4;  // the padding field without its contents
  return AlignUp(at + header, alignment);
}

void ZipWriter::Add(absl::string_view name, absl::string_view contents,
                    size_t alignment) {
  const uint64_t offset = begin_ + file_.size();
  const uint64_t size = contents.size();
  const auto name_size = static_cast<uint16_t>(name.size());
  const uint32_t crc =
      Crc32({reinterpret_cast<const uint8_t*>(contents.data()), size});
  const uint64_t begin = Place(offset, name, size, alignment);
  const uint64_t extra = begin - offset - zip::kLocalSize - name.size();
  Append(file_, zip::kLocalSignature, IsWide(size) ? kVersion64 : kVersion,
         kNoFlags, kZipStored, kDate, crc, Narrow(size), Narrow(size),
         name_size, static_cast<uint16_t>(extra));
  absl::StrAppend(&file_, name);
  if (IsWide(size)) Append(file_, zip::kZip64Field, uint16_t{16}, size, size);
  const uint64_t padding = begin - begin_ - file_.size() - 4;
  Append(file_, zip::kPaddingField, static_cast<uint16_t>(padding));
  file_.append(padding, 0);
  absl::StrAppend(&file_, contents);

  const bool wide = IsWide(size) || IsWide(offset);
  const uint32_t size32 = wide ? zip::kFull32 : Narrow(size);
  Append(rows_, zip::kCentralSignature,
         static_cast<uint16_t>(0x0300 | kVersion),  // made on Unix
         wide ? kVersion64 : kVersion, kNoFlags, kZipStored, kDate, crc, size32,
         size32, name_size, uint16_t{wide ? uint16_t{28} : kNoFlags}, kNoFlags,
         uint32_t{0},           // disk, internal attributes
         uint32_t{0644} << 16,  // external attributes
         wide ? zip::kFull32 : Narrow(offset));
  absl::StrAppend(&rows_, name);
  if (wide) {
    Append(rows_, zip::kZip64Field, uint16_t{24}, size, size, offset);
  }
  names_.emplace(name);
  ++count_;
}

std::string ZipWriter::Finish() {
  const uint64_t begin = begin_ + file_.size();
  const uint64_t size = rows_.size();
  absl::StrAppend(&file_, rows_);
  if (IsWide(begin) || count_ >= zip::kFull16) {
    const uint64_t record_size = zip::kEnd64Size - 12;
    const uint32_t versions = kVersion64 | kVersion64 << 16;
    Append(file_, zip::kEnd64Signature, record_size, versions,
           uint64_t{0},  // disks
           count_, count_, size, begin, zip::kLocator64Signature, uint32_t{0},
           begin + size, uint32_t{1});
  }
  const auto count =
      static_cast<uint16_t>(std::min<uint64_t>(count_, zip::kFull16));
  Append(file_, zip::kEndSignature, uint32_t{0}, count, count, Narrow(size),
         Narrow(begin), kNoFlags);
  std::string rest = std::move(file_);
  *this = ZipWriter();
  return rest;
}

}  // namespace eyrie
