// Reads the ZIP files that hold .npy arrays, and adds arrays to them.
#include "abi/tensor/npz.h"

#include <zlib.h>

#include <algorithm>
#include <cstring>
#include <utility>

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
#include "base/zip.h"

namespace eyrie::abi {
namespace {

// For the message "Cannot allocate N bytes for ...".
constexpr absl::string_view kMembers = "the members of a .npz file";

constexpr absl::string_view kFile = "The .npz file";

absl::Status Damaged(absl::string_view what) { return DamagedZip(kFile, what); }

// The maximum compression ratio of deflate.
constexpr uint64_t kMaxRatio = 1032;

// Inflates the member, but at most its first `most` bytes.
absl::Status Inflate(const ZipMember& member, uint64_t most,
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

absl::Status CheckMember(const ZipMember& member) {
  const std::string name = PlainName(member.name);
  if (member.flags & kZipEncrypted) {
    return absl::UnimplementedError(
        absl::StrCat("'", name, "' in the .npz file is encrypted."));
  }
  if (member.method != kZipStored && member.method != kZipDeflated) {
    return absl::UnimplementedError(
        absl::StrCat("'", name, "' has the ZIP compression ", member.method,
                     "; stored (0) and deflated (8) are known."));
  }
  if (member.size / kMaxRatio > member.packed.size()) {
    return Damaged(absl::StrCat("'", name, "' has ", member.packed.size(),
                                " bytes, which cannot inflate to ",
                                member.size));
  }
  return absl::OkStatus();
}

absl::Status CheckNames(const std::vector<ZipMember>& members) {
  std::vector<absl::string_view> names;
  RETURN_IF_ERROR(Reserve(names, members.size(), kMembers));
  for (const ZipMember& member : members) names.push_back(member.name);
  std::sort(names.begin(), names.end());
  const auto twice = std::adjacent_find(names.begin(), names.end());
  if (twice == names.end()) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(
      "The .npz file has two members named '", PlainName(*twice), "'."));
}

absl::StatusOr<ZipDirectory> ReadDirectory(std::span<const uint8_t> bytes) {
  ASSIGN_OR_RETURN(ZipDirectory directory, ReadZip(bytes, kFile));
  for (const ZipMember& member : directory.members) {
    RETURN_IF_ERROR(CheckMember(member));
  }
  RETURN_IF_ERROR(CheckNames(directory.members));
  return directory;
}

// Returns at most the first `most` bytes of a member.
absl::Status ReadPrefix(const ZipMember& member, uint64_t most,
                        std::vector<uint8_t>& storage,
                        std::span<const uint8_t>& bytes) {
  most = std::min(most, member.size);
  if (member.method == kZipDeflated) {
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

size_t ArrayColon(absl::string_view text) {
  constexpr absl::string_view kEnding = ".npz:";
  const size_t ending = text.find(kEnding);
  // A file may have another ending.
  return ending == text.npos ? text.rfind(':') : ending + kEnding.size() - 1;
}

absl::string_view ArrayName(const ZipMember& member) {
  return absl::StripSuffix(member.name, ".npy");
}

absl::StatusOr<std::vector<ZipMember>> ReadNpz(std::span<const uint8_t> bytes) {
  ASSIGN_OR_RETURN(ZipDirectory directory, ReadDirectory(bytes));
  return std::move(directory.members);
}

absl::StatusOr<NpzContents> ReadMember(
    const ZipMember& member, const std::shared_ptr<MemoryMeter>& memory) {
  NpzContents contents;
  contents.bytes = member.packed;
  if (member.method == kZipDeflated) {
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
    const ZipMember& member, const std::shared_ptr<MemoryMeter>& memory) {
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

absl::StatusOr<ZipWriter> ContinueNpz(std::span<const uint8_t> bytes) {
  if (bytes.empty()) return ZipWriter();
  ASSIGN_OR_RETURN(const ZipDirectory directory, ReadDirectory(bytes));
  for (const ZipMember& member : directory.members) {
    if (member.packed.data() <= directory.rows.data()) continue;
    return Damaged(
        absl::StrCat("'", PlainName(member.name), "' is after the directory"));
  }
  return ZipWriter(bytes, directory);
}

void AddNpzArray(ZipWriter& zip, absl::string_view npy) {
  uint64_t number = zip.count();
  std::string name;
  do {
    name = absl::StrCat("arr_", number++, ".npy");
  } while (zip.Has(name));
  zip.Add(name, npy);
}

}  // namespace eyrie::abi
