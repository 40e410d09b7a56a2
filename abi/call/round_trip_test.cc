// Tests random signatures: their sample values are the same after encoding and
// decoding.
#include <cstdint>
#include <iterator>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "abi/call/invoker.h"
#include "abi/call/sample_values.h"
#include "abi/call/session.h"
#include "abi/signature/signature.h"
#include "abi/signature/signature_rows.h"
#include "abi/value/decoder.h"
#include "abi/value/json_value.h"
#include "absl/strings/str_cat.h"
#include "base/json.h"
#include "gtest/gtest.h"
#include "tests/support/json_text.h"
#include "tests/support/status_text.h"

namespace eyrie::abi {
namespace {

// Creates random type records.
class Records {
 public:
  explicit Records(uint32_t seed) : random_(seed) {}

  std::string Any(int depth) {
    switch (Draw(depth > 0 ? 9 : 4)) {
      case 0:
        return Scalar();
      case 1:
        return "null";
      case 2:
        return Array();
      case 3:
        return R"(["py_homogeneous_list","i8"])";
      case 4:
        return List("slist", depth);
      case 5:
        return List("stuple", depth);
      case 6:
        return Dict(depth);
      case 7:
        return absl::StrCat("[\"py_homogeneous_list\",", Any(depth - 1), "]");
      default:
        return absl::StrCat("[\"ndarray\",", List("slist", depth), ",1,2]");
    }
  }

  std::string Scalar() {
    constexpr const char* kNames[] = {"i1",  "i8",  "i16",  "i32", "i64", "i7",
                                      "ui8", "f16", "bf16", "f32", "f64"};
    return absl::StrCat("\"", kNames[Draw(std::size(kNames))], "\"");
  }

 private:
  uint32_t Draw(size_t below) { return random_() % below; }

  std::string Array() {
    const uint32_t rank = Draw(4);
    std::string text = absl::StrCat(
        "[\"ndarray\",", Draw(8) == 0 ? "\"cf64\"" : Scalar(), ",", rank);
    for (uint32_t i = 0; i < rank; ++i) {
      const uint32_t dimension = Draw(4);
      absl::StrAppend(&text, ",",
                      dimension == 0 ? "null" : absl::StrCat(dimension));
    }
    return text + "]";
  }

  std::string List(const char* tag, int depth) {
    std::string text = absl::StrCat("[\"", tag, "\"");
    for (uint32_t i = Draw(4); i > 0; --i) {
      absl::StrAppend(&text, ",", Any(depth - 1));
    }
    return text + "]";
  }

  // The keys are not sorted.
  std::string Dict(int depth) {
    std::string text = "[\"sdict\"";
    for (uint32_t i = Draw(4); i > 0; --i) {
      absl::StrAppend(&text, ",[\"", std::string(1, "dacb"[i]), "\",",
                      Any(depth - 1), "]");
    }
    return text + "]";
  }

  std::mt19937 random_;
};

TEST(RoundTrip, RandomSignatures) {
  constexpr uint32_t kSignatures = 2000;
  const Ref<hal::Device> device = (*OpenDevices({}, hal::DriverOptions()))[0];
  for (uint32_t seed = 0; seed < kSignatures; ++seed) {
    // In a list, because a slot can have any type.
    const std::string records =
        absl::StrCat("{\"a\":[[\"slist\",", Records(seed).Any(3), "]]}");
    SCOPED_TRACE(absl::StrCat("seed ", seed, ": ", records));
    const auto signature = ReadSignature("0r", {{"iree.abi", records}});
    ASSERT_EQ(StatusText(signature), "OK");
    for (const SampleKind kind : {SampleKind::kAuto, SampleKind::kRandom}) {
      auto given = SampleArguments(*signature, *device, kind, seed);
      ASSERT_EQ(StatusText(given), "OK");
      // The sample, then the decoded value, then the same from JSON. Random
      // floats are rounded in the first round only.
      std::string before = tests::JsonText((*given)[0]);
      for (int round = 0; round < 3; ++round) {
        Invoker invoker = Invoker::WithoutFunction(device, *signature);
        auto encoded = invoker.Encode(*given, {});
        ASSERT_EQ(StatusText(encoded), "OK");
        CallStatistics statistics;
        Decoder decoder(&statistics);
        auto decoded =
            decoder.Decode((*encoded)[0], signature->arguments()[0].type);
        ASSERT_EQ(StatusText(decoded), "OK") << decoder.path();
        const std::string text = tests::JsonText(*decoded);
        if (kind == SampleKind::kAuto || round > 0) {
          ASSERT_EQ(text, before);
        }
        before = text;
        const auto read = FromJson(*ParseJson(text), JsonFiles::kRefused);
        ASSERT_EQ(StatusText(read), "OK");
        (*given)[0] = round == 0 ? *decoded : *read;
      }
    }
  }
}

// Samples of narrow types and of complex numbers.
TEST(Samples, NarrowAndComplex) {
  const struct {
    const char* record;
    SampleKind kind;
    const char* want;
  } kRows[] = {
      {R"(["ndarray","i4",1,11])", SampleKind::kAuto,
       "[0, 1, 2, 3, 4, 5, 6, 7, 0, 1, 2]"},
      {R"(["ndarray","i4",2,1,3])", SampleKind::kRandom, "[[1, 7, 6]]"},
      {R"(["ndarray","ui4",1,3])", SampleKind::kZeros, "[0, 0, 0]"},
      {R"(["ndarray","i2",1,5])", SampleKind::kAuto, "[0, 1, -2, -1, 0]"},
      {R"(["slist","i2","i2","i2","i2","i2","ui4"])", SampleKind::kAuto,
       "[0, 1, 2, 3, 0, 5]"},
      {R"(["ndarray","f4E2M1FN",1,7])", SampleKind::kAuto,
       "[0.0, 1.0, 2.0, 3.0, 0.0, 1.0, 2.0]"},
      {R"(["ndarray","f6E3M2FN",1,9])", SampleKind::kAuto,
       "[0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 0.0]"},
      {R"(["ndarray","cf64",1,2])", SampleKind::kAuto, R"(["0+1i", "2+3i"])"},
      {R"(["ndarray","cf128",0])", SampleKind::kAuto, R"("0+1i")"},
      {R"(["ndarray","cf64",1,1])", SampleKind::kRandom,
       R"(["0.5665615+0.7457817i"])"},
      {R"(["ndarray","cf64",1,1])", SampleKind::kZeros, R"(["0+0i"])"},
      {R"(["ndarray",["slist","i32"],null])", SampleKind::kAuto,
       "INVALID_ARGUMENT: values of type *x([i32]) cannot be generated: its "
       "rank "
       "is not known. (argument 0)"},
  };
  const Ref<hal::Device> device = (*OpenDevices({}, hal::DriverOptions()))[0];
  for (const auto& row : kRows) {
    const auto signature = ReadSignature(
        "0r", {{"iree.abi", absl::StrCat("{\"a\":[", row.record, "]}")}});
    ASSERT_EQ(StatusText(signature), "OK") << row.record;
    const auto made = SampleArguments(*signature, *device, row.kind, 1);
    EXPECT_EQ(made.ok() ? tests::JsonText((*made)[0]) : StatusText(made),
              row.want)
        << row.record;
  }
}

}  // namespace
}  // namespace eyrie::abi
