// A library with the functions of libIREECompiler.so that does what the
// program's text says, for tests without a compiler.
//
// A program is "func TYPE", which is compiled to a module "compiled: ", the
// flags and the program, after the other words that it has:
//   refuse, silent: fails, with diagnostics or with none
//   crash, abort, loop, stop, memory: ends so, or never, in the pipeline
//   noisy, chatty: prints a megabyte, or without end
//   quiet: closes its standard streams; empty: makes an empty module; big: 40
//   MB; file PATH: the file's bytes; donated: argument 0 may be overwritten
// "private" instead of "func" is a program without a public function.
#include <signal.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string>

#include "plugins/pjrt/compiler/compiler_library.h"

namespace eyrie::pjrt {

struct Error {
  std::string message;
};
struct Session {
  std::string flags;
};
struct Source {
  std::string text;
};
struct Output {
  std::string bytes;
};
struct Invocation {
  Session* session = nullptr;
  OnDiagnostic* on_diagnostic = nullptr;
  void* user = nullptr;
  std::string program;
  std::string printed;

  bool Has(const char* word) const {
    return program.find(word) != std::string::npos;
  }
  bool Fail(const char* message) const {
    on_diagnostic(Severity::kError, message, std::strlen(message), user);
    return false;
  }
};

namespace {

volatile bool g_is_looping = true;

void Print(Invocation& invocation) {
  if (invocation.Has("quiet")) {
    for (int file = 0; file < 3; ++file) close(file);
  }
  while (invocation.Has("chatty")) std::fputs("chatter\n", stderr);
  if (!invocation.Has("noisy")) return;
  for (int i = 0; i < 10000; ++i) {
    std::fprintf(stderr, "line %d of a very noisy compiler, %060d\n", i, i);
  }
}

}  // namespace

extern "C" {

void ireeCompilerGlobalInitialize() {
  if (std::getenv("FAKE_COMPILER_DIES") != nullptr) {
    std::fputs("no CPU is supported\n", stderr);
    std::_Exit(3);
  }
}
void ireeCompilerSetupGlobalCL(int, const char**, const char*, bool) {}
const char* ireeCompilerGetRevision() { return "fake"; }
const char* ireeCompilerErrorGetMessage(Error* error) {
  return error->message.c_str();
}
void ireeCompilerErrorDestroy(Error* error) { delete error; }
Session* ireeCompilerSessionCreate() { return new Session; }
void ireeCompilerSessionDestroy(Session* session) { delete session; }
Error* ireeCompilerSessionSetFlags(Session* session, int count,
                                   const char* const* flags) {
  for (int i = 0; i < count; ++i) {
    if (std::strcmp(flags[i], "--bad") == 0) {
      return new Error{"unknown flag '--bad'"};
    }
    session->flags += std::string(flags[i]) + " ";
  }
  return nullptr;
}
Invocation* ireeCompilerInvocationCreate(Session* session) {
  return new Invocation{session, nullptr, nullptr, "", ""};
}
void ireeCompilerInvocationDestroy(Invocation* invocation) {
  delete invocation;
}
void ireeCompilerInvocationEnableCallbackDiagnostics(Invocation* invocation,
                                                     int, OnDiagnostic* call,
                                                     void* user) {
  invocation->on_diagnostic = call;
  invocation->user = user;
}
void ireeCompilerInvocationSetVerifyIR(Invocation* invocation, bool verifies) {
  if (verifies) invocation->session->flags += "verified ";
}
Error* ireeCompilerSourceWrapBuffer(Session*, const char*, const char* bytes,
                                    size_t size, bool, Source** source) {
  if (size == 0 || bytes[size - 1] != '\0') return new Error{"no NUL"};
  *source = new Source{std::string(bytes, size - 1)};
  return nullptr;
}
void ireeCompilerSourceDestroy(Source* source) { delete source; }
bool ireeCompilerInvocationParseSource(Invocation* invocation, Source* source) {
  invocation->program = source->text;
  if (invocation->Has("func") || invocation->Has("private")) return true;
  return invocation->Fail("program:1:1: expected 'func'");
}
MlirOperation ireeCompilerInvocationExportStealModule(Invocation* invocation) {
  return {invocation};
}
bool ireeCompilerInvocationImportStealModule(Invocation* invocation,
                                             MlirOperation module) {
  return module.pointer == invocation;
}
bool ireeCompilerInvocationPipeline(Invocation* invocation, int) {
  Print(*invocation);
  if (invocation->Has("crash")) raise(SIGSEGV);
  if (invocation->Has("memory")) raise(SIGKILL);
  if (invocation->Has("silent")) return false;
  if (invocation->Has("abort")) {
    std::fputs("LLVM ERROR: cannot select\n", stderr);
    std::abort();
  }
  if (invocation->Has("stop")) std::exit(7);
  while (invocation->Has("loop") && g_is_looping) usleep(1000);
  if (!invocation->Has("refuse")) return true;
  return invocation->Fail("program:1:6: op is not supported\n  note");
}
Error* ireeCompilerInvocationOutputVMBytecode(Invocation* invocation,
                                              Output* output) {
  if (invocation->Has("empty")) return nullptr;
  const size_t at = invocation->program.find("file ");
  if (at != std::string::npos) {
    const std::string rest = invocation->program.substr(at + 5);
    std::ifstream file(rest.substr(0, rest.find(' ')));
    output->bytes.assign(std::istreambuf_iterator<char>(file), {});
    return nullptr;
  }
  output->bytes =
      "compiled: " + invocation->session->flags + invocation->program;
  if (invocation->Has("big")) output->bytes.resize(40'000'000, '.');
  return nullptr;
}
Error* ireeCompilerOutputOpenMembuffer(Output** output) {
  *output = new Output;
  return nullptr;
}
Error* ireeCompilerOutputMapMemory(Output* output, void** bytes,
                                   uint64_t* size) {
  *bytes = output->bytes.data();
  *size = output->bytes.size();
  return nullptr;
}
void ireeCompilerOutputDestroy(Output* output) { delete output; }

// The module is its only region, block and operation.
MlirContext mlirOperationGetContext(MlirOperation operation) {
  return {operation.pointer};
}
void mlirContextEnableMultithreading(MlirContext, bool) {}
MlirRegion mlirOperationGetRegion(MlirOperation operation, intptr_t) {
  return {operation.pointer};
}
MlirBlock mlirRegionGetFirstBlock(MlirRegion region) {
  return {region.pointer};
}
MlirOperation mlirBlockGetFirstOperation(MlirBlock block) {
  return {block.pointer};
}
MlirOperation mlirOperationGetNextInBlock(MlirOperation) { return {nullptr}; }
MlirAttribute mlirOperationGetAttributeByName(MlirOperation operation,
                                              MlirText name) {
  auto* const invocation = static_cast<Invocation*>(operation.pointer);
  const std::string key(name.data, name.size);
  std::string& text = invocation->printed;
  text = "";
  if (key == "sym_name") text = "\"name\"";
  if (key == "sym_visibility" && invocation->Has("private")) {
    text = "\"private\"";
  }
  if (key == "arg_attrs" && invocation->Has("donated")) {
    text = "[{jax.buffer_donor = true}";
    const std::string& program = invocation->program;
    const size_t end = program.find("->");
    for (size_t at = 0; (at = program.find(", tensor", at)) < end; ++at) {
      text += ", {}";
    }
    text += "]";
  }
  if (key == "function_type") {
    const size_t at = invocation->program.find("func ");
    text = at == std::string::npos ? "() -> ()"
                                   : invocation->program.substr(at + 5);
  }
  return {text.empty() ? nullptr : &text};
}
void mlirAttributePrint(MlirAttribute attribute, OnText* call, void* user) {
  const auto& text = *static_cast<const std::string*>(attribute.pointer);
  call({text.data(), text.size()}, user);
}

MlirIdentifier mlirOperationGetName(MlirOperation) { return {}; }
MlirText mlirIdentifierStr(MlirIdentifier) { return {"", 0}; }
MlirRegion mlirOperationGetFirstRegion(MlirOperation) { return {}; }

bool mlirOperationRemoveAttributeByName(MlirOperation, MlirText) {
  return true;
}

// Functions for custom calls, which no program has.
#define UNUSED_FUNCTION(name) \
  void name() { std::abort(); }
UNUSED_FUNCTION(mlirOperationSetAttributeByName)
UNUSED_FUNCTION(mlirIdentifierGet)
UNUSED_FUNCTION(mlirOperationGetLocation)
UNUSED_FUNCTION(mlirOperationGetBlock)
UNUSED_FUNCTION(mlirRegionGetNextInOperation)
UNUSED_FUNCTION(mlirBlockGetNextInRegion)
UNUSED_FUNCTION(mlirOperationGetNumOperands)
UNUSED_FUNCTION(mlirOperationGetOperand)
UNUSED_FUNCTION(mlirOperationGetNumResults)
UNUSED_FUNCTION(mlirOperationGetResult)
UNUSED_FUNCTION(mlirOperationGetNumAttributes)
UNUSED_FUNCTION(mlirOperationGetAttribute)
UNUSED_FUNCTION(mlirOperationDestroy)
UNUSED_FUNCTION(mlirOperationCreateParse)
UNUSED_FUNCTION(mlirAttributeParseGet)
UNUSED_FUNCTION(mlirOperationStateGet)
UNUSED_FUNCTION(mlirOperationStateAddAttributes)
UNUSED_FUNCTION(mlirOperationStateAddOperands)
UNUSED_FUNCTION(mlirOperationStateAddResults)
UNUSED_FUNCTION(mlirOperationCreate)
UNUSED_FUNCTION(mlirBlockInsertOwnedOperation)
UNUSED_FUNCTION(mlirBlockInsertOwnedOperationBefore)
UNUSED_FUNCTION(mlirValueGetType)
UNUSED_FUNCTION(mlirValueReplaceAllUsesOfWith)
UNUSED_FUNCTION(mlirTypePrint)
#undef UNUSED_FUNCTION

}  // extern "C"

}  // namespace eyrie::pjrt
