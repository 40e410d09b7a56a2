// Local headers, the directory and its end record.
#include "vm/asm/zip_writer.h"

#include "base/checked_math.h"
#include "base/crc32.h"
#include "vm/module/archive.h"

namespace eyrie::vm {
namespace {

constexpr size_t kHeaderSize = 30;
constexpr size_t kExtraHeaderSize = 4;
constexpr size_t kVersion = 20;
constexpr size_t kFirstDay = 1 << 5 | 1;  // 1 January 1980
constexpr size_t kPaddingField = 0xFECA;

}  // namespace

uint64_t ZipWriter::LeastHeader(const std::string& name) {
  return kHeaderSize + name.size() + kExtraHeaderSize;
}

uint64_t ZipWriter::FirstContents(const std::string& name) {
  return AlignUp(LeastHeader(name), kArchiveAlignment);
}

void ZipWriter::Put16(size_t value) {
  file_.push_back(static_cast<uint8_t>(value));
  file_.push_back(static_cast<uint8_t>(value >> 8));
}

void ZipWriter::Put32(size_t value) {
  Put16(value);
  Put16(value >> 16);
}

void ZipWriter::PutText(const std::string& text) {
  file_.insert(file_.end(), text.begin(), text.end());
}

void ZipWriter::Add(const std::string& name, std::span<const uint8_t> contents,
                    size_t alignment) {
  const Member member = {name, Crc32(contents),
                         static_cast<uint32_t>(contents.size()),
                         static_cast<uint32_t>(file_.size())};
  const uint64_t least = file_.size() + LeastHeader(name);
  const uint64_t begin = AlignUp(least, alignment);
  Put32(0x04034B50);
  Put16(kVersion);
  Put16(0);  // flags
  Put16(0);  // stored
  Put16(0);  // time
  Put16(kFirstDay);
  Put32(member.checksum);
  Put32(member.size);
  Put32(member.size);
  Put16(name.size());
  Put16(kExtraHeaderSize + (begin - least));
  PutText(name);
  Put16(kPaddingField);
  Put16(begin - least);
  file_.resize(begin);
  file_.insert(file_.end(), contents.begin(), contents.end());
  members_.push_back(member);
}

std::vector<uint8_t> ZipWriter::Finish() {
  const size_t directory = file_.size();
  for (const Member& member : members_) {
    Put32(0x02014B50);
    Put16(kVersion);
    Put16(kVersion);
    Put16(0);  // flags
    Put16(0);  // stored
    Put16(0);  // time
    Put16(kFirstDay);
    Put32(member.checksum);
    Put32(member.size);
    Put32(member.size);
    Put16(member.name.size());
    Put16(0);  // extra
    Put16(0);  // comment
    Put16(0);  // disk
    Put16(0);  // internal attributes
    Put32(0);  // external attributes
    Put32(member.header);
    PutText(member.name);
  }
  const size_t directory_size = file_.size() - directory;
  Put32(0x06054B50);
  Put32(0);  // disks
  Put16(members_.size());
  Put16(members_.size());
  Put32(directory_size);
  Put32(directory);
  Put16(0);  // comment
  return std::move(file_);
}

}  // namespace eyrie::vm
