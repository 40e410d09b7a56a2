// Finds the tests in files, and names them.
#include "tools/check/test_plan.h"

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "gtest/gtest.h"

namespace eyrie::tools {
namespace {

namespace fs = std::filesystem;

std::string Found(const std::vector<std::string>& paths) {
  const auto files = FindTestFiles(paths);
  if (!files.ok()) return std::string(files.status().message());
  std::vector<std::string> texts;
  for (const TestFile& file : *files) {
    texts.push_back(absl::StrCat(fs::path(file.path).filename().string(), "=",
                                 file.prefix));
  }
  return absl::StrJoin(texts, " ");
}

TEST(TestPlan, FindsFiles) {
  const fs::path root = fs::path(testing::TempDir()) / "test_plan";
  fs::remove_all(root);
  for (const char* file : {"a/x.vmfb", "a/b/y.vmfb", "a/b/z.txt", "c/x.vmfb"}) {
    fs::create_directories((root / file).parent_path());
    std::ofstream(root / file) << "x";
  }
  fs::create_directories(root / "empty" / "folder.vmfb");
  const auto at = [&](const char* name) { return (root / name).string(); };
  EXPECT_EQ(Found({at("a/x.vmfb")}), "x.vmfb=");
  EXPECT_EQ(Found({at("no/such.vmfb")}), "such.vmfb=");
  EXPECT_EQ(Found({"-"}), "-=");
  EXPECT_EQ(Found({at("a/b")}), "y.vmfb=y/");
  EXPECT_EQ(Found({at("a/b/")}), "y.vmfb=y/");
  EXPECT_EQ(Found({at("a")}), "y.vmfb=b/y/ x.vmfb=x/");
  EXPECT_EQ(Found({at("a"), at("c/x.vmfb")}),
            "y.vmfb=a/b/y/ x.vmfb=a/x/ x.vmfb=c/x/");
  EXPECT_EQ(Found({at("a/x.vmfb"), at("a/b/y.vmfb")}), "x.vmfb=x/ y.vmfb=b/y/");
  EXPECT_EQ(Found({at("a/../a/./b//"), at("c")}), "y.vmfb=a/b/y/ x.vmfb=c/x/");
  EXPECT_EQ(Found({at("a"), at("a/b")}), "y.vmfb=b/y/ x.vmfb=x/ y.vmfb=b/y/");
  EXPECT_EQ(Found({at("a/x.vmfb/"), at("c")}), "=a/x/ x.vmfb=c/x/");
  // The remaining paths: file names that consist of dots.
  EXPECT_EQ(Found({"no/x.vmfb", "no/./y/../z.vmfb"}), "x.vmfb=x/ z.vmfb=z/");
  EXPECT_EQ(Found({"no/..vmfb", "no/...vmfb", "no/.vmfb"}),
            "..vmfb=./ ...vmfb=../ .vmfb=/");
  EXPECT_EQ(Found({at("empty")}), absl::StrCat("The folder '", at("empty"),
                                               "' holds no file *.vmfb."));
}

// Returns the full names of a plan's tests.
std::string Names(const TestPlan& plan) {
  std::vector<std::string> names;
  for (const Test& test : plan.tests()) names.push_back(plan.FullName(test));
  return absl::StrJoin(names, " ");
}

abi::Program Checks() {
  return *abi::LoadProgram("tests/modules/3.13/check_failures.vmfb");
}

TEST(TestPlan, NamesTests) {
  TestPlan plan;
  EXPECT_EQ(plan.Add("", {Checks()}, {"local-sync"}), 1u);
  EXPECT_EQ(Names(plan),
            "module.passes module.scalars module.elements module.closeness "
            "module.shapes module.stops module.loop module.DISABLED_fails");
  EXPECT_TRUE(plan.tests().back().disabled);
  EXPECT_FALSE(plan.tests().front().disabled);
}

TEST(TestPlan, NamesFilesAndDevices) {
  TestPlan plan;
  plan.Add("a/b/", {Checks()}, {"local-sync", "local-task"});
  plan.AddUnloadable({"c.vmfb", "c/"}, absl::NotFoundError("No."));
  plan.Keep(NameFilter("*.scalars:c.*"));
  EXPECT_EQ(Names(plan),
            "a/b/module/local-sync.scalars a/b/module/local-task.scalars "
            "c.(load)");
  EXPECT_EQ(absl::StrJoin(plan.Names(plan.tests()[1]), " "),
            "a/b/module/local-task.scalars module.scalars");
  EXPECT_EQ(absl::StrJoin(plan.Names(plan.tests()[2]), " "), "c.(load)");
  EXPECT_EQ(plan.SuiteOf(plan.tests()[1]).devices, 1u);
  plan.Keep(NameFilter("module.scalars"));
  EXPECT_EQ(plan.tests().size(), 2u);
}

TEST(TestPlan, KeepsShards) {
  std::string all;
  for (size_t shard = 0; shard < 3; ++shard) {
    TestPlan plan;
    plan.Add("", {Checks()}, {"local-sync"});
    plan.KeepShard(shard, 3);
    absl::StrAppend(&all, Names(plan), "; ");
  }
  EXPECT_EQ(all,
            "module.passes module.closeness module.loop; "
            "module.scalars module.shapes module.DISABLED_fails; "
            "module.elements module.stops; ");
}

}  // namespace
}  // namespace eyrie::tools
