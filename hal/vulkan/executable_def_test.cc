// Tests reading executables: from every release, built by hand, and damaged.
#include "hal/vulkan/executable_def.h"

#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "gtest/gtest.h"
#include "hal/vulkan/executable_builder.h"
#include "tests/support/files.h"
#include "tests/support/status_text.h"

namespace eyrie::hal::vulkan {
namespace {

std::vector<uint8_t> TestFile(const char* name) {
  return FileBytes(absl::StrCat("hal/vulkan/testdata/", name, ".vk"));
}

std::string DescribePipeline(const ExecutableDef& def,
                             const PipelineDef& pipeline) {
  const PipelineLayout& layout = def.layouts[pipeline.layout];
  std::string text = absl::StrCat(
      pipeline.name, " ", absl::StrJoin(pipeline.workgroup_size, "x"),
      " constants ", pipeline.constant_count, " pushed ",
      layout.push_constants_offset, "+", layout.push_constants_size,
      " bindings ", pipeline.binding_count);
  for (const DescriptorBinding& binding : layout.bindings) {
    absl::StrAppend(
        &text, binding.kind == DescriptorKind::kStorageBuffer ? " s" : " u",
        binding.binding);
  }
  if (pipeline.abi == DispatchAbi::kBufferAddresses) {
    absl::StrAppend(&text, " root ", pipeline.addresses.root_offset,
                    " constants at ", pipeline.addresses.constants_offset);
    for (const AddressedBinding& binding : pipeline.addresses.bindings) {
      absl::StrAppend(&text, " a", binding.minimum_alignment, ":",
                      binding.minimum_length);
    }
  }
  if (pipeline.subgroup_size != 0) {
    absl::StrAppend(&text, " subgroups of ", pipeline.subgroup_size);
  }
  if (!pipeline.source_file.empty()) {
    absl::StrAppend(&text, " ", pipeline.source_file, ":",
                    pipeline.source_line);
  }
  return text;
}

// Returns "main 8x2x1 constants 2 ...", or the error.
std::string ReadText(std::span<const uint8_t> bytes) {
  absl::StatusOr<ExecutableDef> def = ReadExecutable(bytes);
  if (!def.ok()) return StatusText(def);
  std::vector<std::string> texts;
  for (const PipelineDef& pipeline : def->pipelines) {
    texts.push_back(DescribePipeline(*def, pipeline));
  }
  return absl::StrJoin(texts, "; ");
}

TEST(ExecutableDef, ReadsWhatCompilersWrite) {
  const struct {
    const char* file;
    const char* want;
    const char* shader;  // corrected version, capabilities, shared memory
  } kCases[] = {
      {"add_3_3",
       "add_dispatch_0_elementwise_4_f32 64x1x1 constants 0 pushed 0+0 "
       "bindings 3 s0 s1 s2 add.mlir:2",
       "1.0 caps 1 shared 0"},
      {"add_3_11",
       "add_dispatch_0_elementwise_4_f32 32x1x1 constants 0 pushed 0+0 "
       "bindings 3 s0 s1 s2 add.mlir:2",
       "1.4 caps 1,0 shared 0"},
      {"add_3_13",
       "add_dispatch_0_elementwise_4_f32 8x1x1 constants 0 pushed 0+0 "
       "bindings 3 s0 s1 s2 add.mlir:2",
       "1.4 caps 1,0 shared 0"},
      {"scale_3_13",
       "scale_dispatch_0_elementwise_D_i32 8x1x1 constants 2 pushed 0+8 "
       "bindings 2 s0 s1 scale.mlir:2",
       "1.4 caps 1,11,0 shared 0"},
      {"scale_addresses",
       "scale_dispatch_0_elementwise_D_i32 8x1x1 constants 2 pushed 0+40 "
       "bindings 2 root 0 constants at 32 a1:0 a1:0 scale.mlir:2",
       "1.4 caps 1,11,5347,0 shared 0"},
      {"sum_turing",
       "sum_dispatch_0_reduction_4x512_f32 128x1x1 constants 0 pushed 0+0 "
       "bindings 2 s0 s1 sum.mlir:2",
       "1.4 caps 1,63,65,0,61 shared 16"},
      {"matmul_rdna3",
       "matmul_dispatch_0_matmul_64x64x64_f16xf16xf32 128x1x1 constants 0 "
       "pushed 0+0 bindings 3 s0 s1 s2 subgroups of 32 matmul.mlir:2",
       "1.6 caps 1,6022,9,0 shared 19456"},
  };
  for (const auto& c : kCases) {
    SCOPED_TRACE(c.file);
    const std::vector<uint8_t> bytes = TestFile(c.file);
    EXPECT_EQ(ReadText(bytes), c.want);
    absl::StatusOr<ExecutableDef> def = ReadExecutable(bytes);
    ASSERT_EQ(StatusText(def), "OK");
    ASSERT_EQ(def->shader_modules.size(), 1u);
    const auto& [words, spirv] = def->shader_modules[0];
    EXPECT_EQ(words[1], spirv.version);
    EXPECT_EQ(absl::StrCat(SpirvVersionName(spirv.version), " caps ",
                           absl::StrJoin(spirv.capabilities, ","), " shared ",
                           spirv.entry_points[0].shared_memory),
              c.shader);
    for (const std::string& extension : spirv.extensions) {
      EXPECT_NE(extension, "SPV_EXT_physical_storage_buffer");
    }
  }
}

struct Case {
  const char* what;
  ExecutableParts parts;
  const char* want;
};

// Returns a modified copy of parts.
template <typename Change>
ExecutableParts With(ExecutableParts parts, Change change) {
  change(parts);
  return parts;
}

using P = ExecutableParts;

TEST(ExecutableDef, Descriptors) {
  const P whole;
  const Case kCases[] = {
      {"whole", whole, "main 8x2x1 constants 2 pushed 0+8 bindings 2 s0 s1"},
      {"uniform, any order",
       With(whole, [](P& p) { p.bindings = {{1, 6}, {9}, {0}}; }),
       "main 8x2x1 constants 2 pushed 0+8 bindings 3 u1 s9 s0"},
      {"all stages",
       With(whole,
            [](P& p) {
              p.bindings[0].stages = 0x7FFFFFFF;
              p.ranges[0].stages = 0x7FFFFFFF;
            }),
       "main 8x2x1 constants 2 pushed 0+8 bindings 2 s0 s1"},
      {"no constants", With(whole, [](P& p) { p.ranges = {}; }),
       "main 8x2x1 constants 0 pushed 0+0 bindings 2 s0 s1"},
      {"an empty range", With(whole, [](P& p) { p.ranges = {{0, 0}}; }),
       "main 8x2x1 constants 0 pushed 0+0 bindings 2 s0 s1"},
      {"no exports", With(whole, [](P& p) { p.exports = {}; }), ""},
      {"two exports", With(whole, [](P& p) { p.exports = {"main", "main"}; }),
       "main 8x2x1 constants 2 pushed 0+8 bindings 2 s0 s1; "
       "main 8x2x1 constants 2 pushed 0+8 bindings 2 s0 s1"},
      {"subgroups", With(whole, [](P& p) { p.subgroup_size = 32; }),
       "main 8x2x1 constants 2 pushed 0+8 bindings 2 s0 s1 subgroups of 32"},
      {"source", With(whole, [](P& p) { p.source_file = "a.mlir"; }),
       "main 8x2x1 constants 2 pushed 0+8 bindings 2 s0 s1 a.mlir:12"},
      {"a source without end",
       With(whole, [](P& p) { p.source_file = std::string(4097, 'a'); }),
       "main 8x2x1 constants 2 pushed 0+8 bindings 2 s0 s1"},
  };
  for (const Case& c : kCases) {
    const std::vector<uint8_t> bytes = c.parts.Build();
    EXPECT_EQ(ReadText(bytes), c.want) << c.what;
    EXPECT_EQ(ReadText(WithHeader(bytes)), c.want) << c.what;
  }
}

TEST(ExecutableDef, Refused) {
  const P whole;
  const Case kCases[] = {
      {"sampler", With(whole, [](P& p) { p.bindings[1].kind = 0; }),
       "UNIMPLEMENTED: The Vulkan executable's descriptor 1 of set layout 0 is "
       "of kind 0; known are uniform (6) and storage buffers (7)."},
      {"array", With(whole, [](P& p) { p.bindings[1].count = 2; }),
       "UNIMPLEMENTED: The Vulkan executable's descriptor 1 of set layout 0 is "
       "an array of 2; the HAL binds single buffers."},
      {"stages", With(whole, [](P& p) { p.bindings[1].stages = 0x10; }),
       "INVALID_ARGUMENT: The Vulkan executable's descriptor 1 of set layout 0 "
       "is for the stages 10h, without compute (20h)."},
      {"number twice", With(whole, [](P& p) { p.bindings = {{1}, {0}, {1}}; }),
       "INVALID_ARGUMENT: The Vulkan executable's descriptor 2 of set layout 0 "
       "has the number 1, which an earlier binding of the set has too."},
      {"bindings", With(whole, [](P& p) { p.bindings.assign(257, {0}); }),
       "RESOURCE_EXHAUSTED: The Vulkan executable has 257 bindings in one "
       "layout; the limit is 256."},
      {"two sets", With(whole, [](P& p) { p.sets = {0, 0}; }),
       "UNIMPLEMENTED: The Vulkan executable's layout 0 has 2 descriptor sets; "
       "kernels have one."},
      {"set", With(whole, [](P& p) { p.sets = {1}; }),
       "INVALID_ARGUMENT: The Vulkan executable's layout 0 names set layout 1; "
       "there are 1."},
      {"a binding that the shader uses",
       With(whole, [](P& p) { p.bindings = {{0}}; }),
       "INVALID_ARGUMENT: The Vulkan executable's entry point uses binding 1 "
       "of set 0, which its layout does not have. (export 0)"},
      {"a set that the shader uses",
       With(whole,
            [](P& p) {
              p.shaders[0] =
                  "MemoryModel 0 1; EntryPoint 5 1 'main';"
                  "ExecutionMode 1 17 8 2 1; Decorate 4 34 3; Decorate 4 33 1;"
                  "Variable 3 4 12";
            }),
       "INVALID_ARGUMENT: The Vulkan executable's entry point uses binding 1 "
       "of set 3, which its layout does not have. (export 0)"},
      {"push constants that the shader uses",
       With(whole,
            [](P& p) {
              absl::StrAppend(&p.shaders[0],
                              ";TypeInt 10 32 0; TypeVector 11 10 3;"
                              "TypePointer 12 9 11; Variable 12 13 9");
            }),
       "INVALID_ARGUMENT: The Vulkan executable's entry point uses 12 bytes of "
       "push constants; its layout has 8. (export 0)"},
      {"two ranges", With(whole, [](P& p) { p.ranges = {{0, 4}, {4, 4}}; }),
       "UNIMPLEMENTED: The Vulkan executable's layout 0 has 2 ranges of push "
       "constants; kernels have one."},
      {"stages of constants", With(whole, [](P& p) { p.ranges[0].stages = 1; }),
       "INVALID_ARGUMENT: The Vulkan executable's layout 0 has push constants "
       "of 8 bytes at 0 for the stages 1h, without compute (20h)."},
      {"odd constants", With(whole, [](P& p) { p.ranges = {{0, 6}}; }),
       "INVALID_ARGUMENT: The Vulkan executable's layout 0 has push constants "
       "of 6 bytes at 0, which must be multiples of 4."},
      {"constants without end",
       With(whole, [](P& p) { p.ranges = {{4294967292, 4}}; }),
       "INVALID_ARGUMENT: The Vulkan executable's layout 0 has push constants "
       "of 4 bytes at 4294967292, past the limit of 32 bits."},
      {"constants elsewhere", With(whole, [](P& p) { p.ranges = {{8, 4}}; }),
       "UNIMPLEMENTED: The Vulkan executable has constants at byte 8 of the "
       "push constants; expected byte 0. (export 0)"},
      {"no name", With(whole, [](P& p) { p.exports = {"main", ""}; }),
       "INVALID_ARGUMENT: The Vulkan executable does not name the entry point. "
       "(export 1)"},
      {"entry point", With(whole, [](P& p) { p.exports = {"main2"}; }),
       "INVALID_ARGUMENT: The Vulkan executable's shader module 0 has no entry "
       "point 'main2'. (export 0)"},
      {"shader module", With(whole, [](P& p) { p.shader_module = 1; }),
       "INVALID_ARGUMENT: The Vulkan executable names shader module 1; there "
       "are 1. (export 0)"},
      {"layout", With(whole, [](P& p) { p.layout = 1; }),
       "INVALID_ARGUMENT: The Vulkan executable names layout 1; there are 1. "
       "(export 0)"},
      {"subgroups", With(whole, [](P& p) { p.subgroup_size = 24; }),
       "INVALID_ARGUMENT: The Vulkan executable requires subgroups of 24, not "
       "a power of two. (export 0)"},
      {"ABI", With(whole, [](P& p) { p.dispatch_abi = 2; }),
       "UNIMPLEMENTED: The Vulkan executable has dispatch ABI 2; 0 and 1 are "
       "known. (export 0)"},
      {"no shader", With(whole, [](P& p) { p.shaders.push_back(""); }),
       "INVALID_ARGUMENT: The shader has 0 words; SPIR-V has at least 5. "
       "(shader module 1 of the executable)"},
  };
  for (const Case& c : kCases) {
    EXPECT_EQ(ReadText(c.parts.Build()), c.want) << c.what;
  }
}

TEST(ExecutableDef, Addresses) {
  const P whole = P::Addressing();
  const Case kCases[] = {
      {"whole", whole,
       "main 64x1x1 constants 2 pushed 0+40 bindings 2 root 0 constants at 32 "
       "a4:16 a16:0"},
      {"nothing required",
       With(whole, [](P& p) { p.addresses->bindings = {}; }),
       "main 64x1x1 constants 2 pushed 0+40 bindings 2 root 0 constants at 32 "
       "a1:0 a1:0"},
      {"constants first",
       With(whole,
            [](P& p) {
              p.addresses->root_offset = 8;
              p.addresses->constants_offset = 0;
            }),
       "main 64x1x1 constants 2 pushed 0+40 bindings 2 root 8 constants at 0 "
       "a4:16 a16:0"},
      {"no constants",
       With(whole,
            [](P& p) {
              p.ranges = {{0, 32}};
              p.addresses->constant_count = 0;
            }),
       "main 64x1x1 constants 0 pushed 0+32 bindings 2 root 0 constants at 32 "
       "a4:16 a16:0"},
      {"an empty set",
       With(whole,
            [](P& p) {
              p.sets = {0};
              p.bindings = {};
            }),
       "main 64x1x1 constants 2 pushed 0+40 bindings 2 root 0 constants at 32 "
       "a4:16 a16:0"},
      {"descriptors too", With(whole, [](P& p) { p.sets = {0}; }),
       "INVALID_ARGUMENT: The Vulkan executable passes buffers both by address "
       "and by descriptor. (export 0)"},
      {"no layout", With(whole, [](P& p) { p.addresses.reset(); }),
       "INVALID_ARGUMENT: The Vulkan executable passes buffers by address but "
       "has no address layout. (export 0)"},
      {"version", With(whole, [](P& p) { p.addresses->version = 2; }),
       "UNIMPLEMENTED: The Vulkan executable passes buffers by address, "
       "version 2; 1 is known. (export 0)"},
      {"entries", With(whole, [](P& p) { p.addresses->entry_type = 1; }),
       "UNIMPLEMENTED: The Vulkan executable has a table of addresses of type "
       "1; 0 is known. (export 0)"},
      {"root length", With(whole, [](P& p) { p.addresses->root_length = 24; }),
       "INVALID_ARGUMENT: The Vulkan executable's address root has 24 bytes "
       "instead of 32. (export 0)"},
      {"root not aligned",
       With(whole, [](P& p) { p.addresses->root_offset = 2; }),
       "INVALID_ARGUMENT: The Vulkan executable's address root at byte 2 of "
       "the push constants: not a multiple of 4. (export 0)"},
      {"root outside", With(whole, [](P& p) { p.addresses->root_offset = 12; }),
       "INVALID_ARGUMENT: The Vulkan executable's address root (32 bytes at "
       "12) exceed the push constants (40 bytes at 0). (export 0)"},
      {"root before", With(whole, [](P& p) { p.ranges = {{4, 40}}; }),
       "INVALID_ARGUMENT: The Vulkan executable's address root (32 bytes at 0) "
       "exceed the push constants (40 bytes at 4). (export 0)"},
      {"constants outside",
       With(whole, [](P& p) { p.addresses->constant_count = 0xFFFFFFFF; }),
       "INVALID_ARGUMENT: The Vulkan executable's constants (17179869180 bytes "
       "at 32) exceed the push constants (40 bytes at 0). (export 0)"},
      {"overlap", With(whole, [](P& p) { p.addresses->constants_offset = 28; }),
       "INVALID_ARGUMENT: The Vulkan executable's constants at byte 28 of the "
       "push constants overlap the address root. (export 0)"},
      {"bindings",
       With(whole, [](P& p) { p.addresses->binding_count = 0xFFFFFFFF; }),
       "RESOURCE_EXHAUSTED: The Vulkan executable has 4294967295 bindings in "
       "one layout; the limit is 256. (export 0)"},
      {"described", With(whole, [](P& p) { p.addresses->binding_count = 3; }),
       "INVALID_ARGUMENT: The Vulkan executable has 3 bindings, but describes "
       "2. (export 0)"},
      {"alignment",
       With(whole, [](P& p) { p.addresses->bindings[1].alignment = 12; }),
       "INVALID_ARGUMENT: The Vulkan executable's binding 1 has an alignment "
       "of 12 bytes, not a power of two. (export 0)"},
  };
  for (const Case& c : kCases) {
    EXPECT_EQ(ReadText(c.parts.Build()), c.want) << c.what;
  }
}

TEST(ExecutableDef, Headers) {
  const std::vector<uint8_t> whole = WithHeader(P().Build());
  const uint64_t size = whole.size() - 64;
  const struct {
    const char* what;
    size_t offset;
    uint64_t value;
    int bytes;
    std::string want;
  } kCases[] = {
      {"identifier", 0, 'X', 1,
       absl::StrCat("INVALID_ARGUMENT: The Vulkan executable of ", size + 64,
                    " bytes has the identifier VKE1 neither at its start nor "
                    "at byte 4.")},
      {"version", 4, 1, 4,
       "UNIMPLEMENTED: The Vulkan executable's header is of version 1; 0 is "
       "known."},
      {"size 0", 8, 0, 8,
       absl::StrCat("INVALID_ARGUMENT: The Vulkan executable's header declares "
                    "0 bytes; ",
                    size, " follow.")},
      {"size", 8, size + 1, 8,
       absl::StrCat(
           "INVALID_ARGUMENT: The Vulkan executable's header declares ",
           size + 1, " bytes; ", size, " follow.")},
      {"huge", 8, ~0ull, 8,
       absl::StrCat("INVALID_ARGUMENT: The Vulkan executable's header declares "
                    "18446744073709551615 bytes; ",
                    size, " follow.")},
      {"smaller", 8, 16, 8,
       "INVALID_ARGUMENT: The Vulkan executable's FlatBuffer is damaged: an "
       "offset or a size in it points outside of it."},
      {"inner identifier", 68, 'X', 1,
       "INVALID_ARGUMENT: The Vulkan executable's FlatBuffer is damaged: an "
       "offset or a size in it points outside of it."},
      {"reserved", 16, ~0ull, 8,
       "main 8x2x1 constants 2 pushed 0+8 bindings 2 s0 s1"},
  };
  for (const auto& c : kCases) {
    std::vector<uint8_t> bytes = whole;
    std::memcpy(bytes.data() + c.offset, &c.value, c.bytes);
    EXPECT_EQ(ReadText(bytes), c.want) << c.what;
  }
  EXPECT_EQ(ReadText(std::span(whole).first(40)),
            "INVALID_ARGUMENT: The Vulkan executable ends 40 bytes into its "
            "header of 64.");
  EXPECT_EQ(ReadText({}),
            "INVALID_ARGUMENT: The Vulkan executable of 0 bytes has the "
            "identifier VKE1 neither at its start nor at byte 4.");
}

// An export can be small in the file but large in memory.
TEST(ExecutableDef, SharedParts) {
  P parts;
  parts.shaders.clear();
  parts.exports.assign(65537, "");
  EXPECT_EQ(ReadText(parts.Build()),
            "RESOURCE_EXHAUSTED: The Vulkan executable has 65537 exports; the "
            "limit is 65536.");
  flatbuffers::FlatBufferBuilder to;
  const auto code = to.CreateVector(AssembleSpirv(P().shaders[0]));
  std::vector<flatbuffers::Offset<fbs::ShaderModule>> modules;
  for (int i = 0; i < 100; ++i) {
    modules.push_back(fbs::CreateShaderModule(to, code));
  }
  fbs::FinishExecutableBuffer(
      to, fbs::CreateExecutableDirect(to, nullptr, nullptr, nullptr, &modules));
  EXPECT_EQ(ReadText({to.GetBufferPointer(), to.GetSize()}),
            "RESOURCE_EXHAUSTED: The Vulkan executable has 1452 bytes of "
            "shaders; the limit is 1384.");
}

// Reads a misaligned copy of the bytes with nothing after them, so that a read
// past the end is detected.
std::string ReadAt(size_t misalignment, std::span<const uint8_t> bytes) {
  auto room = std::make_unique<uint8_t[]>(misalignment + bytes.size());
  if (!bytes.empty()) {
    std::memcpy(room.get() + misalignment, bytes.data(), bytes.size());
  }
  return ReadText({room.get() + misalignment, bytes.size()});
}

TEST(ExecutableDef, NeedsNoAlignment) {
  for (const char* name : {"add_3_3", "add_3_13", "scale_addresses"}) {
    const std::vector<uint8_t> bytes = TestFile(name);
    const std::string want = ReadText(bytes);
    for (size_t i = 1; i <= 16; ++i) EXPECT_EQ(ReadAt(i, bytes), want) << name;
  }
}

TEST(ExecutableDef, DamageIsRefusedOrHarmless) {
  int refused = 0;
  int harmless = 0;
  for (const char* name : {"add_3_3", "add_3_13", "scale_addresses"}) {
    const std::vector<uint8_t> whole = TestFile(name);
    for (size_t i = 0; i < whole.size(); ++i) {
      for (const uint8_t mask : {0xFF, 0x01, 0x80}) {
        std::vector<uint8_t> bytes = whole;
        bytes[i] ^= mask;
        ++(ReadExecutable(bytes).ok() ? harmless : refused);
      }
    }
    // The padding after the FlatBuffer's last word may be missing.
    for (size_t size = 0; size + 16 < whole.size(); ++size) {
      EXPECT_FALSE(ReadAt(0, std::span(whole).first(size)).empty())
          << name << " cut to " << size;
    }
  }
  EXPECT_GT(refused, 1000);
  EXPECT_GT(harmless, 1000);
}

}  // namespace
}  // namespace eyrie::hal::vulkan
