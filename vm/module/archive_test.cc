// Tests of the module container: what it finds, and which files it rejects.
#include "vm/module/archive.h"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <span>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/byte_reader.h"
#include "base/crc32.h"
#include "gtest/gtest.h"
#include "tests/support/module_builder.h"

namespace eyrie::vm {
namespace {

using tests::ModuleBuilder;
using Bytes = std::vector<uint8_t>;

Bytes FromText(absl::string_view text) {
  return Bytes(text.begin(), text.end());
}

std::string Describe(const absl::StatusOr<std::shared_ptr<const Archive>>& a) {
  if (!a.ok()) return a.status().ToString();
  std::string text = (*a)->is_zip() ? "zip" : "bare";
  for (const ZipMember& member : (*a)->members()) {
    absl::StrAppend(&text, " ", member.name, ":", member.size);
  }
  return text;
}

std::string Read(const Bytes& bytes) {
  return Describe(Archive::Copy(bytes, "x.vmfb"));
}

ModuleBuilder Small() {
  ModuleBuilder module;
  module.AddFunction("f", "0v_v", "entry: return []");
  module.AddRodata({1, 2, 3});
  module.AddRodata({4, 5, 6, 7}, /*external=*/true);
  module.AddRodata(Bytes(100, 8), /*external=*/true);
  return module;
}

TEST(Archive, FindsTheParts) {
  ModuleBuilder module = Small();
  Bytes bare = module.Build();
  auto archive = Archive::Copy(bare, "x.vmfb");
  EXPECT_EQ(Describe(archive), "bare");
  EXPECT_EQ((*archive)->flatbuffer_offset(), 0u);
  EXPECT_EQ((*archive)->rodata_base() % 64, 0u);
  EXPECT_EQ((*archive)->bytes()[(*archive)->rodata_base() + 64], 4);
  EXPECT_EQ((*archive)->file(), nullptr);

  Bytes zip = module.BuildZip();
  archive = Archive::Copy(zip, "x.vmfb");
  ASSERT_TRUE(archive.ok()) << archive.status();
  EXPECT_EQ(Describe(archive),
            absl::StrCat("zip module.fb:", (*archive)->flatbuffer().size(),
                         " rodata_1.bin:4 rodata_2.bin:100"));
  EXPECT_EQ((*archive)->flatbuffer_offset(), 64u);
  uint64_t first = (*archive)->rodata_base() + 64;
  EXPECT_EQ((*archive)->MemberAt(first), "rodata_1.bin");
  EXPECT_EQ((*archive)->MemberAt(first + 1), "");
  EXPECT_EQ((*archive)->bytes()[first], 4);
}

TEST(Archive, OpensAFile) {
  const char* dir = std::getenv("TEST_TMPDIR");
  std::string path = absl::StrCat(dir ? dir : "/tmp", "/archive_test.vmfb");
  Bytes zip = Small().BuildZip();
  std::ofstream(path, std::ios::binary)
      .write(reinterpret_cast<const char*>(zip.data()), zip.size());
  auto archive = Archive::Open(path);
  ASSERT_TRUE(archive.ok()) << archive.status();
  EXPECT_EQ((*archive)->name(), path);
  EXPECT_EQ((*archive)->bytes().data(), (*archive)->file()->bytes().data());
  EXPECT_EQ(Archive::Open("/nowhere.vmfb").status().ToString(),
            "NOT_FOUND: Cannot open /nowhere.vmfb: No such file or "
            "directory.");
}

TEST(Archive, BorrowsAtAnyAlignment) {
  Bytes module = Small().Build();
  Bytes shifted(module.size() + 16);
  for (size_t shift = 0; shift < 16; ++shift) {
    std::copy(module.begin(), module.end(), shifted.begin() + shift);
    auto archive = Archive::Borrow({shifted.data() + shift, module.size()}, "");
    ASSERT_TRUE(archive.ok()) << archive.status();
    const uint8_t* data = (*archive)->flatbuffer().data();
    EXPECT_EQ(reinterpret_cast<uintptr_t>(data) % 16, 0u);
    EXPECT_EQ((*archive)->bytes().data(), shifted.data() + shift);
  }
}

// Adds checksums to all members, as compilers do.
Bytes Sealed(Bytes zip) {
  const auto archive = Archive::Borrow(zip, "x.vmfb");
  size_t entry = zip.size() - 22;  // start of the end record
  for (size_t i = (*archive)->members().size(); i-- > 0;) {
    const ZipMember& member = (*archive)->members()[i];
    entry -= 46 + member.name.size();
    const uint32_t crc = Crc32(member.packed);
    std::memcpy(&zip[entry + 16], &crc, sizeof(crc));
  }
  return zip;
}

TEST(Archive, ComparesChecksumsOfWhatIsAskedFor) {
  const Bytes unsealed = Small().BuildZip();
  const Bytes sealed = Sealed(unsealed);
  const auto members = (*Archive::Borrow(sealed, "x.vmfb"))->members();
  const size_t fb = members[0].packed.data() - sealed.data();
  const size_t first = members[1].packed.data() - sealed.data();
  const size_t second = members[2].packed.data() - sealed.data();
  struct Case {
    const Bytes& zip;
    size_t flipped;  // damaged byte; 0: none
    size_t asked;
    const char* want;
  };
  const Case kCases[] = {
      {sealed, 0, fb, "OK"},
      {sealed, 0, first, "OK"},
      {sealed, 0, second + 99, "OK"},
      {sealed, second, first, "OK"},  // another member is damaged
      {sealed, first, first,
       "INVALID_ARGUMENT: x.vmfb is damaged: the CRC-32 of its member "
       "rodata_1.bin "
       "is d86fdfe0; the archive's directory says 60d3b885."},
      {sealed, first + 3, first + 2,
       "INVALID_ARGUMENT: x.vmfb is damaged: the CRC-32 of its member "
       "rodata_1.bin "
       "is 17d48813; the archive's directory says 60d3b885."},
      {sealed, second + 99, second,
       "INVALID_ARGUMENT: x.vmfb is damaged: the CRC-32 of its member "
       "rodata_2.bin "
       "is 96ea4676; the archive's directory says e1ed76e0."},
      {sealed, first, first + 4, "OK"},  // between two members
      {unsealed, first, first, "OK"},    // has no checksums
  };
  for (const Case& c : kCases) {
    SCOPED_TRACE(absl::StrCat("row ", &c - kCases));
    for (const size_t shift : {0, 1}) {  // 1: the FlatBuffer is copied
      Bytes shifted(c.zip.size() + 1 + shift);
      std::copy(c.zip.begin(), c.zip.end(), shifted.begin() + shift);
      if (c.flipped != 0) shifted[shift + c.flipped] ^= 1;
      const auto archive =
          Archive::Borrow({&shifted[shift], c.zip.size()}, "x.vmfb");
      ASSERT_TRUE(archive.ok()) << archive.status();
      const std::span<const uint8_t> asked =
          c.asked == fb ? (*archive)->flatbuffer().subspan(8)
                        : (*archive)->bytes().subspan(c.asked, 1);
      for (int repeated = 0; repeated < 2; ++repeated) {
        const absl::Status status = (*archive)->CheckMemberOf(asked);
        EXPECT_EQ(status.ok() ? "OK" : status.ToString(), c.want);
      }
    }
  }
  EXPECT_TRUE(
      (*Archive::Copy(Small().Build(), "x.vmfb"))->CheckMemberOf({}).ok());
}

TEST(Archive, ChecksTheFlatBufferWithWhatIsInIt) {
  Bytes zip = Sealed(Small().BuildZip());
  const Bytes name = FromText("0v_v");
  const auto at = std::search(zip.begin(), zip.end(), name.begin(), name.end());
  ASSERT_NE(at, zip.end());
  *at ^= 1;
  const auto archive = Archive::Borrow(zip, "x.vmfb");
  ASSERT_TRUE(archive.ok()) << archive.status();
  EXPECT_EQ(
      (*archive)->CheckMemberOf((*archive)->flatbuffer().subspan(16, 4)).code(),
      absl::StatusCode::kInvalidArgument);
}

TEST(Archive, SaysWhatAForeignFileIs) {
  struct Case {
    std::string bytes;
    const char* want;
  };
  const std::string kPadding(40, '\0');
  const Case kCases[] = {
      {"", "is empty, not a compiled module."},
      {"func.func @f() { return }", "is MLIR text, not a compiled module."},
      {"// Comment.\nmodule {\n}\n", "is MLIR text, not a compiled module."},
      {"vm.module @m attributes {version = 1 : i32} {",
       "is MLIR text, not a compiled module."},
      {"// Comment.\nvm.module @m version 0\n",
       "is VM assembly (see eyrie asm), not a compiled module."},
      {"{\"a\": 1}", "is JSON text, not a compiled module."},
      {"\n{\n  \"a\": \"tensor<4xf32>\"}",
       "is JSON text, not a compiled module."},
      {"[\"module {\"]", "is JSON text, not a compiled module."},
      {"{-# a #-}\nmodule {\n}\n", "is MLIR text, not a compiled module."},
      {"hello", "is text, not a compiled module."},
      {"ML\xefR" + kPadding, "is MLIR bytecode, not a compiled module."},
      {"\x7f"
       "ELF" +
           kPadding,
       "is an ELF binary, not a compiled module."},
      {"BC\xc0\xde", "is LLVM bitcode, not a compiled module."},
      {"\x1f\x8b" + kPadding, "is gzip data, not a compiled module."},
      {"\x93NUMPY", "is a NumPy array, not a compiled module."},
      {"IRPA" + kPadding, "is a parameter archive, not a compiled module."},
      {"GGUF" + kPadding, "is a GGUF parameter file, not a compiled module."},
      {std::string("\x0A\0\0\0\0\0\0\0{\"a\": 1}  ", 18),
       "is a safetensors parameter file, not a compiled module."},
      {"#!/bin/sh", "is a script, not a compiled module."},
      {std::string("\x04\0\0\0IREE\0\0\0\0", 12),
       "is a module's FlatBuffer without its size prefix."},
      {std::string(4, '\0'), "has 4 bytes, too few for a compiled module."},
      {kPadding,
       "is not a compiled module: neither a ZIP nor a FlatBuffer with the "
       "identifier IREE."},
  };
  for (const Case& c : kCases) {
    EXPECT_EQ(Read(FromText(c.bytes)),
              absl::StrCat("INVALID_ARGUMENT: x.vmfb ", c.want));
  }
}

// A ZIP file with one stored member.
Bytes ZipOf(absl::string_view name, absl::string_view contents,
            uint16_t method = 0) {
  Bytes zip = FromText(absl::string_view("PK\x03\x04\x14\0\0\0", 8));
  zip.push_back(static_cast<uint8_t>(method));
  zip.resize(26);
  zip.push_back(static_cast<uint8_t>(name.size()));
  zip.resize(30);
  zip.insert(zip.end(), name.begin(), name.end());
  zip.insert(zip.end(), contents.begin(), contents.end());
  return zip;
}

TEST(Archive, RefusesOtherZips) {
  struct Case {
    Bytes bytes;
    const char* want;
  };
  const Case kCases[] = {
      {FromText("PK\x03\x04"),
       "is a ZIP that ends after 4 bytes, within the header of its first "
       "member: it is cut short."},
      {ZipOf("arr_0.npy", "\x93NUMPY and so on"),
       "is a ZIP whose first member, arr_0.npy, is not a compiled module."},
      {ZipOf("module.fb", "packed packed packed", 8),
       "is a ZIP that compresses module.fb; a module must be stored "
       "uncompressed."},
      {ZipOf("module.fb", "short"),
       "is a ZIP that ends 5 bytes into module.fb: it is cut short."},
      {ZipOf("module.fb", "something that is no module"),
       "is a ZIP whose module.fb lacks the identifier IREE."},
      {ZipOf("module.fb",
             absl::string_view("\x0c\0\0\0\x04\0\0\0IREE....", 16)),
       "is damaged: it ends without a ZIP directory."},
      {ZipOf("module.fb",
             absl::string_view("\x0d\0\0\0\x04\0\0\0IREE....", 16)),
       "has a FlatBuffer of 17 bytes, but ends 16 bytes after its start: it "
       "is cut short or damaged."},
      {FromText(absl::string_view("\x0b\0\0\0\x04\0\0\0IREE....", 16)),
       "has a FlatBuffer of 15 bytes, but ends 16 bytes after its start: it "
       "is cut short or damaged."},
      {FromText(absl::string_view("\xff\xff\xff\xff\x04\0\0\0IREE....", 16)),
       "has a FlatBuffer of 4294967299 bytes, but ends 16 bytes after its "
       "start: it is cut short or damaged."},
  };
  for (const Case& c : kCases) {
    EXPECT_EQ(Read(c.bytes), absl::StrCat("INVALID_ARGUMENT: x.vmfb ", c.want));
  }
}

// The second entry's header is the same as the first's, or inside its contents.
TEST(Archive, RefusesMembersThatShareBytes) {
  Bytes zip = Small().BuildZip();
  const Bytes mark = FromText("PK\x01\x02");
  auto entry = std::search(zip.begin(), zip.end(), mark.begin(), mark.end());
  entry = std::search(entry + 1, zip.end(), mark.begin(), mark.end());
  ASSERT_NE(entry, zip.end());
  std::fill_n(entry + 42, 4, 0);
  EXPECT_EQ(Read(zip),
            "INVALID_ARGUMENT: x.vmfb is damaged: 'rodata_1.bin' and "
            "'module.fb' share bytes, from 0 on.");
}

// The directory says that the first entry ends one byte into the second one.
TEST(Archive, RefusesMembersThatShareOneByte) {
  const auto read_with = [](uint32_t shared) {
    Bytes zip = Small().BuildZip();
    const auto find = [&zip](const char* mark) {
      const Bytes bytes = FromText(mark);
      return std::search(zip.begin() + 1, zip.end(), bytes.begin(),
                         bytes.end());
    };
    const auto second = static_cast<uint32_t>(find("PK\x03\x04") - zip.begin());
    const auto entry = find("PK\x01\x02");
    const uint32_t begin = 30 + LoadLittleEndian<uint16_t>(&zip[26]) +
                           LoadLittleEndian<uint16_t>(&zip[28]);
    const uint32_t size = second + shared - begin;
    std::memcpy(&entry[20], &size, sizeof(size));
    std::memcpy(&entry[24], &size, sizeof(size));
    const std::string text = Read(zip);
    return text.substr(0, text.find(','));
  };
  EXPECT_EQ(read_with(0).substr(0, 4), "zip ");
  EXPECT_EQ(read_with(1),
            "INVALID_ARGUMENT: x.vmfb is damaged: 'module.fb' and "
            "'rodata_1.bin' share bytes");
}

TEST(Archive, RefusesAZipCutAnywhere) {
  Bytes zip = Small().BuildZip();
  for (size_t size = 0; size < zip.size(); ++size) {
    auto archive = Archive::Copy({zip.data(), size}, "cut.vmfb");
    EXPECT_FALSE(archive.ok()) << size << " of " << zip.size();
  }
}

// A directory as iree-compile writes it, with all numbers in ZIP64 fields.
TEST(Archive, ReadsZip64Directories) {
  Bytes file = ZipOf("module.fb", "");
  Bytes flatbuffer = Small().Build();
  size_t contents = file.size();
  file.insert(file.end(), flatbuffer.begin(), flatbuffer.end());
  auto put = [&file](uint64_t value, int size) {
    for (int i = 0; i < size; ++i) file.push_back(value >> (8 * i));
  };
  uint64_t directory = file.size();
  put(0x02014B50, 4);
  file.resize(directory + 20);
  put(0xFFFFFFFF, 4);
  put(0xFFFFFFFF, 4);
  put(9, 2);       // name
  put(5 + 28, 2);  // extra: one field to skip, then the ZIP64 field
  file.resize(directory + 42);
  put(0xFFFFFFFF, 4);
  for (char c : absl::string_view("module.fb")) file.push_back(c);
  put(0xCAFE, 2), put(1, 2), put(0, 1);
  put(1, 2), put(24, 2), put(flatbuffer.size(), 8), put(flatbuffer.size(), 8);
  put(0, 8);
  uint64_t end = file.size();
  put(0x06064B50, 4);
  file.resize(end + 24);
  put(1, 8), put(1, 8);  // members
  put(end - directory, 8), put(directory, 8);
  put(0x07064B50, 4), put(0, 4), put(end, 8), put(1, 4);
  uint64_t last = file.size();
  put(0x06054B50, 4);
  file.resize(last + 16);
  put(0xFFFFFFFF, 4), put(0, 2);

  auto archive = Archive::Copy(file, "x.vmfb");
  EXPECT_EQ(Describe(archive),
            absl::StrCat("zip module.fb:", flatbuffer.size()));
  EXPECT_EQ((*archive)->MemberAt(contents), "module.fb");
}

}  // namespace
}  // namespace eyrie::vm
