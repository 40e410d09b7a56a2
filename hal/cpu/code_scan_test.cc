// Tests decoding instructions, their CPU features, and searching code for
// features.
//
// The decoder was compared with Zydis 4.0 over 6.9 million encodings: all of
// VEX, EVEX and XOP, and all opcodes with each legacy prefix.
#include "hal/cpu/code_scan.h"

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "base/hex.h"
#include "base/status_macros.h"
#include "gtest/gtest.h"
#include "hal/cpu/machine/cpu_features.h"
#include "tests/support/failing_allocations.h"

namespace eyrie::hal::cpu {
namespace {

// Parses bytes, for example "62 f1 7c".
std::vector<uint8_t> Bytes(absl::string_view hex) {
  const std::string digits = absl::StrReplaceAll(hex, {{" ", ""}});
  const std::string bytes = BytesOfHex(digits).value();
  return std::vector<uint8_t>(bytes.begin(), bytes.end());
}

constexpr uint64_t kStart = 0x1000;

std::string Needs(absl::string_view hex) {
  const std::vector<uint8_t> code = Bytes(hex);
  return CodeScan(kX86_64, {{code, kStart}}).all().ToString();
}

TEST(CodeScan, FeaturesOfInstructions) {
  const struct {
    const char* code;
    const char* want;
  } kCases[] = {
      {"", "none"},
      {"c3", "none"},
      {"48 89 e5", "none"},             // mov rbp, rsp
      {"0f 58 02", "none"},             // addps
      {"f2 0f 7c c1", "sse3"},          // haddps
      {"66 0f 38 00 c1", "ssse3"},      // pshufb
      {"66 0f 3a 0b c1 04", "sse4.1"},  // roundsd
      {"f2 0f 38 f1 c1", "sse4.2"},     // crc32
      {"f3 48 0f b8 c1", "popcnt"},
      {"f3 0f bd c1", "lzcnt"},
      {"f3 0f bc c1", "none"},  // rep bsf runs everywhere
      {"0f 38 f0 00", "movbe"},
      {"66 0f 38 dc c1", "aes"},
      {"66 0f 3a 44 c1 00", "pclmul"},
      {"c5 f8 58 c1", "avx"},            // vaddps xmm
      {"c5 f8 77", "avx"},               // vzeroupper
      {"c5 f9 fe c1", "avx"},            // vpaddd xmm
      {"c5 fd fe c1", "avx2"},           // vpaddd ymm
      {"c4 e2 7d 18 00", "avx"},         // vbroadcastss from memory
      {"c4 e2 7d 18 c0", "avx2"},        // and from a register
      {"c4 e3 fd 00 c1 4e", "avx2"},     // vpermq
      {"c4 e2 75 b8 c2", "fma"},         // vfmadd231ps
      {"c4 e2 79 13 c0", "f16c"},        // vcvtph2ps
      {"c4 e2 78 f2 c1", "bmi"},         // andn
      {"c4 e2 79 f7 c1", "bmi2"},        // shlx
      {"c4 e2 71 50 c2", "avxvnni"},     // vpdpbusd
      {"c5 f8 92 c8", "avx512f"},        // kmovw
      {"c5 fb 92 c8", "avx512bw"},       // kmovd
      {"c5 f9 92 c8", "avx512dq"},       // kmovb
      {"c4 e2 7b 49 c0", "amx-tile"},    // tilezero
      {"c4 e2 73 5e c2", "amx-int8"},    // tdpbssd
      {"62 f1 7c 48 58 02", "avx512f"},  // vaddps zmm
      {"62 f1 7c 28 58 02", "avx512f, avx512vl"},
      {"62 f1 7e 08 58 c1", "avx512f"},               // vaddss has no length
      {"62 f1 7c 18 58 c1", "avx512f"},               // vaddps zmm, rounding
      {"62 f1 7c 48 54 c1", "avx512f, avx512dq"},     // vandps
      {"62 f1 75 48 fd c2", "avx512f, avx512bw"},     // vpaddw
      {"62 f1 7d 48 73 d8 01", "avx512f, avx512bw"},  // vpsrldq
      {"62 f1 fd 48 73 d0 01", "avx512f"},            // vpsrlq
      {"62 f2 75 48 50 c2", "avx512f, avx512vnni"},
      {"62 f2 75 48 8d c2", "avx512f, avx512vbmi"},  // vpermb
      {"62 f2 76 48 52 c2", "avx512f, avx512bf16"},  // vdpbf16ps
      {"62 f5 7c 48 58 c1", "avx512f, avx512fp16"},  // vaddph
      {"d5 10 01 c0", "egpr"},                       // add with REX2
      {"8f e8 78 c0 c1 05", "xop"},                  // vprotb
      // Two instructions.
      {"c5 f8 77 62 f1 7c 48 58 02", "avx, avx512f"},
      // Operands with bytes that look like prefixes.
      {"48 b8 62 f1 7c 48 58 02 62 62", "none"},  // mov rax, imm64
      {"81 c0 c5 f8 77 62", "none"},              // add eax, imm32
      {"48 8b 84 24 c5 f8 77 00", "none"},        // mov rax, [rsp + disp32]
      {"f7 05 c5 f8 77 00 62 f1 7c 48", "none"},  // test [rip], imm32
      // Truncated, so not an instruction.
      {"62 f1 7c 48 58", "none"},
      {"c5 f8", "none"},
  };
  for (const auto& c : kCases) {
    EXPECT_EQ(Needs(c.code), c.want) << c.code;
  }
}

// Returns the code of four functions of 16 bytes each: the root, then three
// others that need features.
std::vector<uint8_t> Program(absl::string_view root) {
  std::vector<uint8_t> code = Bytes(root);
  code.resize(16, 0xCC);
  for (const char* body : {"c5 f8 58 c1 c3",        // avx
                           "62 f1 7c 48 58 02 c3",  // avx512f
                           "f3 48 0f b8 c1 c3"}) {  // popcnt
    std::vector<uint8_t> bytes = Bytes(body);
    bytes.resize(16, 0xCC);
    code.insert(code.end(), bytes.begin(), bytes.end());
  }
  return code;
}

TEST(CodeScan, Reachable) {
  const struct {
    const char* root;
    const char* want;
  } kCases[] = {
      {"c3", "none"},
      // Direct calls and jumps.
      {"e8 0b 00 00 00 c3", "avx"},
      {"e8 1b 00 00 00 c3", "avx512f"},
      {"e8 0b 00 00 00 e8 26 00 00 00 c3", "popcnt, avx"},
      {"e9 1b 00 00 00", "avx512f"},
      {"eb 1e", "avx512f"},
      {"74 0e c3", "avx"},                  // je
      {"0f 84 1a 00 00 00 c3", "avx512f"},  // je
      // Taking a function's address does not run the function.
      {"48 8d 05 19 00 00 00 ff d0 c3", "none"},
      // Falls through into the next function.
      {"90 90 90 90 90 90 90 90 90 90 90 90 90 90 01 c0",
       "popcnt, avx, "
       "avx512f"},
      // A trap, or a call that does not return, ends the function.
      {"0f 0b", "none"},
      {"ff d0", "none"},
      // Targets outside the code.
      {"e8 00 10 00 00 c3", "none"},
      {"e9 00 00 00 80", "none"},
  };
  for (const auto& c : kCases) {
    const std::vector<uint8_t> code = Program(c.root);
    const CodeScan scan(kX86_64, {{code, kStart}});
    // The other functions are given as starts, except if the root falls
    // through.
    const bool known = absl::string_view(c.root).substr(0, 2) != "90";
    const uint64_t starts[] = {kStart + 16, kStart + 32, kStart + 48};
    const uint64_t roots[] = {kStart};
    EXPECT_EQ(scan.Reachable(roots, {starts, known ? 3u : 0u})->ToString(),
              c.want)
        << c.root;
  }
}

TEST(CodeScan, WhereFunctionsBeginAndEnd) {
  const std::vector<uint8_t> code =
      Bytes("48 89 e5 c3 cc cc 90 01 c0 e8 00 00 00 00 89 c0");
  CodeScan scan(kX86_64, {{code, kStart}});
  std::string begins, ends;
  for (uint64_t offset = 0; offset <= code.size(); ++offset) {
    begins += *scan.MayBegin(kStart + offset) ? "^" : ".";
    ends += scan.MayEnd(kStart, kStart + offset) ? "$" : ".";
  }
  EXPECT_EQ(begins, "^.....^^......^..");
  EXPECT_EQ(ends, "....$.........$..");
}

TEST(CpuFeatures, AsCodeSeesThem) {
  const struct {
    Feature feature;
    const char* name;
    uint64_t word;
  } kCases[] = {
      {Feature::kSse3, "sse3", 1},
      {Feature::kSse42, "sse4.2", 8},
      {Feature::kAvx2, "avx2", 1ull << 15},
      {Feature::kAvx512Fp16, "avx512fp16", 1ull << 32},
      {Feature::kAmxBf16, "amx-bf16", 1ull << 52},
      {Feature::kGfni, "gfni", 0},
      {Feature::kArmLse, "lse", 2},
      {Feature::kArmDotProd, "dotprod", 1 << 12},
      {Feature::kArmSme2, "sme2", 1ull << 31},
      {Feature::kArmRdm, "rdm", 0},
  };
  for (const auto& c : kCases) {
    FeatureSet set;
    set.Add(c.feature);
    EXPECT_EQ(set.ToString(), c.name);
    EXPECT_EQ(EncodeFeatures(set), c.word) << c.name;
  }
  EXPECT_EQ(EncodeFeatures(kX86_64.features), 0x001C'0001'FFF0'FC1Full);
  EXPECT_EQ(EncodeFeatures(kAArch64.features), 0x0000'000F'C3F0'7C07ull);
}

// Returns functions of 16 bytes, each of which calls the next one.
std::vector<uint8_t> ManyFunctions() {
  constexpr int kFunctions = 1 << 15;
  std::vector<uint8_t> code;
  for (int i = 0; i < kFunctions; ++i) {
    std::vector<uint8_t> one = Bytes("e8 0b 00 00 00 c3");
    one.resize(16, 0xCC);
    code.insert(code.end(), one.begin(), one.end());
  }
  return code;
}

TEST(CodeScan, NoMemory) {
  const std::vector<uint8_t> code = ManyFunctions();
  const uint64_t roots[] = {kStart};
  const auto scan = [&]() -> absl::Status {
    CodeScan made(kX86_64, {{code, kStart}});
    RETURN_IF_ERROR(made.MayBegin(kStart + 1).status());
    return made.Reachable(roots, {}).status();
  };
  tests::FailEach({{"32768 functions", scan, 8}});
}

}  // namespace
}  // namespace eyrie::hal::cpu
