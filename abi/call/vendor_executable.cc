#include "abi/call/vendor_executable.h"

#include <cstring>

#include "abi/call/vendor_executable_generated.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "base/byte_reader.h"
#include "base/status_macros.h"
#include "flatbuffers/flatbuffers.h"

namespace eyrie::abi {
namespace {

using Bytes = std::span<const uint8_t>;

// The identifier is the FlatBuffer's, and also begins the header before it.
struct VendorFormat {
  const char* prefix;  // of the format's name: "cuda-nvptx-fb"
  const char* identifier;
};
constexpr VendorFormat kVendorFormats[] = {
    {"cuda", "CDA1"}, {"hip", "HIP1"}, {"metal", "MTL1"}, {"rocm", "HIP1"}};

constexpr size_t kHeader = 64;  // bytes
constexpr size_t kLeastBytes = 8;
constexpr uint32_t kMaxKernels = 65536;
constexpr uint32_t kMaxNameBytes = 4096;

absl::StatusOr<Bytes> FlatBufferOf(const char* identifier, Bytes data) {
  if (data.size() < kHeader || std::memcmp(data.data(), identifier, 4) != 0) {
    return absl::UnimplementedError(
        absl::StrCat("The executable has no header '", identifier,
                     "', which those of release 3.10 and later have."));
  }
  const auto version = LoadLittleEndian<uint32_t>(data.data() + 4);
  if (version != 0) {
    return absl::UnimplementedError(absl::StrCat(
        "The executable's header is of version ", version, "; 0 is known."));
  }
  const auto size = LoadLittleEndian<uint64_t>(data.data() + 8);
  data = data.subspan(kHeader);
  if (size < kLeastBytes || size > data.size()) {
    return absl::InvalidArgumentError(
        absl::StrCat("The executable's header declares ", size, " bytes; ",
                     data.size(), " follow."));
  }
  return data.first(size);
}

absl::StatusOr<hal::ExecutableFacts> ReadKernels(const char* identifier,
                                                 Bytes data) {
  ASSIGN_OR_RETURN(const Bytes bytes, FlatBufferOf(identifier, data));
  flatbuffers::Verifier verifier(bytes.data(), bytes.size());
  if (!verifier.VerifyBuffer<vendor::Executable>(identifier)) {
    return absl::InvalidArgumentError(
        "The executable's FlatBuffer is malformed.");
  }
  const auto* kernels =
      flatbuffers::GetRoot<vendor::Executable>(bytes.data())->kernels();
  hal::ExecutableFacts facts;
  if (kernels == nullptr) return facts;
  if (kernels->size() > kMaxKernels) {
    return absl::InvalidArgumentError(
        absl::StrCat("The executable has ", kernels->size(),
                     " kernels; at most ", kMaxKernels, " are read."));
  }
  for (const vendor::Kernel* kernel : *kernels) {
    hal::KernelFacts& row = facts.kernels.emplace_back();
    if (kernel->name() == nullptr) continue;
    // Kernels may share a name's bytes, so that short files could have much.
    if (kernel->name()->size() > kMaxNameBytes) {
      return absl::InvalidArgumentError(
          absl::StrCat("A kernel's name has ", kernel->name()->size(),
                       " bytes; at most ", kMaxNameBytes, " are read."));
    }
    row.name = kernel->name()->str();
  }
  return facts;
}

}  // namespace

std::optional<absl::StatusOr<hal::ExecutableFacts>> DescribeVendorExecutable(
    absl::string_view format, Bytes data) {
  for (const VendorFormat& vendor : kVendorFormats) {
    if (!absl::StartsWith(format, vendor.prefix)) continue;
    return ReadKernels(vendor.identifier, data);
  }
  return std::nullopt;
}

}  // namespace eyrie::abi
