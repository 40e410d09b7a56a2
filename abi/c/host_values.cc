#include "abi/c/host_values.h"

#include <memory>
#include <string>
#include <utility>

#include "abi/c/c_handles.h"
#include "abi/value/decoder.h"
#include "abi/value/encoder.h"
#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "hal/buffer.h"
#include "vm/object/buffer.h"

namespace eyrie::abi {
namespace {

constexpr char kValues[] = "the values of a host function's call";

std::string Named(const RefObject* object) {
  if (object == nullptr) return "null";
  if (object->type().name != HostObject::kType.name) {
    return absl::StrCat("a ", object->type().name);
  }
  return absl::StrCat("a ref<",
                      static_cast<const HostObject*>(object)->type_name(), ">");
}

// Returns "Argument 0 ('x') of host.scale: the sentence."
absl::Status In(const HostFunction& function, absl::string_view what,
                size_t index, const HostParameter& parameter,
                const std::string& path, const absl::Status& status) {
  const std::string& name = parameter.parameter.name;
  return absl::Status(
      status.code(),
      absl::StrCat(what, " ", index,
                   name.empty() ? "" : absl::StrCat(" ('", name, "')"), path,
                   " of the host function ", function.name, ": ",
                   status.message()));
}

absl::Status InArgument(const HostFunction& function, size_t index,
                        const std::string& path, const absl::Status& status) {
  return In(function, "Argument", index, function.signature.arguments[index],
            path, status);
}

std::string TypeText(const HostParameter& parameter) {
  return parameter.object.empty() ? parameter.parameter.type.ToString()
                                  : absl::StrCat("ref<", parameter.object, ">");
}

absl::Status WrongArgument(const HostFunction& function, size_t index,
                           const RefObject* object) {
  return InArgument(
      function, index, "",
      absl::InvalidArgumentError(absl::StrCat(
          Named(object), " is passed; ",
          TypeText(function.signature.arguments[index]), " is expected.")));
}

// Reports whether a host function may take this object as `parameter`.
bool IsObjectOf(const RefObject& object, const HostParameter& parameter) {
  return &object.type() == &HostObject::kType &&
         static_cast<const HostObject&>(object).type_name() == parameter.object;
}

}  // namespace

int32_t Narrow(int32_t bits, hal::ElementType type) {
  if (type == hal::ElementType::kBool8) return bits & 1;
  const uint32_t unused = 32 - hal::BitCount(type);
  const uint32_t shifted = static_cast<uint32_t>(bits) << unused;
  const uint8_t kind = hal::NumericalKind(type);
  if (kind == hal::numerical_kind::kSignless ||
      kind == hal::numerical_kind::kSigned) {
    return static_cast<int32_t>(shifted) >> unused;
  }
  return static_cast<int32_t>(shifted >> unused);
}

absl::StatusOr<HostValue> ArgumentOf(const eyrie_host_call_t& call,
                                     size_t index, MemoryCharge& charge) {
  const HostParameter& declared = call.function.signature.arguments[index];
  const uint32_t place = call.places[index];
  vm::Value value;
  switch (declared.parameter.carrier) {
    case vm::ValueType::kI32:
      value = vm::Value(NumberAt<int32_t>(call.frame, place));
      break;
    case vm::ValueType::kI64:
      value = vm::Value(NumberAt<int64_t>(call.frame, place));
      break;
    case vm::ValueType::kF32:
      value = vm::Value(NumberAt<float>(call.frame, place));
      break;
    case vm::ValueType::kF64:
      value = vm::Value(NumberAt<double>(call.frame, place));
      break;
    case vm::ValueType::kRef: {
      RefObject* const object = RefAt(call.frame, place);
      if (!declared.object.empty() && object != nullptr &&
          !IsObjectOf(*object, declared)) {
        return WrongArgument(call.function, index, object);
      }
      value = vm::Value(Ref<RefObject>::Share(object));
    }
  }
  CallStatistics statistics;
  Decoder decoder(&statistics, &charge);
  absl::StatusOr<HostValue> decoded =
      decoder.Decode(value, declared.parameter.type);
  if (decoded.ok()) return decoded;
  return InArgument(call.function, index, decoder.path(), decoded.status());
}

absl::Status HostArguments::Read(const eyrie_host_call_t& call) {
  const std::vector<SlotKind>& kinds = call.function.arguments;
  slots_.resize(kinds.size());
  size_t arrays = 0;
  size_t values = 0;
  for (const SlotKind kind : kinds) {
    arrays += kind == SlotKind::kArray;
    values += kind == SlotKind::kValue;
  }
  arrays_.reserve(arrays);
  values_.reserve(values);
  ASSIGN_OR_RETURN(charge_,
                   MemoryCharge::Take(call.module.memory(), 0, kValues));
  for (size_t i = 0; i < kinds.size(); ++i) {
    RETURN_IF_ERROR(ReadOne(call, i));
  }
  return absl::OkStatus();
}

absl::Status HostArguments::ReadOne(const eyrie_host_call_t& call,
                                    size_t index) {
  const HostParameter& declared = call.function.signature.arguments[index];
  const SlotKind kind = call.function.arguments[index];
  eyrie_slot_t& slot = slots_[index];
  const uint32_t place = call.places[index];
  switch (kind) {
    case SlotKind::kNarrow:
    case SlotKind::k32:
    case SlotKind::k64:
      ReadNumber(kind, declared, call.frame, place, slot);
      return absl::OkStatus();
    case SlotKind::kArray:
      return ReadArray(call, index, RefAt(call.frame, place));
    case SlotKind::kBytes: {
      RefObject* const object = RefAt(call.frame, place);
      const auto* buffer = RefCast<vm::Buffer>(object);
      if (buffer == nullptr) return WrongArgument(call.function, index, object);
      slot.bytes = {buffer->text().data(), buffer->text().size()};
      return absl::OkStatus();
    }
    case SlotKind::kObject: {
      RefObject* const object = RefAt(call.frame, place);
      slot.object = nullptr;
      if (object == nullptr) return absl::OkStatus();
      if (!IsObjectOf(*object, declared)) {
        return WrongArgument(call.function, index, object);
      }
      slot.object = static_cast<HostObject*>(object)->object();
      return absl::OkStatus();
    }
    case SlotKind::kValue: {
      ASSIGN_OR_RETURN(HostValue value, ArgumentOf(call, index, charge_));
      values_.push_back(std::move(value));
      slot.value = ToHandle(&values_.back());
      return absl::OkStatus();
    }
  }
  return absl::OkStatus();
}

absl::Status HostArguments::ReadArray(const eyrie_host_call_t& call,
                                      size_t index, const RefObject* object) {
  const Type& type = call.function.signature.arguments[index].parameter.type;
  if (object == nullptr || &object->type() != &hal::BufferView::kType) {
    return WrongArgument(call.function, index, object);
  }
  const auto& view = static_cast<const hal::BufferView&>(*object);
  const auto refuse = [&](const absl::Status& why) {
    return InArgument(call.function, index, "", why);
  };
  std::string difference = type.ShapeDifference(view.shape());
  if (type.element != hal::ElementType::kNone &&
      !hal::EqualUpToSign(view.element_type(), type.element)) {
    difference = "the element type differs.";
  }
  if (!difference.empty()) {
    return refuse(absl::InvalidArgumentError(
        absl::StrCat("An array ", view.ShapeAndType(), " is passed; ",
                     type.ToString(), " is expected: ", difference)));
  }
  if (view.encoding() != hal::EncodingType::kDenseRowMajor) {
    return refuse(absl::UnimplementedError("The array is not dense."));
  }
  uint8_t* const data = view.buffer()->host_data();
  if (data == nullptr && view.byte_length() != 0) {
    return refuse(absl::FailedPreconditionError(
        "The array is in memory that the host cannot access."));
  }
  Array& held = arrays_.emplace_back();
  const hal::ElementType element = type.element == hal::ElementType::kNone
                                       ? view.element_type()
                                       : type.element;
  held.strides.resize(view.shape().size());
  uint64_t stride = hal::StrideBits(element) / 8;
  for (size_t i = held.strides.size(); i-- > 0;) {
    held.strides[i] = static_cast<int64_t>(stride);
    // Overflows only for arrays without elements.
    stride *= static_cast<uint64_t>(view.shape()[i]);
  }
  held.array = {sizeof(eyrie_array_t), static_cast<eyrie_dtype_t>(element),
                held.strides.size(),   view.shape().data(),
                held.strides.data(),   data,
                view.byte_length()};
  slots_[index].array = &held.array;
  return absl::OkStatus();
}

HostResults::HostResults(const HostFunction& function)
    : function_(function),
      slots_(function.results.size()),
      refs_(function.results.size(), nullptr) {}

HostResults::~HostResults() {
  for (size_t i = 0; i < slots_.size(); ++i) {
    if (function_.results[i] == SlotKind::kValue) {
      eyrie_value_free(slots_[i].value);
    }
    if (refs_[i] != nullptr) refs_[i]->DropRef();
  }
}

absl::Status HostResults::SetSlot(const HostFunction& function, size_t index,
                                  eyrie_value_t* value, eyrie_slot_t& slot) {
  if (function.results[index] == SlotKind::kValue) {
    // The function may have set the slot before.
    eyrie_value_free(std::exchange(slot.value, value));
    return absl::OkStatus();
  }
  const HostParameter& declared = function.signature.results[index];
  CallStatistics statistics;
  Encoder encoder(nullptr, &statistics);
  vm::Slot number;
  const absl::Status encoded =
      encoder.Encode(FromHandle(static_cast<const eyrie_value_t*>(value)),
                     declared.parameter, number);
  eyrie_value_free(value);
  if (!encoded.ok()) {
    return In(function, "Result", index, declared, encoder.path(), encoded);
  }
  slot.i64 = number.i64;
  return absl::OkStatus();
}

absl::Status HostResults::Encode(const eyrie_host_call_t& call) {
  for (size_t i = 0; i < slots_.size(); ++i) {
    if (function_.results[i] != SlotKind::kValue) continue;
    RETURN_IF_ERROR(EncodeOne(call, i));
  }
  return absl::OkStatus();
}

absl::Status HostResults::EncodeOne(const eyrie_host_call_t& call,
                                    size_t index) {
  const HostParameter& declared = function_.signature.results[index];
  const auto refuse = [&](const absl::Status& why, const std::string& path) {
    return In(function_, "Result", index, declared, path, why);
  };
  if (slots_[index].value == NoMemoryHandle()) {
    return refuse(absl::ResourceExhaustedError("There is no memory for it."),
                  "");
  }
  const HostValue& value =
      FromHandle(static_cast<const eyrie_value_t*>(slots_[index].value));
  const Ref<RefObject>* const object = value.ref();
  if (!declared.object.empty() && !value.is(HostValue::Kind::kNull) &&
      (object == nullptr || !*object || !IsObjectOf(**object, declared))) {
    return refuse(
        absl::InvalidArgumentError(absl::StrCat(
            object != nullptr ? Named(object->get()) : value.Describe(),
            " is returned; ", TypeText(declared), " is expected.")),
        "");
  }
  Parameter parameter = declared.parameter;
  // Without a type, a list of bytes would be made.
  if (parameter.type.is(Type::Kind::kUnknown) &&
      value.is(HostValue::Kind::kBytes)) {
    parameter.type.kind = Type::Kind::kBytes;
  }
  CallStatistics statistics;
  Encoder encoder(call.module.services().device.get(), &statistics,
                  call.module.memory());
  vm::Slot slot;
  slot.ref = nullptr;
  const absl::Status encoded = encoder.Encode(value, parameter, slot);
  if (!encoded.ok()) return refuse(encoded, encoder.path());
  refs_[index] = slot.ref;
  return absl::OkStatus();
}

void HostResults::Store(uint8_t* frame, const uint32_t* places) {
  for (size_t i = 0; i < slots_.size(); ++i) {
    if (function_.results[i] != SlotKind::kValue) {
      WriteNumber(function_.results[i], function_.signature.results[i],
                  slots_[i], frame, places[i]);
      continue;
    }
    auto& to = *reinterpret_cast<RefObject**>(frame + places[i]);
    RefObject* const old = std::exchange(to, std::exchange(refs_[i], nullptr));
    if (old != nullptr) old->DropRef();
  }
}

}  // namespace eyrie::abi
