// Tests manifests and notes: contents and errors.
#include "abi/native/manifest.h"

#include <elf.h>

#include <cstring>
#include <string>

#include "abi/native/elf_note.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"

namespace eyrie::native {
namespace {

// Returns a manifest with one function that has these members.
std::string WithFunction(absl::string_view members) {
  return absl::StrCat(R"({"module": "m", "functions": {"f": {)",
                      R"("convention": "xla_ffi")", members.empty() ? "" : ", ",
                      members, "}}}");
}

// Returns a manifest with a function from a vector and a token to floats with
// these dimensions.
std::string WithDims(absl::string_view dims) {
  return WithFunction(
      absl::StrCat(R"("arguments": ["?xf32", "token"], "results": [)",
                   R"({"dtype": "f32", "shape": [)", dims, "]}]"));
}

std::string Repeated(absl::string_view text, int times, absl::string_view end) {
  std::string all;
  for (int i = 0; i < times; ++i) absl::StrAppend(&all, text);
  return absl::StrCat(all, end);
}

TEST(Manifest, Describes) {
  constexpr struct {
    const char* members;
    const char* want;
  } kCases[] = {
      {"", "() -> ()"},
      {R"("arguments": ["?x4xf32", "*xu8", "buffer", "i32", "token"])",
       "(?x4xf32, *xu8, buffer, s32, token) -> ()"},
      {R"("arguments": [["f32", ["f64"]], {"rest": "?xf32"}])",
       "(f32, f64, ?xf32…) -> ()"},
      {R"("arguments": [{"optional": "buffer"}, {"attribute": "by",)"
       R"( "type": "f32"}, {"attribute": "mode", "type": "string"}])",
       "(optional buffer, by: f32, mode: string) -> ()"},
      {R"("arguments": ["buffer"], "results": [{"like": 0}, "token",)"
       R"( {"dtype": "f32", "shape": [4, "0.1", "0.:-2", "0.1:"]},)"
       R"( {"dtype": 0, "shape": [], "temporary": true}])",
       "(buffer) -> (like 0, token, 4x[0.1]x[0.:-2]x[0.1:]xf32, temporary "
       "[0])"},
      {R"("attributes": "b=1:i32&a=x")", "() -> () a=x&b=1:s32"},
      {R"("attributes": "b:i32&*")", "() -> () b:s32&*"},
      {R"("fences": true)", "() -> () with fences"},
      {R"("fences": false)", "() -> () without fences"},
      {R"("arguments": ["4x?xf32", "*xf32"], "results": [{"dtype": "f32",)"
       R"( "shape": ["0.1", "0.-2", "0.2:", "0.:-2", "1.127"]}])",
       "(4x?xf32, *xf32) -> ([0.1]x[0.-2]x[0.2:]x[0.:-2]x[1.127]xf32)"},
      {R"("platform": "CUDA")", "() -> () on CUDA"},
      {R"("platform": "ROCM")", "() -> () on ROCM, which does not run here"},
  };
  for (const auto& c : kCases) {
    const auto manifest = Manifest::Parse(WithFunction(c.members));
    ASSERT_TRUE(manifest.ok()) << c.members << ": " << manifest.status();
    EXPECT_EQ(manifest->Describe(),
              absl::StrCat("m.f: xla_ffi ", c.want, "\n"));
  }
}

TEST(Manifest, Refuses) {
  const struct {
    std::string text;
    const char* want;
  } kCases[] = {
      {"", "JSON"},
      {"[]", "the root is an array; an object is expected."},
      {"{}", "the module's name is ''"},
      {R"({"module": "a.b", "functions": {}})", "the module's name is 'a.b'"},
      {R"({"module": "m"})", "The manifest has no \"functions\"."},
      {R"({"module": "m", "functions": {}, "extra": 1})", "unknown 'extra'"},
      {R"({"version": 2, "module": "m", "functions": {}})", "has version 2"},
      {R"({"module": "m", "functions": {"a?b": {}}})",
       "the function's name is 'a?b'"},
      {R"({"module": "m", "functions": {"f": {}}})", "has no \"convention\""},
      {R"({"module": "m", "functions": {"f": {"convention": "xla_ff"}}})",
       "'xla_ff', which is unknown. Did you mean 'xla_ffi'?"},
      {R"({"module": "m", "types": {"T": {}}, "functions": {}})",
       "type 'T' has no \"id\"."},
      {WithFunction(R"("symbl": "x")"), "Did you mean 'symbol'?"},
      {WithFunction(R"("symbol": 7)"), "is the number 7; a string is expected"},
      {WithFunction(R"("symbol": "a", "symbol": "b")"), "has 'symbol' twice"},
      {WithFunction(R"("symbol": "a", "registered": "b")"), "more than one of"},
      {WithFunction(R"("stages": {"prepare": "p"})"), "has no \"execute\""},
      {WithFunction(R"("attributes": "a=1:i3")"), "Unknown type 'i3'"},
      {WithFunction(R"("arguments": ["?xf99"])"),
       "argument 0 of function 'f' is '?xf99': There is no element type 'f99' "
       "of XLA FFI. Did you mean 'f"},
      {WithFunction(R"("arguments": ["-1xf32"])"),
       "argument 0 of function 'f' is '-1xf32': \"buffer\", \"token\", or a "
       "type such as \"?x4xf32\" or \"*xf32\" is expected."},
      {WithFunction(R"("arguments": ["4"])"), "is '4': \"buffer\", "},
      {WithFunction(R"("arguments": ["?x"])"), "is '?x': \"buffer\", "},
      {WithFunction(R"("arguments": ["?xf8E3M4"])"),
       "which tensors cannot have"},
      {WithFunction(R"("arguments": [7])"),
       "argument 0 of function 'f' is the number 7; a string, an object or an "
       "array is expected."},
      {WithFunction(R"("results": ["f32"])"),
       "result 0 of function 'f' is a string; an object, \"token\" or an array "
       "is expected."},
      {WithFunction(absl::StrCat(R"("arguments": [")",
                                 Repeated("?x", 129, "f32"), R"("])")),
       "argument 0 of function 'f' has 129 dimensions; the limit is 128."},
      {WithFunction(R"("attributes": "by=1:f32", "arguments":)"
                    R"( [{"attribute": "by", "type": "f32"}])"),
       "argument 0 of function 'f' is the attribute 'by', like one of "
       "\"attributes\"."},
      {WithFunction(R"("arguments": [{"attribute": "a", "type": "f32"},)"
                    R"( {"attribute": "a", "type": "i32"}])"),
       "argument 1 of function 'f' is the attribute 'a', like an earlier one."},
      {WithFunction(R"("arguments": [{}])"),
       "must have exactly one of \"attribute\""},
      {WithFunction(R"("arguments": [{"rest": "buffer"}, "buffer"])"),
       "must not follow an optional one"},
      {WithFunction(R"("arguments": [{"rest": "token"}])"), "'token'"},
      {WithFunction(R"("arguments": [{"attribute": "a", "type": "c64"}])"),
       "\"type\" of argument 0 of function 'f' is 'c64': operands of imports "
       "cannot have this type."},
      {WithFunction(R"("arguments": [{"attribute": "a", "type": "f9"}])"),
       "is 'f9': There is no element type 'f9'"},
      {WithFunction(R"("arguments": [{"attribute": ""}])"),
       "\"attribute\" of argument 0 of function 'f' is '': a name is "
       "required."},
      {WithFunction(R"("stages": {"instantiate": "i", "execute": "e"},)"
                    R"( "arguments": [{"attribute": "a", "type": "f32"}])"),
       "which runs before the arguments exist"},
      {WithFunction(R"("results": [{}])"), "neither \"like\", \"inout\" nor"},
      {WithFunction(R"("arguments": [{"buffer": "?xf32", "rest": "?xf32"}])"),
       "argument 0 of function 'f' must have exactly one of \"attribute\", "
       "\"buffer\", \"optional\" and \"rest\"."},
      {WithFunction(R"("arguments": [{"buffer": "?xf32", "layout": [1]}])"),
       "argument 0 of function 'f' has the layout [1], which is not a "
       "permutation of its 1 dimensions."},
      {WithFunction(R"("arguments": [{"rest": "*xf32", "layout": [0, 1]}])"),
       "argument 0 of function 'f' has the layout of an array, but its rank is "
       "not known: declare its dimensions, or use \"column_major\"."},
      {WithFunction(R"("arguments": ["?x?xf32"], "results": [)"
                    R"({"dtype": 0, "shape": ["0.1:"], )"
                    R"("layout": "column_major"}])"),
       "result 0 of function 'f' has the layout column_major, which needs 2 "
       "dimensions, but has rank 1."},
      {WithFunction(R"("arguments": ["*xf32"], "results": [)"
                    R"({"dtype": 0, "shape": ["0.:", 2], "layout": [0, 1]}])"),
       "result 0 of function 'f' has the layout of an array, but its rank is "
       "not known"},
      {WithFunction(R"("arguments": ["?x?xf32"], "results": [)"
                    R"({"like": 0, "temporary": true, "layout": [0, 1]}])"),
       "result 0 of function 'f' has a layout, and is temporary, so that "
       "nothing reads it."},
      {WithFunction(R"("arguments": ["?xf32"], "results": [)"
                    R"({"inout": 0, "layout": [0]}])"),
       "result 0 of function 'f' is \"inout\", and has a layout; it takes its "
       "argument's."},
      {WithFunction(R"("arguments": ["?xf32"], "results": [)"
                    R"({"inout": 0, "like": 0}])"),
       "result 0 of function 'f' has \"like\" or \"inout\" together with "
       "another of"},
      {WithFunction(R"("arguments": ["?xf32"], "results": [)"
                    R"({"inout": 0, "rest": true}])"),
       "is \"inout\", and also \"rest\" or \"temporary\"."},
      {WithFunction(R"("arguments": ["?xf32"], "results": [)"
                    R"({"inout": 0}, {"inout": 0}])"),
       "result 1 of function 'f' is \"inout\" with operand 0, like an earlier "
       "result."},
      {WithFunction(R"("arguments": [{"optional": "?xf32"}], "results": [)"
                    R"({"inout": 0}])"),
       "is \"inout\" with operand 0, which an import need not have."},
      {WithFunction(R"("arguments": ["?xf32"], "results": [{"inout": 1}])"),
       "depends on operand 1; there are 1."},
      {WithFunction(R"("arguments": ["?xf32"], "equal": ["0.0"])"),
       "\"equal\" of function 'f' is a string; an array of arrays of two or "
       "more dimensions, such as [[\"0.-1\", \"0.-2\"]], is expected."},
      {WithFunction(R"("arguments": ["?xf32"], "equal": [["0.0"]])"),
       "\"equal\" of function 'f' is an array; an array of arrays of two"},
      {WithFunction(R"("arguments": ["?xf32"], "equal": [["0.0", "0.0:"]])"),
       "\"equal\" of function 'f' is a string; an array of arrays of two"},
      {WithFunction(R"("arguments": ["?xf32"], "equal": [["0.0", "0.1"]])"),
       "takes \"0.1\", but operand 0 has rank 1."},
      {WithFunction(R"("results": [{"like": 0}])"), "operand 0; there are 0"},
      {WithFunction(R"("results": [{"dtype": "f99", "shape": []}])"), "f99"},
      {WithFunction(R"("results": [{"dtype": "f32", "shape": [-1]}])"),
       "a dimension"},
      {WithFunction(R"("results": [{"dtype": "f32", "shape": ["1.0"]}])"),
       "operand 1; there are 0"},
      {WithFunction(R"("arguments": ["buffer"], "results": [)"
                    R"({"dtype": "f32", "shape": ["0.x"]}])"),
       "the dimension '0.x'"},
      {WithDims(R"("0.7")"),
       "result 0 of function 'f' takes \"0.7\", but operand 0 has rank 1."},
      {WithDims(R"("0.-2")"), "takes \"0.-2\", but operand 0 has rank 1."},
      {WithDims(R"("0.2:")"), "takes \"0.2:\", but operand 0 has rank 1."},
      {WithDims(R"("0.1:0")"), "takes \"0.1:0\", but operand 0 has rank 1."},
      {WithDims(R"("1.0")"), "depends on operand 1, which is not a tensor."},
      {WithDims(Repeated("1,", 128, "1")),
       "\"shape\" of result 0 of function 'f' has 129 dimensions; the limit is "
       "128."},
      {WithFunction(R"("arguments": ["token"], "results": [{"like": 0}])"),
       "depends on operand 0, which is not a tensor."},
      {WithFunction(R"("arguments": ["token"], "results": [{"dtype": 0,)"
                    R"( "shape": []}])"),
       "depends on operand 0, which is not a tensor."},
      {WithFunction(R"("arguments": ["buffer"], "results": [)"
                    R"({"like": 0, "rest": true}, {"like": 0}])"),
       "must be the last"},
  };
  for (const auto& c : kCases) {
    const absl::Status status = Manifest::Parse(c.text).status();
    EXPECT_FALSE(status.ok()) << c.text;
    EXPECT_TRUE(absl::StrContains(status.message(), c.want))
        << c.text << ": " << status.message();
  }
}

TEST(Manifest, WrongMemrefsAreRefused) {
  const struct {
    const char* type;
    const char* members;
    const char* want;
  } kCases[] = {
      {"(memref<2x3xf32>, f32) -> memref<*xf32>", R"("layouts": 1)",
       "\"layouts\" of function 'f' is the number 1; an array is expected."},
      {"(f32) -> f32", R"("layouts": ["row_major", "row_major", 0])",
       "function 'f' has 3 \"layouts\" of 2 arguments and results."},
      {"(memref<2x3xf32>) -> ()", R"("layouts": [[0, 0]])",
       "argument 0 of function 'f' has the layout [0, 0], which is not a "
       "permutation of its 2 dimensions."},
      {"() -> memref<*xf32>", R"("layouts": [[0, 1]])",
       "result 0 of function 'f' has the layout of an array, but its rank is "
       "not known"},
      {"() -> memref<2xf32>", R"("layouts": ["column_major"])",
       "result 0 of function 'f' has the layout column_major, which needs 2 "
       "dimensions, but has rank 1."},
      {"(memref<2x3xf32, strided<[1, 2]>>) -> ()",
       R"("layouts": ["column_major"])",
       "argument 0 of function 'f' has the layout column_major, but is "
       "memref<2x3xf32, strided<[1, 2]>>, which has its own."},
      {"(memref<2xf32>, f32) -> ()", R"("outputs": [{"inout": 1}])",
       "output 0 of function 'f' depends on operand 1, which is not a tensor."},
      {"(memref<2xf32>) -> ()", R"("outputs": [{"inout": 0}, {"inout": 0}])",
       "output 1 of function 'f' is \"inout\" with operand 0, like an earlier "
       "output."},
      {"(memref<2xf32>) -> ()", R"("equal": [["0.0", "0.1"]])",
       "function 'f' takes \"0.1\", but operand 0 has rank 1."},
  };
  for (const auto& c : kCases) {
    const absl::Status status =
        Manifest::Parse(absl::StrCat(R"({"module": "m", "functions": {"f": {)"
                                     R"("convention": "memref", "type": ")",
                                     c.type, R"(", )", c.members, "}}}"))
            .status();
    EXPECT_TRUE(absl::StrContains(status.message(), c.want))
        << c.type << " " << c.members << ": " << status.message();
  }
}

// Returns a shared library for this machine that has only a note segment.
std::string LibraryWith(absl::string_view note) {
  Elf64_Ehdr header = {};
  std::memcpy(header.e_ident, ELFMAG, SELFMAG);
  header.e_ident[EI_CLASS] = ELFCLASS64;
  header.e_ident[EI_DATA] = ELFDATA2LSB;
  header.e_type = ET_DYN;
  header.e_machine = EM_X86_64;
  header.e_phoff = sizeof(header);
  header.e_phnum = 1;
  Elf64_Phdr segment = {};
  segment.p_type = PT_NOTE;
  segment.p_offset = sizeof(header) + sizeof(segment);
  segment.p_filesz = note.size();
  std::string file(reinterpret_cast<const char*>(&header), sizeof(header));
  file.append(reinterpret_cast<const char*>(&segment), sizeof(segment));
  return absl::StrCat(file, note);
}

// Returns the note's bytes as they are in the object file.
std::string NoteOf(absl::string_view manifest) {
  const std::string object = CreateNoteObject(manifest);
  Elf64_Ehdr header;
  std::memcpy(&header, object.data(), sizeof(header));
  Elf64_Shdr section;
  std::memcpy(&section, object.data() + header.e_shoff + sizeof(section),
              sizeof(section));
  EXPECT_EQ(section.sh_type, uint32_t{SHT_NOTE});
  return object.substr(section.sh_offset, section.sh_size);
}

absl::StatusOr<std::optional<absl::string_view>> Find(const std::string& file) {
  return FindAbiNote(
      {reinterpret_cast<const uint8_t*>(file.data()), file.size()}, "k.so");
}

TEST(ElfNote, IsFoundAgain) {
  for (const std::string text : {"", "a", "four", "{\"module\": \"m\"}"}) {
    const std::string other = NoteOf("x").replace(12, 5, "OTHER");
    for (const std::string& note : {NoteOf(text), other + NoteOf(text)}) {
      const std::string file = LibraryWith(note);
      const auto found = Find(file);
      ASSERT_TRUE(found.ok()) << found.status();
      ASSERT_TRUE(found->has_value());
      EXPECT_EQ(**found, text);
    }
    const auto none = Find(LibraryWith(other));
    EXPECT_TRUE(none.ok() && !none->has_value());
  }
}

TEST(ElfNote, DamagedFilesAreRefused) {
  const std::string whole = LibraryWith(NoteOf("{\"module\": \"m\"}"));
  for (size_t size = 0; size + 1 < whole.size(); ++size) {
    EXPECT_FALSE(Find(whole.substr(0, size)).ok()) << size;
  }
  const std::string note = NoteOf("text");
  EXPECT_EQ(Find(LibraryWith(note + note)).status().message(),
            "'k.so' is damaged: it has two Eyrie notes.");
  std::string cut = note;
  cut[4] = '\x7F';  // the size of the text
  EXPECT_EQ(Find(LibraryWith(cut)).status().message(),
            "'k.so' is damaged: a note of 6 and 127 bytes is cut off.");
}

}  // namespace
}  // namespace eyrie::native
