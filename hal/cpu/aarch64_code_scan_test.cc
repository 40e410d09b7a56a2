// Tests decoding instructions of AArch64, their features, and searching code
// for features.
//
// The decoder was compared with LLVM 19's disassembler over 300,000 random
// words of all groups but scalable vectors: no difference. Of 60,000 words of
// SVE and SME, it takes some of SVE 2.1 and SME 2 for older ones.
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "hal/cpu/code_scan.h"
#include "hal/cpu/machine/instruction_set.h"

namespace eyrie::hal::cpu {
namespace {

constexpr uint64_t kAddress = 0x10000;
constexpr uint32_t kRet = 0xD65F03C0;
constexpr uint32_t kNop = 0xD503201F;
constexpr uint32_t kUdf = 0;
constexpr uint32_t kBrk = 0xD4200000;
constexpr uint32_t kAdd = 0x8B010000;  // add x0, x0, x1

std::vector<uint8_t> Bytes(const std::vector<uint32_t>& words) {
  std::vector<uint8_t> bytes(words.size() * sizeof(uint32_t));
  std::memcpy(bytes.data(), words.data(), bytes.size());
  return bytes;
}

TEST(ArmCodeScan, FeaturesOfInstructions) {
  const struct {
    uint32_t word;
    const char* want;
  } kCases[] = {
      {kRet, "none"},
      {kAdd, "none"},
      {0x4E20D400, "none"},          // fadd v0.4s, v0.4s, v0.4s
      {0x4E22CC20, "none"},          // fmla v0.4s, v1.4s, v2.4s
      {0x1EE24020, "none"},          // fcvt s0, h1
      {0x1E23C020, "none"},          // fcvt h0, s1
      {0x885FFC20, "none"},          // ldaxr w0, [x1]
      {0xB8200020, "lse"},           // ldadd w0, w0, [x1]
      {0x88A07C20, "lse"},           // cas w0, w0, [x1]
      {0x48207C82, "lse"},           // casp x0, x1, x2, x3, [x4]
      {0x38BFC020, "rcpc"},          // ldaprb w0, [x1]
      {0x1AC04820, "crc"},           // crc32w w0, w1, w0
      {0xDAC10020, "pauth"},         // pacia x0, x1
      {0xD503233F, "none"},          // paciasp, a hint
      {0xD503245F, "none"},          // bti c, a hint
      {0x1EE22820, "fullfp16"},      // fadd h0, h1, h2
      {0x4E421420, "fullfp16"},      // fadd v0.8h, v1.8h, v2.8h
      {0x4E22EC20, "fp16fml"},       // fmlal v0.4s, v1.4h, v2.4h
      {0x4E829420, "dotprod"},       // sdot v0.4s, v1.16b, v2.16b
      {0x6F82E020, "dotprod"},       // udot v0.4s, v1.16b, v2.4b[0]
      {0x4E82A420, "i8mm"},          // smmla v0.4s, v1.16b, v2.16b
      {0x4E829C20, "i8mm"},          // usdot v0.4s, v1.16b, v2.16b
      {0x6E42FC20, "bf16"},          // bfdot v0.4s, v1.8h, v2.8h
      {0x1E634020, "bf16"},          // bfcvt h0, s1
      {0x6E828420, "rdm"},           // sqrdmlah v0.4s, v1.4s, v2.4s
      {0x1E7E0020, "jsconv"},        // fjcvtzs w0, d1
      {0x6E82C420, "complxnum"},     // fcmla v0.4s, v1.4s, v2.4s, #0
      {0x4E21E820, "fptoint"},       // frint32z v0.4s, v1.4s
      {0x4E284820, "aes"},           // aese v0.16b, v1.16b
      {0x4EE2E020, "aes"},           // pmull2 v0.1q, v1.2d, v2.2d
      {0x5E024020, "sha2"},          // sha256h q0, q1, v2.4s
      {0xCE020C20, "sha3"},          // eor3 v0.16b, v1.16b, v2.16b, v3.16b
      {0xCEC08420, "sm4"},           // sm4e v0.4s, v1.4s
      {0x04A00000, "sve"},           // add z0.s, p0/m, z0.s, z0.s
      {0x04226020, "sve2"},          // mul z0.b, z1.b, z2.b
      {0x4542B020, "sve2-bitperm"},  // bext z0.h, z1.h, z2.h
      {0x64A2E420, "f32mm"},         // fmmla z0.s, z1.s, z2.s
      {0x64E2E420, "f64mm"},         // fmmla z0.d, z1.d, z2.d
      {0x80820020, "sme"},           // fmopa za0.s, p0/m, p0/m, z1.s, z2.s
      {0xC1201C00, "sme2"},
      {0x80C20020, "sme-f64f64"},  // fmopa za0.d, p0/m, p0/m, z1.d, z2.d
  };
  for (const auto& [word, want] : kCases) {
    const std::vector<uint8_t> code = Bytes({word});
    EXPECT_EQ(CodeScan(kAArch64, {{code, kAddress}}).all().ToString(), want)
        << absl::StrCat(absl::Hex(word));
  }
  // Bytes at the end, or not at a multiple of four, are no instruction.
  const std::vector<uint8_t> sve = Bytes({0x04A00000, 0x04A00000});
  EXPECT_TRUE(CodeScan(kAArch64, {{{sve.data(), 3}, kAddress}}).all().empty());
  EXPECT_TRUE(
      CodeScan(kAArch64, {{{sve.data(), 6}, kAddress + 3}}).all().empty());
}

// Returns the code of four functions of 16 bytes each: the root, then three
// others that need features.
std::vector<uint8_t> Program(std::vector<uint32_t> root) {
  constexpr uint32_t kBodies[] = {0x4E829420, 0x04A00000, 0x4E82A420};
  root.resize(4, kUdf);
  for (const uint32_t body : kBodies) {
    root.insert(root.end(), {body, kRet, kUdf, kUdf});
  }
  return Bytes(root);
}

TEST(ArmCodeScan, Reachable) {
  const struct {
    const char* what;
    std::vector<uint32_t> root;
    const char* want;
  } kCases[] = {
      {"ret", {kRet}, "none"},
      {"bl", {0x94000004, kRet}, "dotprod"},
      {"two bl", {0x94000004, 0x9400000B, kRet}, "dotprod, i8mm"},
      {"b", {0x14000008}, "sve"},
      {"b.eq", {0x54000080, kRet}, "dotprod"},
      {"cbz", {0xB4000080, kRet}, "dotprod"},
      {"tbnz", {0x37000080, kRet}, "dotprod"},
      {"adr, blr", {0x10000080, 0xD63F0000, kRet}, "none"},
      {"adrp, add, blr", {0x90000000, 0x91004000, 0xD63F0000, kRet}, "none"},
      {"br", {0xD61F0000}, "none"},
      {"brk", {kBrk}, "none"},
      {"falls through", {kAdd, kNop, kNop, kNop}, "dotprod"},
      {"bl out of the code", {0x94001000, kRet}, "none"},
      {"b far before it", {0x16000000}, "none"},
  };
  const uint64_t starts[] = {kAddress + 16, kAddress + 32, kAddress + 48};
  const uint64_t roots[] = {kAddress};
  for (const auto& c : kCases) {
    const std::vector<uint8_t> code = Program(c.root);
    const CodeScan scan(kAArch64, {{code, kAddress}});
    EXPECT_EQ(scan.Reachable(roots, starts)->ToString(), c.want) << c.what;
  }
}

// The address that ADRP and ADD form begins a function, so the code before it
// does not reach what is after it.
TEST(ArmCodeScan, AddressesBeginFunctions) {
  const uint64_t roots[] = {kAddress};
  for (const std::vector<uint32_t>& root : std::vector<std::vector<uint32_t>>{
           {0x90000000, 0x91004000, kRet},        // adrp, add
           {0x90000000, kAdd, 0x91004001, kRet},  // one between them
           {0x10000080, kRet}}) {                 // adr
    const std::vector<uint8_t> code = Program(root);
    const CodeScan scan(kAArch64, {{code, kAddress}});
    EXPECT_EQ(scan.Reachable(roots, {})->ToString(), "none");
  }
  // Without it, the function may extend to the end; and if a jump table is
  // relative to it, the function does extend beyond it.
  for (const std::vector<uint32_t>& root : std::vector<std::vector<uint32_t>>{
           {0x90000000, kRet},
           {0x10000080, 0xD61F0000},                 // adr, br
           {0x90000000, 0x91004000, 0xD61F0000}}) {  // adrp, add, br
    const std::vector<uint8_t> code = Program(root);
    const CodeScan scan(kAArch64, {{code, kAddress}});
    EXPECT_EQ(scan.Reachable(roots, {})->ToString(), "dotprod, i8mm, sve");
  }
}

TEST(ArmCodeScan, WhereFunctionsBeginAndEnd) {
  const std::vector<uint8_t> code =
      Bytes({kAdd, kRet, kUdf, kNop, 0x94000000, kAdd});
  CodeScan scan(kAArch64, {{code, kAddress}});
  std::string begins, ends;
  for (uint64_t offset = 0; offset <= code.size(); ++offset) {
    begins += *scan.MayBegin(kAddress + offset) ? "^" : ".";
    ends += scan.MayEnd(kAddress, kAddress + offset) ? "$" : ".";
  }
  EXPECT_EQ(begins, "^...^.......^...^...^....");
  EXPECT_EQ(ends, "........$...........$....");
}

}  // namespace
}  // namespace eyrie::hal::cpu
