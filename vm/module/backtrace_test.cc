// Backtraces as text: every kind of source location, deep calls, bad names.
#include "vm/module/backtrace.h"

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "tests/support/module_builder.h"
#include "vm/module/archive.h"

namespace eyrie::vm {
namespace {

using tests::ModuleBuilder;
using Location = ModuleBuilder::Location;

ModuleDef Decode(const ModuleBuilder& builder) {
  return *ModuleDef::Decode(*Archive::Copy(builder.Build(), "x.vmfb"));
}

std::string Format(absl::string_view native,
                   const std::vector<BacktraceFrame>& frames) {
  Backtrace backtrace;
  for (const BacktraceFrame& frame : frames) backtrace.Add(frame);
  return FormatBacktrace(backtrace, native);
}

// A module with empty functions f0, f1 and so on.
ModuleBuilder Functions(int count) {
  ModuleBuilder module;
  module.name = "model";
  for (int i = 0; i < count; ++i) {
    module.AddFunction(absl::StrCat("f", i), "0v_v", "entry: return []");
  }
  return module;
}

TEST(Backtrace, Locations) {
  const struct {
    const char* what;
    std::vector<Location> locations;  // the instruction has the first
    const char* want;
  } kCases[] = {
      {"a file", {{Location::kFile, "a.mlir", 12, 3}}, " (a.mlir:12:3)"},
      {"a file as a whole", {{Location::kFile, "a.mlir", 0, 0}}, " (a.mlir)"},
      {"none", {{Location::kNone, "", 0, 0}}, ""},
      {"a name alone",
       {{Location::kNamed, "add", 1, 0}, {Location::kNone, "", 0, 0}},
       " (add)"},
      {"a name",
       {{Location::kNamed, "add", 1, 0}, {Location::kFile, "a.py", 7, 1}},
       " (add a.py:7:1)"},
      {"a call site",
       {{Location::kCallSite, "", 1, 2},
        {Location::kFile, "a.mlir", 1, 2},
        {Location::kFile, "b.mlir", 3, 4}},
       " (a.mlir:1:2, inlined at b.mlir:3:4)"},
      {"a name at a call site",
       {{Location::kNamed, "add", 1, 0},
        {Location::kCallSite, "", 2, 3},
        {Location::kFile, "a.mlir", 1, 2},
        {Location::kFile, "b.mlir", 3, 4}},
       " (add a.mlir:1:2, inlined at b.mlir:3:4)"},
      {"several fused",
       {{Location::kFused, "", 1, 2},
        {Location::kFile, "a.mlir", 1, 2},
        {Location::kFile, "b.mlir", 3, 4}},
       " (a.mlir:1:2)"},
      {"itself", {{Location::kCallSite, "", 0, 0}}, ""},
      {"itself, by name", {{Location::kNamed, "x", 0, 0}}, " (x)"},
      {"nothing that exists", {{Location::kCallSite, "", 7, -1}}, ""},
      {"a long chain",
       {{Location::kCallSite, "", 1, 2},
        {Location::kFile, "a", 1, 1},
        {Location::kCallSite, "", 1, 3},
        {Location::kCallSite, "", 1, 4},
        {Location::kCallSite, "", 1, 5},
        {Location::kCallSite, "", 1, 6},
        {Location::kFile, "b", 2, 2}},
       " (a:1:1, inlined at a:1:1, inlined at a:1:1, inlined at a:1:1, and 2 "
       "more)"},
      {"a name a terminal would obey",
       {{Location::kFile, "a\x1B[2J\nb", 1, 1}},
       " (a?[2J?b:1:1)"},
  };
  for (const auto& c : kCases) {
    ModuleBuilder builder = Functions(1);
    builder.locations = c.locations;
    const ModuleDef module = Decode(builder);
    EXPECT_EQ(Format("", {{&module, 0, 1}}),
              absl::StrCat("\n  at model.f0+0x1", c.want))
        << c.what;
  }
}

TEST(Backtrace, Calls) {
  ModuleBuilder builder = Functions(30);
  builder.debug_database = false;
  const ModuleDef module = Decode(builder);
  const auto calls = [&](uint32_t first, uint32_t count) {
    std::vector<BacktraceFrame> frames;
    for (uint32_t i = 0; i < count; ++i) {
      frames.push_back({&module, first + i, i});
    }
    return frames;
  };
  EXPECT_EQ(Format("", {}), "");
  EXPECT_EQ(Format("hal.fence.await", {}), "\n  at native hal.fence.await");
  EXPECT_EQ(Format("hal.fence.await", calls(3, 2)),
            "\n  at native hal.fence.await\n  from model.f3+0x0\n  from "
            "model.f4+0x1");
  // The middle of a deep call is left out, but never a single frame.
  EXPECT_EQ(Format("", calls(0, 16)).find("more"), std::string::npos);
  const std::string deep = Format("", calls(0, 30));
  EXPECT_NE(deep.find("f11+0xb\n  ... 14 frames more ...\n  from model.f26"),
            std::string::npos)
      << deep;
  EXPECT_NE(deep.find("model.f29+0x1d"), std::string::npos) << deep;
  // Recursion takes one line.
  std::vector<BacktraceFrame> recursion(1000, {&module, 1, 8});
  recursion.push_back({&module, 0, 2});
  EXPECT_EQ(Format("", recursion),
            "\n  at model.f1+0x8, 1000 deep\n  from model.f0+0x2");
  // Mutual recursion takes many lines; not all frames are kept.
  std::vector<BacktraceFrame> ring;
  while (ring.size() < 100000) {
    ring.insert(ring.end(),
                {{&module, 1, 8}, {&module, 2, 9}, {&module, 2, 9}});
  }
  const std::string ringed = Format("", ring);
  EXPECT_NE(ringed.find("... 99978 frames more ..."), std::string::npos)
      << ringed;
}

// Only kept frames are converted, however many there are.
TEST(Backtrace, LooksFewFramesUp) {
  FrameRuns<int> frames;
  for (int i = 0; i < 100000; ++i) frames.Add(i / 2);
  int calls = 0;
  const FrameRuns<std::string> texts =
      frames.As<std::string>([&calls](const int& frame) {
        ++calls;
        return absl::StrCat("f", frame);
      });
  EXPECT_EQ(calls, 16);
  EXPECT_EQ(texts.inner()[11].frame, "f11");
  EXPECT_EQ(texts.outer()[0].frame, "f49996");
  EXPECT_EQ(texts.outer()[0].count, 2u);
  EXPECT_EQ(texts.left_out(), 99968u);
}

TEST(Backtrace, LongNamesAreCut) {
  ModuleBuilder builder = Functions(1);
  builder.name = std::string(5000, 'm');
  const ModuleDef module = Decode(builder);
  const std::string text = Format(std::string(5000, 'n'), {{&module, 0, 0}});
  EXPECT_LT(text.size(), 600u);
}

TEST(Backtrace, FollowsTheSentence) {
  const ModuleDef module = Decode(Functions(1));
  Backtrace backtrace;
  backtrace.Add({&module, 0, 0});
  const absl::Status status =
      WithBacktrace(absl::AbortedError("It is late."), "", backtrace);
  EXPECT_EQ(status.ToString(),
            "ABORTED: It is late.\n  at model.f0+0x0 (test.mlir:1:1)");
  EXPECT_EQ(WithoutBacktrace(status.message()), "It is late.");
  EXPECT_EQ(WithoutBacktrace("Only this."), "Only this.");
}

}  // namespace
}  // namespace eyrie::vm
