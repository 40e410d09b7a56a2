// Parses command lines. Compares the settings as text.
#include "tools/arg_parser.h"

#include <cstdio>
#include <fstream>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "gtest/gtest.h"

namespace eyrie::tools {
namespace {

constexpr Flag kFlags[] = {
    {"help", FlagKind::kBool, "false", "Prints this."},
    {"flagfile", FlagKind::kString, "", "Reads flags from a file."},
    {"input", FlagKind::kList, "", "An argument.\nMay be repeated."},
    {"function", FlagKind::kString, "", "The function."},
    {"count", FlagKind::kInt, "1024", "How many.", "-c"},
    {"limit", FlagKind::kDouble, "0.5", "How much."},
    {"verbose", FlagKind::kBool, "false", "Says more."},
    {"cuda_tracing", FlagKind::kIgnored, "", ""},
};

std::string Parsed(absl::string_view line) {
  std::vector<std::string> words = absl::StrSplit(line, ' ', absl::SkipEmpty());
  std::vector<const char*> args;
  for (const std::string& word : words) args.push_back(word.c_str());
  absl::StatusOr<Arguments> parsed = ParseArguments(kFlags, args);
  if (!parsed.ok()) return std::string(parsed.status().message());
  return absl::StrCat(
      "f=", parsed->GetString("function"), " n=", parsed->GetInt("count"),
      " l=", parsed->GetDouble("limit"), " v=", parsed->GetBool("verbose"),
      " i=", absl::StrJoin(parsed->GetList("input"), "|"),
      " p=", absl::StrJoin(parsed->positional(), "|"),
      " x=", absl::StrJoin(parsed->IgnoredFlags(), "|"));
}

TEST(ArgParser, Lines) {
  const struct {
    const char* line;
    const char* want;
  } kRows[] = {
      {"", "f= n=1024 l=0.5 v=0 i= p= x="},
      {"--function=a=b --count=7", "f=a=b n=7 l=0.5 v=0 i= p= x="},
      {"--function add m.vmfb", "f=add n=1024 l=0.5 v=0 i= p=m.vmfb x="},
      {"--input=1 --input=2", "f= n=1024 l=0.5 v=0 i=1|2 p= x="},
      {"--verbose x", "f= n=1024 l=0.5 v=1 i= p=x x="},
      {"--verbose --noverbose", "f= n=1024 l=0.5 v=0 i= p= x="},
      {"--verbose=true --count=-3", "f= n=-3 l=0.5 v=1 i= p= x="},
      {"-- --verbose", "f= n=1024 l=0.5 v=0 i= p=--verbose x="},
      {"-", "f= n=1024 l=0.5 v=0 i= p=- x="},
      {"--cuda_tracing=2 --cuda_tracing",
       "f= n=1024 l=0.5 v=0 i= p= x=cuda_tracing"},
      {"--functoin=a", "There is no flag --functoin. Did you mean 'function'?"},
      {"-function=a",
       "There is no flag -function; flags begin with two dashes. Did you mean "
       "'function'?"},
      {"-o m.vmfb", "There is no flag -o; flags begin with two dashes."},
      {"--function -o -- -o", "f=-o n=1024 l=0.5 v=0 i= p=-o x="},
      {"-1", "f= n=1024 l=0.5 v=0 i= p=-1 x="},
      {"--nosuch", "There is no flag --nosuch."},
      {"-c 7 m", "f= n=7 l=0.5 v=0 i= p=m x="},
      {"-- -c", "f= n=1024 l=0.5 v=0 i= p=-c x="},
      {"-c", "Flag -c takes a value: -c ..."},
      {"-c many", "Flag -c takes a whole number, not 'many'."},
      {"-c 7 --count=many", "Flag --count takes a whole number, not 'many'."},
      {"-c=7", "There is no flag -c; flags begin with two dashes."},
      {"--count=many", "Flag --count takes a whole number, not 'many'."},
      {"--count=-9223372036854775809",
       "Flag --count takes a whole number of 64 bits, not "
       "'-9223372036854775809'."},
      {"--limit=x", "Flag --limit takes a number, not 'x'."},
      {"--verbose=maybe", "Flag --verbose takes true or false, not 'maybe'."},
      {"--function", "Flag --function takes a value: --function=..."},
      {"--flagfile=/no/such/file",
       "Cannot read the flag file '/no/such/file'."},
      {"--flagfile=/", "Cannot read the flag file '/'."},
      {"--flagfile=/dev/zero",
       "The flag file '/dev/zero' has more than 1048576 bytes."},
      {"--function --verbose", "Flag --function takes a value: --function=..."},
  };
  for (const auto& row : kRows)
    EXPECT_EQ(Parsed(row.line), row.want) << row.line;
}

TEST(ArgParser, FlagFiles) {
  const std::string path = absl::StrCat(testing::TempDir(), "/flags.txt");
  std::ofstream(path) << "# a comment\n\n--count=7\n  --input=a b \n";
  EXPECT_EQ(Parsed(absl::StrCat("--count=1 --flagfile=", path, " --input=c")),
            "f= n=7 l=0.5 v=0 i=a b|c p= x=");
  const std::string outer = absl::StrCat(testing::TempDir(), "/outer.txt");
  std::ofstream(outer) << "--flagfile=" << path << "\n";
  std::ofstream(path) << "--count=x\n";
  EXPECT_EQ(Parsed(absl::StrCat("--flagfile=", outer)),
            absl::StrCat("Flag --count takes a whole number, not 'x'. (in flag "
                         "file '",
                         path, "')"));
  std::ofstream(path) << "--flagfile=" << path << "\n";
  EXPECT_EQ(Parsed(absl::StrCat("--flagfile=", path)),
            absl::StrCat("Flag files are nested deeper than 8; the innermost "
                         "is '",
                         path, "'. (in flag file '", path, "')"));
}

TEST(ArgParser, HelpIsAFlagFile) {
  EXPECT_EQ(FlagsHelp(std::span(kFlags).subspan(2, 3)),
            "# An argument.\n# May be repeated.\n# --input=...\n\n"
            "# The function.\n# --function=...\n\n"
            "# How many.\n--count=1024\n\n");
}

}  // namespace
}  // namespace eyrie::tools
