// Reads traces, complete and damaged.
#include "tools/inspect/kernel_times.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/file_writer.h"
#include "gtest/gtest.h"

namespace eyrie::tools {
namespace {

constexpr char kHead[] =
    "{\"displayTimeUnit\":\"ns\",\"otherData\":{\"dropped\":0},"
    "\"traceEvents\":[\n";

// Returns "a 2*3000 [1000 2000]" for two dispatches of "a" in 1 and 2 us, or
// the error's message.
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
                    time.ns, " [", absl::StrJoin(time.each, " "), "]");
  }
  return list;
}

// Returns the end of an event: of workgroups `begin` to `end` of 6, at a time.
std::string Part(int us, int begin, int end) {
  return absl::StrCat(",\"ts\":", us,
                      ",\"args\":{\"workgroups\":[3,2,1],\"begin\":", begin,
                      ",\"end\":", end, "}},\n");
}

TEST(KernelTimes, OfTraces) {
  const std::string path = testing::TempDir() + "/trace.json";
  const std::string file = absl::StrCat(" (file '", path, "')");
  const std::string incomplete =
      "It is not a complete trace of 'eyrie run --trace=FILE'." + file;
  const std::string wrong =
      "Line 2 is not an event with a name and a time." + file;
  const std::string head = kHead;
  const std::string event = "{\"cat\":\"dispatch\",\"name\":\"a\",\"dur\":1.5";
  const struct {
    std::string text;
    std::string want;
  } kCases[] = {
      {head + "]}\n", ""},
      {head + event + "},\n" + event + "}\n]}\n", "a 2*3000 [1500 1500]"},
      // One dispatch by two threads, and a second one.
      {head + event + Part(5, 0, 4) + event + Part(20, 0, 6) + event +
           Part(4, 4, 6) + "{}\n]}\n",
       "a 2*4500 [3000 1500]"},
      // The end of a dispatch is missing.
      {head + event + Part(5, 0, 4) + "{}\n]}\n", "a 1*1500 []"},
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
