// Turns pushes of constants and descriptors into registers, and dispatches
// that use what was pushed into dispatches with arguments.
//
// Releases before 20240828 push; later ones pass arguments with the dispatch.
// Tested by upgrade_test.cc.
#ifndef EYRIE_TOOLS_UPGRADE_PUSHED_ARGUMENTS_H_
#define EYRIE_TOOLS_UPGRADE_PUSHED_ARGUMENTS_H_

#include <cstdint>
#include <map>
#include <tuple>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "tools/upgrade/code_editor.h"
#include "tools/upgrade/import_call.h"
#include "tools/upgrade/pipeline_layouts.h"
#include "vm/flow/value_flow.h"
#include "vm/module/module_def.h"

namespace eyrie::tools {

// How a call is rewritten.
enum class PushFate : uint8_t {
  kOther,     // not about pushes
  kConstant,  // pushes constants
  kSet,       // pushes a descriptor set
  kLayout,    // makes a layout, which nothing needs any more
  kDispatch,  // uses what was pushed
  kIndirect,  // the same, with workgroup counts in a buffer
};

// Returns the fate of calls of an import.
PushFate PushFateOf(absl::string_view full_name, absl::string_view convention);

// The pushed arguments of a function: a register for each constant, and
// registers for each descriptor, of each command buffer.
class PushedArguments {
 public:
  // Makes the registers of a push, so that they are known before the function
  // is rewritten. UNIMPLEMENTED: a number that must be constant is not.
  absl::Status Prepare(PushFate fate, const ImportCall& call,
                       const vm::KnownRegisters& registers, CodeEditor& editor);

  // Replaces a push by moves to its registers. Prepare must have succeeded.
  void Push(PushFate fate, const ImportCall& call,
            const vm::KnownRegisters& registers, CodeEditor& editor);

  // Returns the call of a dispatch with arguments, of kDispatch or kIndirect.
  // UNIMPLEMENTED: the kernel, its layout or an argument is unknown.
  absl::StatusOr<ImportCall> Dispatch(PushFate fate, uint32_t function,
                                      const PipelineLayouts& layouts,
                                      const ImportCall& call,
                                      const vm::KnownRegisters& registers,
                                      CodeEditor& editor);

  // The registers that hold references until the function returns.
  const std::vector<uint16_t>& refs() const { return refs_; }

 private:
  struct Descriptor {
    uint16_t slot;
    uint16_t buffer;
    uint16_t offset;
    uint16_t length;
  };

  // By command buffer and number.
  std::map<std::pair<int64_t, int64_t>, uint16_t> constants_;
  // By command buffer, set and binding.
  std::map<std::tuple<int64_t, int64_t, int64_t>, Descriptor> descriptors_;
  std::vector<uint16_t> refs_;
};

// The name and conventions of the calls that Dispatch returns.
inline constexpr char kDispatchName[] = "hal.command_buffer.dispatch";
inline constexpr char kDispatchConvention[] = "0rriiiiICiDCiirIID_v";
inline constexpr char kIndirectName[] = "hal.command_buffer.dispatch.indirect";
inline constexpr char kIndirectConvention[] = "0rriirIICiDCiirIID_v";

}  // namespace eyrie::tools

#endif  // EYRIE_TOOLS_UPGRADE_PUSHED_ARGUMENTS_H_
