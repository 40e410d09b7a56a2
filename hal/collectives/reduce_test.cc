// Tests every reduction of every element type, with elements of three ranks.
#include "hal/collectives/reduce.h"

#include <cstdint>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/half.h"
#include "gtest/gtest.h"

namespace eyrie::hal {
namespace {

using Reduction = CollectiveReduction;
using Type = CollectiveType;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInf = std::numeric_limits<double>::infinity();

template <typename T>
void Append(T value, std::vector<uint8_t>& bytes) {
  bytes.resize(bytes.size() + sizeof(T));
  std::memcpy(bytes.data() + bytes.size() - sizeof(T), &value, sizeof(T));
}

void Append(Type type, double value, std::vector<uint8_t>& bytes) {
  switch (type) {
    case Type::kSint8:
      return Append(static_cast<int8_t>(value), bytes);
    case Type::kUint8:
      return Append(static_cast<uint8_t>(value), bytes);
    case Type::kSint16:
      return Append(static_cast<int16_t>(value), bytes);
    case Type::kUint16:
      return Append(static_cast<uint16_t>(value), bytes);
    case Type::kSint32:
      return Append(static_cast<int32_t>(value), bytes);
    case Type::kUint32:
      return Append(static_cast<uint32_t>(value), bytes);
    case Type::kSint64:
      return Append(static_cast<int64_t>(value), bytes);
    case Type::kUint64:
      return Append(static_cast<uint64_t>(value), bytes);
    case Type::kFloat16:
      return Append(EncodeFloat(kFloat16, static_cast<float>(value)), bytes);
    case Type::kBfloat16:
      return Append(EncodeFloat(kBfloat16, static_cast<float>(value)), bytes);
    case Type::kFloat32:
      return Append(static_cast<float>(value), bytes);
    default:
      return Append(value, bytes);
  }
}

template <typename T>
T Read(const uint8_t* bytes) {
  T value;
  std::memcpy(&value, bytes, sizeof(T));
  return value;
}

std::string ElementText(Type type, const uint8_t* bytes) {
  switch (type) {
    case Type::kSint8:
      return absl::StrCat(int{Read<int8_t>(bytes)});
    case Type::kUint8:
      return absl::StrCat(int{Read<uint8_t>(bytes)});
    case Type::kSint16:
      return absl::StrCat(Read<int16_t>(bytes));
    case Type::kUint16:
      return absl::StrCat(Read<uint16_t>(bytes));
    case Type::kSint32:
      return absl::StrCat(Read<int32_t>(bytes));
    case Type::kUint32:
      return absl::StrCat(Read<uint32_t>(bytes));
    case Type::kSint64:
      return absl::StrCat(Read<int64_t>(bytes));
    case Type::kUint64:
      return absl::StrCat(Read<uint64_t>(bytes));
    case Type::kFloat16:
      return absl::StrCat(DecodeFloat(kFloat16, Read<uint16_t>(bytes)));
    case Type::kBfloat16:
      return absl::StrCat(DecodeFloat(kBfloat16, Read<uint16_t>(bytes)));
    case Type::kFloat32:
      return absl::StrCat(Read<float>(bytes));
    default:
      return absl::StrCat(Read<double>(bytes));
  }
}

std::string Reduce(Type type, Reduction reduction,
                   const std::vector<std::vector<double>>& ranks) {
  std::vector<std::vector<uint8_t>> bytes(ranks.size());
  std::vector<const uint8_t*> blocks;
  for (size_t i = 0; i < ranks.size(); ++i) {
    for (const double value : ranks[i]) Append(type, value, bytes[i]);
    blocks.push_back(bytes[i].data());
  }
  std::vector<uint8_t> result(bytes[0].size());
  ReduceBlocks({CollectiveKind::kAllReduce, reduction, type}, blocks, result);
  std::vector<std::string> texts;
  for (size_t i = 0; i < result.size(); i += ByteCount(type)) {
    texts.push_back(ElementText(type, result.data() + i));
  }
  return absl::StrJoin(texts, " ");
}

// Sum, product, minimum, maximum and average of the same elements.
TEST(Reduce, EveryTypeAndReduction) {
  const struct {
    Type type;
    std::vector<std::vector<double>> ranks;
    const char* want[5];
  } kCases[] = {
      // Sums and products wrap; averages do not.
      {Type::kSint8,
       {{100, -5}, {100, 3}, {-20, -4}},
       {"-76 -6", "-64 60", "-20 -5", "100 3", "60 -2"}},
      {Type::kUint8,
       {{200, 7}, {100, 3}, {1, 2}},
       {"45 12", "32 42", "1 2", "200 7", "100 4"}},
      {Type::kSint16,
       {{30000, -5}, {30000, 3}, {-300, -4}},
       {"-5836 -6", "-3072 60", "-300 -5", "30000 3", "19900 -2"}},
      {Type::kUint16,
       {{65000, 7}, {1000, 3}, {3, 2}},
       {"467 12", "30400 42", "3 2", "65000 7", "22001 4"}},
      {Type::kSint32,
       {{2147483647, -5}, {2147483647, 3}, {1, -4}},
       {"-1 -6", "1 60", "1 -5", "2147483647 3", "1431655765 -2"}},
      {Type::kUint32,
       {{4294967295, 7}, {4294967295, 3}, {2, 2}},
       {"0 12", "2 42", "2 2", "4294967295 7", "2863311530 4"}},
      {Type::kSint64,
       {{0x1p62, -5}, {0x1p62, 3}, {2, -4}},
       {"-9223372036854775806 -6", "0 60", "2 -5", "4611686018427387904 3",
        "3074457345618258603 -2"}},
      {Type::kUint64,
       {{9223372036854775808.0, 7}, {9223372036854775808.0, 3}, {3, 2}},
       {"3 12", "0 42", "3 2", "9223372036854775808 7",
        "6148914691236517206 4"}},
      // In f16 alone, 2048 + 1 is 2048.
      {Type::kFloat16,
       {{2048, 1.5}, {1, 2}, {1, -4}},
       {"2050 -0.5", "2048 -12", "1 -4", "2048 2", "683.5 -0.166626"}},
      {Type::kBfloat16,
       {{256, 1.5}, {1, 2}, {1, -4}},
       {"258 -0.5", "256 -12", "1 -4", "256 2", "86 -0.166992"}},
      {Type::kFloat32,
       {{1.5, kNan, kInf}, {2, 1, 1}, {-4, 2, -kInf}},
       {"-0.5 nan -nan", "-12 nan -inf", "-4 nan -inf", "2 nan inf",
        "-0.166667 nan -nan"}},
      {Type::kFloat64,
       {{1.5, 1}, {2, kNan}, {-4, 2}},
       {"-0.5 nan", "-12 nan", "-4 nan", "2 nan", "-0.166667 nan"}},
  };
  for (const auto& c : kCases) {
    for (int i = 0; i < 5; ++i) {
      const CollectiveOp op = {CollectiveKind::kAllReduce,
                               static_cast<Reduction>(i + 1), c.type};
      SCOPED_TRACE(CollectiveText(op));
      std::string got = Reduce(c.type, op.reduction, c.ranks);
      std::string want = c.want[i];
      // The sign of a NaN is ignored.
      for (std::string* text : {&got, &want}) {
        for (size_t at; (at = text->find("-nan")) != std::string::npos;) {
          text->erase(at, 1);
        }
      }
      EXPECT_EQ(got, want);
    }
  }
}

TEST(Reduce, LongBlocksInPlace) {
  for (const size_t count : {0, 1, 511, 512, 513, 5000}) {
    std::vector<int32_t> a(count), b(count);
    for (size_t i = 0; i < count; ++i) {
      a[i] = static_cast<int32_t>(i);
      b[i] = static_cast<int32_t>(3 * i);
    }
    const uint8_t* blocks[] = {reinterpret_cast<const uint8_t*>(a.data()),
                               reinterpret_cast<const uint8_t*>(b.data())};
    ReduceBlocks({CollectiveKind::kReduce, Reduction::kSum, Type::kSint32},
                 blocks, {reinterpret_cast<uint8_t*>(b.data()), count * 4});
    for (size_t i = 0; i < count; ++i) {
      ASSERT_EQ(b[i], static_cast<int32_t>(4 * i)) << count;
    }
  }
}

}  // namespace
}  // namespace eyrie::hal
