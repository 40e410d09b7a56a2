// Parses the values of --fuel, --timeout, --max_memory and --max_stack.
#include "tools/limit_flags.h"

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"

namespace eyrie::tools {
namespace {

std::string Parse(const std::vector<const char*>& args) {
  const absl::StatusOr<Arguments> arguments =
      ParseArguments(LimitFlags(), args);
  if (!arguments.ok()) return std::string(arguments.status().message());
  const absl::StatusOr<vm::Limits> limits = LimitsOf(*arguments);
  if (!limits.ok()) return std::string(limits.status().message());
  std::string text;
  const auto append = [&](const char* name, uint64_t value) {
    absl::StrAppend(&text, " ", name, "=");
    if (value == vm::Limits::kUnlimited) {
      absl::StrAppend(&text, "any");
    } else {
      absl::StrAppend(&text, value);
    }
  };
  append("fuel", limits->fuel);
  absl::StrAppend(&text, " timeout=", absl::FormatDuration(limits->timeout));
  append("memory", limits->max_memory);
  append("stack", limits->max_stack);
  return text;
}

TEST(LimitFlags, Values) {
  const struct {
    std::vector<const char*> args;
    const char* want;
  } kCases[] = {
      {{}, " fuel=any timeout=inf memory=any stack=4194304"},
      {{"--fuel=1000"}, " fuel=1000 timeout=inf memory=any stack=4194304"},
      {{"--fuel=0"}, " fuel=0 timeout=inf memory=any stack=4194304"},
      {{"--fuel=-1"}, " fuel=any timeout=inf memory=any stack=4194304"},
      {{"--fuel=-5"},
       "--fuel=-5 is negative; expected 0 or more, or -1 for no limit."},
      {{"--timeout=2s"}, " fuel=any timeout=2s memory=any stack=4194304"},
      {{"--timeout=1m0.5s"},
       " fuel=any timeout=1m0.5s memory=any stack=4194304"},
      {{"--timeout=0"}, " fuel=any timeout=0 memory=any stack=4194304"},
      {{"--timeout=inf"}, " fuel=any timeout=inf memory=any stack=4194304"},
      {{"--timeout=2"}, " fuel=any timeout=2s memory=any stack=4194304"},
      {{"--timeout=100ms"}, " fuel=any timeout=100ms memory=any stack=4194304"},
      {{"--timeout=2x"},
       "--timeout='2x' is not a duration; expected one such as 2s or 500ms."},
      {{"--timeout=nan"},
       "--timeout='nan' is not a duration; expected one such as 2s or 500ms."},
      {{"--timeout=-2"},
       "--timeout='-2' is not a duration; expected one such as 2s or 500ms."},
      {{"--timeout="},
       "--timeout='' is not a duration; expected one such as 2s or 500ms."},
      {{"--timeout=-1s"},
       "--timeout='-1s' is not a duration; expected one such as 2s or 500ms."},
      {{"--max_memory=4096"},
       " fuel=any timeout=inf memory=4096 stack=4194304"},
      {{"--max_memory=64KiB"},
       " fuel=any timeout=inf memory=65536 stack=4194304"},
      {{"--max_memory=1.5MiB"},
       " fuel=any timeout=inf memory=1572864 stack=4194304"},
      {{"--max_memory=2GB"},
       " fuel=any timeout=inf memory=2000000000 stack=4194304"},
      {{"--max_memory=64M", "--max_stack=8K"},
       " fuel=any timeout=inf memory=67108864 stack=8192"},
      {{"--max_memory=1G"},
       " fuel=any timeout=inf memory=1073741824 stack=4194304"},
      {{"--max_memory=2T"},
       " fuel=any timeout=inf memory=2199023255552 stack=4194304"},
      {{"--max_memory=7B"}, " fuel=any timeout=inf memory=7 stack=4194304"},
      {{"--max_memory=0"}, " fuel=any timeout=inf memory=0 stack=4194304"},
      {{"--max_memory=64m"},
       "--max_memory='64m' is not a size; expected a number of bytes such as "
       "4096, 64M or 2GiB."},
      {{"--max_memory="},
       "--max_memory='' is not a size; expected a number of bytes such as "
       "4096, 64M or 2GiB."},
      {{"--max_memory=MiB"},
       "--max_memory='MiB' is not a size; expected a number of bytes such as "
       "4096, 64M or 2GiB."},
      {{"--max_memory=-1"},
       "--max_memory='-1' is not a size; expected a number of bytes such as "
       "4096, 64M or 2GiB."},
      {{"--max_memory=nan"},
       "--max_memory='nan' is not a size; expected a number of bytes such as "
       "4096, 64M or 2GiB."},
      {{"--max_memory=9e18"},
       " fuel=any timeout=inf memory=9000000000000000000 stack=4194304"},
      {{"--max_memory=9223372036854775808"},  // 2^63
       "--max_memory='9223372036854775808' is not a size; expected a number of "
       "bytes such as 4096, 64M or 2GiB."},
      {{"--max_memory=1e19"},
       "--max_memory='1e19' is not a size; expected a number of bytes such as "
       "4096, 64M or 2GiB."},
      {{"--max_stack=64KiB"}, " fuel=any timeout=inf memory=any stack=65536"},
      {{"--max_stack=0"}, "--max_stack=0 is not between 4096 bytes and 1TiB."},
      {{"--max_stack=2TiB"},
       "--max_stack=2TiB is not between 4096 bytes and 1TiB."},
  };
  for (const auto& c : kCases) {
    SCOPED_TRACE(c.args.empty() ? "" : c.args[0]);
    EXPECT_EQ(Parse(c.args), c.want);
  }
}

}  // namespace
}  // namespace eyrie::tools
