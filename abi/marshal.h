// Host values into what a function takes, and what it returns into host
// values: both by the types of its signature. docs/abi.md has the rules.
//
// Scalars need no memory. Arrays are copied, packed, converted or used in
// place, and counted as that. Errors say where: "Argument 0 ('x')['a'][2]: …".
// Tested by invoker_test.cc, tests/conformance/abi/abi_test.cc.
#ifndef EYRIE_ABI_MARSHAL_H_
#define EYRIE_ABI_MARSHAL_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "abi/buffer_use.h"
#include "abi/host_value.h"
#include "abi/signature.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/memory_meter.h"
#include "base/ref.h"
#include "hal/buffer_view.h"
#include "hal/device.h"
#include "vm/object/list.h"
#include "vm/isa/value.h"

namespace eyrie::abi {

// What became of the arrays of a call, arguments and results together.
struct CallStatistics {
  uint32_t lent = 0;       // used in place
  uint32_t copied = 0;     // as they were
  uint32_t packed = 0;     // copied from strides or nested lists
  uint32_t converted = 0;  // to another element type
  uint64_t bytes_copied = 0;
};

// How deep values may be nested, beside the depth of types.
inline constexpr size_t kMaxValueDepth = 128;
// Values that a result may consist of: lists can hold each other many times.
inline constexpr size_t kMaxValues = size_t{1} << 22;

// Arguments of one call.
class Encoder {
 public:
  // `device` holds arrays; null where a program has none. `memory` counts what
  // is made for the call; null if nothing does. `spares` keeps small arrays
  // from one call to the next of the same function; null: none are kept.
  Encoder(hal::Device* device, CallStatistics* statistics,
          std::shared_ptr<MemoryMeter> memory = nullptr,
          std::vector<Ref<hal::BufferView>>* spares = nullptr)
      : device_(device),
        statistics_(statistics),
        memory_(std::move(memory)),
        spares_(spares) {}

  // The slot that carries an argument; it owns its reference.
  // INVALID_ARGUMENT: the value is not what the parameter takes.
  // UNIMPLEMENTED: a type that has no elements here. FAILED_PRECONDITION: an
  // array without a device to hold it. RESOURCE_EXHAUSTED: no memory for it.
  absl::Status Encode(const HostValue& value, const Parameter& parameter,
                      vm::Slot& slot);

  // The slot of an argument that is storage for a result of a static type; it
  // owns its reference. Fails as arrays do.
  absl::Status CreateStorage(const Type& result, const Type& argument,
                             vm::Slot& slot);

  // Says that lent elements may change after Encode has looked at them: those
  // that must be looked at are then refused.
  void set_elements_may_change(bool may) { elements_may_change_ = may; }

  // Where in the value the last error is: "['a'][2]".
  const std::string& path() const { return path_; }

 private:
  absl::Status Scalar(const HostValue& value, hal::ElementType type,
                      vm::ValueType carrier, vm::Slot& slot);
  absl::Status Reference(const HostValue& value, const Type& type,
                         Ref<RefObject>& object);
  absl::Status Unknown(const HostValue& value, Ref<RefObject>& object);
  // A reference of a given type, or one that may be null.
  static absl::Status TakeRef(const HostValue& value, const Type& type,
                              const RefType& wanted, Ref<RefObject>& object);

  // list_encoder.cc
  // Make a value the element of a list that is as long already.
  absl::Status SetElement(vm::List& list, uint64_t index,
                          const HostValue& value, const Type& type);
  absl::Status SetAny(vm::List& list, uint64_t index, const HostValue& value);
  absl::StatusOr<Ref<vm::List>> NewList(vm::ElementType type, uint64_t size);
  // The items of a list of `count` within a nested array.
  static absl::Status Row(const HostValue& value, int64_t count,
                          const HostValue::Items*& items);

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

  // array_encoder.cc
  absl::Status Array(const HostValue& value, const Type& type,
                     Ref<RefObject>& object);
  absl::Status GivenArray(const HostArray& array, const Type& type,
                          Ref<RefObject>& object);
  absl::Status NestedArray(const HostValue& value, const Type& type,
                           Ref<RefObject>& object);
  absl::Status Fill(const HostValue& value, hal::ElementType type,
                    std::span<const int64_t> shape, uint8_t*& target);
  absl::Status CheckGiven(const HostArray& array, const Type& type,
                          hal::ElementType to, BufferUse use) const;
  absl::Status CheckRange(std::span<const uint8_t> elements,
                          const HostArray& array, hal::ElementType to);
  absl::Status Lend(const HostArray& array, hal::ElementType type,
                    Ref<RefObject>& object);
  bool TakeSpare(hal::ElementType type, std::span<const int64_t> shape,
                 Ref<hal::BufferView>& view);
  void KeepSpare(const Ref<hal::BufferView>& view);
  absl::Status NewArray(hal::ElementType type, std::span<const int64_t> shape,
                        Ref<hal::BufferView>& view, std::span<uint8_t>& target);
  absl::Status ToBuffer(const HostValue& value, Ref<RefObject>& object);

  // Notes that a failed value stands at a key or index of another.
  absl::Status At(absl::string_view key, absl::Status status);
  absl::Status At(size_t index, absl::Status status);
  absl::Status Deeper();

  hal::Device* device_;
  CallStatistics* statistics_;
  std::shared_ptr<MemoryMeter> memory_;
  std::vector<Ref<hal::BufferView>>* spares_;
  size_t next_spare_ = 0;
  std::string path_;
  size_t depth_ = 0;
  bool is_storage_ = false;  // the argument is there to be written
  bool elements_may_change_ = false;
};

// Results of one call.
class Decoder {
 public:
  // `charge`, if there is one, takes for all that is made: an object that is
  // returned many times is copied as often.
  explicit Decoder(CallStatistics* statistics, MemoryCharge* charge = nullptr)
      : statistics_(statistics), charge_(charge) {}

  // The value of a slot.
  // Returns INVALID_ARGUMENT if it is not what the type says, and
  // RESOURCE_EXHAUSTED if the charge's limit is passed or an allocation fails.
  absl::StatusOr<HostValue> Decode(const vm::Value& value, const Type& type);
  // The same for a number that needs no check but its register's; false if
  // it does, or is none.
  static bool DecodeNumber(const vm::Value& value, const Type& type,
                           HostValue& number);
  // The slots of the only result.
  absl::StatusOr<HostValue> DecodeSlots(std::span<vm::Value> values,
                                        const Type& type);

  const std::string& path() const { return path_; }

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

  absl::Status At(absl::string_view key, absl::Status status);
  absl::Status At(size_t index, absl::Status status);
  absl::Status Count(size_t values);
  absl::Status Charge(uint64_t bytes, absl::string_view what);

  CallStatistics* statistics_;
  MemoryCharge* charge_;
  std::string path_;
  size_t depth_ = 0;
  size_t values_ = 0;
};

// "value is given; type is expected."
absl::Status NotExpected(const HostValue& value, const Type& type);
// The shape of nested lists, by their first items, down to the type's rank.
// Below an empty list dimensions are what the type says, else 0.
std::vector<int64_t> NestedShape(const HostValue& value, const Type& type);
// True for an array of references whose nested lists would not say where its
// dimensions end: its rank is unknown, and its elements may be lists. To a
// caller it is what it is to the function, a list of its values, row by row,
// and one of its dimensions.
bool IsPair(const Type& type);
// What of an array differs from a type; empty if nothing does.
std::string ShapeDifference(std::span<const int64_t> shape, const Type& type);

}  // namespace eyrie::abi

#endif  // EYRIE_ABI_MARSHAL_H_
