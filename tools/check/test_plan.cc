#include "tools/check/test_plan.h"

#include <limits.h>
#include <unistd.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "abi/signature/signature_reader.h"
#include "absl/algorithm/container.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "base/folders.h"
#include "base/plain_text.h"
#include "base/status_macros.h"
#include "vm/isa/callconv.h"
#include "vm/module/module_def.h"

namespace eyrie::tools {
namespace {

constexpr absl::string_view kExtension = ".vmfb";
constexpr absl::string_view kDisabled = "DISABLED_";
constexpr char kLoad[] = "(load)";

absl::Status ListFolder(const std::string& folder,
                        std::vector<std::string>& files) {
  const size_t before = files.size();
  if (const absl::Status read = ListFiles(folder, kExtension, files);
      !read.ok()) {
    return absl::NotFoundError(read.message());
  }
  if (files.size() > before) return absl::OkStatus();
  return absl::NotFoundError(absl::StrCat(
      "The folder '", folder, "' holds no file *", kExtension, "."));
}

// The names on the way to a path, from the root on, without "." and "..".
using Names = std::vector<std::string>;

Names NamesTo(absl::string_view path) {
  if (path.empty()) return {};
  std::string whole(path);
  char here[PATH_MAX];
  if (!absl::StartsWith(path, "/") && getcwd(here, sizeof(here)) != nullptr) {
    whole = absl::StrCat(here, "/", path);
  }
  Names names;
  for (const absl::string_view name :
       absl::StrSplit(whole, '/', absl::SkipEmpty())) {
    if (name == "..") {
      if (!names.empty()) names.pop_back();
    } else if (name != ".") {
      names.emplace_back(name);
    }
  }
  return names;
}

void KeepCommon(Names& names, const Names& others) {
  const auto end =
      std::mismatch(names.begin(), names.end(), others.begin(), others.end());
  names.erase(end.first, names.end());
}

// Returns "ops/add/" for a path, without its first `folder` names.
std::string PrefixOf(absl::string_view path, size_t folder) {
  Names names = NamesTo(path);
  names.erase(names.begin(), names.begin() + static_cast<ptrdiff_t>(std::min(
                                                 folder, names.size())));
  const std::string name = absl::StrJoin(names, "/");
  return absl::StrCat(PlainPath(absl::StripSuffix(name, kExtension)), "/");
}

// A test takes nothing but the fences of an asynchronous function.
bool IsTest(const vm::FunctionDef& function) {
  const auto convention =
      vm::CallingConvention::Parse(function.calling_convention);
  if (!convention.ok() || !convention->results().empty()) return false;
  const bool takes_fences = abi::TakesFences(function.attributes, *convention);
  return convention->argument_types().size() ==
         (takes_fences ? abi::kFences : 0);
}

bool IsInternal(absl::string_view name) {
  return absl::StartsWith(name, "__") || absl::StrContains(name, '$');
}

}  // namespace

absl::StatusOr<std::vector<TestFile>> FindTestFiles(
    const std::vector<std::string>& paths) {
  std::vector<std::string> files;
  std::optional<Names> common;
  bool single = paths.size() == 1;
  for (const std::string& path : paths) {
    Names folder = NamesTo(path);
    if (IsFolder(path)) {
      RETURN_IF_ERROR(ListFolder(path, files));
      single = false;
    } else {
      files.push_back(path);
      if (!folder.empty()) folder.pop_back();
    }
    if (common.has_value()) {
      KeepCommon(*common, folder);
    } else {
      common = std::move(folder);
    }
  }
  std::vector<TestFile> found;
  for (const std::string& file : files) {
    found.push_back({file, single ? "" : PrefixOf(file, common->size())});
  }
  return found;
}

size_t TestPlan::Add(const std::string& prefix,
                     const std::vector<abi::Program>& programs,
                     const std::vector<std::string>& devices) {
  const vm::ModuleDef& def = programs.back()->def();
  const std::string module = PlainName(def.name);
  size_t others = 0;
  for (size_t i = 0; i < devices.size(); ++i) {
    TestSuite suite;
    suite.name = absl::StrCat(prefix, module);
    if (devices.size() > 1) absl::StrAppend(&suite.name, "/", devices[i]);
    suite.module = module;
    suite.programs = programs;
    suite.devices = i;
    others = 0;
    for (const vm::ExportDef& exported : def.exports) {
      if (IsInternal(exported.name)) continue;
      if (!IsTest(def.functions[exported.function])) {
        ++others;
        continue;
      }
      Test test = {suites_.size(), std::string(exported.name),
                   PlainName(exported.name)};
      test.disabled = absl::StartsWith(exported.name, kDisabled);
      tests_.push_back(std::move(test));
    }
    suites_.push_back(std::move(suite));
  }
  return others;
}

void TestPlan::AddUnloadable(const TestFile& file, const absl::Status& status) {
  TestSuite suite;
  suite.name = std::string(absl::StripSuffix(file.prefix, "/"));
  suite.module = suite.name;
  suite.loaded = status;
  tests_.push_back({suites_.size(), kLoad, kLoad});
  suites_.push_back(std::move(suite));
}

void TestPlan::Keep(const NameFilter& filter) {
  std::vector<Test> kept;
  for (Test& test : tests_) {
    if (filter.Takes(Names(test))) kept.push_back(std::move(test));
  }
  tests_ = std::move(kept);
}

void TestPlan::KeepShard(size_t index, size_t total) {
  std::vector<Test> kept;
  for (size_t i = index; i < tests_.size(); i += total) {
    kept.push_back(std::move(tests_[i]));
  }
  tests_ = std::move(kept);
}

std::string TestPlan::FullName(const Test& test) const {
  return absl::StrCat(SuiteOf(test).name, ".", test.name);
}

std::vector<std::string> TestPlan::Names(const Test& test) const {
  std::vector<std::string> names = {FullName(test)};
  std::string plain = absl::StrCat(SuiteOf(test).module, ".", test.name);
  if (plain != names[0]) names.push_back(std::move(plain));
  return names;
}

}  // namespace eyrie::tools
