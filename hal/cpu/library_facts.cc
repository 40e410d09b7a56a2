// A library's tables begin with the address of a library header.
#include "hal/cpu/library_facts.h"

#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/byte_reader.h"
#include "base/plain_text.h"
#include "base/status_macros.h"
#include "hal/cpu/code_scan.h"
#include "hal/cpu/dispatch_abi.h"
#include "hal/cpu/elf_loader.h"
#include "hal/executable.h"

namespace eyrie::hal::cpu {
namespace {

constexpr int kMaxCandidates = 16;

// Returns the version in the library header at this address, or nullopt if
// there is no header.
std::optional<uint32_t> VersionAt(const Image& image, uint64_t address) {
  if (!image.Contains(address, sizeof(LibraryHeader))) return std::nullopt;
  const auto header =
      LoadLittleEndian<LibraryHeader>(reinterpret_cast<const void*>(address));
  if (header.version < kOldestLibraryVersion ||
      header.version > kNewestLibraryVersion) {
    return std::nullopt;
  }
  if (header.features != 0 || header.name == nullptr ||
      !image.Contains(reinterpret_cast<uintptr_t>(header.name), 1)) {
    return std::nullopt;
  }
  return header.version;
}

}  // namespace

std::optional<Library> FindLibrary(const Image& image) {
  int candidates = 0;
  for (const Image::Range& range : image.ranges()) {
    if (range.executable) continue;
    for (size_t at = 0; at + sizeof(uint64_t) <= range.bytes.size();
         at += alignof(void*)) {
      const uint8_t* const place = range.bytes.data() + at;
      const auto version = VersionAt(image, LoadLittleEndian<uint64_t>(place));
      if (!version.has_value()) continue;
      if (++candidates > kMaxCandidates) return std::nullopt;
      absl::StatusOr<Library> library =
          ReadLibrary(image, *version,
                      reinterpret_cast<const LibraryHeader* const*>(place));
      if (library.ok() && !library->exports.empty()) return *library;
    }
  }
  return std::nullopt;
}

absl::StatusOr<ExecutableFacts> ReadLibraryFacts(std::span<const uint8_t> file,
                                                 FeatureSet machine) {
  ASSIGN_OR_RETURN(const std::unique_ptr<ElfImage> image,
                   ElfImage::Load(file, ElfUse::kRead));
  ExecutableFacts facts;
  std::vector<uint64_t> roots(image->initializers().begin(),
                              image->initializers().end());
  const auto query = image->FindFunction(kLibraryQuerySymbol);
  if (query.ok()) roots.push_back(query->address);
  facts.not_isolated = std::string(image->for_worker().message());
  if (const std::optional<Library> library = FindLibrary(*image)) {
    for (const absl::string_view import : library->imports) {
      if (IsOptionalImport(import)) continue;
      facts.not_isolated =
          absl::StrCat("It imports the function '", PlainName(import),
                       "', which an isolated worker does not have.");
    }
    facts.name = std::string(library->name);
    for (const LibraryExport& entry : library->exports) {
      roots.push_back(reinterpret_cast<uintptr_t>(entry.function));
      KernelFacts kernel;
      kernel.name = std::string(entry.name);
      kernel.constant_count = ExportInfo::Declared(entry.constant_count);
      kernel.binding_count = ExportInfo::Declared(entry.binding_count);
      std::copy(std::begin(entry.workgroup_size),
                std::end(entry.workgroup_size), kernel.workgroup_size);
      kernel.local_memory = entry.local_memory_size;
      facts.kernels.push_back(std::move(kernel));
    }
  }
  const CodeScan scan = image->ScanCode();
  const FeatureSet all = scan.all();
  if (!all.empty()) facts.uses = all.ToString();
  if (!(all - machine).empty()) {
    ASSIGN_OR_RETURN(const FeatureSet needs,
                     scan.Reachable(roots, image->code_pointers()));
    const FeatureSet lacking = needs - machine;
    if (!lacking.empty()) facts.lacks = lacking.ToString();
  }
  return facts;
}

}  // namespace eyrie::hal::cpu
