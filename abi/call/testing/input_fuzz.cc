// Fuzzes a user's inputs: .npy, .npz, tensors as text, declarations. All bytes
// may be rejected, but none may crash.
//
// Run it as tests/fuzz/BUILD describes.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "abi/signature/declaration.h"
#include "abi/tensor/npy.h"
#include "abi/tensor/npz.h"
#include "abi/tensor/tensor_text.h"
#include "absl/strings/string_view.h"
#include "base/byte_reader.h"
#include "base/memory_meter.h"

namespace eyrie::abi {
namespace {

constexpr uint64_t kMaxBytes = 1 << 20;  // limits the tensors that are created
constexpr int64_t kMaxDimension = 4096;  // limits the tensors that are printed

bool WorthPrinting(const hal::TensorType& spec) {
  return std::all_of(spec.shape.begin(), spec.shape.end(),
                     [](int64_t size) { return size <= kMaxDimension; });
}

void FuzzNpy(std::span<const uint8_t> bytes) {
  ByteReader reader(bytes);
  for (auto array = ReadNpy(reader); array.ok(); array = ReadNpy(reader)) {
    std::vector<uint8_t> copy(array->bytes.size());
    array->CopyTo(copy).IgnoreError();
    std::string text;
    if (!WorthPrinting(array->spec)) break;
    AppendElements(copy, array->spec, 64, FloatCase::kUpper, text);
    text = NpyHeader(array->spec);
    if (array->bytes.empty()) break;
  }
}

void FuzzNpz(std::span<const uint8_t> bytes) {
  const auto members = ReadNpz(bytes);
  if (!members.ok()) return;
  const auto memory = std::make_shared<MemoryMeter>(kMaxBytes);
  for (const ZipMember& member : *members) {
    const auto contents = ReadMember(member, memory);
    if (contents.ok()) FuzzNpy(contents->bytes);
    ReadNpzArray(member, memory).status().IgnoreError();
  }
}

void FuzzText(absl::string_view text) {
  const size_t equals = std::min(text.find('='), text.size());
  const auto spec = hal::TensorType::ParseStatic(text.substr(0, equals));
  if (!spec.ok() || !WorthPrinting(*spec)) return;
  const auto size = spec->ByteLength();
  if (!size.ok() || *size > kMaxBytes) return;
  std::vector<uint8_t> bytes(*size);
  const auto status = ParseElements(
      equals < text.size() ? text.substr(equals + 1) : "", *spec, bytes);
  if (!status.ok()) return;
  std::string out;
  AppendElements(bytes, *spec, 64, FloatCase::kUpper, out);
}

void FuzzAll(std::span<const uint8_t> bytes, absl::string_view text) {
  FuzzNpy(bytes);
  FuzzNpz(bytes);
  FuzzText(text);
  ParseDeclaration(text);
}

}  // namespace
}  // namespace eyrie::abi

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const absl::string_view text(reinterpret_cast<const char*>(data), size);
  eyrie::abi::FuzzAll({data, size}, text);
  return 0;
}
