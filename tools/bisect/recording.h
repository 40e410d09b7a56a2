// Records the tensors that a run's dispatches write, in as few bytes as two
// runs need to be aligned.
//
// Tested by alignment_test.cc, bisect_test.txt.
#ifndef EYRIE_TOOLS_BISECT_RECORDING_H_
#define EYRIE_TOOLS_BISECT_RECORDING_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "hal/dispatch_observer.h"
#include "hal/element_type.h"
#include "tools/bisect/bytes.h"

namespace eyrie::tools {

// A tensor, or several in a row, that a dispatch wrote.
struct WrittenTensor {
  size_t binding = 0;
  ByteRange range;               // of the binding
  const void* memory = nullptr;  // of the allocation, for comparison only
  uint64_t offset = 0;           // of the range in the allocation
  uint64_t hash = 0;             // of its bytes
  hal::ElementType type = hal::ElementType::kNone;
  std::vector<double> samples;  // some of its numbers
  bool is_uniform = false;      // all bytes are the same
};

// The memory that a dispatch may read.
struct ReadRange {
  const void* memory = nullptr;
  ByteRange range;  // of the allocation
};

struct RecordedDispatch {
  std::string kernel;
  uint32_t ordinal = 0;
  std::vector<uint32_t> constants;
  std::vector<ReadRange> reads;
  std::vector<WrittenTensor> writes;
};

using Recording = std::vector<RecordedDispatch>;

// Records the dispatches of a run. Thread-compatible.
class Recorder final : public EachDispatch {
 public:
  // RESOURCE_EXHAUSTED: the run has more than kMaxDispatches dispatches.
  static constexpr size_t kMaxDispatches = 200000;

  const Recording& recording() const { return recording_; }

  absl::Status Before(const hal::ObservedDispatch& dispatch) override;
  absl::Status After(const hal::ObservedDispatch& dispatch) override;

 private:
  Recording recording_;
  // The distinct bindings that the running dispatch may write.
  std::vector<size_t> bindings_;
  std::vector<std::vector<uint8_t>> before_;
};

// Returns the tensor in `range` of a binding's bytes.
WrittenTensor Describe(const hal::ObservedDispatch& dispatch, size_t binding,
                       const ByteRange& range, Bytes bytes);

}  // namespace eyrie::tools

#endif  // EYRIE_TOOLS_BISECT_RECORDING_H_
