// Tests parameter files: valid ones and errors.
#include <cstring>
#include <functional>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "hal/parameters/irpa_format.h"
#include "hal/parameters/irpa_writer.h"
#include "hal/parameters/parameter_formats.h"
#include "hal/parameters/parameter_index.h"
#include "hal/parameters/test_support.h"
#include "tests/support/status_text.h"

namespace eyrie::hal {
namespace {

// ---- Safetensors ----------------------------------------------------------

Bytes Safetensors(absl::string_view header, size_t data) {
  return Writer().Counted(header).Zeros(data).bytes();
}

TEST(Safetensors, Rows) {
  struct Row {
    const char* header;
    const char* want;
    size_t data = 16;  // bytes
  };
  const Row rows[] = {
      {"{}", "", 0},
      {R"({"__metadata__":{"format":"pt"}})", "", 0},
      {R"({"w":{"dtype":"F32","shape":[2,2],"data_offsets":[0,16]}})",
       "w f32[2x2] 16@65"},
      {R"({"s":{"dtype":"BF16","shape":[],"data_offsets":[0,2]},)"
       R"("e":{"dtype":"I64","shape":[0],"data_offsets":[2,2]}})",
       "s bf16[] 2@115, e i64[0] 0@117", 2},
      {"[]", "INVALID_ARGUMENT: The header is an array, not an object."},
      {R"({"w":7})", "INVALID_ARGUMENT: It is the number 7. (tensor 'w')"},
      {R"({"w":{"shape":[2],"data_offsets":[0,8]}})",
       "INVALID_ARGUMENT: It has no 'dtype'. (tensor 'w')"},
      {R"({"w":{"dtype":"F32","shape":2,"data_offsets":[0,8]}})",
       "INVALID_ARGUMENT: Its 'shape' is the number 2. (tensor 'w')"},
      {R"({"w":{"dtype":"F8_E4M3FNUZ","shape":[8],"data_offsets":[0,8]},)"
       R"("v":{"dtype":"F8_E5M2FNUZ","shape":[8],"data_offsets":[8,16]}})",
       "w f8E4M3FNUZ[8] 8@132, v f8E5M2FNUZ[8] 8@140"},
      // An unknown type fails only its tensor.
      {R"({"w":{"dtype":"F33","shape":[2],"data_offsets":[0,9]},)"
       R"("v":{"dtype":"I8","shape":[7],"data_offsets":[9,16]}})",
       "w F33[2] 9 UNIMPLEMENTED: Its dtype 'F33' is not known. (tensor 'w'), "
       "v i8[7] 7@124"},
      {R"({"w":{"dtype":"F32","shape":[-2],"data_offsets":[0,8]}})",
       "INVALID_ARGUMENT: A dimension is the number -2, not a size. "
       "(tensor 'w')"},
      {R"({"w":{"dtype":"F32","shape":[2],"data_offsets":[0,8,9]}})",
       "INVALID_ARGUMENT: Its data_offsets are 3 numbers, not 2. "
       "(tensor 'w')"},
      {R"({"w":{"dtype":"F32","shape":[2],"data_offsets":[0,7]}})",
       "INVALID_ARGUMENT: It has 7 bytes; f32[2] takes 8. (tensor 'w')"},
      {R"({"w":{"dtype":"F32","shape":[5],"data_offsets":[0,20]}})",
       "OUT_OF_RANGE: Its bytes 0 to 20 are not in the data, which has 16. "
       "(tensor 'w')"},
      {R"({"w":{"dtype":"F32","shape":[2],"data_offsets":[8,0]}})",
       "OUT_OF_RANGE: Its bytes 8 to 0 are not in the data, which has 16. "
       "(tensor 'w')"},
      {R"({"w":{"dtype":"F32","shape":[4294967296,4294967296],)"
       R"("data_offsets":[0,8]}})",
       "INVALID_ARGUMENT: A tensor of f32[4294967296x4294967296] is not a "
       "whole number of bytes. (tensor 'w')"},
      {R"({"a":{"dtype":"U8","shape":[4],"data_offsets":[0,4]},)"
       R"("b":{"dtype":"U8","shape":[4],"data_offsets":[3,7]}})",
       "INVALID_ARGUMENT: Parameter 'b' at offset 116 begins within 'a', "
       "which ends at 117."},
      // Gaps: before, between and after tensors.
      {R"({"a":{"dtype":"U8","shape":[4],"data_offsets":[1,5]}})",
       "INVALID_ARGUMENT: Tensor 'a' begins at offset 1 of the data; the one "
       "before it ends at 0.",
       5},
      {R"({"b":{"dtype":"U8","shape":[4],"data_offsets":[8,12]},)"
       R"("a":{"dtype":"U8","shape":[4],"data_offsets":[0,4]}})",
       "INVALID_ARGUMENT: Tensor 'b' begins at offset 8 of the data; the one "
       "before it ends at 4.",
       12},
      {R"({"a":{"dtype":"U8","shape":[4],"data_offsets":[0,4]},)"
       R"("e":{"dtype":"I64","shape":[0],"data_offsets":[3,3]}})",
       "INVALID_ARGUMENT: Tensor 'e' begins at offset 3 of the data; the one "
       "before it ends at 4.",
       4},
      {R"({"a":{"dtype":"U8","shape":[4],"data_offsets":[0,4]}})",
       "INVALID_ARGUMENT: The tensors end at offset 4 of the data, which has 5 "
       "bytes.",
       5},
      {"{}",
       "INVALID_ARGUMENT: The tensors end at offset 0 of the data, which has 1 "
       "bytes.",
       1},
  };
  for (const Row& row : rows) {
    EXPECT_EQ(Show(ParseParameters(Safetensors(row.header, row.data),
                                   "x.safetensors")),
              row.want)
        << row.header;
  }
}

TEST(Safetensors, EndsEarly) {
  EXPECT_EQ(Show(ParseParameters(Bytes(5), "w.safetensors")),
            "OUT_OF_RANGE: A read of 8 bytes at offset 0 exceeds the bytes "
            "left (5).");
  EXPECT_EQ(
      Show(ParseSafetensors(Writer().Put<uint64_t>(99).Text("{}").bytes())),
      "OUT_OF_RANGE: The header's size is 99 bytes; the file has "
      "2 bytes left, and the limit is 100000000 bytes.");
}

// ---- Archives -------------------------------------------------------------

ParameterSource Source(std::string key, uint64_t length,
                       ParameterSource::Content content, Splat splat = {}) {
  ParameterSource source;
  source.key = std::move(key);
  source.length = length;
  source.content = content;
  source.splat = splat;
  return source;
}

constexpr Splat kPair = {{0xAB, 0xCD}, 2};

Bytes Archive(std::span<const ParameterSource> sources,
              uint64_t alignment = 64) {
  Bytes out;
  const absl::Status status =
      WriteIrpa(sources, alignment, [&](std::span<const uint8_t> bytes) {
        out.insert(out.end(), bytes.begin(), bytes.end());
        return absl::OkStatus();
      });
  EXPECT_EQ(StatusText(status), "OK");
  return out;
}

Bytes SmallArchive() {
  static const Bytes contents = {1, 2, 3};
  ParameterSource bytes = Source("w", 3, ParameterSource::Content::kBytes);
  bytes.bytes = contents;
  bytes.metadata = "ui8[3]";
  const ParameterSource sources[] = {
      bytes,
      Source("s", 8, ParameterSource::Content::kSplat, kPair),
      Source("f", 4, ParameterSource::Content::kFill, kPair),
  };
  return Archive(sources);
}

TEST(Irpa, RoundTrips) {
  const Bytes file = SmallArchive();
  EXPECT_EQ(Show(ParseParameters(file, "x")),
            "w ui8[3] 3@384, s 8xabcd, f 4@448");
  EXPECT_EQ(file.size(), 4096u);
  EXPECT_EQ(file[386], 3);
  EXPECT_EQ(file[449], 0xCD);
  EXPECT_EQ(Show(ParseIrpa(Archive({}))), "");
}

// tools/house/forms compares whole files with those of the public tool.
TEST(Irpa, HasTheLayoutOfThePublicTool) {
  struct Row {
    std::vector<ParameterSource> sources;
    uint64_t alignment;
    const char* want;  // table, metadata and data; each entry's alignment
  };
  const ParameterSource splat =
      Source("s", 8, ParameterSource::Content::kSplat, kPair);
  const ParameterSource data =
      Source("d", 4, ParameterSource::Content::kFill, kPair);
  const Row rows[] = {
      {{}, 64, "96+0 96+0 96+0"},
      {{splat}, 64, "96+85 181+1 182+0 0"},
      {{splat, data}, 64, "96+172 268+2 320+4 0 64"},
      {{data, splat}, 4096, "96+165 261+2 4096+4 64 0"},
      {{data}, 2, "96+76 172+1 174+4 64"},
  };
  for (const Row& row : rows) {
    const Bytes file = Archive(row.sources, row.alignment);
    irpa::Header header;
    std::memcpy(&header, file.data(), sizeof(header));
    std::string text =
        absl::StrCat(header.entries.offset, "+", header.entries.length, " ",
                     header.metadata.offset, "+", header.metadata.length, " ",
                     header.storage.offset, "+", header.storage.length);
    uint64_t at = header.entries.offset;
    for (size_t i = 0; i < row.sources.size(); ++i) {
      irpa::Entry entry;
      std::memcpy(&entry, file.data() + at, sizeof(entry));
      const uint64_t alignment = entry.minimum_alignment;
      absl::StrAppend(&text, " ", alignment);
      const uint64_t metadata = entry.metadata.offset;
      EXPECT_EQ(metadata, 0u) << "no metadata";
      at += (entry.size + 15) / 16 * 16;
    }
    EXPECT_EQ(text, row.want);
    EXPECT_EQ(file.size() % 4096, 0u);
  }
}

TEST(Irpa, ReadsLinkedArchives) {
  const Bytes one = SmallArchive();
  Bytes file = one;
  file.resize(512);
  const ParameterSource more[] = {
      Source("t", 2, ParameterSource::Content::kFill, kPair)};
  const Bytes second = Archive(more);
  file.insert(file.end(), second.begin(), second.end());
  reinterpret_cast<irpa::Header*>(file.data())->next_header = 512;
  EXPECT_EQ(Show(ParseIrpa(file)),
            "w ui8[3] 3@384, s 8xabcd, f 4@448, t 2@704");
}

TEST(Irpa, Damage) {
  struct Row {
    const char* what;
    std::function<void(irpa::Header&, uint8_t* entries)> damage;
    const char* want;
  };
  const Row rows[] = {
      {"version", [](irpa::Header& h, uint8_t*) { h.version_minor = 1; },
       "UNIMPLEMENTED: The archive has version 0.1; supported is 0.0."},
      {"header", [](irpa::Header& h, uint8_t*) { h.header_size = 32; },
       "OUT_OF_RANGE: The archive's header has 32 bytes; it needs 88."},
      {"ring", [](irpa::Header& h, uint8_t*) { h.next_header = 8; },
       "OUT_OF_RANGE: The offset of the next archive is 8, which is not a "
       "multiple of 16 within the file's 452 bytes."},
      {"next", [](irpa::Header& h, uint8_t*) { h.next_header = 448; },
       "OUT_OF_RANGE: The offset of the next archive is 448, which is not a "
       "multiple of 16 within the file's 452 bytes."},
      {"not an archive", [](irpa::Header& h, uint8_t*) { h.next_header = 96; },
       "INVALID_ARGUMENT: There is no archive at offset 96."},
      {"table", [](irpa::Header& h, uint8_t*) { h.entries.length = 400; },
       "OUT_OF_RANGE: The table of entries of the archive has 400 bytes at "
       "offset 96; the file has 452 from the archive's header on."},
      {"storage", [](irpa::Header& h, uint8_t*) { h.storage.offset = ~0ull; },
       "OUT_OF_RANGE: The storage of the archive has 68 bytes at offset "
       "18446744073709551615; the file has 452 from the archive's header on."},
      {"count", [](irpa::Header& h, uint8_t*) { h.entry_count = 4; },
       "OUT_OF_RANGE: The table of 252 bytes ends within entry 3 of 4."},
      {"entry size",
       [](irpa::Header&, uint8_t* e) {
         reinterpret_cast<irpa::Entry*>(e)->size = 59;
       },
       "OUT_OF_RANGE: Entry 0 has 59 bytes; it needs 60, and 252 are left."},
      {"name",
       [](irpa::Header&, uint8_t* e) {
         reinterpret_cast<irpa::Entry*>(e)->name.length = 99;
       },
       "OUT_OF_RANGE: The name has 99 bytes at offset 0 of the metadata, which "
       "has 9. (entry 0 of the archive)"},
      {"type",
       [](irpa::Header&, uint8_t* e) {
         reinterpret_cast<irpa::Entry*>(e)->type =
             static_cast<irpa::EntryType>(9);
       },
       "w ui8[3] 0 UNIMPLEMENTED: The entry has type 9; expected 0 to 2. "
       "('w'), s 8xabcd, f 4@448"},
      {"elsewhere",
       [](irpa::Header&, uint8_t* e) {
         reinterpret_cast<irpa::Entry*>(e)->type = irpa::EntryType::kExternal;
       },
       "w ui8[3] 0 UNIMPLEMENTED: The entry's data are in another file, which "
       "is not supported. ('w'), s 8xabcd, f 4@448"},
      {"data",
       [](irpa::Header&, uint8_t* e) {
         reinterpret_cast<irpa::DataEntry*>(e)->storage.length = 69;
       },
       "OUT_OF_RANGE: The data has 69 bytes at offset 0 of the storage, which "
       "has 68. ('w') (entry 0 of the archive)"},
      {"pattern",
       [](irpa::Header&, uint8_t* e) {
         reinterpret_cast<irpa::SplatEntry*>(e + 80)->pattern_length = 3;
       },
       "INVALID_ARGUMENT: The pattern's length (3) is not 1, 2, 4, 8 or 16. "
       "('s') (entry 1 of the archive)"},
      {"splat",
       [](irpa::Header&, uint8_t* e) {
         reinterpret_cast<irpa::SplatEntry*>(e + 80)->length = 9;
       },
       "INVALID_ARGUMENT: The entry's length (9) is not a multiple of its "
       "pattern's (2). ('s') (entry 1 of the archive)"},
      {"skip",
       [](irpa::Header&, uint8_t* e) {
         reinterpret_cast<irpa::Entry*>(e)->type = irpa::EntryType::kSkip;
       },
       "s 8xabcd, f 4@448"},
  };
  for (const Row& row : rows) {
    Bytes file = SmallArchive();
    file.resize(452);  // without the padding
    row.damage(*reinterpret_cast<irpa::Header*>(file.data()), &file[96]);
    EXPECT_EQ(Show(ParseIrpa(file)), row.want) << row.what;
  }
}

// Returns a file of archives that all read the table of the given one.
Bytes SharedBy(size_t archives, const Bytes& archive) {
  constexpr size_t kStep = 96;
  Bytes file(kStep * archives);
  for (size_t i = 0; i < archives; ++i) {
    irpa::Header header;
    std::memcpy(&header, archive.data(), sizeof(header));
    const uint64_t shift = file.size() - i * kStep;
    header.next_header = i + 1 < archives ? kStep : 0;
    header.entries.offset += shift;
    header.metadata.offset += shift;
    header.storage.offset += shift;
    std::memcpy(&file[i * kStep], &header, sizeof(header));
  }
  file.insert(file.end(), archive.begin(), archive.end());
  return file;
}

// Archives that share one table must not need unbounded memory.
TEST(Irpa, SharedTablesAreBounded) {
  constexpr size_t kArchives = 100;
  const struct {
    const char* what;
    size_t entries;
    size_t name;      // bytes of each entry
    size_t metadata;  // bytes of each entry
  } rows[] = {
      {"entries", 16, 2, 0},
      {"names", 1, 1000, 0},
      {"metadata", 1, 2, 1000},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.what);
    std::vector<ParameterSource> sources;
    for (size_t i = 0; i < row.entries; ++i) {
      std::string key(row.name, 'n');
      key[0] = static_cast<char>('a' + i);
      sources.push_back(
          Source(key, 8, ParameterSource::Content::kSplat, kPair));
      sources.back().metadata = std::string(row.metadata, 'm');
    }
    Bytes file = SharedBy(kArchives, Archive(sources));
    const size_t used = kArchives * row.entries *
                        (sizeof(irpa::Entry) + row.name + row.metadata);
    ASSERT_LT(file.size(), used / 4);
    file.resize(used / 4);
    EXPECT_EQ(StatusText(ParseIrpa(file)), "OK");
    file.pop_back();
    EXPECT_EQ(StatusText(ParseIrpa(file)),
              absl::StrCat("RESOURCE_EXHAUSTED: The archive's entries and "
                           "names take more than ",
                           used - 4,
                           " bytes, four times the file's size. "
                           "(entry ",
                           row.entries - 1, " of the archive)"));
  }
}

TEST(Irpa, WriterRefuses) {
  const auto ignore = [](std::span<const uint8_t>) { return absl::OkStatus(); };
  const ParameterSource twice[] = {
      Source("a", 2, ParameterSource::Content::kSplat, kPair),
      Source("a", 2, ParameterSource::Content::kSplat, kPair)};
  const ParameterSource odd[] = {
      Source("a", 3, ParameterSource::Content::kFill, kPair)};
  EXPECT_EQ(StatusText(WriteIrpa(twice, 64, ignore)),
            "INVALID_ARGUMENT: Parameter 'a' occurs twice.");
  EXPECT_EQ(StatusText(WriteIrpa(odd, 64, ignore)),
            "INVALID_ARGUMENT: Parameter 'a' has 3 bytes, not a multiple of "
            "its pattern's 2.");
  EXPECT_EQ(
      StatusText(WriteIrpa({}, 24, ignore)),
      "INVALID_ARGUMENT: An alignment of 24 bytes is not a power of two up to "
      "1073741824.");
  EXPECT_EQ(StatusText(WriteIrpa({}, uint64_t{1} << 31, ignore)),
            "INVALID_ARGUMENT: An alignment of 2147483648 bytes is not a power "
            "of two up to 1073741824.");
  const ParameterSource large[] = {
      Source("a", uint64_t{1} << 61, ParameterSource::Content::kFill, kPair),
      Source("b", 2, ParameterSource::Content::kFill, kPair),
      Source("c", uint64_t{1} << 61, ParameterSource::Content::kFill, kPair)};
  EXPECT_EQ(StatusText(PlanIrpa(large, 64)),
            "OUT_OF_RANGE: With 'c' the archive has more than "
            "4611686018427387904 bytes.");
}

TEST(Irpa, SizeIsWhatIsWritten) {
  EXPECT_EQ(PlanIrpa({}, 1024)->size, Archive({}, 1024).size());
  const ParameterSource sources[] = {
      Source("s", uint64_t{1} << 61, ParameterSource::Content::kSplat, kPair),
      Source("f", 4, ParameterSource::Content::kFill, kPair),
      Source("g", 6, ParameterSource::Content::kFill, kPair)};
  EXPECT_EQ(PlanIrpa(sources, 4096)->size, Archive(sources, 4096).size());
}

// ---- Indices --------------------------------------------------------------

std::string FindText(const ParameterScopes& scopes, absl::string_view scope,
                     absl::string_view key) {
  const auto found = scopes.Find(scope, key);
  return found.ok() ? absl::StrCat((*found)->length) : StatusText(found);
}

TEST(ParameterScopes, FindsAndSaysWhatThereIs) {
  ParameterScopes scopes;
  EXPECT_EQ(FindText(scopes, "", "w"),
            "NOT_FOUND: There are no parameters of the scope ''; none are "
            "given (--parameters=FILE).");
  const auto file = ParameterFile::FromBytes(SmallArchive(), "a.irpa");
  auto entries = ParseIrpa(file->bytes());
  ASSERT_EQ(StatusText(scopes.scope("m").Add(*entries, file)), "OK");
  EXPECT_EQ(FindText(scopes, "m", "w"), "3");
  EXPECT_EQ(FindText(scopes, "m", "ww"),
            "NOT_FOUND: There is no parameter 'ww' among the 3 of the scope "
            "'m'. Did you mean 'w'?");
  EXPECT_EQ(FindText(scopes, "n", "w"),
            "NOT_FOUND: There are no parameters of the scope 'n'; given "
            "scopes: 'm' (--parameters=n=FILE).");
  // The file that was added first has the parameter.
  auto changed = *entries;
  changed[0].length = 2;
  changed[2].fault = absl::UnimplementedError("It is new.");
  changed[2].key = "t";
  ASSERT_EQ(StatusText(scopes.scope("m").Add(changed, file)), "OK");
  EXPECT_EQ(FindText(scopes, "m", "w"), "3");
  EXPECT_EQ(FindText(scopes, "m", "t"),
            "UNIMPLEMENTED: It is new. (parameter file a.irpa)");
  changed.push_back(changed[1]);
  EXPECT_EQ(StatusText(scopes.scope("m").Add(changed, file)),
            "ALREADY_EXISTS: Parameter 's' occurs twice in one file.");
  EXPECT_EQ(scopes.scope("m").parameters().size(), 6u);
  const Parameter& w = **scopes.Find("m", "w");
  EXPECT_EQ(Bytes(w.bytes().begin(), w.bytes().end()), Bytes({1, 2, 3}));
  EXPECT_EQ(
      StatusText(scopes.AddFile("m=/nowhere/x", ParameterFile::Mode::kMapped)),
      "NOT_FOUND: Cannot open /nowhere/x: No such file or directory.");
  EXPECT_EQ(
      StatusText(scopes.AddFile("=m=/nowhere/x", ParameterFile::Mode::kMapped)),
      "NOT_FOUND: Cannot open m=/nowhere/x: No such file or directory.");
}

TEST(ParameterScopes, RefusesOtherFiles) {
  EXPECT_EQ(Show(ParseParameters(Bytes(3), "notes.txt")),
            "INVALID_ARGUMENT: The file (3 bytes) is not a .irpa, .safetensors "
            "or .gguf file.");
}

}  // namespace
}  // namespace eyrie::hal
