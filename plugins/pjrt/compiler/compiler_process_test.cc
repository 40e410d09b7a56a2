// Compiles programs of all outcomes with the fake compiler, in hosts of several
// kinds.
#include "plugins/pjrt/compiler/compiler_process.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>
#include <thread>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "plugins/pjrt/compiler/program_file.h"
#include "plugins/pjrt/compiler/testing/fake_library.h"
#include "plugins/pjrt/compiler/worker_image.h"
#include "tests/support/in_child.h"
#include "tests/support/status_text.h"

namespace eyrie::pjrt {
namespace {

// Returns the beginning of the module and the signature, or the error.
std::string TextOf(const absl::StatusOr<CompiledProgram>& program) {
  if (!program.ok()) return StatusText(program);
  return absl::StrCat(program->module.substr(0, 60), ", ",
                      program->module.size(), " bytes, ",
                      program->signature.arguments.size(), " to ",
                      program->signature.results.size());
}

// Compiles a program in a new process.
std::string Compile(std::string_view program,
                    absl::Duration timeout = absl::Seconds(30)) {
  const auto process = CompilerProcess::Start(FakeLibrary());
  if (!process.ok()) return StatusText(process);
  return TextOf(
      (*process)->Compile({program, {"--a", "", "--b=1"}}, {timeout, nullptr}));
}

struct Case {
  const char* program;
  const char* want;
};

TEST(CompilerProcess, Outcomes) {
  const Case kCases[] = {
      {"func (tensor<4xf32>) -> ()",
       "compiled: --a  --b=1 func (tensor<4xf32>) -> (), 47 bytes, 1 to 0"},
      {"big func () -> tensor<2xi1>",
       "compiled: --a  --b=1 big func () -> tensor<2xi1>............, 40000000 "
       "bytes, 0 to 1"},
      {"noisy func () -> ()",
       "compiled: --a  --b=1 noisy func () -> (), 40 bytes, 0 to 0"},
      {"func (!stablehlo.token) -> ()",
       "UNIMPLEMENTED: Argument 0 has type '!stablehlo.token'; expected a "
       "tensor of numbers."},
      // Refused.
      {"",
       "INVALID_ARGUMENT: The compiler refuses the program.\n"
       "  error: program:1:1: expected 'func'"},
      {"refuse func () -> ()",
       "INVALID_ARGUMENT: The compiler refuses the program.\n"
       "  error: program:1:6: op is not supported\n"
       "    note"},
      {"silent func () -> ()",
       "INVALID_ARGUMENT: The compiler refuses the program."},
      {"private",
       "INVALID_ARGUMENT: The compiler refuses the program.\n"
       "  The program must have a function 'main', or one public function."},
      // Broken.
      {"crash func () -> ()",
       "INTERNAL: The compiler was ended by signal 11 (SIGSEGV)."},
      {"abort func () -> ()",
       "INTERNAL: The compiler was ended by signal 6 (SIGABRT).\n"
       "  LLVM ERROR: cannot select"},
      {"stop func () -> ()", "INTERNAL: The compiler exited with code 7."},
      {"memory func () -> ()",
       "RESOURCE_EXHAUSTED: The compiler was ended by signal 9 (SIGKILL). The "
       "system kills a process when memory is short."},
      {"empty func () -> ()",
       "INTERNAL: The compiler's process sends a damaged answer."},
      {"func tensor<f32>",
       "INTERNAL: The compiler prints a function type that cannot be read: "
       "'tensor<f32>'."},
  };
  for (const Case& c : kCases) {
    SCOPED_TRACE(c.program);
    EXPECT_EQ(Compile(c.program), c.want);
  }
}

TEST(CompilerProcess, EndsAtItsLimit) {
  for (const char* program : {"loop func () -> ()", "chatty func () -> ()",
                              "quiet loop func () -> ()"}) {
    SCOPED_TRACE(program);
    EXPECT_EQ(Compile(program, absl::Milliseconds(300)),
              "DEADLINE_EXCEEDED: The compiler did not finish within 300ms.");
  }
}

TEST(CompilerProcess, VerifiesIfItShall) {
  const auto process = CompilerProcess::Start(FakeLibrary());
  ASSERT_TRUE(process.ok()) << StatusText(process);
  EXPECT_EQ(TextOf((*process)->Compile({"func () -> ()", {}, true}, {})),
            "compiled: verified func () -> (), 32 bytes, 0 to 0");
}

TEST(CompilerProcess, ShowsTheLastOutputOfACrash) {
  const std::string text = Compile("noisy crash func () -> ()");
  EXPECT_TRUE(absl::StrContains(text, "SIGSEGV")) << text.substr(0, 200);
  EXPECT_TRUE(absl::StrContains(text, "line 9999 ")) << text.substr(0, 200);
  EXPECT_LT(text.size(), 20000);
}

TEST(CompilerProcess, CompilesManyPrograms) {
  const auto process = CompilerProcess::Start(FakeLibrary());
  ASSERT_TRUE(process.ok()) << StatusText(process);
  const std::string large =
      absl::StrCat("func () -> ()", std::string(3'000'000, ' '));
  for (int i = 0; i < 20; ++i) {
    const auto text = TextOf((*process)->Compile({large, {}}, {}));
    ASSERT_TRUE(absl::StrContains(text, "3000023 bytes")) << text;
    // A refusal does not end the process.
    ASSERT_FALSE((*process)->Compile({"func () -> ()", {"--bad"}}, {}).ok());
    ASSERT_TRUE((*process)->IsAlive());
  }
  EXPECT_EQ((*process)->programs(), 40);
  EXPECT_GT((*process)->ResidentBytes(), 1'000'000);
  EXPECT_FALSE((*process)->Compile({"crash func () -> ()", {}}, {}).ok());
  EXPECT_FALSE((*process)->IsAlive());
}

TEST(CompilerProcess, StopsWhenTold) {
  const auto process = CompilerProcess::Start(FakeLibrary());
  ASSERT_TRUE(process.ok()) << StatusText(process);
  std::atomic<bool> stop = false;
  std::thread other([&] {
    usleep(100'000);
    stop = true;
  });
  EXPECT_EQ(TextOf((*process)->Compile({"loop func () -> ()", {}},
                                       {absl::InfiniteDuration(), &stop})),
            "CANCELLED: The compilation was cancelled.");
  other.join();
}

TEST(CompilerProcess, LibrariesThatCannotBeUsed) {
  const Case kCases[] = {
      {"/nowhere/lib.so",
       "UNAVAILABLE: The compiler cannot be used: /nowhere/lib.so: cannot open "
       "shared object file: No such file or directory."},
      {"libm.so.6", "undefined symbol: ireeCompilerGlobalInitialize."},
  };
  for (const Case& c : kCases) {
    const auto process = CompilerProcess::Start(c.program);
    ASSERT_TRUE(process.ok()) << StatusText(process);
    const std::string text =
        TextOf((*process)->Compile({"func () -> ()", {}}, {}));
    EXPECT_TRUE(absl::EndsWith(text, c.want)) << text;
    EXPECT_FALSE((*process)->IsAlive());
  }
}

TEST(CompilerProcess, SaysWhyTheCompilerDoesNotStart) {
  setenv("FAKE_COMPILER_DIES", "1", 1);
  EXPECT_EQ(Compile("func () -> ()"),
            "INTERNAL: The compiler exited with code 3.\n"
            "  no CPU is supported");
  unsetenv("FAKE_COMPILER_DIES");
}

// The process must not end with the host's thread that started it.
TEST(CompilerProcess, OutlivesTheThreadThatStartedIt) {
  std::unique_ptr<CompilerProcess> process;
  std::thread([&] { process = *CompilerProcess::Start(FakeLibrary()); }).join();
  usleep(20'000);
  EXPECT_TRUE(process->IsAlive());
  EXPECT_TRUE(process->Compile({"func () -> ()", {}}, {}).ok());
}

TEST(CompilerProcess, EndsWithItsHost) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  const pid_t host = fork();
  if (host == 0) {
    const auto process = CompilerProcess::Start(FakeLibrary());
    // A process that holds the socket open, too.
    if (fork() == 0) {
      sleep(20);
      _exit(0);
    }
    const int worker = *ChildProcesses().begin();
    if (write(ends[1], &worker, sizeof(worker)) < 0) _exit(1);
    (void)(*process)->Compile({"loop func () -> ()", {}}, {});
    _exit(1);
  }
  int worker = 0;
  ASSERT_EQ(read(ends[0], &worker, sizeof(worker)),
            static_cast<ssize_t>(sizeof(worker)));
  usleep(100'000);
  EXPECT_EQ(StateOf(worker).parent, host);
  kill(host, SIGKILL);
  EXPECT_EQ(waitpid(host, nullptr, 0), host);
  EXPECT_TRUE(Ends(worker));
  close(ends[0]);
  close(ends[1]);
}

std::string CompileInHost(bool (*prepare)()) {
  return InChild([&] {
    return prepare() ? Compile("func () -> ()") : "It may not do that.";
  });
}

TEST(CompilerProcess, HostsOfAllKinds) {
  constexpr char kWant[] =
      "compiled: --a  --b=1 func () -> (), 34 bytes, 0 to 0";
  EXPECT_EQ(CompileInHost([] {
              for (int file = 0; file < 3; ++file) close(file);
              return true;
            }),
            kWant);
  EXPECT_EQ(CompileInHost([] {
              for (int i = 1; i < SIGRTMIN; ++i) signal(i, SIG_IGN);
              sigset_t all;
              sigfillset(&all);
              return sigprocmask(SIG_BLOCK, &all, nullptr) == 0;
            }),
            kWant);
}

TEST(ProgramFile, FilesInAFolderCanBeExecuted) {
  setenv("TMPDIR", testing::TempDir().c_str(), 1);
  std::string path;
  {
    const auto file = ProgramFile::InFolder(WorkerImage());
    ASSERT_TRUE(file.ok()) << StatusText(file);
    path = file->path();
    // Without arguments, the program does nothing.
    EXPECT_EQ(std::system(path.c_str()), 1 << 8);
  }
  EXPECT_NE(access(path.c_str(), F_OK), 0);
  setenv("TMPDIR", "/proc", 1);
  EXPECT_TRUE(ProgramFile::InFolder(WorkerImage()).ok());
  unsetenv("TMPDIR");
}

}  // namespace
}  // namespace eyrie::pjrt
