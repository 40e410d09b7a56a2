// Names of places in code.
//
//   add                 the first instruction of a function
//   lib.add, @7         of a named module; by ordinal
//   hal.fence.await     every call of an import
//   add+0x1c, +0x1c     an instruction; of the current function
//   model.mlir:12       every start of a source line
//   :12, 12             the same in the current source file
// Tested by debug_test.txt.
#ifndef EYRIE_TOOLS_DEBUG_PLACES_H_
#define EYRIE_TOOLS_DEBUG_PLACES_H_

#include <compare>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "tools/debug/listing.h"
#include "vm/run/bytecode_module.h"

namespace eyrie::tools {

struct CodeSpot {
  const vm::BytecodeModule* module;
  uint32_t function;
  uint32_t offset;

  friend auto operator<=>(const CodeSpot&, const CodeSpot&) = default;
};

// "module.add"
std::string FunctionText(const CodeSpot& spot);
// "module.add+0x1c", followed by " (model.mlir:12:3)" if that is known.
std::string PlaceText(const CodeSpot& spot);
// "model.mlir:12", or "" if it is unknown.
std::string SourceLineText(const CodeSpot& spot);

// Returns every place that the text names. `at` is in the current function.
// NOT_FOUND: there is no such place. OUT_OF_RANGE: the offset is not that of an
// instruction.
absl::StatusOr<std::vector<CodeSpot>> FindSpots(
    absl::string_view text,
    const std::vector<const vm::BytecodeModule*>& modules, const CodeSpot& at,
    Listing& listing);

}  // namespace eyrie::tools

#endif  // EYRIE_TOOLS_DEBUG_PLACES_H_
