// Looks for the compiler in folders like those of installations.
#include "plugins/pjrt/compiler/find_compiler.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "base/folders.h"
#include "gtest/gtest.h"
#include "tests/support/status_text.h"

namespace eyrie::pjrt {
namespace {

constexpr char kPackaged[] = "iree/compiler/_mlir_libs/libIREECompiler.so";

class FindCompilerTest : public testing::Test {
 protected:
  void SetUp() override {
    char* const real = realpath(testing::TempDir().c_str(), nullptr);
    root_ = absl::StrCat(real, "/find");
    std::free(real);
    Add("venv/lib/python3.11/site-packages/" + std::string(kPackaged));
    Add("venv/lib/python3.11/site-packages/iree/compiler/_mlir_libs/"
        "iree-compile");
    Add("venv/bin/iree-compile", "#!/bin/sh\n");
    Add("install/lib/libIREECompiler.so");
    Add("install/bin/iree-compile", "#!/bin/sh\n");
    Add("python/bin/python3",
        absl::StrCat("#!/bin/sh\necho ", root_, "/moved/iree/compiler\n"));
    Add("moved/" + std::string(kPackaged));
    Add("broken/bin/python3", "#!/bin/sh\nexit 1\n");
    Add("other/file");
    Add("home/.local/lib/python3.9/site-packages/" + std::string(kPackaged));
    unlink((root_ + "/link").c_str());
    EXPECT_EQ(symlink((root_ + "/venv/bin/iree-compile").c_str(),
                      (root_ + "/link").c_str()),
              0);
    Set("", "", "", "");
  }
  void TearDown() override {
    for (const char* name : {"EYRIE_COMPILER", "VIRTUAL_ENV"}) unsetenv(name);
    setenv("PATH", path_.c_str(), 1);
  }

  void Add(const std::string& name, const std::string& text = "") {
    const std::string path = absl::StrCat(root_, "/", name);
    EXPECT_EQ(StatusText(CreateFolders(FolderOf(path))), "OK");
    std::ofstream(path) << text;
    chmod(path.c_str(), 0755);
  }

  // Sets the variables to paths in the root.
  void Set(const std::string& compiler, const std::string& environment,
           const std::string& path, const std::string& home) {
    const auto set = [&](const char* name, const std::string& value) {
      setenv(name, value.empty() ? "" : (root_ + "/" + value).c_str(), 1);
    };
    set("EYRIE_COMPILER", compiler);
    set("VIRTUAL_ENV", environment);
    set("PATH", path);
    set("HOME", home);
  }

  // Returns the path in the root, or the error, with "R/" for the root.
  std::string Find(const std::string& given) {
    const auto found =
        FindCompiler(given.empty() ? "" : absl::StrCat(root_, "/", given));
    return absl::StrReplaceAll(found.ok() ? *found : StatusText(found),
                               {{root_, "R"}});
  }

  std::string root_;
  const std::string path_ =
      std::getenv("PATH") == nullptr ? "" : std::getenv("PATH");
};

constexpr char kVenv[] =
    "R/venv/lib/python3.11/site-packages/iree/compiler/_mlir_libs/"
    "libIREECompiler.so";

TEST_F(FindCompilerTest, PathsThatAreGiven) {
  const char* const kVenvPaths[] = {
      "venv",
      "venv/bin/iree-compile",
      "link",
      "venv/lib/python3.11/site-packages",
      "venv/lib/python3.11/site-packages/iree/compiler",
      "venv/lib/python3.11/site-packages/iree/compiler/_mlir_libs",
      "venv/lib/python3.11/site-packages/iree/compiler/_mlir_libs/"
      "libIREECompiler.so",
      "venv/lib/python3.11/site-packages/iree/compiler/_mlir_libs/"
      "iree-compile"};
  for (const char* path : kVenvPaths) {
    SCOPED_TRACE(path);
    std::string found = Find(path);
    // The folder of a program is not shortened.
    found = absl::StrReplaceAll(found, {{"bin/../", ""}});
    EXPECT_EQ(found, kVenv);
    Set(path, "", "", "");
    found = absl::StrReplaceAll(Find(""), {{"bin/../", ""}});
    EXPECT_EQ(found, kVenv);
    Set("", "", "", "");
  }
  EXPECT_EQ(Find("install"), "R/install/lib/libIREECompiler.so");
  EXPECT_EQ(Find("install/bin/iree-compile"),
            "R/install/bin/../lib/libIREECompiler.so");
}

TEST_F(FindCompilerTest, WrongPathsAreErrors) {
  // A compiler that would be found is not used instead.
  Set("", "venv", "", "");
  constexpr char kRest[] =
      ", which is neither libIREECompiler.so nor iree-compile nor a folder "
      "that has the compiler.";
  for (const char* path : {"missing", "other", "other/file"}) {
    EXPECT_EQ(Find(path), absl::StrCat("NOT_FOUND: The option 'compiler' is "
                                       "'R/",
                                       path, "'", kRest));
  }
  Set("other", "venv", "", "");
  EXPECT_EQ(Find(""),
            absl::StrCat("NOT_FOUND: EYRIE_COMPILER is 'R/other'", kRest));
}

struct Case {
  const char* environment;
  const char* path;
  const char* home;
  const char* want;
};

TEST_F(FindCompilerTest, PlacesThatAreSearched) {
  constexpr char kNone[] =
      "NOT_FOUND: No compiler is installed. 'pip install iree-base-compiler' "
      "installs it; the variable EYRIE_COMPILER or the option 'compiler' names "
      "one elsewhere.";
  const Case kCases[] = {
      {"", "", "", kNone},
      {"other", "broken/bin", "", kNone},
      {"venv", "python/bin", "home", kVenv},
      {"other", "python/bin", "home",
       "R/home/.local/lib/python3.9/site-packages/iree/compiler/_mlir_libs/"
       "libIREECompiler.so"},
      {"", "python/bin", "",
       "R/moved/iree/compiler/_mlir_libs/libIREECompiler.so"},
      {"", "install/bin", "", "R/install/bin/../lib/libIREECompiler.so"},
  };
  for (const Case& c : kCases) {
    SCOPED_TRACE(c.want);
    Set("", c.environment, c.path, c.home);
    EXPECT_EQ(Find(""), c.want);
  }
}

}  // namespace
}  // namespace eyrie::pjrt
