// Any text may be rejected, but must not crash. An accepted module is the same
// after disassembling and assembling.
//
// See tests/fuzz/BUILD for how to run it.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "vm/asm/assembler.h"
#include "vm/asm/disassembler.h"
#include "vm/module/verifier.h"

namespace {

// Returns the text of a file that was assembled and verified; empty if it would
// be too long.
std::string Dump(const std::vector<uint8_t>& file) {
  const auto module = eyrie::vm::LoadModule(file, "fuzz");
  if (!module.ok()) std::abort();
  const auto text = eyrie::vm::Disassemble(**module);
  return text.ok() ? *text : "";
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const absl::string_view text(reinterpret_cast<const char*>(data), size);
  const auto file = eyrie::vm::Assemble(text, "fuzz");
  if (!file.ok()) return 0;
  const std::string dump = Dump(*file);
  if (dump.empty()) return 0;
  const auto again = eyrie::vm::Assemble(dump, "again");
  if (!again.ok() || *again != *file) std::abort();
  return 0;
}
