// A process that compiles programs: a crash or a limit of the compiler does not
// end the host.
//
// Tested by compiler_process_test.cc.
#ifndef EYRIE_PLUGINS_PJRT_COMPILER_COMPILER_PROCESS_H_
#define EYRIE_PLUGINS_PJRT_COMPILER_COMPILER_PROCESS_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "base/deadline.h"
#include "plugins/pjrt/compiler/child_process.h"
#include "plugins/pjrt/compiler/custom_call_text.h"
#include "plugins/pjrt/compiler/protocol.h"
#include "plugins/pjrt/compiler/signature_text.h"

namespace eyrie::pjrt {

struct CompileRequest {
  std::string_view program;        // StableHLO: text, or bytecode; borrowed
  std::vector<std::string> flags;  // of iree-compile
  // Checks the program after each of the compiler's passes, to find errors of
  // the compiler. Takes 7 to 21% of the time. The program that is given is
  // always checked.
  bool verifies = false;
};

struct CompiledProgram {
  std::string module;  // the bytes of a .vmfb file
  ProgramSignature signature;
  std::vector<CustomCall> custom_calls;  // those that are imports
  bool may_write = true;                 // to its arguments
};

struct CompileLimits {
  absl::Duration timeout = absl::InfiniteDuration();
  // If it becomes true, the compilation ends within 50 ms. Null: never.
  const std::atomic<bool>* stop = nullptr;
};

// Thread-compatible.
class CompilerProcess {
 public:
  // Starts a process; does not wait until it has loaded the library at the
  // path. UNAVAILABLE: the system does not start it.
  static absl::StatusOr<std::unique_ptr<CompilerProcess>> Start(
      const std::string& library);

  // Compiles a program. After an error other than INVALID_ARGUMENT and
  // UNIMPLEMENTED, the process has ended.
  //
  // INVALID_ARGUMENT: the compiler refuses the program or a flag; the message
  // has its diagnostics. UNIMPLEMENTED: a type of the signature is not
  // supported. DEADLINE_EXCEEDED, CANCELLED: a limit was reached.
  // RESOURCE_EXHAUSTED: there is no memory: the process was killed, or says
  // so. INTERNAL: the compiler crashed, or its answer is damaged; the message
  // has its last output. UNAVAILABLE: the library cannot be used.
  absl::StatusOr<CompiledProgram> Compile(const CompileRequest& request,
                                          const CompileLimits& limits);

  // Reports whether the process has not ended.
  bool IsAlive() const;
  // Kills the process, without waiting. The destructor also waits.
  void Kill() { child_.Kill(); }
  // Returns the number of programs that were sent to it.
  int programs() const { return programs_; }
  // Returns the memory that the process uses, in bytes, or 0 if unknown.
  uint64_t ResidentBytes() const { return child_.ResidentBytes(); }

 private:
  struct Answer {
    Outcome outcome;
    std::string parts[kParts];
  };
  struct Limits {
    Deadline deadline;
    CompileLimits given;
  };

  explicit CompilerProcess(ChildProcess child) : child_(std::move(child)) {}

  absl::StatusOr<Answer> Exchange(const CompileRequest& request,
                                  const Limits& limits);
  absl::Status WaitUntilReady(const Limits& limits);
  absl::Status Send(std::string_view bytes, const Limits& limits);
  absl::StatusOr<Answer> Receive(const Limits& limits);
  absl::Status ReceiveBytes(char* bytes, size_t size, const Limits& limits);
  absl::Status ReceivePart(uint64_t size, std::string& part,
                           const Limits& limits);
  // Calls `transfer`, which returns as send() does, until it has moved `size`
  // bytes. `events` says for which event to wait.
  absl::Status Transfer(size_t size, short events, const Limits& limits,
                        absl::FunctionRef<ssize_t(size_t done)> transfer);
  absl::Status WaitFor(short events, const Limits& limits);
  absl::Status CheckLimits(const Limits& limits) const;
  // Keeps the last output of the process.
  void ReadErrors();
  // Ends the process. Returns the error of its unexpected end.
  absl::Status Ended();
  absl::Status Damaged();

  ChildProcess child_;
  bool is_ready_ = false;
  bool has_ended_ = false;
  int programs_ = 0;
  std::string errors_;  // the last output of the process
  bool errors_are_closed_ = false;
};

}  // namespace eyrie::pjrt

#endif  // EYRIE_PLUGINS_PJRT_COMPILER_COMPILER_PROCESS_H_
