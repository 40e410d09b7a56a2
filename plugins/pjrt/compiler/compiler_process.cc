#include "plugins/pjrt/compiler/compiler_process.h"

#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "base/allocate.h"
#include "base/plain_text.h"
#include "base/status_macros.h"

namespace eyrie::pjrt {
namespace {

constexpr size_t kMaxErrors = size_t{16} << 10;  // bytes kept, and shown
// A process that has closed its socket ends; the time is for a slow system.
constexpr absl::Duration kEndTime = absl::Seconds(5);
constexpr absl::Duration kStopInterval = absl::Milliseconds(50);

// Returns the lines of an output, for the end of a message.
std::string Lines(absl::string_view text) {
  const std::string lines = MessageLines(text, kMaxErrors);
  return lines.empty() ? "" : absl::StrCat("\n  ", lines);
}

std::string_view BytesOf(const RequestHead& head) {
  return {reinterpret_cast<const char*>(&head), sizeof(head)};
}

// The system kills processes when memory is short; LLVM and the C++ library
// say that there is none.
bool IsForMemory(const ProcessEnd& end, absl::string_view errors) {
  return end.signal == SIGKILL || absl::StrContains(errors, "out of memory") ||
         absl::StrContains(errors, "bad_alloc");
}

}  // namespace

absl::StatusOr<std::unique_ptr<CompilerProcess>> CompilerProcess::Start(
    const std::string& library) {
  ASSIGN_OR_RETURN(ChildProcess child, ChildProcess::Start(library));
  return std::unique_ptr<CompilerProcess>(
      new CompilerProcess(std::move(child)));
}

bool CompilerProcess::IsAlive() const {
  pollfd file = {child_.socket(), POLLRDHUP, 0};
  return !has_ended_ && poll(&file, 1, 0) == 0;
}

void CompilerProcess::ReadErrors() {
  constexpr int kMostPieces = 256;  // endless output must not hide a limit
  char piece[4096];
  for (int i = 0; i < kMostPieces; ++i) {
    const ssize_t size = read(child_.errors(), piece, sizeof(piece));
    if (size < 0 && errno == EINTR) continue;
    if (size == 0) errors_are_closed_ = true;
    if (size <= 0) return;
    errors_.append(piece, static_cast<size_t>(size));
    if (errors_.size() > 2 * kMaxErrors) {
      errors_.erase(0, errors_.size() - kMaxErrors);
    }
  }
}

absl::Status CompilerProcess::Ended() {
  has_ended_ = true;
  const ProcessEnd end = child_.WaitOrKill(kEndTime);
  ReadErrors();
  const size_t cut = errors_.size() - std::min(errors_.size(), kMaxErrors);
  const std::string text =
      absl::StrCat("The compiler ", EndText(end), ".",
                   end.signal == SIGKILL ? " The system kills a process when "
                                           "memory is short."
                                         : "",
                   Lines(absl::string_view(errors_).substr(cut)));
  return IsForMemory(end, errors_) ? absl::ResourceExhaustedError(text)
                                   : absl::InternalError(text);
}

absl::Status CompilerProcess::Damaged() {
  has_ended_ = true;
  child_.Kill();
  return absl::InternalError("The compiler's process sends a damaged answer.");
}

absl::Status CompilerProcess::CheckLimits(const Limits& limits) const {
  const CompileLimits& given = limits.given;
  if (given.stop != nullptr && *given.stop) {
    return absl::CancelledError("The compilation was cancelled.");
  }
  if (!limits.deadline.HasPassed()) return absl::OkStatus();
  return absl::DeadlineExceededError(
      absl::StrCat("The compiler did not finish within ",
                   absl::FormatDuration(given.timeout), "."));
}

absl::Status CompilerProcess::WaitFor(short events, const Limits& limits) {
  absl::Status reached = CheckLimits(limits);
  if (!reached.ok()) {
    has_ended_ = true;
    child_.Kill();
    return reached;
  }
  absl::Duration time = limits.deadline.Left();
  if (limits.given.stop != nullptr) time = std::min(time, kStopInterval);
  // Rounded up, so that the deadline has passed after the wait.
  constexpr absl::Duration kMost = absl::Hours(1);
  const int wait_ms =
      time == absl::InfiniteDuration()
          ? -1
          : static_cast<int>(absl::ToInt64Milliseconds(std::min(time, kMost)) +
                             1);
  pollfd files[] = {{child_.socket(), events, 0}, {child_.errors(), POLLIN, 0}};
  // A closed pipe would end each wait at once.
  const int ready = poll(files, errors_are_closed_ ? 1 : 2, wait_ms);
  if (ready > 0 && files[1].revents != 0) ReadErrors();
  return absl::OkStatus();
}

absl::Status CompilerProcess::Transfer(
    size_t size, short events, const Limits& limits,
    absl::FunctionRef<ssize_t(size_t done)> transfer) {
  size_t done = 0;
  while (done < size) {
    const ssize_t moved = transfer(done);
    if (moved > 0) {
      done += static_cast<size_t>(moved);
    } else if (moved == 0 || (errno != EAGAIN && errno != EINTR)) {
      return Ended();
    } else {
      RETURN_IF_ERROR(WaitFor(events, limits));
    }
  }
  return absl::OkStatus();
}

absl::Status CompilerProcess::Send(std::string_view bytes,
                                   const Limits& limits) {
  return Transfer(bytes.size(), POLLOUT, limits, [&](size_t done) {
    return send(child_.socket(), bytes.data() + done, bytes.size() - done,
                MSG_DONTWAIT | MSG_NOSIGNAL);
  });
}

absl::Status CompilerProcess::ReceiveBytes(char* bytes, size_t size,
                                           const Limits& limits) {
  return Transfer(size, POLLIN, limits, [&](size_t done) {
    return recv(child_.socket(), bytes + done, size - done, MSG_DONTWAIT);
  });
}

absl::Status CompilerProcess::ReceivePart(uint64_t size, std::string& part,
                                          const Limits& limits) {
  constexpr size_t kPiece = size_t{1} << 22;
  while (part.size() < size) {
    const size_t done = part.size();
    const size_t next = std::min<uint64_t>(size - done, kPiece);
    absl::Status status =
        done + next > part.capacity()
            ? Reserve(part, std::min<uint64_t>(size, 2 * done + next),
                      "a compiled program")
            : absl::OkStatus();
    if (!status.ok()) {
      has_ended_ = true;
      child_.Kill();
      return status;
    }
    part.resize(done + next);
    RETURN_IF_ERROR(ReceiveBytes(part.data() + done, next, limits));
  }
  return absl::OkStatus();
}

absl::StatusOr<CompilerProcess::Answer> CompilerProcess::Receive(
    const Limits& limits) {
  AnswerHead head = {};
  RETURN_IF_ERROR(
      ReceiveBytes(reinterpret_cast<char*>(&head), sizeof(head), limits));
  if (head.magic != kAnswerMagic || head.outcome > Outcome::kRefused) {
    return Damaged();
  }
  Answer answer = {head.outcome, {}};
  for (uint32_t i = 0; i < kParts; ++i) {
    if (head.sizes[i] > (i == kModule ? kMaxModuleBytes : kMaxTextBytes)) {
      return Damaged();
    }
    RETURN_IF_ERROR(ReceivePart(head.sizes[i], answer.parts[i], limits));
  }
  return answer;
}

absl::Status CompilerProcess::WaitUntilReady(const Limits& limits) {
  if (is_ready_) return absl::OkStatus();
  ASSIGN_OR_RETURN(const Answer answer, Receive(limits));
  if (answer.outcome == Outcome::kUnusable) {
    has_ended_ = true;
    return absl::UnavailableError(
        absl::StrCat("The compiler cannot be used: ",
                     PlainText(answer.parts[kMessage], kMaxErrors), "."));
  }
  if (answer.outcome != Outcome::kReady) return Damaged();
  is_ready_ = true;
  return absl::OkStatus();
}

absl::StatusOr<CompilerProcess::Answer> CompilerProcess::Exchange(
    const CompileRequest& request, const Limits& limits) {
  RETURN_IF_ERROR(WaitUntilReady(limits));
  std::string flags;
  for (const std::string& flag : request.flags) {
    flags.append(flag.c_str(), std::strlen(flag.c_str()) + 1);
  }
  if (flags.size() > kMaxFlagBytes ||
      request.program.size() > kMaxProgramBytes) {
    return absl::InvalidArgumentError(absl::StrCat(
        "The program has ", request.program.size(), " bytes, and its flags ",
        flags.size(), "; at most ", kMaxProgramBytes, " and ", kMaxFlagBytes,
        " can be sent."));
  }
  const RequestHead head = {kRequestMagic, request.verifies ? uint32_t{1} : 0,
                            request.flags.size(), flags.size(),
                            request.program.size()};
  ++programs_;
  errors_.clear();
  RETURN_IF_ERROR(Send(BytesOf(head), limits));
  RETURN_IF_ERROR(Send(flags, limits));
  RETURN_IF_ERROR(Send(request.program, limits));
  return Receive(limits);
}

absl::StatusOr<CompiledProgram> CompilerProcess::Compile(
    const CompileRequest& request, const CompileLimits& limits) {
  ASSIGN_OR_RETURN(
      Answer answer,
      Exchange(request, {Deadline::After(limits.timeout), limits}));
  ReadErrors();
  const auto& parts = answer.parts;
  if (answer.outcome == Outcome::kRefused) {
    const std::string& text =
        parts[kMessage].empty() ? errors_ : parts[kMessage];
    return absl::InvalidArgumentError(
        absl::StrCat("The compiler refuses the program.", Lines(text)));
  }
  if (answer.outcome != Outcome::kCompiled || parts[kModule].empty()) {
    return Damaged();
  }
  CompiledProgram program;
  absl::StatusOr<ProgramSignature> signature =
      ReadSignature({parts[kModuleName], parts[kReplicas], parts[kPartitions],
                     parts[kFunctionName], parts[kFunctionType],
                     parts[kArgumentAttributes], parts[kResultAttributes]});
  if (absl::IsInternal(signature.status())) {
    has_ended_ = true;
    child_.Kill();
  }
  RETURN_IF_ERROR(signature);
  program.signature = *std::move(signature);
  ASSIGN_OR_RETURN(program.custom_calls, ReadCustomCalls(parts[kCustomCalls]));
  program.may_write = !parts[kMayWrite].empty();
  program.module = std::move(answer.parts[kModule]);
  return program;
}

}  // namespace eyrie::pjrt
