// Tests validation by SPIRV-Tools, with a library built from Debian's archive.
#include "hal/vulkan/spirv_validate.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "hal/vulkan/executable_def.h"
#include "hal/vulkan/spirv_text.h"
#include "hal/vulkan/spirv_tools_abi.h"
#include "spirv-tools/libspirv.h"
#include "tests/support/files.h"
#include "tests/support/status_text.h"

namespace eyrie::hal::vulkan {
namespace {

static_assert(spirv_tools::kEnvVulkan13 == SPV_ENV_VULKAN_1_3);
static_assert(spirv_tools::kSuccess == SPV_SUCCESS);
static_assert(spirv_tools::kInvalidBinary == SPV_ERROR_INVALID_BINARY);
static_assert(sizeof(spirv_tools::Binary) == sizeof(spv_const_binary_t));
static_assert(offsetof(spirv_tools::Binary, count) ==
              offsetof(spv_const_binary_t, wordCount));
static_assert(sizeof(spirv_tools::Diagnostic) == sizeof(spv_diagnostic_t));
static_assert(offsetof(spirv_tools::Diagnostic, error) ==
              offsetof(spv_diagnostic_t, error));

constexpr char kLibrary[] = "plugins/spirv_tools/libSPIRV-Tools-shared.so";

// An entry point with an empty body, ids 1 to 4; `more` follows its mode.
std::vector<uint32_t> Shader(const std::string& more) {
  return AssembleSpirv(
      absl::StrCat("Capability 1; MemoryModel 0 1; EntryPoint 5 1 'main';"
                   "ExecutionMode 1 17 8 1 1;",
                   more,
                   ";TypeVoid 2; TypeFunction 3 2; Function 2 1 0 3; Label 4;"
                   "Return; FunctionEnd"));
}

TEST(SpirvValidate, Words) {
  absl::StatusOr<SpirvValidator> validator = SpirvValidator::Load(kLibrary);
  ASSERT_EQ(StatusText(validator), "OK");
  const struct {
    const char* more;
    const char* want;
  } kCases[] = {
      {"", "OK"},
      {"Decorate 1 4469",
       "INVALID_ARGUMENT: The shader is not valid: 2nd operand of Decorate: "
       "operand NoSignedWrap(4469) requires one of these extensions: "
       "SPV_KHR_no_integer_wrap_decoration."},
      {"TypeInt 9 32 2",
       "INVALID_ARGUMENT: The shader is not valid: OpTypeInt has invalid "
       "signedness: %int = OpTypeInt 32 2."},
      {"TypePointer 9 7 8",
       "INVALID_ARGUMENT: The shader is not valid: Operand '8[%8]' requires a "
       "previous definition."},
      {"Decorate 9 24",
       "INVALID_ARGUMENT: The shader is not valid: The following forward "
       "referenced IDs have not been defined: '9[%9]'."},
  };
  for (const auto& c : kCases) {
    EXPECT_EQ(StatusText(validator->Validate(Shader(c.more))), c.want);
  }
  EXPECT_EQ(StatusText(validator->Validate({})),
            "INVALID_ARGUMENT: The shader is not valid: Invalid SPIR-V magic "
            "number.");
}

// Kernels as compiled, and after ReadSpirv.
TEST(SpirvValidate, CompiledKernels) {
  absl::StatusOr<SpirvValidator> validator = SpirvValidator::Load(kLibrary);
  ASSERT_EQ(StatusText(validator), "OK");
  const struct {
    const char* file;
    uint32_t version;  // from the compiler's header
    bool valid;        // with that version
  } kCases[] = {
      {"add_3_3", 0x00010000, true},
      {"add_3_11", 0x00010000, false},
      {"add_3_13", 0x00010000, false},
      {"scale_3_13", 0x00010000, false},
      {"scale_addresses", 0x00010000, false},
      {"sum_turing", 0x00010300, false},
      // It declares capability 6022, which is newer than SPIRV-Tools 2023.1.
      {"matmul_rdna3", 0x00010600, true},
  };
  for (const auto& c : kCases) {
    absl::StatusOr<ExecutableDef> def = ReadExecutable(
        FileBytes(absl::StrCat("hal/vulkan/testdata/", c.file, ".vk")));
    ASSERT_EQ(StatusText(def), "OK");
    std::vector<uint32_t> words = def->shader_modules[0].words;
    EXPECT_EQ(StatusText(validator->Validate(words)), "OK") << c.file;
    words[1] = c.version;
    EXPECT_EQ(validator->Validate(words).ok(), c.valid) << c.file;
  }
}

TEST(SpirvValidate, ThreadsShareIt) {
  absl::StatusOr<SpirvValidator> validator = SpirvValidator::Load(kLibrary);
  ASSERT_EQ(StatusText(validator), "OK");
  const std::vector<uint32_t> good = Shader("");
  const std::vector<uint32_t> bad = Shader("Decorate 1 4469");
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&, copy = *validator] {
      for (int j = 0; j < 10; ++j) {
        EXPECT_TRUE(copy.Validate(good).ok());
        EXPECT_FALSE(copy.Validate(bad).ok());
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

TEST(SpirvValidate, OtherLibraries) {
  const std::string missing = StatusText(SpirvValidator::Load("./none.so"));
  EXPECT_TRUE(
      absl::StartsWith(missing,
                       "FAILED_PRECONDITION: Shaders cannot be validated: "
                       "cannot load SPIRV-Tools from './none.so': ./none.so: "))
      << missing;
  EXPECT_TRUE(absl::EndsWith(
      missing,
      ". Build //plugins/spirv_tools:libSPIRV-Tools-shared.so, which makes it "
      "from Debian's package spirv-tools."))
      << missing;
  EXPECT_EQ(StatusText(SpirvValidator::Load("libm.so.6")),
            "FAILED_PRECONDITION: The library 'libm.so.6' is not SPIRV-Tools: "
            "it lacks spvContextCreate.");
}

}  // namespace
}  // namespace eyrie::hal::vulkan
