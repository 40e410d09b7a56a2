// The general ways that these follow are Encoder::Scalar, Encoder::GivenArray,
// Decoder::DecodeNumber and Decoder::Array.
#include "abi/value/direct.h"

#include <bit>
#include <cmath>
#include <limits>
#include <utility>

#include "abi/value/convert.h"
#include "base/ref.h"
#include "hal/buffer.h"
#include "hal/buffer_view.h"

namespace eyrie::abi {
namespace {

using hal::ElementType;
using vm::ValueType;

constexpr uint32_t kWordBits = 64;

}  // namespace

DirectPlan::DirectPlan(std::span<const Parameter> parameters) {
  if (parameters.size() > kMaxValues) return;
  for (const Parameter& parameter : parameters) {
    steps_.push_back(StepOf(parameter));
    const Step& step = steps_.back();
    if (step.kind == Kind::kOther) return;
    checks_results_ |=
        step.kind == Kind::kTensor || (step.is_wide && step.unused > 0);
  }
  applies_ = true;
}

DirectPlan::Step DirectPlan::StepOf(const Parameter& parameter) {
  const Type& type = parameter.type;
  const ElementType element = type.element;
  const ValueType carrier = parameter.carrier;
  Step step;
  step.element = element;
  step.type = &type;
  if (type.is(Type::Kind::kArray)) {
    if (carrier == ValueType::kRef && element != ElementType::kNone) {
      step.kind = Kind::kTensor;
    }
    return step;
  }
  if (!type.is(Type::Kind::kScalar)) return step;
  if (element == ElementType::kFloat32 && carrier == ValueType::kF32) {
    step.kind = Kind::kFloat32;
  } else if (element == ElementType::kFloat64 && carrier == ValueType::kF64) {
    step.kind = Kind::kFloat64;
  } else if (element == ElementType::kBool8 && carrier == ValueType::kI32) {
    step.kind = Kind::kBool;
  } else if (IsInteger(element) &&
             (carrier == ValueType::kI32 || carrier == ValueType::kI64)) {
    const uint32_t bits = hal::BitCount(element);
    step.kind = Kind::kInteger;
    step.is_wide = carrier == ValueType::kI64;
    step.is_unsigned = IsUnsigned(element);
    step.unused = static_cast<uint8_t>(kWordBits - bits);
    const int64_t all = std::numeric_limits<int64_t>::max();
    const int64_t greatest =
        step.is_unsigned && bits < kWordBits
            ? static_cast<int64_t>((uint64_t{1} << bits) - 1)
            : all >> step.unused;
    step.least = step.is_unsigned ? 0 : -greatest - 1;
    step.extent =
        static_cast<uint64_t>(greatest) - static_cast<uint64_t>(step.least);
  }
  return step;
}

bool DirectPlan::Encode(const HostValue* const* values, hal::Device* device,
                        vm::Slot* slots, uint32_t& lent) const {
  for (const Step& step : steps_) {
    const HostValue& value = **values++;
    vm::Slot& slot = *slots++;
    switch (step.kind) {
      case Kind::kTensor:
        if (!EncodeTensor(step, value, device, slot)) return false;
        ++lent;
        break;
      case Kind::kInteger: {
        const HostValue::Int* number = value.integer();
        if (number == nullptr || number->is_unsigned ||
            static_cast<uint64_t>(number->value) -
                    static_cast<uint64_t>(step.least) >
                step.extent) {
          return false;
        }
        slot.i64 =
            step.is_wide ? number->value : static_cast<uint32_t>(number->value);
        break;
      }
      case Kind::kFloat32: {
        const HostValue::Float* number = value.number();
        if (number == nullptr) return false;
        const auto narrow = static_cast<float>(number->value);
        if (!std::isfinite(narrow) && std::isfinite(number->value)) {
          return false;
        }
        slot.i64 = std::bit_cast<uint32_t>(narrow);
        break;
      }
      case Kind::kFloat64: {
        const HostValue::Float* number = value.number();
        if (number == nullptr) return false;
        slot.f64 = number->value;
        break;
      }
      case Kind::kBool: {
        const bool* boolean = value.boolean();
        if (boolean == nullptr) return false;
        slot.i64 = *boolean ? 1 : 0;
        break;
      }
      case Kind::kOther:
        return false;
    }
  }
  return true;
}

inline bool DirectPlan::EncodeTensor(const Step& step, const HostValue& value,
                                     hal::Device* device, vm::Slot& slot) {
  const HostArray* array = value.array();
  if (array == nullptr || device == nullptr || !array->may_be_used() ||
      !array->is_dense() || array->type() != step.element ||
      !step.type->FitsShape(array->shape())) {
    return false;
  }
  slot.ref = array->TensorOn(*device);
  return slot.ref != nullptr;
}

// In a narrow register the bits above the type's width are undefined.
inline int64_t DirectPlan::IntegerIn(const Step& step, vm::Slot slot) {
  const int64_t raw = step.is_wide ? slot.i64 : slot.i32;
  const uint64_t shifted = static_cast<uint64_t>(raw) << step.unused;
  return step.is_unsigned ? static_cast<int64_t>(shifted >> step.unused)
                          : static_cast<int64_t>(shifted) >> step.unused;
}

bool DirectPlan::CheckResults(const vm::Slot* slots) const {
  for (const Step& step : steps_) {
    const vm::Slot& slot = *slots++;
    if (step.kind == Kind::kTensor) {
      auto* view = RefCast<hal::BufferView>(slot.ref);
      if (view == nullptr || view->element_type() != step.element ||
          view->encoding() != hal::EncodingType::kDenseRowMajor ||
          !step.type->FitsShape(view->shape()) ||
          view->buffer()->Peek(0, view->byte_length()) == nullptr) {
        return false;
      }
    } else if (step.is_wide && IntegerIn(step, slot) != slot.i64) {
      return false;  // the number does not fit the type
    }
  }
  return true;
}

void DirectPlan::Decode(vm::Slot* slots, HostValue* const* results,
                        uint32_t& lent) const {
  for (const Step& step : steps_) {
    const vm::Slot& slot = *slots++;
    HostValue& result = **results++;
    switch (step.kind) {
      case Kind::kTensor: {
        auto* view = static_cast<hal::BufferView*>(slot.ref);
        const uint8_t* data = view->buffer()->host_data();
        result.Set(Ref<hal::BufferView>::Adopt(view), data);
        ++lent;
        break;
      }
      case Kind::kInteger: {
        const int64_t number = IntegerIn(step, slot);
        result.Set(HostValue::Int{number,
                                  static_cast<uint8_t>(step.is_wide ? 64 : 32),
                                  step.is_unsigned && number < 0});
        break;
      }
      case Kind::kFloat32:
        result.Set(HostValue::Float{slot.f32, 32});
        break;
      case Kind::kFloat64:
        result.Set(HostValue::Float{slot.f64, 64});
        break;
      case Kind::kBool:
        result.Set((slot.i32 & 1) != 0);
        break;
      case Kind::kOther:
        break;
    }
  }
}

}  // namespace eyrie::abi
