// Tests reading shaders: facts, corrections and errors.
#include "hal/vulkan/spirv.h"

#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "gtest/gtest.h"
#include "hal/vulkan/spirv_text.h"
#include "tests/support/status_text.h"

namespace eyrie::hal::vulkan {
namespace {

// A shader with one kernel of 8x2x1 invocations; function 1.
constexpr char kSmallKernel[] =
    "Capability 1; MemoryModel 0 1; EntryPoint 5 1 'main';"
    "ExecutionMode 1 17 8 2 1;";

// Returns all facts about a shader: "1.3 caps 1 main 8x2x1".
std::string Describe(const SpirvModule& module) {
  std::string text = absl::StrCat(SpirvVersionName(module.version), " caps ",
                                  absl::StrJoin(module.capabilities, ","));
  for (const std::string& name : module.extensions) {
    absl::StrAppend(&text, " ", name);
  }
  for (const SpirvEntryPoint& entry : module.entry_points) {
    absl::StrAppend(&text, " ", entry.name, " ",
                    absl::StrJoin(entry.workgroup_size, "x"));
    if (entry.shared_memory != 0) {
      absl::StrAppend(&text, " shared ", entry.shared_memory);
    }
    if (entry.push_constants != 0) {
      absl::StrAppend(&text, " pushed ", entry.push_constants);
    }
    for (const SpirvResource& resource : entry.resources) {
      absl::StrAppend(&text, " @", resource.set, ".", resource.binding);
    }
  }
  if (!module.spec_ids.empty()) {
    absl::StrAppend(&text, " spec ", absl::StrJoin(module.spec_ids, ","));
  }
  if (module.has_local_size_id) absl::StrAppend(&text, " by id");
  if (module.uses_subgroups) absl::StrAppend(&text, " subgroups");
  return text;
}

std::string ReadWords(std::vector<uint32_t> words) {
  absl::StatusOr<SpirvModule> module = ReadSpirv(words);
  return module.ok() ? Describe(*module) : StatusText(module);
}

struct SpirvCase {
  const char* what;
  std::string text;
  const char* want;
  uint32_t version = 0x00010300;
};

TEST(Spirv, Facts) {
  const std::string kernel = kSmallKernel;
  const SpirvCase kCases[] = {
      {"a kernel", kernel, "1.3 caps 1 main 8x2x1"},
      {"capabilities twice", kernel + "Capability 9; Capability 1",
       "1.3 caps 1,9 main 8x2x1"},
      {"subgroups", kernel + "Capability 65",
       "1.3 caps 1,65 main 8x2x1 subgroups"},
      {"other stages", kernel + "EntryPoint 4 2 'fragment'",
       "1.3 caps 1 main 8x2x1"},
      {"no kernels", "MemoryModel 5348 3", "1.3 caps "},
      {"two kernels",
       kernel + "EntryPoint 5 2 'also'; ExecutionMode 2 17 1 1 64",
       "1.3 caps 1 also 1x1x64 main 8x2x1"},
      {"one function, two names", kernel + "EntryPoint 5 1 'also'",
       "1.3 caps 1 also 8x2x1 main 8x2x1"},
      {"size by ids",
       "MemoryModel 0 1; EntryPoint 5 1 'main'; ExecutionModeId 1 38 2 3 2;"
       "TypeInt 9 32 0; Constant 9 2 16; SpecConstant 9 3 4;"
       "Decorate 3 1 7",
       "1.3 caps  main 16x4x16 spec 7 by id"},
      {"size by a constant, before the mode's",
       kernel +
           "TypeInt 9 32 0; Constant 9 2 4; SpecConstant 9 3 2;"
           "TypeVector 8 9 3; ConstantComposite 8 4 2 3 2; Decorate 4 11 25",
       "1.3 caps 1 main 4x2x4"},
      {"other modes and builtins",
       kernel + "ExecutionMode 1 18 1 1 1; Decorate 9 11 26; Decorate 9 2",
       "1.3 caps 1 main 8x2x1"},
      {"extensions", kernel + "Extension 'SPV_KHR_16bit_storage'",
       "1.3 caps 1 SPV_KHR_16bit_storage main 8x2x1"},
  };
  for (const SpirvCase& c : kCases) {
    EXPECT_EQ(ReadWords(AssembleSpirv(c.text, c.version)), c.want) << c.what;
  }
}

// Shared variables (class 4), inputs (1), storage buffers (12).
TEST(Spirv, Variables) {
  const std::string types =
      "TypeInt 10 32 0; TypeFloat 11 16; TypeBool 12; TypeVector 13 11 3;"
      "Constant 10 14 100; TypeArray 15 13 14; TypeStruct 16 15 12 10;"
      "TypePointer 20 4 16; TypePointer 21 4 12; TypePointer 22 12 16;"
      "Decorate 32 34 0; Decorate 32 33 2; Decorate 33 34 1; Decorate 33 33 0;"
      "Variable 20 30 4; Variable 21 31 4; Variable 22 32 12;"
      "Variable 22 33 12; Variable 22 34 12; Variable 22 35 7;";
  const std::string head = "MemoryModel 0 1; ExecutionMode 1 17 8 1 1;";
  const SpirvCase kCases[] = {
      {"all, of one kernel before 1.4", head + "EntryPoint 5 1 'main';" + types,
       "1.3 caps  main 8x1x1 shared 612 @0.2 @1.0"},
      {"unknown, of two kernels before 1.4",
       head + "EntryPoint 5 1 'main'; EntryPoint 5 1 'b';" + types,
       "1.3 caps  b 8x1x1 main 8x1x1"},
      {"those listed, from 1.4 on",
       head + "EntryPoint 5 1 'main' 31 32; EntryPoint 5 1 'b' 30 33;" + types,
       "1.4 caps  b 8x1x1 shared 608 @1.0 main 8x1x1 shared 4 @0.2",
       0x00010400},
      {"none listed", head + "EntryPoint 5 1 'main';" + types,
       "1.6 caps  main 8x1x1", 0x00010600},
      {"overlapping blocks",
       head + "Capability 4428; EntryPoint 5 1 'main';" + types,
       "1.3 caps 4428 main 8x1x1 shared 608 @0.2 @1.0"},
      {"more bytes than 64 bits count",
       head +
           "EntryPoint 5 1 'main'; TypeInt 10 32 0; Constant 10 11 4294967295;"
           "TypeArray 12 10 11; TypeArray 13 12 11; TypeArray 14 13 11;"
           "TypeStruct 15 14 14; TypePointer 16 4 15; Variable 16 17 4;"
           "Variable 16 18 4",
       "1.3 caps  main 8x1x1 shared 18446744073709551615"},
      {"an array of 2^33, of matrices",
       head + "EntryPoint 5 1 'main'; TypeInt 10 64 0; Constant 10 11 0 2;"
              "TypeFloat 12 64; TypeVector 13 12 2; TypeMatrix 14 13 2;"
              "TypeArray 15 14 11; TypePointer 16 4 15; Variable 16 17 4",
       "1.3 caps  main 8x1x1 shared 274877906944"},
      {"push constants",
       head + "EntryPoint 5 1 'main'; TypeInt 10 32 0; TypeVector 11 10 3;"
              "TypeStruct 12 11 10; TypePointer 13 9 12; Variable 13 14 9",
       "1.3 caps  main 8x1x1 pushed 16"},
      {"a pointer, types that do not exist",
       head +
           "EntryPoint 5 1 'main'; TypePointer 10 5349 11; TypePointer 12 4 10;"
           "Variable 12 13 4; Variable 99 14 4; TypeStruct 15 15 16;"
           "TypePointer 17 4 15; Variable 17 18 4",
       "1.3 caps  main 8x1x1 shared 8"},
  };
  for (const SpirvCase& c : kCases) {
    EXPECT_EQ(ReadWords(AssembleSpirv(c.text, c.version)), c.want) << c.what;
  }
}

TEST(Spirv, Mending) {
  const std::string kernel = kSmallKernel;
  const std::string wrap = "Decorate 9 4469;";
  const std::string kernel_of =
      "MemoryModel 0 1; ExecutionMode 1 17 8 2 1;"
      "Variable 50 2 1; Variable 50 3 3; Variable 50 4 12;"
      "EntryPoint 5 1 'main'";
  const SpirvCase kCases[] = {
      {"no wrap", kernel + wrap, "1.4 caps 1 main 8x2x1", 0x00010000},
      {"no unsigned wrap", kernel + "Decorate 9 4470", "1.4 caps 1 main 8x2x1"},
      {"no wrap, newer", kernel + wrap, "1.5 caps 1 main 8x2x1", 0x00010500},
      {"no wrap, by its extension",
       kernel + wrap + "Extension 'SPV_KHR_no_integer_wrap_decoration'",
       "1.0 caps 1 SPV_KHR_no_integer_wrap_decoration main 8x2x1", 0x00010000},
      {"inputs and outputs", kernel_of + " 2 3", "1.0 caps  main 8x2x1",
       0x00010000},
      {"buffers too", kernel_of + " 2 3 4", "1.4 caps  main 8x2x1", 0x00010000},
      {"addresses", kernel + "Extension 'SPV_EXT_physical_storage_buffer'",
       "1.3 caps 1 SPV_KHR_physical_storage_buffer main 8x2x1"},
  };
  for (const SpirvCase& c : kCases) {
    std::vector<uint32_t> words = AssembleSpirv(c.text, c.version);
    const size_t size = words.size();
    EXPECT_EQ(ReadWords(words), c.want) << c.what;
    ASSERT_EQ(StatusText(ReadSpirv(words)), "OK");
    EXPECT_EQ(words.size(), size);
    // A second read changes nothing.
    const std::vector<uint32_t> once = words;
    EXPECT_EQ(ReadWords(words), c.want) << c.what;
    ASSERT_EQ(StatusText(ReadSpirv(words)), "OK");
    EXPECT_EQ(words, once) << c.what;
  }
}

TEST(Spirv, DamagedHeaders) {
  const struct {
    const char* what;
    size_t word;
    uint32_t value;
    const char* want;
  } kCases[] = {
      {"other byte order", 0, 0x03022307,
       "INVALID_ARGUMENT: The shader is SPIR-V in the other byte order; Vulkan "
       "takes the machine's own."},
      {"no SPIR-V", 0, 0x464C457F,
       "INVALID_ARGUMENT: The shader begins with 464c457fh instead of "
       "07230203h: it is not SPIR-V."},
      {"version 1.7", 1, 0x00010700,
       "UNIMPLEMENTED: The shader uses SPIR-V 1.7; the newest known is 1.6."},
      {"version 2.0", 1, 0x00020000,
       "UNIMPLEMENTED: The shader uses SPIR-V 2.0; the newest known is 1.6."},
      {"version 0.99", 1, 0x00006300,
       "INVALID_ARGUMENT: The shader's version word (6300h) is not a SPIR-V "
       "version."},
      {"version with more bits", 1, 0x00010301,
       "INVALID_ARGUMENT: The shader's version word (10301h) is not a SPIR-V "
       "version."},
      {"no ids", 3, 0,
       "INVALID_ARGUMENT: The shader's ids are below 0; the bound is 1 to "
       "4194303."},
      {"ids", 3, 4194304,
       "INVALID_ARGUMENT: The shader's ids are below 4194304; the bound is 1 "
       "to 4194303."},
      {"no words", 5, 17,
       "INVALID_ARGUMENT: The shader's instruction at word 5 has 0 words; 16 "
       "are left."},
      {"too many words", 5, 17 << 16 | 17,
       "INVALID_ARGUMENT: The shader's instruction at word 5 has 17 words; 16 "
       "are left."},
  };
  for (const auto& c : kCases) {
    std::vector<uint32_t> words = AssembleSpirv(kSmallKernel);
    words[c.word] = c.value;
    EXPECT_EQ(ReadWords(words), c.want) << c.what;
  }
  EXPECT_EQ(ReadWords({0x07230203, 0x00010000, 0, 1}),
            "INVALID_ARGUMENT: The shader has 4 words; SPIR-V has at least 5.");
  EXPECT_EQ(ReadWords({}),
            "INVALID_ARGUMENT: The shader has 0 words; SPIR-V has at least 5.");
}

TEST(Spirv, DamagedInstructions) {
  const std::string kernel = kSmallKernel;
  const std::string entry = "MemoryModel 0 1; EntryPoint 5 1 'main';";
  const SpirvCase kCases[] = {
      {"short", "TypeInt 1 32",
       "INVALID_ARGUMENT: The shader's OpTypeInt at word 5 has 3 words; the "
       "least is 4."},
      {"text without an end", "Extension 1819043176",
       "INVALID_ARGUMENT: The shader's OpExtension at word 5 has an "
       "unterminated string."},
      {"no memory model", "Nop",
       "INVALID_ARGUMENT: The shader has no memory "
       "model."},
      {"two memory models", kernel + "MemoryModel 0 1",
       "INVALID_ARGUMENT: The shader has two memory models."},
      {"OpenCL's addressing", "MemoryModel 2 2",
       "UNIMPLEMENTED: The shader's addressing model is 2; Vulkan has 0 and "
       "5348."},
      {"OpenCL's memory model", "MemoryModel 0 2",
       "UNIMPLEMENTED: The shader's memory model is 2; Vulkan has 1 and 3."},
      {"two sizes", kernel + "ExecutionMode 1 17 8 2 1",
       "INVALID_ARGUMENT: The shader's OpExecutionMode at word 21 gives a "
       "function a second workgroup size."},
      {"short size", kernel + "ExecutionMode 2 17 8 2",
       "INVALID_ARGUMENT: The shader's OpExecutionMode at word 21 has 5 words; "
       "the least is 6."},
      {"short decoration", kernel + "Decorate 2 34",
       "INVALID_ARGUMENT: The shader's OpDecorate at word 21 has 3 words; the "
       "least is 4."},
      {"no size", entry,
       "INVALID_ARGUMENT: The shader's entry point 'main' has no workgroup "
       "size."},
      {"size 0", entry + "ExecutionMode 1 17 8 0 1",
       "INVALID_ARGUMENT: The shader's entry point 'main' has 0 invocations in "
       "dimension 1 of a workgroup."},
      {"size of 33 bits",
       entry + "ExecutionModeId 1 38 2 2 2; Constant 9 2 0 1",
       "INVALID_ARGUMENT: The shader's entry point 'main' has 4294967296 "
       "invocations in dimension 0 of a workgroup."},
      {"size by no constant", entry + "ExecutionModeId 1 38 2 2 2",
       "INVALID_ARGUMENT: The shader's entry point 'main' has a workgroup size "
       "of id 2, which is not a constant."},
      {"size by a vector of 2",
       entry + "Constant 9 2 4; ConstantComposite 8 4 2 2; Decorate 4 11 25",
       "INVALID_ARGUMENT: The shader's entry point 'main' has no workgroup "
       "size."},
      {"a name twice", kernel + "EntryPoint 5 1 'main'",
       "INVALID_ARGUMENT: The shader has two entry points 'main'."},
      {"interface of no variables",
       "MemoryModel 0 1; EntryPoint 5 1 'main' 2; ExecutionMode 1 17 8 2 1",
       "INVALID_ARGUMENT: The shader's entry point 'main' has the interface id "
       "2, which is not a variable."},
  };
  for (const SpirvCase& c : kCases) {
    std::vector<uint32_t> words = AssembleSpirv(c.text, c.version);
    const std::vector<uint32_t> before = words;
    EXPECT_EQ(StatusText(ReadSpirv(words)), c.want) << c.what;
    EXPECT_EQ(words, before) << c.what;
  }
}

}  // namespace
}  // namespace eyrie::hal::vulkan
