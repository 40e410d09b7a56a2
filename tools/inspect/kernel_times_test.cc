// Reads traces, complete and damaged.
#include "tools/inspect/kernel_times.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "base/file_writer.h"
#include "gtest/gtest.h"

namespace eyrie::tools {
namespace {

constexpr char kHead[] =
    "{\"displayTimeUnit\":\"ns\",\"otherData\":{\"dropped\":0},"
    "\"traceEvents\":[\n";

// Returns "a 2*3000" for two dispatches of "a" in 3 us, or the error's message.
std::string Read(const std::string& text) {
  const std::string path = testing::TempDir() + "/trace.json";
  FileWriter file(path);
  EXPECT_TRUE(file.WriteText(text).ok());
  EXPECT_TRUE(file.Finish().ok());
  const auto times = ReadKernelTimes(path);
  if (!times.ok()) return std::string(times.status().message());
  std::string list;
  for (const auto& [name, time] : *times) {
    absl::StrAppend(&list, list.empty() ? "" : " ", name, " ", time.count, "*",
                    time.ns);
  }
  return list;
}

TEST(KernelTimes, OfTraces) {
  const std::string path = testing::TempDir() + "/trace.json";
  const std::string incomplete = absl::StrCat(
      "'", path, "' is not a complete trace of 'eyrie run --trace=FILE'.");
  const std::string wrong = absl::StrCat(
      "Line 2 of '", path, "' is not an event with a name and a time.");
  const std::string head = kHead;
  const std::string event = "{\"cat\":\"dispatch\",\"name\":\"a\",\"dur\":1.5";
  const struct {
    std::string text;
    std::string want;
  } kCases[] = {
      {head + "]}\n", ""},
      {head + event + "},\n" + event + "}\n]}\n", "a 2*3000"},
      // One dispatch by two threads.
      {head + event + ",\"args\":{\"begin\":0}},\n" + event +
           ",\"args\":{\"begin\":4}}\n]}\n",
       "a 1*3000"},
      {head + "{\"cat\":\"import\",\"name\":\"x\"}\n]}", ""},
      {"", incomplete},
      {"text", incomplete},
      {"[]\n]}\n", incomplete},
      {head, incomplete},
      {head + event + "},\n", incomplete},
      {head + event + "\n]}\n", wrong},
      {head + "{\"cat\":\"dispatch\",\"name\":\"a\"}\n]}\n", wrong},
      {head + "{\"cat\":\"dispatch\",\"dur\":1}\n]}\n", wrong},
      {head + "{\"cat\":\"dispatch\",\"name\":\"a\",\"dur\":-1}\n]}\n", wrong},
  };
  for (const auto& c : kCases) EXPECT_EQ(Read(c.text), c.want) << c.text;
}

}  // namespace
}  // namespace eyrie::tools
