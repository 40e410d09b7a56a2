// Tests .npy and .npz files that are built here byte by byte, and files that
// are written and read again.
#include "abi/tensor/npy.h"

#include <zlib.h>

#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "abi/tensor/npz.h"
#include "abi/tensor/tensor_text.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "base/memory_meter.h"
#include "gtest/gtest.h"
#include "tests/support/status_text.h"

namespace eyrie::abi {
namespace {

std::span<const uint8_t> Bytes(const std::string& text) {
  return {reinterpret_cast<const uint8_t*>(text.data()), text.size()};
}

// Returns a .npy file of version `major` with this header and these elements.
std::string Npy(const std::string& header, const std::string& elements,
                char major = 1) {
  std::string file = "\x93NUMPY";
  file.push_back(major);
  file.push_back(0);
  for (int i = 0; i < (major == 1 ? 2 : 4); ++i) {
    file.push_back(static_cast<char>(header.size() >> (8 * i)));
  }
  return file + header + elements;
}

std::string Header(const std::string& descr, const std::string& shape,
                   bool fortran = false) {
  return absl::StrCat("{'descr': '", descr,
                      "', 'fortran_order': ", fortran ? "True" : "False",
                      ", 'shape': ", shape, ", }  \n");
}

// Reads one array. Returns its text and the size of the rest of the file.
std::string Read(const std::string& file,
                 hal::ElementType wanted = hal::ElementType::kNone) {
  ByteReader reader(Bytes(file));
  auto array = ReadNpy(reader);
  if (!array.ok()) return StatusText(array);
  array->TakeType(wanted);
  std::vector<uint8_t> bytes(*array->spec.ByteLength());
  if (const auto copied = array->CopyTo(bytes); !copied.ok()) {
    return StatusText(copied);
  }
  std::string text = array->spec.ToString() + "=";
  AppendElements(bytes, array->spec, 1024, FloatCase::kUpper, text);
  return reader.remaining() == 0 ? text
                                 : absl::StrCat(text, " +", reader.remaining());
}

// Reads raw bytes as elements of a type.
TEST(Npy, TakesTypes) {
  using hal::ElementType;
  const std::string nibbles = "\x1\xF\x7\x8";
  const struct {
    std::string header, elements;
    ElementType wanted;
    const char* want;
  } kRows[] = {
      {Header("|V1", "(4,)"), nibbles, ElementType::kInt4, "4xi4=1 -1 7 -8"},
      {Header("<V1", "(2, 2)", true), "\x1\xFF\x7\xF8", ElementType::kInt4,
       "2x2xi4=[1 7][-1 -8]"},
      {Header(">V2", "(2,)"), "\x3F\x80\x40\x40", ElementType::kBfloat16,
       "2xbf16=1 3"},
      // Types that files name, or of another size.
      {Header("|V1", "(4,)"), nibbles, ElementType::kInt8, "4x*8=01 0F 07 08"},
      {Header("|V1", "(1,)"), "\x1", ElementType::kBfloat16, "1x*8=01"},
      {Header("|u1", "(4,)"), nibbles, ElementType::kUint4, "4xui8=1 15 7 8"},
      {Header("|V1", "(2,)"), "\x7\xF8", ElementType::kUint4,
       "INVALID_ARGUMENT: The byte 0xf8 at index 1 is not an element of ui4; a "
       ".npy file has one in the low 4 bits of each byte."},
      {Header("|V1", "(2,)"), "\x3F\x7F", ElementType::kFloat6E2M3FN,
       "INVALID_ARGUMENT: The byte 0x7f at index 1 is not an element of "
       "f6E2M3FN; a .npy file has one in the low 6 bits of each byte."},
  };
  for (const auto& row : kRows) {
    EXPECT_EQ(Read(Npy(row.header, row.elements), row.wanted), row.want);
  }
}

const std::string kOneToSix("\1\2\3\4\5\6", 6);

TEST(Npy, Reads) {
  const std::string two_floats("\0\0\x80\x3F\0\0\0\x40", 8);
  const std::string big_endian("\x3F\x80\0\0\x40\0\0\0", 8);
  const struct {
    std::string file;
    const char* want;
  } kRows[] = {
      {Npy(Header("<f4", "(2,)"), two_floats), "2xf32=1 2"},
      {Npy(Header("<f4", "(2,)"), two_floats, 2), "2xf32=1 2"},
      {Npy(Header("<f4", "(2,)"), two_floats, 3), "2xf32=1 2"},
      {Npy(Header("f4", "(2L,)"), two_floats), "2xf32=1 2"},
      {Npy(Header("=f4", "(1, 2)"), two_floats), "1x2xf32=[1 2]"},
      {Npy(Header(">f4", "(2,)"), big_endian), "2xf32=1 2"},
      {Npy(Header("<c8", "()"), two_floats), "cf64=0000803F00000040"},
      {Npy(Header(">c8", "()"), big_endian), "cf64=0000803F00000040"},
      {Npy(Header("|u1", "(2, 3)"), kOneToSix), "2x3xui8=[1 2 3][4 5 6]"},
      {Npy(Header("|u1", "(2, 3)", true), kOneToSix), "2x3xui8=[1 3 5][2 4 6]"},
      {Npy(Header("|u1", "(1, 2, 3)", true), kOneToSix),
       "1x2x3xui8=[[1 3 5][2 4 6]]"},
      {Npy(Header("|u1", "(6,)", true), kOneToSix), "6xui8=1 2 3 4 5 6"},
      {Npy(Header("<i2", "(3,)"), kOneToSix), "3xsi16=513 1027 1541"},
      {Npy(Header(">i2", "(3,)"), kOneToSix), "3xsi16=258 772 1286"},
      {Npy(Header(">u2", "(1, 3)", true), kOneToSix),
       "1x3xui16=[258 772 1286]"},
      {Npy(Header("|b1", "(2,)"), std::string("\0\1", 2)), "2xi1=00 01"},
      {Npy(Header("|V2", "(3,)"), kOneToSix), "3x*16=0102 0304 0506"},
      {Npy(Header("<f1", "(2,)"), "\x3C\x40"), "2xf8E5M2=1 2"},
      {Npy(Header("<f8", "(0, 4)"), ""), "0x4xf64="},
      {Npy(Header("|u1", "(2,)"), kOneToSix), "2xui8=1 2 +4"},
      {Npy("{\"shape\": (1,), \"fortran_order\": False, \"descr\": \"|u1\"}\n",
           "\1"),
       "1xui8=1"},
      // Files that cannot be read.
      {"", "OUT_OF_RANGE: The file has no further array."},
      {"\x93NUM", "INVALID_ARGUMENT: The file ends within a .npy header."},
      {"hello, this is text",
       "INVALID_ARGUMENT: The data does not begin with .npy's magic number."},
      {Npy(Header("<f4", "(2,)"), two_floats, 9),
       "UNIMPLEMENTED: The .npy version 9.0 is not known."},
      {Npy(Header("<f4", "(3,)"), two_floats),
       "INVALID_ARGUMENT: The .npy array of 3xf32 needs 12 bytes; the file has "
       "8 left."},
      {Npy(Header("<f4", "(4611686018427387904, 4)"), ""),
       "RESOURCE_EXHAUSTED: The number of elements of "
       "4611686018427387904x4xf32 exceeds 64 bits."},
      {Npy(Header("<f16", "(1,)"), two_floats),
       "UNIMPLEMENTED: The .npy element type '<f16' is not one that tensors "
       "have."},
      {Npy(Header("|O", "(1,)"), two_floats),
       "UNIMPLEMENTED: The .npy element type '|O' is not one that tensors "
       "have."},
      {Npy(Header("<U4", "(1,)"), two_floats),
       "UNIMPLEMENTED: The .npy element type '<U4' is not one that tensors "
       "have."},
      {Npy("{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (1,)}",
           two_floats),
       "UNIMPLEMENTED: The .npy array has records, not numbers."},
      {Npy("{'descr': '<f4'}", two_floats),
       "INVALID_ARGUMENT: The .npy header is not a dictionary of descr, "
       "fortran_order and shape."},
      {Npy(Header("<f4", "(-2,)"), two_floats),
       "INVALID_ARGUMENT: The .npy shape '(-2,)' is not a tuple of whole "
       "numbers, such as (2, 3)."},
      {Npy(Header("<f4", "(2"), two_floats),
       "INVALID_ARGUMENT: The .npy shape '(2' is not a tuple of whole numbers, "
       "such as (2, 3)."},
      {Npy(Header("<f4", "2"), two_floats),
       "INVALID_ARGUMENT: The .npy shape '2' is not a tuple of whole numbers, "
       "such as (2, 3)."},
      {Npy(Header("<f4", "(2, \x1b)"), two_floats),
       "INVALID_ARGUMENT: The .npy shape '(2, ?)' is not a tuple of whole "
       "numbers, such as (2, 3)."},
  };
  for (const auto& row : kRows) {
    EXPECT_EQ(Read(row.file), row.want) << "row " << &row - kRows;
  }
}

TEST(Npy, EveryShorterFileIsAnError) {
  const std::string file = Npy(Header("|u1", "(2, 3)"), kOneToSix);
  for (size_t size = 0; size < file.size(); ++size) {
    EXPECT_TRUE(absl::StrContains(Read(file.substr(0, size)), ": ")) << size;
  }
}

TEST(Npy, Elements) {
  const struct {
    const char* spec;
    std::vector<uint8_t> bytes, want;
  } kRows[] = {
      {"2xi8", {1, 0xFF}, {1, 0xFF}},
      {"1xf32", {1, 2, 3, 4}, {1, 2, 3, 4}},
      {"2xf6E2M3FN", {0x3F, 1}, {0x3F, 1}},
      {"3xf4E2M1FN", {0xF1, 0xA7}, {1, 0xF, 7}},
      {"3xi4", {0xF1, 0xA7}, {1, 0xF, 7}},
      {"5xi2", {0b00'11'10'01, 0b11}, {1, 2, 3, 0, 3}},
      {"0xi4", {}, {}},
  };
  for (const auto& row : kRows) {
    std::string out;
    AppendNpyElements(*hal::TensorType::ParseStatic(row.spec), row.bytes, out);
    EXPECT_EQ(out, std::string(row.want.begin(), row.want.end())) << row.spec;
  }
}

TEST(Npy, Headers) {
  const struct {
    const char* spec;
    const char* want;  // the dictionary
  } kRows[] = {
      {"4xf32", "{'descr': '<f4', 'fortran_order': False, 'shape': (4,), }"},
      {"i32", "{'descr': '<i4', 'fortran_order': False, 'shape': (), }"},
      {"2x3xi8", "{'descr': '|i1', 'fortran_order': False, 'shape': (2, 3), }"},
      {"1xi1", "{'descr': '|b1', 'fortran_order': False, 'shape': (1,), }"},
      {"1xui16", "{'descr': '<u2', 'fortran_order': False, 'shape': (1,), }"},
      {"1xcf128", "{'descr': '<c16', 'fortran_order': False, 'shape': (1,), }"},
      {"1xbf16", "{'descr': '<V2', 'fortran_order': False, 'shape': (1,), }"},
      {"1xf8E5M2", "{'descr': '|V1', 'fortran_order': False, 'shape': (1,), }"},
      {"3xi4", "{'descr': '|V1', 'fortran_order': False, 'shape': (3,), }"},
      {"1xf6E3M2FN",
       "{'descr': '|V1', 'fortran_order': False, 'shape': (1,), }"},
  };
  for (const auto& row : kRows) {
    const std::string header =
        NpyHeader(*hal::TensorType::ParseStatic(row.spec));
    EXPECT_EQ(header.size() % 64, 0u) << row.spec;
    EXPECT_EQ(header.substr(0, 8), std::string("\x93NUMPY\1\0", 8));
    const std::string want = row.want;
    EXPECT_EQ(header.substr(10, want.size()), want);
    EXPECT_EQ(header.back(), '\n');
  }
}

TEST(Npz, NamesOfArrays) {
  const struct {
    const char* text;
    size_t want;
  } kRows[] = {
      {"a.npz:x", 5},       {"a.npz:dense/kernel:0", 5},
      {"c:a.npz:x", 7},     {"a.bin:x", 5},
      {"a:b.bin:x", 7},     {"a.npz", std::string::npos},
      {"a.npz:x.npz:y", 5},
  };
  for (const auto& row : kRows) EXPECT_EQ(ArrayColon(row.text), row.want);
}

// Returns the members of a .npz, "name=bytes name=bytes", or the error.
std::string Members(const std::string& file) {
  const auto members = ReadNpz(Bytes(file));
  if (!members.ok()) return StatusText(members);
  std::string text;
  for (const ZipMember& member : *members) {
    const auto contents = ReadMember(member);
    if (!contents.ok()) return StatusText(contents);
    absl::StrAppend(
        &text, text.empty() ? "" : " ", ArrayName(member), "=",
        absl::string_view(reinterpret_cast<const char*>(contents->bytes.data()),
                          contents->bytes.size()));
  }
  return text;
}

// The same for its arrays, "name=2xui8".
std::string Arrays(const std::string& file,
                   const std::shared_ptr<MemoryMeter>& memory = nullptr) {
  const auto members = ReadNpz(Bytes(file));
  if (!members.ok()) return StatusText(members);
  std::string text;
  for (const ZipMember& member : *members) {
    const auto read = ReadNpzArray(member, memory);
    if (!read.ok()) return StatusText(read);
    absl::StrAppend(&text, text.empty() ? "" : " ", ArrayName(member), "=",
                    read->array.spec.ToString());
  }
  return text;
}

std::string TwoMembers() {
  ZipWriter writer;
  writer.Add("a.npy", "hello");
  writer.Add("b.npy", "world");
  return writer.Finish();
}

template <typename T>
void Put(std::string& text, T value) {
  text.append(reinterpret_cast<const char*>(&value), sizeof(T));
}

// Returns a ZIP with one deflated member. According to its directory, the
// member inflates to `size` bytes.
std::string Deflated(const std::string& contents, uint32_t size) {
  std::string packed(contents.size() + 64, 0);
  z_stream stream = {};
  deflateInit2(&stream, 9, Z_DEFLATED, -MAX_WBITS, 8, Z_DEFAULT_STRATEGY);
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(contents.data()));
  stream.avail_in = static_cast<uInt>(contents.size());
  stream.next_out = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_out = static_cast<uInt>(packed.size());
  deflate(&stream, Z_FINISH);
  packed.resize(stream.total_out);
  deflateEnd(&stream);
  const auto crc = static_cast<uint32_t>(
      crc32_z(0, Bytes(contents).data(), contents.size()));
  std::string file;
  for (const bool central : {false, true}) {
    if (central) file += packed;
    Put<uint32_t>(file, central ? 0x02014b50 : 0x04034b50);
    if (central) Put<uint16_t>(file, 20);
    Put<uint16_t>(file, 20);
    Put<uint16_t>(file, 0);
    Put<uint16_t>(file, 8);  // deflated
    Put<uint32_t>(file, 0);
    Put<uint32_t>(file, crc);
    Put<uint32_t>(file, static_cast<uint32_t>(packed.size()));
    Put<uint32_t>(file, size);
    Put<uint16_t>(file, 1);
    Put<uint16_t>(file, 0);
    if (central) file.append(14, 0);
    file += "z";
  }
  const size_t directory = 31 + packed.size();
  Put<uint32_t>(file, 0x06054b50);
  Put<uint32_t>(file, 0);
  Put<uint16_t>(file, 1);
  Put<uint16_t>(file, 1);
  Put<uint32_t>(file, 47);
  Put<uint32_t>(file, static_cast<uint32_t>(directory));
  Put<uint16_t>(file, 0);
  return file;
}

TEST(Npz, Reads) {
  const std::string zeros(100000, '0');
  EXPECT_EQ(Members(TwoMembers()), "a=hello b=world");
  EXPECT_EQ(Members(ZipWriter().Finish()), "");
  EXPECT_EQ(Members(Deflated("hello", 5)), "z=hello");
  EXPECT_EQ(Members(Deflated(zeros, 100000)), "z=" + zeros);
  EXPECT_EQ(Members(Deflated("", 0)), "z=");
  EXPECT_EQ(Members("PK"),
            "INVALID_ARGUMENT: The .npz file is damaged: it is "
            "too short.");
  EXPECT_EQ(Members(std::string(100, 'x')),
            "INVALID_ARGUMENT: The .npz file is damaged: it ends without a "
            "ZIP directory.");
  // Wrong sizes, too small and too large.
  EXPECT_EQ(Members(Deflated(zeros, 10)),
            "INVALID_ARGUMENT: The .npz file is damaged: 'z' cannot be "
            "inflated.");
  EXPECT_EQ(Members(Deflated("hello", 5000)),
            "INVALID_ARGUMENT: The .npz file is damaged: 'z' cannot be "
            "inflated.");
  EXPECT_EQ(Members(Deflated("hello", 4000000000u)),
            "INVALID_ARGUMENT: The .npz file is damaged: 'z' has 7 bytes, "
            "which cannot inflate to 4000000000.");
}

TEST(Npz, ReadsHeadersBeforeItInflates) {
  const std::string small = Npy(Header("|u1", "(2, 3)"), kOneToSix);
  const std::string tiny = Npy(Header("|u1", "(1,)"), "x");
  const std::string none = Npy(Header("|u1", "(0,)"), "");
  // Each file claims a size far above the memory limit of the test.
  const std::string zeros(8 << 20, '\0');
  const std::string bomb = Npy(Header("|u1", "(2, 3)"), zeros);
  const std::string large = Npy(Header("|u1", "(8388608,)"), zeros);
  ZipWriter stored;
  stored.Add("a.npy", small);
  ZipWriter text;
  text.Add("a.npy", "hello");
  ZipWriter longer;
  longer.Add("a.npy", small + "more");
  const auto meter = std::make_shared<MemoryMeter>(1 << 20);
  const struct {
    std::string file;
    std::shared_ptr<MemoryMeter> memory;
    const char* want;
  } kRows[] = {
      {stored.Finish(), nullptr, "a=2x3xui8"},
      {Deflated(small, static_cast<uint32_t>(small.size())), meter,
       "z=2x3xui8"},
      {Deflated(tiny, static_cast<uint32_t>(tiny.size())), meter, "z=1xui8"},
      {Deflated(none, static_cast<uint32_t>(none.size())), meter, "z=0xui8"},
      {Deflated(large, static_cast<uint32_t>(large.size())), nullptr,
       "z=8388608xui8"},
      {Deflated(large, static_cast<uint32_t>(large.size())), meter,
       "RESOURCE_EXHAUSTED: 8388684 bytes for an inflated member of a .npz "
       "file exceed the context's memory limit (1048576 bytes, of which 0 are "
       "in use)."},
      {Deflated(bomb, static_cast<uint32_t>(bomb.size())), meter,
       "INVALID_ARGUMENT: The .npy array of 2x3xui8 needs 6 bytes after its "
       "header of 72; its member of the .npz file has 8388680 in all."},
      {longer.Finish(), nullptr,
       "INVALID_ARGUMENT: The .npy array of 2x3xui8 needs 6 bytes after its "
       "header of 72; its member of the .npz file has 82 in all."},
      {text.Finish(), nullptr,
       "INVALID_ARGUMENT: The file ends within a .npy header."},
  };
  for (const auto& row : kRows) {
    EXPECT_EQ(Arrays(row.file, row.memory), row.want) << "row " << &row - kRows;
  }
  EXPECT_EQ(meter->in_use(), 0u);
}

// The rows replace the directory entry of the second member of TwoMembers(), or
// its offset or name, by that of the first; or they change its size or the end.
TEST(Npz, RefusesDirectoriesThatAreWrong) {
  const std::string two = TwoMembers();
  const size_t second = two.find("PK\1\2", two.find("PK\1\2") + 1);
  const auto with = [&](size_t at, const std::string& bytes) {
    std::string file = two;
    return file.replace(at, bytes.size(), bytes);
  };
  const std::string first_entry =
      two.substr(two.find("PK\1\2"), second - two.find("PK\1\2"));
  const struct {
    std::string file;
    const char* want;
  } kRows[] = {
      {with(second, first_entry),
       "INVALID_ARGUMENT: The .npz file is damaged: 'a.npy' and 'a.npy' share "
       "bytes, from 0 on."},
      {with(second + 42, std::string(4, '\0')),  // its offset
       "INVALID_ARGUMENT: The .npz file is damaged: 'a.npy' and 'b.npy' share "
       "bytes, from 0 on."},
      {with(second + 46, "a"),
       "INVALID_ARGUMENT: The .npz file has two members named 'a.npy'."},
      {with(second + 24, "\6"),  // its size
       "INVALID_ARGUMENT: The .npz file is damaged: the two sizes of 'b.npy' "
       "differ."},
      {two + "x",  // not in the comment
       "INVALID_ARGUMENT: The .npz file is damaged: it ends without a ZIP "
       "directory."},
  };
  for (const auto& row : kRows) {
    EXPECT_EQ(Members(row.file), row.want) << "row " << &row - kRows;
  }
}

// Adds arrays to a file and returns the members of the result. Keeps only the
// part of the file before the new bytes.
std::string Continued(const std::string& file, int arrays) {
  auto writer = ContinueNpz(Bytes(file));
  if (!writer.ok()) return StatusText(writer);
  for (int i = 0; i < arrays; ++i) AddNpzArray(*writer, absl::StrCat("new", i));
  const uint64_t begin = writer->begin();
  return Members(file.substr(0, begin) + writer->Finish());
}

TEST(Npz, Continues) {
  EXPECT_EQ(Continued("", 0), "");
  EXPECT_EQ(Continued("", 2), "arr_0=new0 arr_1=new1");
  EXPECT_EQ(Continued(ZipWriter().Finish(), 1), "arr_0=new0");
  EXPECT_EQ(Continued(TwoMembers(), 0), "a=hello b=world");
  EXPECT_EQ(Continued(TwoMembers(), 2),
            "a=hello b=world arr_2=new0 arr_3=new1");
  EXPECT_EQ(Continued(Deflated("hello", 5), 1), "z=hello arr_1=new0");
  // Existing names are not reused.
  ZipWriter taken;
  taken.Add("arr_1.npy", "one");
  EXPECT_EQ(Continued(taken.Finish(), 2), "arr_1=one arr_2=new0 arr_3=new1");
  EXPECT_EQ(Continued("PK", 1),
            "INVALID_ARGUMENT: The .npz file is damaged: it is too short.");
  EXPECT_EQ(Continued(std::string(100, 'x'), 1),
            "INVALID_ARGUMENT: The .npz file is damaged: it ends without a "
            "ZIP directory.");
  // Members that ReadNpz refuses.
  ZipWriter twice;
  twice.Add("a.npy", "one");
  twice.Add("a.npy", "two");
  EXPECT_EQ(Continued(twice.Finish(), 1),
            "INVALID_ARGUMENT: The .npz file has two members named 'a.npy'.");
  // A directory before its members, which Continue would overwrite.
  std::string early = TwoMembers();
  const uint64_t begin = ContinueNpz(Bytes(early))->begin();
  const std::string directory = early.substr(begin);
  early = std::string(directory.size(), ' ') + early;
  early.replace(0, directory.size(), directory);
  const std::string end = directory.substr(directory.size() - 22, 16);
  EXPECT_EQ(Continued(early + end + std::string(6, 0), 1),
            "INVALID_ARGUMENT: The .npz file is damaged: 'a.npy' is not where "
            "it should be.");
  // The same, with rows that lead to the members.
  constexpr size_t kOffset = 42;  // of the member's offset in a row
  for (size_t at = 0; (at = early.find("PK\1\2", at)) < directory.size();
       at += 4) {
    uint32_t offset = 0;
    std::memcpy(&offset, early.data() + at + kOffset, sizeof(offset));
    offset += static_cast<uint32_t>(directory.size());
    std::memcpy(early.data() + at + kOffset, &offset, sizeof(offset));
  }
  EXPECT_EQ(Continued(early + end + std::string(6, 0), 1),
            "INVALID_ARGUMENT: The .npz file is damaged: 'a.npy' is after "
            "the directory.");
}

TEST(Npz, MembersAreAligned) {
  const std::string file = TwoMembers();
  EXPECT_EQ(file.find("hello") % 64, 0u);
  EXPECT_EQ(file.find("world") % 64, 0u);
}

TEST(Npz, EveryShorterFileIsAnError) {
  for (const std::string& file : {TwoMembers(), Deflated("hello", 5)}) {
    for (size_t size = 0; size < file.size(); ++size) {
      EXPECT_TRUE(
          absl::StartsWith(Members(file.substr(0, size)), "INVALID_ARGUMENT: "))
          << size;
    }
  }
}

TEST(Npz, EveryFlippedByteIsAnErrorOrHarmless) {
  for (const std::string& file : {TwoMembers(), Deflated("hello", 5)}) {
    for (size_t at = 0; at < file.size(); ++at) {
      std::string damaged = file;
      damaged[at] = static_cast<char>(damaged[at] ^ 0xFF);
      const std::string text = Members(damaged);
      EXPECT_FALSE(text.empty() && at < 4) << at;
    }
  }
}

}  // namespace
}  // namespace eyrie::abi
