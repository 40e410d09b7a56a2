// Fuzzes notes, manifests, attributes, MLIR text and programs: no input may
// crash, and accepted input must be the same after it is written and read
// again.
//
// The first byte selects the format. To run it, see tests/fuzz/BUILD.
#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "abi/native/attributes.h"
#include "abi/native/elf_note.h"
#include "abi/native/manifest.h"
#include "abi/native/memref/source.h"
#include "abi/native/xla/program.h"
#include "absl/strings/string_view.h"

namespace {

void TryAttributes(absl::string_view text) {
  const auto attributes = eyrie::native::ParseAttributes(text);
  if (!attributes.ok() || attributes->empty()) return;
  const std::string written = eyrie::native::AttributesText(*attributes);
  const auto again = eyrie::native::ParseAttributes(written);
  if (!again.ok() || eyrie::native::AttributesText(*again) != written) abort();
}

// The input is declarations, a line break, and an import's attributes.
void TryDeclared(absl::string_view text) {
  const size_t line = text.find('\n');
  const auto declared =
      eyrie::native::ParseDeclaredAttributes(text.substr(0, line));
  if (!declared.ok()) return;
  const std::string written = eyrie::native::DeclaredText(*declared);
  const auto again = eyrie::native::ParseDeclaredAttributes(written);
  if (!again.ok() || eyrie::native::DeclaredText(*again) != written) abort();
  if (line == text.npos) return;
  auto given = eyrie::native::ParseAttributes(text.substr(line + 1));
  if (!given.ok()) return;
  const auto merged =
      eyrie::native::MergeAttributes("f", *declared, *std::move(given));
  // Merged attributes must fit the declarations.
  if (merged.ok() &&
      !eyrie::native::MergeAttributes("f", *declared, *merged).ok()) {
    abort();
  }
}

void TryManifest(absl::string_view text) {
  const auto manifest = eyrie::native::Manifest::Parse(text);
  if (!manifest.ok()) return;
  manifest->Describe();
  for (const auto& [name, function] : manifest->functions) {
    for (const size_t operands : {0, 5}) {
      function.declaration->DeclareOperands(operands);
      const std::string convention =
          function.declaration->ImportConvention(operands);
      if (!eyrie::vm::CallingConvention::Parse(convention).ok()) abort();
    }
  }
}

void TryMlir(absl::string_view text) {
  const auto source = eyrie::native::ReadMlirSource(text);
  if (!source.ok()) return;
  TryManifest(eyrie::native::MemrefManifest(source->name, source->functions, 32,
                                            false));
}

// A linked program has no custom calls any more.
void TryProgram(absl::string_view text) {
  const auto program = eyrie::native::LinkProgram(text, "m");
  if (!program.ok()) return;
  TryManifest(program->manifest);
  if (eyrie::native::LinkProgram(program->text, "m").ok()) abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  const absl::string_view text(reinterpret_cast<const char*>(data + 1),
                               size - 1);
  switch (data[0]) {
    case 'a':
      TryAttributes(text);
      break;
    case 'd':
      TryDeclared(text);
      break;
    case 'm':
      TryManifest(text);
      break;
    case 'p':
      TryProgram(text);
      break;
    case 's':
      TryMlir(text);
      break;
    default:
      eyrie::native::CheckNativeElf({data, size}, "k.so").IgnoreError();
      if (const auto note = eyrie::native::FindAbiNote({data, size}, "k.so");
          note.ok() && *note) {
        TryManifest(**note);
      }
  }
  return 0;
}
