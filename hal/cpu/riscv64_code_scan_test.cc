// Tests decoding instructions of RISC-V, their features, and searching code for
// features.
//
// The features agree with LLVM 19's disassembler over 28,864 random words that
// it knows. Lengths and targets agree with it over the 302,303 instructions of
// a libstdc++.
#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "hal/cpu/code_scan.h"
#include "hal/cpu/machine/instruction_set.h"

namespace eyrie::hal::cpu {
namespace {

constexpr uint64_t kRiscvAddress = 0x10000;
constexpr uint32_t kRiscvRet = 0x8082;
constexpr uint32_t kRiscvAdd = 0x952E;  // c.add a0, a1
constexpr uint32_t kRiscvUnimp = 0;

// Returns the bytes of instructions, which have two or four.
std::vector<uint8_t> RiscvBytes(const std::vector<uint32_t>& words) {
  std::vector<uint8_t> bytes;
  for (const uint32_t word : words) {
    const int size = (word & 3) == 3 ? 4 : 2;
    for (int i = 0; i < size; ++i) {
      bytes.push_back(static_cast<uint8_t>(word >> 8 * i));
    }
  }
  return bytes;
}

TEST(RiscvCodeScan, FeaturesOfInstructions) {
  const struct {
    uint32_t word;
    const char* want;
  } kCases[] = {
      {kRiscvRet, "none"},      {kRiscvAdd, "none"},
      {0x00B57553, "none"},      // fadd.s fa0, fa0, fa1
      {0x62B57543, "none"},      // fmadd.d fa0, fa0, fa1, fa2
      {0x00B6252F, "none"},      // amoadd.w a0, a1, (a2)
      {0x20C5A533, "zba"},       // sh1add a0, a1, a2
      {0x08C5853B, "zba"},       // add.uw a0, a1, a2
      {0x40C5F533, "zbb"},       // andn a0, a1, a2
      {0x6B85D513, "zbb"},       // rev8 a0, a1
      {0x6025951B, "zbb"},       // cpopw a0, a1
      {0x0AC59533, "zbc"},       // clmul a0, a1, a2
      {0x2A859513, "zbs"},       // bseti a0, a1, 40
      {0x0EC5D533, "zicond"},    // czero.eqz a0, a1, a2
      {0x8188, "zcb"},           // c.lbu a0, 0(a1)
      {0x9D4D, "zcb"},           // c.mul a0, a1
      {0x00B6052F, "zabha"},     // amoadd.b a0, a1, (a2)
      {0x28B6352F, "zacas"},     // amocas.d a0, a1, (a2)
      {0x00051507, "zfhmin"},    // flh fa0, 0(a0)
      {0x40258553, "zfhmin"},    // fcvt.s.h fa0, fa1
      {0x04B57553, "zfh"},       // fadd.h fa0, fa0, fa1
      {0x64B57543, "zfh"},       // fmadd.h fa0, fa0, fa1, fa2
      {0xF0180553, "zfa"},       // fli.s fa0, 1.0
      {0x4245F553, "zfa"},       // fround.d fa0, fa1
      {0x4065F553, "zfbfmin"},   // fcvt.s.bf16 fa0, fa1
      {0x0D0572D7, "v"},         // vsetvli t0, a0, e32, m1, ta, ma
      {0x02056407, "v"},         // vle32.v v8, (a0)
      {0x02050427, "v"},         // vse8.v v8, (a0)
      {0xB2A49457, "v"},         // vfmacc.vv v8, v9, v10
      {0x06950457, "zvbb"},      // vandn.vv v8, v9, v10
      {0x4A962457, "zvbb"},      // vclz.v v8, v9
      {0x32952457, "zvbc"},      // vclmul.vv v8, v9, v10
      {0x4AA69457, "zvfbfmin"},  // vfwcvtbf16.f.f.v v8, v10
      {0xEEC51457, "zvfbfwma"},  // vfwmaccbf16.vv v8, v10, v12
      {0x0000001F, "none"},      // of six bytes: unknown
  };
  for (const auto& [word, want] : kCases) {
    const std::vector<uint8_t> code = RiscvBytes({word});
    EXPECT_EQ(CodeScan(kRiscv64, {{code, kRiscvAddress}}).all().ToString(),
              want)
        << absl::StrCat(absl::Hex(word));
  }
  // Bytes at the end, or at an odd address, are no instruction.
  const std::vector<uint8_t> vector = RiscvBytes({0x02056407, 0x02056407});
  EXPECT_TRUE(
      CodeScan(kRiscv64, {{{vector.data(), 3}, kRiscvAddress}}).all().empty());
  EXPECT_TRUE(CodeScan(kRiscv64, {{{vector.data(), 4}, kRiscvAddress + 1}})
                  .all()
                  .empty());
}

// Returns the code of four functions of 16 bytes each: the root, then three
// others that need features.
std::vector<uint8_t> RiscvProgram(const std::vector<uint32_t>& root) {
  constexpr size_t kSize = 16;
  constexpr uint32_t kBodies[] = {0x20C5A533, 0x02056407, 0x6B85D513};
  std::vector<uint8_t> code = RiscvBytes(root);
  code.resize(kSize);
  for (const uint32_t body : kBodies) {
    const std::vector<uint8_t> more = RiscvBytes({body, kRiscvRet});
    code.insert(code.end(), more.begin(), more.end());
    code.resize((code.size() + kSize - 1) / kSize * kSize);
  }
  return code;
}

TEST(RiscvCodeScan, Reachable) {
  const struct {
    const char* what;
    std::vector<uint32_t> root;
    const char* want;
  } kCases[] = {
      {"ret", {kRiscvRet}, "none"},
      {"jal ra", {0x010000EF, kRiscvRet}, "zba"},
      {"two jal ra", {0x010000EF, 0x02C000EF, kRiscvRet}, "zba, zbb"},
      {"auipc, jalr ra", {0x00000097, 0x010080E7, kRiscvRet}, "zba"},
      {"auipc, jalr ra, far", {0x00001097, 0x010080E7, kRiscvRet}, "none"},
      {"auipc, jalr zero", {0x00000317, 0x02030067}, "v"},
      {"auipc, jalr of another register", {0x00000317, 0x02050067}, "none"},
      {"j", {0x0200006F}, "v"},
      {"c.j", {0xA801}, "zba"},
      {"beq", {0x00B50863, kRiscvRet}, "zba"},
      {"c.beqz", {0xC901, kRiscvRet}, "zba"},
      {"auipc, addi, jalr",
       {0x00000517, 0x01050513, 0x9502, kRiscvRet},
       "none"},
      {"jr", {0x8502}, "none"},
      {"ebreak", {0x9002}, "none"},
      {"ebreak of four bytes", {0x00100073}, "none"},
      {"falls through",
       {kRiscvAdd, kRiscvAdd, kRiscvAdd, kRiscvAdd, kRiscvAdd, kRiscvAdd,
        kRiscvAdd, kRiscvAdd},
       "zba"},
  };
  const uint64_t starts[] = {kRiscvAddress + 16, kRiscvAddress + 32,
                             kRiscvAddress + 48};
  const uint64_t roots[] = {kRiscvAddress};
  for (const auto& c : kCases) {
    const std::vector<uint8_t> code = RiscvProgram(c.root);
    const CodeScan scan(kRiscv64, {{code, kRiscvAddress}});
    EXPECT_EQ(scan.Reachable(roots, starts)->ToString(), c.want) << c.what;
  }
}

// The address that AUIPC and ADDI form begins a function, so the code before it
// does not reach what is after it.
TEST(RiscvCodeScan, AddressesBeginFunctions) {
  const uint64_t roots[] = {kRiscvAddress};
  for (const std::vector<uint32_t>& root : std::vector<std::vector<uint32_t>>{
           {0x00000517, 0x01050513, kRiscvRet},  // auipc, addi
           {0x00000517, kRiscvAdd, 0x01050593,
            kRiscvRet}}) {  // one between them
    const std::vector<uint8_t> code = RiscvProgram(root);
    const CodeScan scan(kRiscv64, {{code, kRiscvAddress}});
    EXPECT_EQ(scan.Reachable(roots, {})->ToString(), "none");
  }
  // Without it, the function may extend to the end; and if a jump table is
  // relative to it, the function does extend beyond it.
  for (const std::vector<uint32_t>& root : std::vector<std::vector<uint32_t>>{
           {0x00000517, kRiscvRet}, {0x00000517, 0x01050513, 0x8502}}) {
    const std::vector<uint8_t> code = RiscvProgram(root);
    const CodeScan scan(kRiscv64, {{code, kRiscvAddress}});
    EXPECT_EQ(scan.Reachable(roots, {})->ToString(), "v, zba, zbb");
  }
}

TEST(RiscvCodeScan, WhereFunctionsBeginAndEnd) {
  const std::vector<uint8_t> code =
      RiscvBytes({0x00C58533, kRiscvRet, kRiscvUnimp, 0x00000013, 0x000000EF});
  CodeScan scan(kRiscv64, {{code, kRiscvAddress}});
  std::string begins, ends;
  for (uint64_t offset = 0; offset <= code.size(); ++offset) {
    begins += *scan.MayBegin(kRiscvAddress + offset) ? "^" : ".";
    ends += scan.MayEnd(kRiscvAddress, kRiscvAddress + offset) ? "$" : ".";
  }
  EXPECT_EQ(begins, "^...^...^...^....");
  EXPECT_EQ(ends, "......$.........$");
}

}  // namespace
}  // namespace eyrie::hal::cpu
