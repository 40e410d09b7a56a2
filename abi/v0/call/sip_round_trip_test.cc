// Tests random signatures, written and read; random values, extracted from
// structures and put back; and signatures with changed bytes, which must be
// rejected or be written back unchanged.
#include <cstdint>
#include <iterator>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "abi/v0/call/sip_values.h"
#include "abi/v0/raw_signature.h"
#include "abi/v0/sip_signature.h"
#include "abi/v0/testing/writers.h"
#include "abi/value/host_value.h"
#include "gtest/gtest.h"
#include "tests/support/status_text.h"

namespace eyrie::abi::v0 {
namespace {

constexpr int kRounds = 3000;

class Random {
 public:
  explicit Random(uint64_t seed) : engine_(seed) {}

  // Returns a random number from 0 to count - 1.
  int64_t Below(int64_t count) {
    return static_cast<int64_t>(engine_() % static_cast<uint64_t>(count));
  }

  RawSignature Raw() {
    RawSignature signature;
    for (auto* side : {&signature.inputs, &signature.results}) {
      side->resize(static_cast<size_t>(Below(5)));
      for (RawType& type : *side) type = OneType();
    }
    return signature;
  }

  // Returns a structure of the raw values 0 to count - 1, each at one path or
  // more.
  SipNode Structure(int64_t count) {
    SipNode root;
    for (int64_t raw = 0; raw < count; ++raw) {
      int places = Below(4) == 0 ? 2 : 1;
      for (int tries = 0; places > 0 && tries < 1000; ++tries) {
        // A path may be taken, or lead through a leaf.
        if (PutLeaf(root, raw, Path())) --places;
      }
    }
    return root;
  }

  std::string Mutate(std::string text) {
    constexpr char kBytes[] = "IRBSOUDkKtdc_!-0123456789\xFF";
    for (int64_t i = Below(3); i >= 0 && !text.empty(); --i) {
      const auto at =
          static_cast<size_t>(Below(static_cast<int64_t>(text.size())));
      const char byte = kBytes[Below(sizeof(kBytes) - 1)];
      switch (Below(3)) {
        case 0:
          text[at] = byte;
          break;
        case 1:
          text.erase(at, 1);
          break;
        default:
          text.insert(at, 1, byte);
          break;
      }
    }
    return text;
  }

 private:
  RawType OneType() {
    RawType type;
    type.kind = static_cast<RawType::Kind>(Below(4));
    if (type.kind == RawType::Kind::kBuffer ||
        type.kind == RawType::Kind::kScalar) {
      const auto elements = ScalarTypes();
      type.element = elements[static_cast<size_t>(
          Below(static_cast<int64_t>(elements.size())))];
    }
    if (type.kind != RawType::Kind::kBuffer) return type;
    type.layout = static_cast<Layout>(Below(3));
    for (int64_t rank = Below(5); rank > 0; --rank) {
      type.shape.push_back(Below(3) == 0 ? RawType::kDynamic
                                         : Below(int64_t{1} << Below(62)));
    }
    return type;
  }

  std::vector<SipKey> Path() {
    // The kind of a structure depends on its depth, so that most paths fit.
    std::vector<SipKey> path;
    for (int64_t depth = 1 + Below(4); depth > 0; --depth) {
      if (path.size() % 2 == 0) {
        path.emplace_back(Below(6));
      } else {
        constexpr const char* kKeys[] = {"", "a", "!", "-1", "7b", "\xFF"};
        path.emplace_back(std::string(kKeys[Below(std::size(kKeys))]));
      }
    }
    return path;
  }

  std::mt19937_64 engine_;
};

TEST(RoundTrip, RawSignatures) {
  Random random(1);
  for (int i = 0; i < kRounds; ++i) {
    const RawSignature signature = random.Raw();
    const std::string text = Mangle(signature);
    const auto read = RawSignature::Parse(text);
    ASSERT_TRUE(read.ok()) << text << StatusText(read);
    EXPECT_EQ(*read, signature) << text;
    const auto other = RawSignature::Parse(random.Mutate(text));
    if (!other.ok()) continue;
    const auto again = RawSignature::Parse(Mangle(*other));
    ASSERT_TRUE(again.ok()) << text << StatusText(again);
    EXPECT_EQ(*again, *other) << text;
  }
}

TEST(RoundTrip, SipSignatures) {
  Random random(2);
  for (int i = 0; i < kRounds; ++i) {
    const SipSignature signature = {random.Structure(random.Below(8)),
                                    random.Structure(random.Below(8))};
    const std::string text = Mangle(signature);
    const auto read = SipSignature::Parse(text);
    ASSERT_TRUE(read.ok()) << text << StatusText(read);
    EXPECT_EQ(*read, signature) << text;
    const auto other = SipSignature::Parse(random.Mutate(text));
    if (!other.ok()) continue;
    const auto again = SipSignature::Parse(Mangle(*other));
    ASSERT_TRUE(again.ok()) << text << StatusText(again);
    EXPECT_EQ(*again, *other) << text;
  }
}

TEST(RoundTrip, ValuesInStructures) {
  Random random(3);
  for (int i = 0; i < kRounds; ++i) {
    const int64_t count = 1 + random.Below(7);
    const SipNode root = random.Structure(count);
    std::vector<HostValue> raw;
    for (int64_t value = 0; value < count; ++value) {
      raw.push_back(random.Below(2) == 0
                        ? HostValue(value)
                        : HostValue::List({HostValue(value), HostValue()}));
    }
    const auto nested = SipNest(root, raw);
    ASSERT_TRUE(nested.ok()) << StatusText(nested);
    SipFlattener flattener(root, raw.size());
    const absl::Status status = flattener.Add(root, *nested);
    ASSERT_TRUE(status.ok()) << flattener.path() << StatusText(status);
    for (size_t j = 0; j < raw.size(); ++j) {
      // A value for which no path was found is at no place.
      const HostValue* back = flattener.raw()[j];
      if (back == nullptr) continue;
      EXPECT_TRUE(SameValue(*back, raw[j])) << SipText(root);
    }
  }
}

}  // namespace
}  // namespace eyrie::abi::v0
