// Writes ZIPs of stored members.
//
// Tested by npy_test.cc.
#include <algorithm>
#include <utility>

#include "abi/tensor/npz.h"
#include "abi/tensor/zip_format.h"
#include "absl/strings/str_cat.h"
#include "base/crc32.h"

namespace eyrie::abi {
namespace {

template <typename T>
void Append(std::string& out, T value) {
  out.append(reinterpret_cast<const char*>(&value), sizeof(T));
}

// Sizes that need more than 32 bits are in a ZIP64 field.
uint32_t Narrow(uint64_t value) {
  return static_cast<uint32_t>(std::min<uint64_t>(value, kFull32));
}

}  // namespace

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
