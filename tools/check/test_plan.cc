// Tested by test_plan_test.cc, check_test.txt.
#include "tools/check/test_plan.h"

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "base/plain_text.h"
#include "base/status_macros.h"
#include "vm/callconv.h"
#include "vm/module_def.h"

namespace eyrie::tools {
namespace {

namespace fs = std::filesystem;

constexpr absl::string_view kExtension = ".vmfb";
constexpr absl::string_view kDisabled = "DISABLED_";
constexpr char kLoad[] = "(load)";

// The modules in a folder and the folders in it.
absl::Status ListFolder(const fs::path& folder, std::vector<fs::path>& files) {
  const size_t before = files.size();
  std::error_code error;
  fs::recursive_directory_iterator it(
      folder, fs::directory_options::skip_permission_denied, error);
  while (!error && it != fs::recursive_directory_iterator()) {
    std::error_code ignored;
    if (it->path().extension() == kExtension.data() &&
        it->is_regular_file(ignored)) {
      files.push_back(it->path());
    }
    it.increment(error);
  }
  if (error) {
    return absl::NotFoundError(
        absl::StrCat("The folder '", folder.string(),
                     "' cannot be read: ", error.message(), "."));
  }
  if (files.size() == before) {
    return absl::NotFoundError(absl::StrCat(
        "The folder '", folder.string(), "' holds no file *", kExtension, "."));
  }
  std::sort(files.begin() + static_cast<ptrdiff_t>(before), files.end());
  return absl::OkStatus();
}

// What two absolute paths begin with.
fs::path CommonFolder(const fs::path& a, const fs::path& b) {
  fs::path common;
  auto at = b.begin();
  for (const fs::path& part : a) {
    if (at == b.end() || *at != part) break;
    common /= part;
    ++at;
  }
  return common;
}

fs::path Absolute(const fs::path& path) {
  std::error_code ignored;
  fs::path absolute = fs::absolute(path, ignored).lexically_normal();
  if (!absolute.has_filename()) absolute = absolute.parent_path();  // "a/"
  return absolute;
}

std::string PrefixOf(const fs::path& path, const fs::path& folder) {
  const std::string name = Absolute(path).lexically_relative(folder).string();
  return absl::StrCat(PlainPath(absl::StripSuffix(name, kExtension)), "/");
}

// An asynchronous function is called with the fences that it takes.
bool TakesFencesAlone(const vm::FunctionDef& function,
                      const vm::CallingConvention& convention) {
  return vm::FindAttribute(function.attributes, "iree.abi.model") ==
             "coarse-fences" &&
         convention.argument_types() ==
             std::vector<vm::ValueType>(2, vm::ValueType::kRef);
}

bool IsTest(const vm::FunctionDef& function) {
  const auto convention =
      vm::CallingConvention::Parse(function.calling_convention);
  return convention.ok() && convention->results().empty() &&
         (convention->arguments().empty() ||
          TakesFencesAlone(function, *convention));
}

bool IsInternal(absl::string_view name) {
  return absl::StartsWith(name, "__") || absl::StrContains(name, '$');
}

}  // namespace

absl::StatusOr<std::vector<TestFile>> FindTestFiles(
    const std::vector<std::string>& paths) {
  std::vector<fs::path> files;
  fs::path common;
  bool single = paths.size() == 1;
  for (const std::string& path : paths) {
    std::error_code ignored;
    const bool is_folder = fs::is_directory(path, ignored);
    if (is_folder) {
      RETURN_IF_ERROR(ListFolder(path, files));
      single = false;
    } else {
      files.emplace_back(path);
    }
    fs::path folder = Absolute(path);
    if (!is_folder) folder = folder.parent_path();
    common = common.empty() ? folder : CommonFolder(common, folder);
  }
  std::vector<TestFile> found;
  for (const fs::path& file : files) {
    found.push_back({file.string(), single ? "" : PrefixOf(file, common)});
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
