// Tests base/hex.h.
#include "base/hex.h"

#include <gtest/gtest.h>

namespace eyrie {
namespace {

TEST(Hex, Bytes) {
  const struct {
    const char* digits;
    std::optional<std::string> want;
  } kRows[] = {
      {"", ""},
      {"00", std::string(1, '\0')},
      {"61Ff7a", "a\xFFz"},
      {"aAfF", "\xAA\xFF"},
      {"1", std::nullopt},
      {"6 1 ", std::nullopt},
      {"6g", std::nullopt},
      {"@1", std::nullopt},
      {"0x", std::nullopt},
  };
  for (const auto& row : kRows) EXPECT_EQ(BytesOfHex(row.digits), row.want);
}

}  // namespace
}  // namespace eyrie
