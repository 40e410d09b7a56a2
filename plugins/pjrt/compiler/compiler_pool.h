// A few processes that compile programs, kept between compilations.
//
//   const auto pool = CompilerPool::Create({});
//   pool->Warm(1);
//   ASSIGN_OR_RETURN(CompiledProgram compiled, pool->Compile({text, flags}));
// Tested by compiler_pool_test.cc.
#ifndef EYRIE_PLUGINS_PJRT_COMPILER_COMPILER_POOL_H_
#define EYRIE_PLUGINS_PJRT_COMPILER_COMPILER_POOL_H_

#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "base/fork_mark.h"
#include "plugins/pjrt/compiler/compiler_process.h"

namespace eyrie::pjrt {

struct CompilerOptions {
  std::string library;  // see FindCompiler(); "": find it
  absl::Duration timeout = absl::InfiniteDuration();  // of one compilation
  int workers = 0;  // the most processes; 0: the processors, up to 4
};

// Thread-safe. In a child of fork(), all functions fail with
// FAILED_PRECONDITION, and the destructor leaves the processes to the parent.
class CompilerPool {
 public:
  // Starts nothing, and needs no compiler.
  static std::unique_ptr<CompilerPool> Create(CompilerOptions options);
  CompilerPool(const CompilerPool&) = delete;
  CompilerPool& operator=(const CompilerPool&) = delete;
  // Ends all processes. No call may be running.
  ~CompilerPool();

  // Returns a text that differs between compilers: the path of the library's
  // file, its size and its time. Does not run it.
  // NOT_FOUND: there is no compiler; the message says how to install it.
  absl::StatusOr<std::string> Identity();

  // Starts idle processes up to `count`, or up to the limit, and does not wait
  // for them. Errors are those of the next Compile().
  void Warm(int count);

  // Compiles a program with an idle process, or a new one, or waits for one.
  // Tries again only if an idle process had ended before it got the program.
  // Errors are those of Identity() and CompilerProcess::Compile().
  absl::StatusOr<CompiledProgram> Compile(const CompileRequest& request);

 private:
  using Process = std::unique_ptr<CompilerProcess>;

  explicit CompilerPool(CompilerOptions options);

  absl::StatusOr<std::string> Library();
  // Returns an idle process, or null if the caller must start one. The process
  // counts as running until Return().
  Process Take();
  // Keeps a process for the next program, unless it has ended or is used up.
  void Return(Process process);

  const CompilerOptions options_;
  const int most_;  // processes
  const ForkMark mark_;
  std::mutex mutex_;  // guards the following
  std::condition_variable changed_;
  std::optional<std::string> library_;  // after it has been found
  std::vector<Process> idle_;
  int running_ = 0;  // processes that are not idle
};

}  // namespace eyrie::pjrt

#endif  // EYRIE_PLUGINS_PJRT_COMPILER_COMPILER_POOL_H_
