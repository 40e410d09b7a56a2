// Texts that are complete, reach their limit, or end by the sink's error.
#include "base/text_stream.h"

#include <algorithm>
#include <string>

#include "gtest/gtest.h"

namespace eyrie {
namespace {

TEST(TextStream, EndsAtItsLimit) {
  const struct {
    uint64_t most;
    const char* want;
    bool too_long;
  } kRows[] = {
      {100, "one 2 three", false},
      {11, "one 2 three", false},
      {10, "one 2 ", true},
      {5, "one ", true},
      {3, "", true},
      {0, "", true},
  };
  for (const auto& row : kRows) {
    std::string text;
    const auto sink = [&text](absl::string_view piece) {
      absl::StrAppend(&text, piece);
      return absl::OkStatus();
    };
    TextStream stream(row.most, sink);
    stream.Add("one ");
    stream.Add(2, " ");
    stream.Add("three");
    EXPECT_EQ(stream.is_too_long(), row.too_long) << row.most;
    EXPECT_EQ(stream.ok(), !row.too_long) << row.most;
    EXPECT_TRUE(stream.Finish().ok());
    EXPECT_EQ(text, row.want) << row.most;
  }
}

TEST(TextStream, TakesNothingAfterWhatDoesNotFit) {
  std::string text;
  const auto sink = [&text](absl::string_view piece) {
    absl::StrAppend(&text, piece);
    return absl::OkStatus();
  };
  TextStream stream(10, sink);
  stream.Add("12345");
  EXPECT_TRUE(stream.Fits(5));
  EXPECT_FALSE(stream.Fits(6));
  stream.Add("6");
  EXPECT_TRUE(stream.Finish().ok());
  EXPECT_EQ(text, "12345");
}

TEST(TextStream, KeepsOnePiece) {
  size_t largest = 0, bytes = 0;
  const auto sink = [&](absl::string_view piece) {
    largest = std::max(largest, piece.size());
    bytes += piece.size();
    return absl::OkStatus();
  };
  TextStream stream(sink);
  for (int i = 0; i < 1000; ++i) stream.Add(std::string(1000, 'x'));
  EXPECT_TRUE(stream.Finish().ok());
  EXPECT_EQ(bytes, 1000000u);
  EXPECT_LT(largest, 100000u);
}

TEST(TextStream, EndsWithItsSink) {
  int calls = 0;
  const auto sink = [&calls](absl::string_view) {
    ++calls;
    return absl::DataLossError("full");
  };
  TextStream stream(sink);
  for (int i = 0; i < 1000; ++i) stream.Add(std::string(1000, 'x'));
  EXPECT_FALSE(stream.ok());
  EXPECT_FALSE(stream.is_too_long());
  EXPECT_EQ(stream.Finish().message(), "full");
  EXPECT_EQ(calls, 1);
}

}  // namespace
}  // namespace eyrie
