// Places in code, as people name them.
//
//   add                 the first instruction of a function
//   lib.add, @7         of a module's, and by its ordinal
//   hal.fence.await     where an import is called, wherever that is
//   add+0x1c, +0x1c     an instruction; of the function at hand
//   model.mlir:12       where a line of the source begins, wherever it is
//   :12, 12             the same of the source at hand
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
#include "vm/bytecode_module.h"

namespace eyrie::tools {

struct CodeSpot {
  const vm::BytecodeModule* module;
  uint32_t function;
  uint32_t offset;

  friend auto operator<=>(const CodeSpot&, const CodeSpot&) = default;
};

// "module.add"
std::string FunctionText(const CodeSpot& spot);
// "module.add+0x1c", and " (model.mlir:12:3)" behind it if that is known.
std::string PlaceText(const CodeSpot& spot);
// "model.mlir:12"; empty: not known.
std::string SourceLineText(const CodeSpot& spot);

// Every place that a text names. `at` is the function at hand. NOT_FOUND: there
// is none; OUT_OF_RANGE: no instruction is at that offset.
absl::StatusOr<std::vector<CodeSpot>> FindSpots(
    absl::string_view text,
    const std::vector<const vm::BytecodeModule*>& modules, const CodeSpot& at,
    Listing& listing);

}  // namespace eyrie::tools

#endif  // EYRIE_TOOLS_DEBUG_PLACES_H_
