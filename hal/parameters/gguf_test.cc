// Tests the GGUF parser: valid files, errors, and wrong counts.
#include <cstdint>
#include <string>
#include <vector>

#include "gtest/gtest.h"
#include "hal/parameters/parameter_formats.h"
#include "hal/parameters/test_support.h"

namespace eyrie::hal {
namespace {

struct Tensor {
  const char* name;
  std::vector<uint64_t> shape;
  uint32_t type;
  uint64_t offset;
};

Bytes Gguf(const std::vector<Tensor>& tensors, size_t data,
           uint32_t version = 3) {
  Writer writer;
  writer.Text("GGUF").Put(version);
  writer.Put<uint64_t>(tensors.size()).Put<uint64_t>(3);
  writer.Counted("general.name").Put<uint32_t>(8).Counted("model");
  writer.Counted("tokens").Put<uint32_t>(9).Put<uint32_t>(8);
  writer.Put<uint64_t>(2).Counted("a").Counted("bc");
  writer.Counted("general.alignment").Put<uint32_t>(4).Put<uint32_t>(64);
  for (const Tensor& tensor : tensors) {
    writer.Counted(tensor.name).Put<uint32_t>(tensor.shape.size());
    for (const uint64_t size : tensor.shape) writer.Put(size);
    writer.Put(tensor.type).Put(tensor.offset);
  }
  return writer.PadTo(64).Zeros(data).bytes();
}

TEST(Gguf, Rows) {
  struct Row {
    std::vector<Tensor> tensors;
    const char* want;
  };
  const Row rows[] = {
      {{}, ""},
      {{{"w", {2, 3}, 0, 0}}, "w F32[3x2] 24@192"},
      {{{"q", {64}, 2, 64}, {"s", {}, 1, 0}},
       "q Q4_0[64] 36@320, s F16[] 2@256"},
      {{{"w", {2, 3}, 0, 8}},
       "INVALID_ARGUMENT: Its offset 8 is not a multiple of 64. (tensor 'w', 1 "
       "of "
       "n_tensors=1)"},
      {{{"n", {64, 1}, 40, 0}, {"o", {128}, 41, 64}},
       "n NVFP4[1x64] 36@256, o Q1_0[128] 18@320"},
      // An unknown type fails only its tensor.
      {{{"w", {2}, 99, 0}, {"v", {2}, 0, 64}},
       "w type 99[2] 0 UNIMPLEMENTED: The element type 99 of the tensor is not "
       "known. "
       "(tensor 'w', 1 of n_tensors=2), v F32[2] 8@320"},
      {{{"w", {33}, 2, 0}},
       "INVALID_ARGUMENT: A tensor of Q4_0[33] is not a whole number of blocks "
       "of 32 "
       "elements. (tensor 'w', 1 of n_tensors=1)"},
      {{{"w", {1u << 31, 1u << 31, 4}, 0, 0}},
       "INVALID_ARGUMENT: A tensor of F32[4x2147483648x2147483648] has "
       "2^64 bytes or more. (tensor 'w', 1 of n_tensors=1)"},
      {{{"w", {64}, 0, 0}},
       "OUT_OF_RANGE: Tensor 'w' has 256 bytes at offset 0 of the data, which "
       "has 128."},
      {{{"a", {20}, 0, 0}, {"b", {4}, 0, 64}},
       "INVALID_ARGUMENT: Parameter 'b' at offset 320 begins within 'a', "
       "which ends at 336."},
  };
  for (const Row& row : rows) {
    const absl::string_view name =
        row.tensors.empty() ? "none" : row.tensors[0].name;
    EXPECT_EQ(Show(ParseParameters(Gguf(row.tensors, 128), "x")), row.want)
        << name;
  }
}

TEST(Gguf, RefusesVersionsAndEndings) {
  EXPECT_EQ(
      Show(ParseGguf(Gguf({}, 0, 1))),
      "UNIMPLEMENTED: The file has GGUF version 1; supported are 2 and 3.");
  const Bytes whole = Gguf({{"w", {2, 3}, 0, 0}}, 24);
  for (size_t size = 4; size < whole.size(); ++size) {
    EXPECT_FALSE(ParseGguf({whole.data(), size}).ok()) << size;
  }
}

// Invalid key-value pairs and counts.
TEST(Gguf, PairsAndCounts) {
  constexpr uint64_t kMany = ~uint64_t{0};
  struct Row {
    uint64_t tensors;
    uint64_t pairs;
    const char* key;
    std::vector<uint32_t> value;  // its kind first
    const char* want;
  };
  const Row rows[] = {
      {0, 1, "k", {4, 7}, ""},
      {0,
       1,
       "k",
       {13, 7},
       "INVALID_ARGUMENT: A value has kind 13; expected 0 to 12. (key 'k', "
       "1 of n_kv=1)"},
      {0,
       1,
       "k",
       {9, 13, 1, 0},
       "INVALID_ARGUMENT: A value has kind 13; expected 0 to 12. (key 'k', "
       "1 of n_kv=1)"},
      {0,
       1,
       "k",
       {9, 9, 1, 0},
       "UNIMPLEMENTED: Arrays of arrays are not supported. (key 'k', 1 of "
       "n_kv=1)"},
      {0,
       1,
       "k",
       {9, 4, ~0u, ~0u},
       "OUT_OF_RANGE: An array's length is 18446744073709551615; the 0 bytes "
       "left hold at most 0. (key 'k', 1 of n_kv=1)"},
      {0,
       1,
       "k",
       {9, 8, 3, 0, 1, 2, 3, 4},
       "OUT_OF_RANGE: An array's length is 3; the 16 bytes left hold at most "
       "2. (key 'k', 1 of n_kv=1)"},
      {0,
       1,
       "general.alignment",
       {5, 64},
       "INVALID_ARGUMENT: Its value has kind 5, not 4 (uint32). (key "
       "'general.alignment', 1 of n_kv=1)"},
      {0,
       1,
       "general.alignment",
       {4, 48},
       "INVALID_ARGUMENT: It is 48; expected a power of two. (key "
       "'general.alignment', 1 of n_kv=1)"},
      {0,
       kMany,
       "k",
       {4, 7},
       "OUT_OF_RANGE: n_kv is 18446744073709551615; the 17 bytes left hold at "
       "most 1."},
      {0,
       2,
       "k",
       {4, 7, 99, 0, 0, 0, 0},
       "OUT_OF_RANGE: A read of 99 bytes at offset 49 exceeds the bytes left "
       "(12). (key '', 2 of n_kv=2)"},
      {kMany,
       1,
       "k",
       {4, 7, 0, 0, 0, 0, 0, 0, 0},
       "OUT_OF_RANGE: n_tensors is 18446744073709551615; the 28 bytes left "
       "hold at most 1."},
      {1,
       1,
       "k",
       {4, 7, 4, 0, 0x6E6E6E6E, 1, 0, 0},
       "OUT_OF_RANGE: A read of 4 bytes at offset 65 exceeds the bytes left "
       "(0). (tensor 'nnnn', 1 of n_tensors=1)"},
  };
  for (const Row& row : rows) {
    Writer writer;
    writer.Text("GGUF").Put<uint32_t>(3).Put(row.tensors).Put(row.pairs);
    writer.Counted(row.key);
    for (const uint32_t word : row.value) writer.Put(word);
    EXPECT_EQ(Show(ParseGguf(writer.bytes())), row.want);
  }
}

}  // namespace
}  // namespace eyrie::hal
