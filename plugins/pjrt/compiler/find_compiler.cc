#include "plugins/pjrt/compiler/find_compiler.h"

#include <dlfcn.h>
#include <fcntl.h>
#include <glob.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <cstdlib>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "base/deadline.h"
#include "base/descriptor.h"
#include "base/folders.h"
#include "base/plain_text.h"
#include "plugins/pjrt/compiler/environment.h"

extern char** environ;

namespace eyrie::pjrt {
namespace {

constexpr char kLibrary[] = "libIREECompiler.so";
constexpr char kProgram[] = "iree-compile";
// The library's places in a folder: of itself, of iree/compiler, of Python's
// packages, of an installation.
constexpr const char* kPlaces[] = {"/", "/_mlir_libs/",
                                   "/iree/compiler/_mlir_libs/", "/lib/"};
// Folders of packages in a folder of a Python.
constexpr const char* kPackages[] = {"/lib/python3*/*-packages",
                                     "/local/lib/python3*/*-packages"};
constexpr absl::Duration kPythonTime = absl::Seconds(20);
// Prints the folder of the package iree.compiler without importing it.
constexpr char kScript[] =
    "import importlib.util as u\n"
    "s = u.find_spec('iree.compiler')\n"
    "print(list(s.submodule_search_locations)[0])\n";

std::string RealPath(const std::string& path) {
  char* const real = realpath(path.c_str(), nullptr);
  std::string result = real == nullptr ? "" : real;
  std::free(real);
  return result;
}

std::vector<std::string> Glob(absl::string_view folder,
                              absl::string_view pattern) {
  std::string whole;
  for (const char c : folder) {
    if (absl::StrContains("*?[\\", c)) whole += '\\';
    whole += c;
  }
  absl::StrAppend(&whole, pattern);
  glob_t found = {};
  std::vector<std::string> paths;
  if (glob(whole.c_str(), 0, nullptr, &found) == 0) {
    paths.assign(found.gl_pathv, found.gl_pathv + found.gl_pathc);
  }
  globfree(&found);
  return paths;
}

// Each of the following functions returns the library's path, or "".

std::string FindIn(const std::string& folder) {
  for (const char* place : kPlaces) {
    std::string path = absl::StrCat(folder, place, kLibrary);
    if (IsRegularFile(path)) return path;
  }
  return "";
}

// Looks in the packages of a Python, or of a virtual environment.
std::string FindInPrefix(const std::string& prefix) {
  for (const char* packages : kPackages) {
    for (const std::string& folder : Glob(prefix, packages)) {
      std::string path = FindIn(folder);
      if (!path.empty()) return path;
    }
  }
  return "";
}

// Looks next to a program, and in the packages of the Python that it is of.
std::string FindByProgram(const std::string& program) {
  for (const std::string& path : {program, RealPath(program)}) {
    if (path.empty()) continue;
    const std::string slashed = FolderOf(ExplicitPath(path));
    const std::string folder = slashed.substr(0, slashed.size() - 1);
    std::string found = FindIn(folder);
    if (found.empty()) found = FindIn(folder + "/..");
    if (found.empty()) found = FindInPrefix(folder + "/..");
    if (!found.empty()) return found;
  }
  return "";
}

std::string FindAt(const std::string& path) {
  if (!IsFolder(path)) {
    if (!IsRegularFile(path)) return "";
    return absl::StrContains(FileNameOf(path), ".so") ? path
                                                      : FindByProgram(path);
  }
  std::string found = FindIn(path);
  if (found.empty()) found = FindInPrefix(path);
  const std::string program = absl::StrCat(path, "/bin/", kProgram);
  if (found.empty() && IsRegularFile(program)) found = FindByProgram(program);
  return found;
}

// Looks in the folders that the shared library of this code is in.
std::string FindAround() {
  Dl_info info = {};
  if (dladdr(reinterpret_cast<const void*>(&FindCompiler), &info) == 0 ||
      info.dli_fname == nullptr) {
    return "";
  }
  std::string folder = RealPath(info.dli_fname);
  while (!folder.empty()) {
    folder.resize(folder.rfind('/') == folder.npos ? 0 : folder.rfind('/'));
    const std::string path =
        absl::StrCat(folder, "/iree/compiler/_mlir_libs/", kLibrary);
    if (!folder.empty() && IsRegularFile(path)) return path;
  }
  return "";
}

std::string FindInPath(absl::string_view name) {
  const std::string folders = EnvironmentVariable("PATH");
  for (const absl::string_view folder :
       absl::StrSplit(folders, ':', absl::SkipEmpty())) {
    std::string path = absl::StrCat(folder, "/", name);
    if (IsRegularFile(path) && access(path.c_str(), X_OK) == 0) return path;
  }
  return "";
}

// Returns what a file descriptor has until its end or the deadline.
std::string ReadUntil(int file, Deadline deadline) {
  constexpr size_t kMost = 2 * PATH_MAX;
  std::string text;
  char piece[512];
  while (text.size() < kMost && !deadline.HasPassed()) {
    pollfd look = {file, POLLIN, 0};
    if (poll(&look, 1, 100) <= 0) continue;
    const ssize_t size = read(file, piece, sizeof(piece));
    if (size < 0 && errno == EINTR) continue;
    if (size <= 0) break;
    text.append(piece, static_cast<size_t>(size));
  }
  return text;
}

// Returns the output of a Python for kScript, or "" if it fails.
std::string RunPython(const std::string& python) {
  int ends[2] = {-1, -1};
  if (pipe2(ends, O_CLOEXEC) != 0) return "";
  const Descriptor output(ends[0]);
  Descriptor input(ends[1]);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, input.get(), STDOUT_FILENO);
  for (const int file : {STDIN_FILENO, STDERR_FILENO}) {
    posix_spawn_file_actions_addopen(&actions, file, "/dev/null", O_RDWR, 0);
  }
  const char* const arguments[] = {python.c_str(), "-c", kScript, nullptr};
  pid_t child = 0;
  const int error = posix_spawn(&child, python.c_str(), &actions, nullptr,
                                const_cast<char* const*>(arguments), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (error != 0) return "";
  input.reset();
  std::string text = ReadUntil(output.get(), Deadline::After(kPythonTime));
  siginfo_t info = {};
  // Not if the host has waited for it: the ID may be another process's.
  if (waitid(P_PID, static_cast<id_t>(child), &info,
             WEXITED | WNOHANG | WNOWAIT) == 0) {
    kill(child, SIGKILL);
  }
  while (waitpid(child, nullptr, 0) < 0 && errno == EINTR) {
  }
  return text;
}

std::string FindByPython() {
  const std::string python = FindInPath("python3");
  if (python.empty()) return "";
  std::string path = FindByProgram(python);
  const std::string home = EnvironmentVariable("HOME");
  if (path.empty() && !home.empty()) path = FindInPrefix(home + "/.local");
  if (!path.empty()) return path;
  const std::string output = RunPython(python);
  const absl::string_view folder = absl::StripSuffix(output, "\n");
  return folder.empty() ? "" : FindIn(std::string(folder));
}

// The places that count if no path is given, in their order.
std::string FindInstalled() {
  std::string path = FindAround();
  const std::string environment = EnvironmentVariable("VIRTUAL_ENV");
  if (path.empty() && !environment.empty()) path = FindAt(environment);
  if (path.empty()) path = FindByPython();
  if (!path.empty()) return path;
  const std::string program = FindInPath(kProgram);
  return program.empty() ? "" : FindByProgram(program);
}

absl::StatusOr<std::string> FindGiven(const std::string& path,
                                      absl::string_view source) {
  std::string found = FindAt(path);
  if (!found.empty()) return found;
  return absl::NotFoundError(absl::StrCat(
      source, " is '", PlainPath(path), "', which is neither ", kLibrary,
      " nor iree-compile nor a folder that has the compiler."));
}

}  // namespace

absl::StatusOr<std::string> FindCompiler(const std::string& given) {
  if (!given.empty()) return FindGiven(given, "The option 'compiler'");
  const std::string variable = EnvironmentVariable("EYRIE_COMPILER");
  if (!variable.empty()) return FindGiven(variable, "EYRIE_COMPILER");
  std::string path = FindInstalled();
  if (!path.empty()) return path;
  return absl::NotFoundError(
      "No compiler is installed. 'pip install iree-base-compiler' installs it; "
      "the variable EYRIE_COMPILER or the option 'compiler' names one "
      "elsewhere.");
}

}  // namespace eyrie::pjrt
