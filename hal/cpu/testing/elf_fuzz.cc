// Loading may refuse any bytes, but must not crash. No code runs.
//
// The last four bytes of an input are the offset of the library tables in the
// image, which otherwise only the code knows.
// tests/fuzz/BUILD describes how to run it.
#include <cstddef>
#include <cstdint>
#include <memory>

#include "base/byte_reader.h"
#include "hal/cpu/code_scan.h"
#include "hal/cpu/dispatch_abi.h"
#include "hal/cpu/elf_layout.h"
#include "hal/cpu/elf_loader.h"
#include "hal/cpu/elf_symbols.h"
#include "hal/cpu/image.h"
#include "hal/cpu/library.h"
#include "hal/cpu/library_rewrite.h"

namespace {

using eyrie::hal::cpu::CodeScan;
using eyrie::hal::cpu::ElfImage;
using eyrie::hal::cpu::ElfUse;
using eyrie::hal::cpu::Image;
using eyrie::hal::cpu::LibraryHeader;
using eyrie::hal::cpu::ReadLibrary;

// Reads every loaded byte.
uint64_t Touch(const Image& image) {
  uint64_t sum = 0;
  for (const Image::Range& range : image.ranges()) {
    if (range.bytes.size() > (1 << 20)) continue;  // zeros
    for (const uint8_t byte : range.bytes) sum += byte;
  }
  return sum;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size < 4) return 0;
  for (const auto& function :
       eyrie::hal::cpu::ReadElfFunctions({data, size - 4})) {
    volatile uint64_t length = function.name.size();
    (void)length;
  }
  eyrie::hal::cpu::RewriteLibrary({data, size - 4}, 5, {}, true)
      .status()
      .IgnoreError();
  const auto place = eyrie::LoadLittleEndian<uint32_t>(data + size - 4);
  auto image = ElfImage::Load({data, size - 4}, ElfUse::kRead);
  if (!image.ok()) return 0;
  volatile uint64_t sum = Touch(**image);
  (void)sum;
  (*image)
      ->FindFunction("iree_hal_executable_library_query")
      .status()
      .IgnoreError();
  const CodeScan scan = (*image)->ScanCode();
  scan.Reachable((*image)->code_pointers(), {}).status().IgnoreError();
  const uint8_t* base = (*image)->ranges().front().bytes.data();
  const auto* library = reinterpret_cast<const LibraryHeader* const*>(
      reinterpret_cast<uintptr_t>(base) + place);
  for (const uint32_t version : {5, 6}) {
    ReadLibrary(**image, version, library).status().IgnoreError();
  }
  return 0;
}
