// The program of a compiler's process: loads libIREECompiler.so and compiles
// one program after another. It ends with its host.
//
//   eyrie-compiler LIBRARY HOST_PID, with the socket at kSocketFile
// Uses only the C library, so that it starts fast and cannot clash with the
// C++ library of the compiler. Embedded in the plug-in as bytes.
// Tested by compiler_process_test.cc, compiler_pool_test.cc.
#include <dlfcn.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "plugins/pjrt/compiler/attribute_text.h"
#include "plugins/pjrt/compiler/compiler_library.h"
#include "plugins/pjrt/compiler/custom_calls.h"
#include "plugins/pjrt/compiler/growing_text.h"
#include "plugins/pjrt/compiler/protocol.h"

namespace eyrie::pjrt {
namespace {

constexpr size_t kMaxDiagnostics = 64 * 1024;  // bytes that are kept

// A program of fewer bytes, or one on so few processors, is compiled by one
// thread: more take 6% more time in all, and end no sooner.
constexpr size_t kLeastThreaded = 2048;
constexpr int kFewProcessors = 2;

int Processors() {
  cpu_set_t set;
  CPU_ZERO(&set);
  return sched_getaffinity(0, sizeof(set), &set) == 0 ? CPU_COUNT(&set) : 1;
}

// The message of an answer. The compiler calls from any thread.
class Diagnostics {
 public:
  void Add(const char* text, size_t size) {
    pthread_mutex_lock(&mutex_);
    if (text_.size() != 0 && text_.size() < kMaxDiagnostics) text_.Append("\n");
    const size_t left = kMaxDiagnostics - text_.size();
    text_.Append(text, size < left ? size : left);
    pthread_mutex_unlock(&mutex_);
  }
  void Add(const char* text) { Add(text, strlen(text)); }
  const GrowingText& text() const { return text_; }

  static void Receive(Severity severity, const char* message, size_t size,
                      void* self) {
    constexpr const char* kPrefixes[] = {"note: ", "warning: ", "error: "};
    if (severity < Severity::kNote || severity > Severity::kError) return;
    GrowingText text;
    text.Append(kPrefixes[static_cast<int>(severity)]);
    text.Append(message, size);
    static_cast<Diagnostics*>(self)->Add(text.data(), text.size());
  }

 private:
  pthread_mutex_t mutex_ = PTHREAD_MUTEX_INITIALIZER;
  GrowingText text_;
};

struct Bytes {
  const char* data;
  size_t size;
};

// Ends this process, and those that it started: the linker, for example. The
// process leads its group.
[[noreturn]] void EndGroup() {
  kill(0, SIGKILL);
  _exit(1);
}

void Send(const void* bytes, size_t size) {
  const char* at = static_cast<const char*>(bytes);
  while (size != 0) {
    const ssize_t sent = send(kSocketFile, at, size, MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent <= 0) EndGroup();
    at += sent;
    size -= static_cast<size_t>(sent);
  }
}

// Ends the process if the host has closed its end.
void Receive(void* bytes, size_t size) {
  char* at = static_cast<char*>(bytes);
  while (size != 0) {
    const ssize_t got = recv(kSocketFile, at, size, 0);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) EndGroup();
    at += got;
    size -= static_cast<size_t>(got);
  }
}

void SendAnswer(Outcome outcome, const Bytes (&parts)[kParts]) {
  AnswerHead head = {kAnswerMagic, outcome, {}};
  for (uint32_t i = 0; i < kParts; ++i) head.sizes[i] = parts[i].size;
  Send(&head, sizeof(head));
  for (const Bytes& part : parts) Send(part.data, part.size);
}

void SendMessage(Outcome outcome, const char* text, size_t size) {
  Bytes parts[kParts] = {};
  parts[kMessage] = {text, size};
  SendAnswer(outcome, parts);
}

// Waits for the end of the host, of which the main thread would not know while
// it compiles. PR_SET_PDEATHSIG would also kill the process when only the
// host's thread that started it ends. A forked child of the host may hold the
// socket open, so also watches the host's process itself.
void* WatchHost(void* argument) {
  const int host = *static_cast<const int*>(argument);
  pollfd files[] = {{kSocketFile, POLLRDHUP, 0}, {host, POLLIN, 0}};
  while (poll(files, host < 0 ? 1 : 2, -1) < 0 && errno == EINTR) {
  }
  EndGroup();
}

void CloseInheritedFiles() {
  constexpr unsigned kFirst = kSocketFile + 1;
#ifdef SYS_close_range
  if (syscall(SYS_close_range, kFirst, ~0U, 0) == 0) return;
#endif
  const long most = sysconf(_SC_OPEN_MAX);
  for (long file = kFirst; file < (most < 65536 ? most : 65536); ++file) {
    close(static_cast<int>(file));
  }
}

// Prepares the process. A core file would have gigabytes, and if memory is
// short, the system should end this process before its host.
void SetUp(const char* host_id) {
  static int host = -1;
  CloseInheritedFiles();
  // The compiler's linker must not hold the socket open.
  fcntl(kSocketFile, F_SETFD, FD_CLOEXEC);
  const rlimit no_core = {0, 0};
  setrlimit(RLIMIT_CORE, &no_core);
  FILE* const score = fopen("/proc/self/oom_score_adj", "we");
  if (score != nullptr) {
    fputs("500", score);
    fclose(score);
  }
  const pid_t parent = static_cast<pid_t>(atol(host_id));
#ifdef SYS_pidfd_open
  host = static_cast<int>(syscall(SYS_pidfd_open, parent, 0));
#endif
  // The host may have ended before, and its ID be another process's.
  if (getppid() != parent) EndGroup();
  pthread_t thread;
  if (pthread_create(&thread, nullptr, WatchHost, &host) != 0) _exit(1);
}

// Compiles one program. The objects are destroyed in the destructor's order.
class Compilation {
 public:
  explicit Compilation(const CompilerLibrary& library) : library_(library) {}
  Compilation(const Compilation&) = delete;
  Compilation& operator=(const Compilation&) = delete;
  ~Compilation() {
    if (output_ != nullptr) library_.OutputDestroy(output_);
    if (invocation_ != nullptr) library_.InvocationDestroy(invocation_);
    if (source_ != nullptr) library_.SourceDestroy(source_);
    if (session_ != nullptr) library_.SessionDestroy(session_);
  }

  // `program` ends with a NUL, which its size includes.
  bool Run(bool verifies, int flag_count, const char* const* flags,
           const GrowingText& program) {
    session_ = library_.SessionCreate();
    if (!Check(library_.SessionSetFlags(session_, flag_count, flags))) {
      return false;
    }
    invocation_ = library_.InvocationCreate(session_);
    library_.InvocationEnableCallbackDiagnostics(
        invocation_, 0, Diagnostics::Receive, &diagnostics_);
    library_.InvocationSetVerifyIR(invocation_, verifies);
    has_threads_ =
        program.size() > kLeastThreaded && Processors() > kFewProcessors;
    void* data = nullptr;
    uint64_t size = 0;
    const bool is_done =
        Check(library_.SourceWrapBuffer(session_, "program", program.data(),
                                        program.size(), true, &source_)) &&
        library_.InvocationParseSource(invocation_, source_) &&
        ReadSignature() &&
        library_.InvocationPipeline(invocation_, kStandardPipeline) &&
        Check(library_.OutputOpenMembuffer(&output_)) &&
        Check(library_.InvocationOutputVMBytecode(invocation_, output_)) &&
        Check(library_.OutputMapMemory(output_, &data, &size));
    module_ = {static_cast<const char*>(data), size};
    return is_done;
  }

  void SendResult(bool is_done) {
    const GrowingText& message = diagnostics_.text();
    if (!is_done) {
      SendMessage(Outcome::kRefused, message.data(), message.size());
      return;
    }
    Bytes parts[kParts] = {};
    for (uint32_t i = kModuleName; i < kModule; ++i) {
      parts[i] = {texts_[i].data(), texts_[i].size()};
    }
    parts[kModule] = module_;
    SendAnswer(Outcome::kCompiled, parts);
  }

 private:
  bool Check(Error* error) {
    if (error == nullptr) return true;
    diagnostics_.Add(library_.ErrorGetMessage(error));
    library_.ErrorDestroy(error);
    return false;
  }

  // Replaces the text with that of an attribute; empties it if there is none.
  void Print(MlirOperation operation, const char* name, GrowingText& text) {
    text.Clear();
    const MlirAttribute attribute =
        library_.OperationGetAttributeByName(operation, {name, strlen(name)});
    if (attribute.pointer == nullptr) return;
    library_.AttributePrint(attribute, AppendText, &text);
  }

  // Returns the function named "main", or else the only public one. Its pointer
  // is null if there is none.
  MlirOperation FindFunction(MlirOperation module) {
    MlirOperation only = {};
    int count = 0;
    GrowingText text;
    const MlirBlock block =
        library_.RegionGetFirstBlock(library_.OperationGetRegion(module, 0));
    if (block.pointer == nullptr) return only;
    for (MlirOperation each = library_.BlockGetFirstOperation(block);
         each.pointer != nullptr;
         each = library_.OperationGetNextInBlock(each)) {
      Print(each, "function_type", text);
      if (text.size() == 0) continue;
      Print(each, "sym_name", text);
      if (HasValue(text, "main")) return each;
      Print(each, "sym_visibility", text);
      if (!HasValue(text, "public") && !HasValue(text, "")) continue;
      only = each;
      ++count;
    }
    return count == 1 ? only : MlirOperation{};
  }

  // Removes the attributes of arguments, which have been read. The compiler
  // would overwrite donated arguments, whose memory others may use: the host
  // only deletes them.
  void DropArgumentAttributes(MlirOperation function) {
    if (texts_[kArgumentAttributes].size() == 0) return;
    constexpr MlirText kName = {"arg_attrs", 9};
    constexpr MlirText kNone = {"#vhlo.array_v1<[]>", 18};
    if (texts_[kFunctionName].data()[0] != '#') {
      library_.OperationRemoveAttributeByName(function, kName);
      return;
    }
    library_.OperationSetAttributeByName(
        function, kName,
        library_.AttributeParseGet(library_.OperationGetContext(function),
                                   kNone));
  }

  bool ReadSignature() {
    const MlirOperation module =
        library_.InvocationExportStealModule(invocation_);
    if (!has_threads_) {
      library_.ContextEnableMultithreading(library_.OperationGetContext(module),
                                           false);
    }
    Print(module, "sym_name", texts_[kModuleName]);
    Print(module, "mhlo.num_replicas", texts_[kReplicas]);
    Print(module, "mhlo.num_partitions", texts_[kPartitions]);
    const MlirOperation function = FindFunction(module);
    if (function.pointer != nullptr) {
      Print(function, "sym_name", texts_[kFunctionName]);
      Print(function, "function_type", texts_[kFunctionType]);
      Print(function, "arg_attrs", texts_[kArgumentAttributes]);
      Print(function, "res_attrs", texts_[kResultAttributes]);
      DropArgumentAttributes(function);
    } else {
      diagnostics_.Add(
          "The program must have a function 'main', or one public function.");
    }
    CustomCalls calls(library_, module);
    calls.Replace();
    const GrowingText& imports = calls.imports();
    texts_[kCustomCalls].Append(imports.data(), imports.size());
    if (calls.may_write()) texts_[kMayWrite].Append("1");
    // A program that was changed here must be checked.
    if (imports.size() != 0) library_.InvocationSetVerifyIR(invocation_, true);
    return library_.InvocationImportStealModule(invocation_, module) &&
           function.pointer != nullptr;
  }

  const CompilerLibrary& library_;
  Diagnostics diagnostics_;
  bool has_threads_ = true;
  Session* session_ = nullptr;
  Invocation* invocation_ = nullptr;
  Source* source_ = nullptr;
  Output* output_ = nullptr;
  GrowingText texts_[kParts];
  Bytes module_ = {};
};

void Serve(const CompilerLibrary& library) {
  GrowingText flag_text, flags, program;
  while (true) {
    RequestHead head = {};
    Receive(&head, sizeof(head));
    if (head.magic != kRequestMagic || head.flag_bytes > kMaxFlagBytes ||
        head.flags > head.flag_bytes || head.program_bytes > kMaxProgramBytes) {
      fputs("a request is damaged\n", stderr);
      abort();
    }
    flag_text.Resize(head.flag_bytes + 1);
    Receive(flag_text.data(), head.flag_bytes);
    flag_text.data()[head.flag_bytes] = '\0';
    program.Resize(head.program_bytes + 1);
    Receive(program.data(), head.program_bytes);
    program.data()[head.program_bytes] = '\0';
    flags.Clear();
    const char* at = flag_text.data();
    for (uint64_t i = 0; i < head.flags; ++i) {
      flags.Append(reinterpret_cast<const char*>(&at), sizeof(at));
      const char* const end = flag_text.data() + head.flag_bytes;
      if (at < end) at += strlen(at) + 1;
      if (at > end) at = end;
    }
    Compilation compilation(library);
    compilation.SendResult(compilation.Run(
        head.verifies != 0, static_cast<int>(head.flags),
        reinterpret_cast<const char* const*>(flags.data()), program));
  }
}

int Main(int count, char** arguments) {
  if (count != 3) return 1;
  SetUp(arguments[2]);
  CompilerLibrary library = {};
  void* const handle = dlopen(arguments[1], RTLD_NOW | RTLD_LOCAL);
  const char* const error =
      handle == nullptr ? dlerror() : FindFunctions(handle, library);
  if (error != nullptr) {
    SendMessage(Outcome::kUnusable, error, strlen(error));
    return 1;
  }
  library.GlobalInitialize();
  // Command buffers that 3.13 keeps between calls may use bindings that they do
  // not have. The flag belongs to the process, not to a session.
  const char* flags[] = {"eyrie-compiler", "--iree-hal-memoization=false"};
  library.SetupGlobalCL(2, flags, "eyrie", /*installs_signal_handlers=*/false);
  const char* revision = library.GetRevision();
  if (revision == nullptr) revision = "";
  SendMessage(Outcome::kReady, revision, strlen(revision));
  Serve(library);
  return 0;
}

}  // namespace
}  // namespace eyrie::pjrt

int main(int count, char** arguments) {
  return eyrie::pjrt::Main(count, arguments);
}
