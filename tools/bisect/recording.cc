#include "tools/bisect/recording.h"

#include <algorithm>

#include "abi/tensor/tensor_compare.h"
#include "absl/strings/str_cat.h"
#include "base/fnv1a.h"
#include "base/status_macros.h"
#include "tools/bisect/element_guess.h"

namespace eyrie::tools {
namespace {

constexpr int64_t kSamples = 64;

ReadRange RangeOf(const hal::Buffer& buffer) {
  return {&buffer.allocation(),
          {buffer.byte_offset(), buffer.byte_offset() + buffer.byte_length()}};
}

}  // namespace

WrittenTensor Describe(const hal::ObservedDispatch& dispatch, size_t binding,
                       const ByteRange& range, Bytes bytes) {
  const hal::Buffer& buffer = *dispatch.bindings[binding];
  const Bytes part = bytes.subspan(range.begin, range.size());
  WrittenTensor tensor;
  tensor.binding = binding;
  tensor.range = range;
  tensor.memory = &buffer.allocation();
  tensor.offset = buffer.byte_offset() + range.begin;
  tensor.hash = Fnv1a(part);
  tensor.type = GuessElement(dispatch.name(), part);
  tensor.is_uniform = std::all_of(part.begin(), part.end(), [&](uint8_t byte) {
    return byte == part.front();
  });
  const int64_t count =
      static_cast<int64_t>(part.size() / (hal::StrideBits(tensor.type) / 8));
  for (int64_t i = 0; i < std::min(count, kSamples); ++i) {
    const int64_t at = i * count / std::min(count, kSamples);
    if (auto number = abi::FloatAt(part, at, tensor.type)) {
      tensor.samples.push_back(*number);
    }
  }
  return tensor;
}

absl::Status Recorder::Before(const hal::ObservedDispatch& dispatch) {
  if (recording_.size() == kMaxDispatches) {
    return absl::ResourceExhaustedError(
        absl::StrCat("The call runs more than ", kMaxDispatches,
                     " dispatches, which is the limit of a comparison."));
  }
  RecordedDispatch& row = recording_.emplace_back();
  row.kernel = dispatch.name();
  row.ordinal = dispatch.ordinal;
  row.constants.assign(dispatch.constants.begin(), dispatch.constants.end());
  bindings_.clear();
  before_.clear();
  for (const size_t i : DistinctBindings(dispatch)) {
    hal::Buffer& buffer = *dispatch.bindings[i];
    row.reads.push_back(RangeOf(buffer));
    if (hal::IsReadOnly(buffer)) continue;
    std::vector<uint8_t> copy;
    ASSIGN_OR_RETURN(const Bytes bytes, Look(buffer, copy));
    bindings_.push_back(i);
    before_.emplace_back(bytes.begin(), bytes.end());
  }
  return absl::OkStatus();
}

absl::Status Recorder::After(const hal::ObservedDispatch& dispatch) {
  for (size_t k = 0; k < bindings_.size(); ++k) {
    std::vector<uint8_t> copy;
    ASSIGN_OR_RETURN(const Bytes bytes,
                     Look(*dispatch.bindings[bindings_[k]], copy));
    for (const ByteRange& range : ChangedRanges(before_[k], bytes)) {
      recording_.back().writes.push_back(Describe(
          dispatch, bindings_[k],
          WholeElements(recording_.back().kernel, range, bytes.size()), bytes));
    }
  }
  return absl::OkStatus();
}

}  // namespace eyrie::tools
