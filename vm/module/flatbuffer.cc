// Verifies a module's FlatBuffer.
#include "vm/module/flatbuffer.h"

#include <cstdint>
#include <span>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "flatbuffers/flatbuffers.h"
#include "vm/module/module_generated.h"
#include "vm/module/older_module_generated.h"

namespace eyrie::vm {
namespace {

constexpr uint32_t kOlderVersion = 13u << 16;

flatbuffers::Verifier VerifierOf(std::span<const uint8_t> bytes) {
  flatbuffers::Verifier::Options limits;
  // Each table except the root is referred to by an offset of 4 bytes.
  limits.max_tables = static_cast<uint32_t>(bytes.size() / 4 + 1);
  return flatbuffers::Verifier(bytes.data(), bytes.size(), limits);
}

}  // namespace

absl::StatusOr<const fbs::Module*> VerifyFlatBuffer(const Archive& archive) {
  const std::span<const uint8_t> bytes = archive.flatbuffer();
  if (bytes.size() >= FLATBUFFERS_MAX_BUFFER_SIZE) {
    return absl::UnimplementedError(absl::StrCat(
        "The module's FlatBuffer has ", bytes.size(), " bytes; the limit is ",
        FLATBUFFERS_MAX_BUFFER_SIZE - 1, "."));
  }
  flatbuffers::Verifier verifier = VerifierOf(bytes);
  if (!fbs::VerifySizePrefixedModuleBuffer(verifier)) {
    return absl::InvalidArgumentError(
        "The module's FlatBuffer is damaged: an offset or a size in it points "
        "outside of it.");
  }
  return fbs::GetSizePrefixedModule(bytes.data());
}

const fbs::OlderModule* FindOlderModule(const Archive& archive) {
  const std::span<const uint8_t> bytes = archive.flatbuffer();
  if (bytes.size() >= FLATBUFFERS_MAX_BUFFER_SIZE) return nullptr;
  flatbuffers::Verifier verifier = VerifierOf(bytes);
  if (!fbs::VerifySizePrefixedOlderModuleBuffer(verifier)) return nullptr;
  const auto* const module = fbs::GetSizePrefixedOlderModule(bytes.data());
  return module->bytecode_version() == kOlderVersion ? module : nullptr;
}

}  // namespace eyrie::vm
