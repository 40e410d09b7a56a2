// The words of a trace: names, kinds of work and kinds of data.
//
// Tested by trace_test.cc.
#ifndef EYRIE_BASE_TRACE_TYPES_H_
#define EYRIE_BASE_TRACE_TYPES_H_

#include <atomic>
#include <cstdint>
#include <string>

#include "absl/functional/function_ref.h"

namespace eyrie::trace {

// The kind of work in a span.
enum class Category : uint8_t {
  kCall,      // a call of the host
  kFunction,  // a function of a module
  kImport,    // a native function that a module calls
  kDispatch,  // workgroups of a kernel
  kTransfer,  // bytes filled, written or copied
  kMemory,    // bytes of device memory allocated or released
  kQueue,     // an operation handed to a device, or run later
  kWait,      // a thread that waits
};

// Names that do not come from a module. Each NameId is the same number in every
// recorder.
enum class Name : uint32_t {
#define EYRIE_TRACE_NAME(name, text) name,
#include "base/trace_names.def"
#undef EYRIE_TRACE_NAME
};
using NameId = uint32_t;

// Bits for the kinds of data that are recorded. Every site reads them.
inline constexpr uint32_t kEvents = 1;      // spans, counters, flows
inline constexpr uint32_t kDispatches = 2;  // sums by kernel

// Caches the number of a name, so that each recording looks it up only once.
class NameCache {
 private:
  friend class Recorder;
  std::atomic<uint64_t> known_{0};  // the recording's number, then the name's
};
using MakeName = absl::FunctionRef<std::string()>;

}  // namespace eyrie::trace

#endif  // EYRIE_BASE_TRACE_TYPES_H_
