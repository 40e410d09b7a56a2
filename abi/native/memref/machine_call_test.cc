// Tests calls of C functions with words that are assembled at run time.
#include "abi/native/memref/machine_call.h"

#include <bit>
#include <cstdint>
#include <string>

#include "absl/strings/string_view.h"
#include "gtest/gtest.h"
#include "tests/support/status_text.h"

namespace eyrie::native {
namespace {

using Returns = MachineCall::Returns;

extern "C" {
uint64_t None() { return 7; }
void* Pointer(void* p, int32_t i) { return static_cast<char*>(p) + i; }
int8_t Narrow(int8_t a, int16_t b) { return static_cast<int8_t>(a - b); }
float Single(float a, int64_t b, float c) {
  return a + static_cast<float>(b) * c;
}
double Mixed(int64_t a, double b, int64_t c, double d, float e, int32_t f) {
  return static_cast<double>(a) + b * 10 + static_cast<double>(c) * 100 +
         d * 1000 + e * 1e4 + f * 1e5;
}
// More parameters of both kinds than there are registers; each is one digit.
int64_t Many(int64_t a, float b, int64_t c, double d, int64_t e, double f,
             int64_t g, double h, int64_t i, double j, int64_t k, double l,
             int64_t m, double n, int64_t o, double p, int64_t q, double r,
             int64_t s, float t) {
  int64_t sum = 0;
  for (const int64_t digit :
       {a, static_cast<int64_t>(b), c, static_cast<int64_t>(d), e,
        static_cast<int64_t>(f), g, static_cast<int64_t>(h), i,
        static_cast<int64_t>(j), k, static_cast<int64_t>(l), m,
        static_cast<int64_t>(n), o, static_cast<int64_t>(p), q,
        static_cast<int64_t>(r)}) {
    sum = sum * 7 + digit;
  }
  return sum * 7 * 7 + s * 7 + static_cast<int64_t>(t);
}
}

// "i" is an integer, "f" a float, "d" a double, with the values 1, 2, 3, ...
// modulo 7.
struct Row {
  void* function;
  absl::string_view parameters;
  Returns returns;
};

uint64_t CallRow(const Row& row) {
  MachineCall call(row.returns);
  MachineWords words = {};
  int value = 0;
  for (const char c : row.parameters) {
    value = (value + 1) % 7;
    const size_t place = c == 'i' ? *call.AddInteger() : *call.AddFloat();
    uint64_t& word = MachineCall::WordAt(words, place);
    if (c == 'i') word = static_cast<uint64_t>(value);
    if (c == 'f') {
      word = Float32Word(std::bit_cast<uint32_t>(static_cast<float>(value)));
    }
    if (c == 'd') word = std::bit_cast<uint64_t>(static_cast<double>(value));
  }
  return call.Call(row.function, words);
}

template <typename Function>
void* Of(Function* function) {
  return reinterpret_cast<void*>(function);
}

TEST(MachineCall, PutsWordsWhereFunctionsLook) {
  EXPECT_EQ(CallRow({Of(None), "", Returns::kInteger}), 7u);
  EXPECT_EQ(CallRow({Of(Pointer), "ii", Returns::kInteger}), 3u);
  EXPECT_EQ(static_cast<int8_t>(CallRow({Of(Narrow), "ii", Returns::kInteger})),
            -1);
  EXPECT_EQ(std::bit_cast<float>(static_cast<uint32_t>(
                CallRow({Of(Single), "fif", Returns::kFloat}))),
            7.0f);
  EXPECT_EQ(
      std::bit_cast<double>(CallRow({Of(Mixed), "ididfi", Returns::kFloat})),
      1 + 20 + 300 + 4000 + 50000 + 600000);
  int64_t digits = 0;
  for (int i = 1; i <= 20; ++i) digits = digits * 7 + i % 7;
  EXPECT_EQ(static_cast<int64_t>(
                CallRow({Of(Many), "ifididididididididif", Returns::kInteger})),
            digits);
}

TEST(MachineCall, StackWordsEnd) {
  MachineCall call(Returns::kInteger);
  size_t count = 0;
  absl::StatusOr<size_t> place = call.AddInteger();
  for (; place.ok(); place = call.AddInteger()) ++count;
  EXPECT_EQ(count, IntegerRegisters() + kStackWords);
  EXPECT_EQ(StatusText(place),
            "RESOURCE_EXHAUSTED: A native function takes more than 32 words on "
            "the stack, which is the limit.");
  EXPECT_TRUE(call.AddFloat().ok());  // registers of the other kind remain
  for (size_t i = 1; i < kFloatRegisters; ++i) {
    EXPECT_TRUE(call.AddFloat().ok());
  }
  EXPECT_EQ(StatusText(call.AddFloat()), StatusText(place));
}

}  // namespace
}  // namespace eyrie::native
