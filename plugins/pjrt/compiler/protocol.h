// Messages between a host and its compiler's process, over a stream socket.
//
// The process first sends an Answer (kReady or kUnusable), then one for each
// request. Both sides are built together and run on one machine, so the
// structures are sent as they are in memory.
// Tested by compiler_process_test.cc.
#ifndef EYRIE_PLUGINS_PJRT_COMPILER_PROTOCOL_H_
#define EYRIE_PLUGINS_PJRT_COMPILER_PROTOCOL_H_

#include <cstdint>

namespace eyrie::pjrt {

// The descriptor of the process's end of the socket.
inline constexpr int kSocketFile = 3;
// Changes with the structures. A wrong one means that a process is broken.
inline constexpr uint32_t kRequestMagic = 0x71724501;
inline constexpr uint32_t kAnswerMagic = 0x6e614501;

// The process refuses larger requests.
inline constexpr uint64_t kMaxFlagBytes = uint64_t{1} << 20;
inline constexpr uint64_t kMaxProgramBytes = uint64_t{1} << 32;
// The host refuses larger parts of answers: of the module, and of texts.
inline constexpr uint64_t kMaxModuleBytes = uint64_t{1} << 32;
inline constexpr uint64_t kMaxTextBytes = uint64_t{1} << 24;

// After it come the flags, each with a NUL, and the program.
struct RequestHead {
  uint32_t magic;
  uint32_t verifies;    // 1: as CompileRequest::verifies
  uint64_t flags;       // the number of flags
  uint64_t flag_bytes;  // with their NULs
  uint64_t program_bytes;
};

enum class Outcome : uint32_t {
  kReady,     // kMessage is the compiler's revision
  kUnusable,  // the library cannot be used; kMessage says why
  kCompiled,  // all parts but kMessage
  kRefused,   // kMessage has the diagnostics
};

// The parts of an answer. Attributes are in MLIR's text form, and empty if the
// program has none of that name.
enum Part : uint32_t {
  kMessage,
  kModuleName,
  kReplicas,
  kPartitions,
  kFunctionName,
  kFunctionType,
  kArgumentAttributes,
  kResultAttributes,
  kCustomCalls,  // see CustomCalls::imports()
  kMayWrite,     // not empty: CustomCalls::may_write()
  kModule,
  kParts,
};

// After it come the parts.
struct AnswerHead {
  uint32_t magic;
  Outcome outcome;
  uint64_t sizes[kParts];
};

}  // namespace eyrie::pjrt

#endif  // EYRIE_PLUGINS_PJRT_COMPILER_PROTOCOL_H_
