// Converts host values to the arguments of a function, by the types of its
// signature. docs/abi.md has the rules.
//
// Scalars need no allocation. Arrays are used in place, copied, packed or
// converted, and CallStatistics counts which. Errors give the place in the
// value: "Argument 0 ('x')['a'][2]: …".
// Tested by abi/call/invoker_test.cc, tests/conformance/abi/abi_test.cc.
#ifndef EYRIE_ABI_VALUE_ENCODER_H_
#define EYRIE_ABI_VALUE_ENCODER_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "abi/signature/signature.h"
#include "abi/value/array_encoder.h"
#include "abi/value/host_value.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/memory_meter.h"
#include "base/ref.h"
#include "hal/buffer_view.h"
#include "hal/device.h"
#include "vm/isa/value.h"
#include "vm/object/list.h"

namespace eyrie::abi {

// The maximum depth of nested values, in addition to the depth of types.
inline constexpr size_t kMaxValueDepth = 128;

// Encodes the arguments of one call. Thread-compatible.
class Encoder {
 public:
  // `device` holds arrays; null if the program uses none. `memory` counts the
  // allocations for the call; null if nothing does. `spares` keeps small arrays
  // from one call of a function to the next; null to keep none.
  Encoder(hal::Device* device, CallStatistics* statistics,
          std::shared_ptr<MemoryMeter> memory = nullptr,
          std::vector<Ref<hal::BufferView>>* spares = nullptr)
      : memory_(std::move(memory)),
        arrays_(device, statistics, memory_, spares, path_) {}
  Encoder(const Encoder&) = delete;
  Encoder& operator=(const Encoder&) = delete;

  // Stores an argument in `slot`, which owns its reference. INVALID_ARGUMENT:
  // the value does not match the parameter's type. UNIMPLEMENTED: values of
  // this element type cannot be passed. FAILED_PRECONDITION: an array is given,
  // and there is no device. RESOURCE_EXHAUSTED: out of memory.
  absl::Status Encode(const HostValue& value, const Parameter& parameter,
                      vm::Slot& slot);

  // Allocates storage for a result of a static type and stores it in `slot`,
  // which owns its reference. Fails as Encode does for arrays.
  absl::Status CreateStorage(const Type& result, const Type& argument,
                             vm::Slot& slot) {
    return arrays_.CreateStorage(result, argument, slot);
  }

  // Tells that lent elements may change after Encode returns. Encode then
  // refuses lent arrays that need a range check.
  void set_elements_may_change(bool may) {
    arrays_.set_elements_may_change(may);
  }

  // The place of the last error in the value: "['a'][2]".
  const std::string& path() const { return path_.text(); }

 private:
  absl::Status Scalar(const HostValue& value, hal::ElementType type,
                      vm::ValueType carrier, vm::Slot& slot);
  absl::Status Reference(const HostValue& value, const Type& type,
                         Ref<RefObject>& object);
  absl::Status Unknown(const HostValue& value, Ref<RefObject>& object);
  // Accepts null, or a reference of type `wanted`.
  static absl::Status TakeRef(const HostValue& value, const Type& type,
                              const RefType& wanted, Ref<RefObject>& object);

  // Store a value as an existing element of a list.
  absl::Status SetElement(vm::List& list, uint64_t index,
                          const HostValue& value, const Type& type);
  absl::Status SetAny(vm::List& list, uint64_t index, const HostValue& value);
  absl::StatusOr<Ref<vm::List>> NewList(vm::ElementType type, uint64_t size);
  absl::Status Structure(const HostValue& value, const Type& type,
                         Ref<RefObject>& object);
  absl::Status Dict(const HostValue::Entries& entries, const Type& type,
                    Ref<RefObject>& object);
  absl::Status Homogeneous(const HostValue& value, const Type& type,
                           Ref<RefObject>& object);
  absl::Status AnyList(const HostValue& value, Ref<RefObject>& object);
  absl::Status Bytes(const HostValue& value, const Type& type,
                     Ref<RefObject>& object);
  absl::Status RefArray(const HostValue& value, const Type& type,
                        Ref<RefObject>& object);
  absl::Status PairShape(const HostValue& value, const Type& type,
                         std::vector<int64_t>& shape);
  absl::StatusOr<Ref<vm::List>> ListOfDims(std::span<const int64_t> shape);
  absl::Status AddToRefArray(const HostValue& value, const Type& type,
                             std::span<const int64_t> shape, vm::List& values);

  // Counts one more level of nesting, which the caller must end.
  absl::Status EnterNested();

  const std::shared_ptr<MemoryMeter> memory_;
  ValuePath path_;
  ArrayEncoder arrays_;
  size_t depth_ = 0;
};

// Reports whether the content of a register is an argument as it is: it has the
// register's type and, for a tensor, the shape and an element type of the same
// width, with integers that are in range. Storage may have any size.
bool FitsRegister(const vm::Value& content, const Parameter& parameter);
// Returns the host value of a register's content: a number, or the tensor or
// other object that it refers to, which Encode uses in place. The bits of a
// narrow float of the type become its number.
HostValue FromRegister(const vm::Value& content, const Type& type);
// Adds the place to a message: "Argument 0 ('x')['a']: the sentence."
absl::Status Located(const absl::Status& status, std::string name,
                     const std::string& path = "");
// Reports whether an array of references must be given as two lists, of its
// values in row-major order and of its dimensions. That is so if its rank is
// unknown and its elements may be lists, since nested lists would not show
// where its dimensions end.
bool IsPair(const Type& type);

}  // namespace eyrie::abi

#endif  // EYRIE_ABI_VALUE_ENCODER_H_
