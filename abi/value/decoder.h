// Converts the results of a function to host values, by the types of its
// signature. docs/abi.md has the rules. Errors give the place in the value.
// Tested by abi/call/decoder_test.cc, abi/call/invoker_test.cc,
// tests/conformance/abi/abi_test.cc.
#ifndef EYRIE_ABI_VALUE_DECODER_H_
#define EYRIE_ABI_VALUE_DECODER_H_

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "abi/signature/signature.h"
#include "abi/value/array_encoder.h"
#include "abi/value/encoder.h"
#include "abi/value/host_value.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "base/memory_meter.h"
#include "base/ref.h"
#include "vm/isa/value.h"
#include "vm/object/list.h"

namespace eyrie::abi {

// The maximum number of values in a result, since lists can contain each other
// many times.
inline constexpr size_t kMaxValues = size_t{1} << 22;

// Decodes the results of one call. Thread-compatible.
class Decoder {
 public:
  // `charge` is charged for everything that is created, once per copy of an
  // object; null if nothing counts.
  explicit Decoder(CallStatistics* statistics, MemoryCharge* charge = nullptr)
      : statistics_(statistics), charge_(charge) {}

  // Converts a value. INVALID_ARGUMENT: it does not match the type, or is
  // nested too deeply. RESOURCE_EXHAUSTED: the limit of `charge` or kMaxValues
  // is exceeded, or an allocation fails.
  absl::StatusOr<HostValue> Decode(const vm::Value& value, const Type& type);
  // A fast path for numbers that only need a check of their register's type.
  // Returns false if Decode is needed.
  static bool DecodeNumber(const vm::Value& value, const Type& type,
                           HostValue& number);
  // Converts all values as the slots of the only result.
  absl::StatusOr<HostValue> DecodeSlots(std::span<vm::Value> values,
                                        const Type& type);

  const std::string& path() const { return path_.text(); }

 private:
  absl::StatusOr<HostValue> Reference(Ref<RefObject> object, const Type& type);
  absl::StatusOr<HostValue> Array(Ref<RefObject> object, const Type& type);
  absl::StatusOr<HostValue> RefArray(const Ref<RefObject>& object,
                                     const Type& type);
  absl::StatusOr<HostValue> NestRefArray(const vm::List& values, size_t& next,
                                         std::span<const int64_t> shape,
                                         const Type& type);
  absl::StatusOr<HostValue> List(const Ref<RefObject>& object,
                                 const Type& type);
  absl::StatusOr<HostValue> ListOf(std::span<vm::Value> values,
                                   const Type& type);
  absl::StatusOr<HostValue> Bytes(const Ref<RefObject>& object,
                                  const Type& type);
  absl::StatusOr<HostValue> Unknown(const vm::Value& value);

  absl::Status Count(size_t values);
  absl::Status Charge(uint64_t bytes, absl::string_view what);

  CallStatistics* statistics_;
  MemoryCharge* charge_;
  ValuePath path_;
  size_t depth_ = 0;
  size_t values_ = 0;
};

}  // namespace eyrie::abi

#endif  // EYRIE_ABI_VALUE_DECODER_H_
