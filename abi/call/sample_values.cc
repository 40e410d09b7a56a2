// Creates sample values by type, element by element.
#include "abi/call/sample_values.h"

#include <string>
#include <utility>

#include "abi/call/session.h"
#include "abi/signature/structures.h"
#include "abi/v0/call/sip_values.h"
#include "abi/value/convert.h"
#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "hal/buffer.h"

namespace eyrie::abi {
namespace {

using Kind = Type::Kind;
using hal::ElementType;

constexpr uint64_t kWrap = 8;  // numbers are below this

class Sampler {
 public:
  Sampler(hal::Device& device, SampleKind kind, uint64_t seed,
          const std::shared_ptr<MemoryMeter>& memory)
      : device_(device), kind_(kind), state_(seed), memory_(memory) {}

  absl::StatusOr<HostValue> Create(const Type& type) {
    switch (type.kind) {
      case Kind::kScalar:
        return Number(type.element);
      case Kind::kNull:
        return HostValue();
      case Kind::kArray:
        return Array(type);
      case Kind::kBytes:
      case Kind::kByteList:
        return Bytes();
      case Kind::kList:
      case Kind::kTuple:
      case Kind::kDict:
        return Structure(type);
      case Kind::kHomogeneous:
        return List(type.members[0].type);
      case Kind::kRefArray:
        return RefArray(type);
      case Kind::kAnyList:
        return HostValue::List({});
      case Kind::kUnknown:
      case Kind::kBuffer:
      case Kind::kFence:
        break;
    }
    return Unmade(type, ".");
  }

 private:
  static absl::Status Unmade(const Type& type, absl::string_view why) {
    return absl::InvalidArgumentError(absl::StrCat(
        "values of type ", type.ToString(), " cannot be generated", why));
  }

  // Returns the next random number, by SplitMix64.
  uint64_t Draw() {
    uint64_t z = state_ += 0x9E3779B97F4A7C15;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EB;
    return z ^ (z >> 31);
  }

  HostValue Number(ElementType type) {
    uint64_t number = 0;
    if (kind_ == SampleKind::kAuto) number = count_++ % kWrap;
    if (kind_ == SampleKind::kRandom) {
      const uint64_t bits = Draw();
      if (IsFloat(type)) {
        // f32 represents 24 bits exactly.
        constexpr double kUnit = 1.0 / (1 << 24);
        return HostValue(static_cast<double>(bits >> 40) * kUnit);
      }
      number = bits % kWrap;
    }
    if (IsFloat(type)) {
      if (hal::BitCount(type) == 4) number %= 4;  // it represents 0 to 4, and 6
      return HostValue(static_cast<double>(number));
    }
    if (type == ElementType::kBool8) return HostValue(number % 2 == 1);
    // The narrowest types have fewer than kWrap values.
    const bool is_signed =
        hal::NumericalKind(type) == hal::numerical_kind::kSigned;
    if (const uint32_t bits = hal::BitCount(type) - (is_signed ? 1 : 0);
        bits < 3) {
      number %= uint64_t{1} << bits;
    }
    return HostValue(HostValue::Int{static_cast<int64_t>(number)});
  }

  static std::vector<int64_t> ShapeOf(const Type& type) {
    std::vector<int64_t> shape(type.shape.begin(), type.shape.end());
    for (int64_t& dimension : shape) {
      if (dimension == Type::kDynamic) dimension = kSampleDimension;
    }
    return shape;
  }

  absl::StatusOr<HostValue> Array(const Type& type) {
    if (type.element == ElementType::kNone || !type.ranked) {
      return Unmade(type, ": its rank or element type is not known.");
    }
    hal::TensorType spec;
    spec.element = type.element;
    const std::vector<int64_t> shape = ShapeOf(type);
    spec.shape.assign(shape.begin(), shape.end());
    ASSIGN_OR_RETURN(Ref<hal::BufferView> view,
                     NewTensor(device_, spec, memory_));
    if (kind_ != SampleKind::kZeros) {
      count_ = 0;
      ASSIGN_OR_RETURN(const std::span<uint8_t> bytes,
                       view->buffer()->Map(hal::memory_access::kDiscardWrite, 0,
                                           view->byte_length()));
      RETURN_IF_ERROR(Fill(type.element, bytes));
      RETURN_IF_ERROR(view->buffer()->Unmap(0, view->byte_length()));
    }
    ASSIGN_OR_RETURN(auto array, HostArray::OfTensor(std::move(view),
                                                     HostArray::Use::kLend));
    return HostValue(std::move(array));
  }

  // Writes all elements. Elements of types without numbers stay zero.
  absl::Status Fill(ElementType type, std::span<uint8_t> bytes) {
    if (type == ElementType::kComplex64) type = ElementType::kFloat32;
    if (type == ElementType::kComplex128) type = ElementType::kFloat64;
    const uint32_t bits = hal::StrideBits(type);
    if ((IsInteger(type) || IsFloat(type)) && bits < 8) {
      for (uint8_t& byte : bytes) byte = Packed(type, bits);
      return absl::OkStatus();
    }
    const bool is_number =
        type == ElementType::kBool8 || IsInteger(type) || IsFloat(type);
    if (!is_number) return absl::OkStatus();
    for (size_t i = 0; i < bytes.size(); i += bits / 8) {
      RETURN_IF_ERROR(WriteElement(Number(type), type, &bytes[i]));
    }
    return absl::OkStatus();
  }

  // Returns a byte of packed numbers, with the first in the lowest bits.
  uint8_t Packed(ElementType type, uint32_t bits) {
    uint32_t byte = 0;
    for (uint32_t bit = 0; bit + bits <= 8; bit += bits) {
      const HostValue number = Number(type);
      const auto element =
          IsFloat(type) ? uint32_t{PackFloat(type, number.number()->value)}
                        : static_cast<uint32_t>(number.integer()->value);
      byte |= element << bit;
    }
    return static_cast<uint8_t>(byte);
  }

  HostValue Bytes() {
    std::string bytes(kSampleDimension, '\0');
    for (char& byte : bytes) {
      const auto number =
          static_cast<char>(Number(ElementType::kInt8).integer()->value);
      byte = static_cast<char>(kind_ == SampleKind::kZeros ? 0 : 'a' + number);
    }
    return HostValue::Bytes(std::move(bytes));
  }

  absl::StatusOr<HostValue> Structure(const Type& type) {
    HostValue::Items items;
    HostValue::Entries entries;
    for (const Member& member : type.members) {
      ASSIGN_OR_RETURN(HostValue value, Create(member.type));
      if (type.is(Kind::kDict)) {
        entries.emplace_back(member.key, std::move(value));
      } else {
        items.push_back(std::move(value));
      }
    }
    return type.is(Kind::kDict) ? HostValue::Dict(std::move(entries))
                                : HostValue::List(std::move(items));
  }

  absl::StatusOr<HostValue> List(const Type& element) {
    HostValue::Items items;
    for (int64_t i = 0; i < kSampleDimension; ++i) {
      RETURN_IF_ERROR(CountRow());
      ASSIGN_OR_RETURN(HostValue value, Create(element));
      items.push_back(std::move(value));
    }
    return HostValue::List(std::move(items));
  }

  absl::StatusOr<HostValue> RefArray(const Type& type) {
    if (!type.ranked) return Unmade(type, ": its rank is not known.");
    return Rows(ShapeOf(type), 0, type.members[0].type);
  }

  absl::StatusOr<HostValue> Rows(const std::vector<int64_t>& shape,
                                 size_t depth, const Type& element) {
    if (depth == shape.size()) return Create(element);
    HostValue::Items items;
    for (int64_t i = 0; i < shape[depth]; ++i) {
      RETURN_IF_ERROR(CountRow());
      ASSIGN_OR_RETURN(HostValue row, Rows(shape, depth + 1, element));
      items.push_back(std::move(row));
    }
    return HostValue::List(std::move(items));
  }

  // Limits the number of items in nested lists.
  absl::Status CountRow() {
    if (++rows_ <= kMaxRows) return absl::OkStatus();
    return absl::ResourceExhaustedError(absl::StrCat(
        "more than ", kMaxRows, " values would have to be generated."));
  }

  static constexpr size_t kMaxRows = size_t{1} << 20;  // items of nested lists

  hal::Device& device_;
  SampleKind kind_;
  uint64_t state_;
  const std::shared_ptr<MemoryMeter>& memory_;
  uint64_t count_ = 0;
  size_t rows_ = 0;
};

}  // namespace

std::optional<SampleKind> ParseSampleKind(absl::string_view text) {
  if (text == "auto") return SampleKind::kAuto;
  if (text == "random") return SampleKind::kRandom;
  if (text == "zeros") return SampleKind::kZeros;
  return std::nullopt;
}

absl::StatusOr<std::vector<HostValue>> SampleArguments(
    const Signature& signature, hal::Device& device, SampleKind kind,
    uint64_t seed, const std::shared_ptr<MemoryMeter>& memory) {
  std::vector<HostValue> values;
  if (const StructuredCall* call = signature.structured()) {
    // A raw value at several places is created only once.
    ASSIGN_OR_RETURN(const std::vector<HostValue> raw,
                     SampleArguments(*call->flat, device, kind, seed, memory));
    for (const v0::SipNode* node : call->structures->arguments) {
      ASSIGN_OR_RETURN(HostValue value,
                       v0::SipNest(node ? *node : v0::SipNode(), raw));
      values.push_back(std::move(value));
    }
    return values;
  }
  Sampler sampler(device, kind, seed, memory);
  for (size_t i = 0; i < signature.arguments().size(); ++i) {
    const Parameter& argument = signature.arguments()[i];
    const auto results = signature.results();
    const bool is_storage =
        argument.storage_of && !signature.results_are_slots() &&
        static_cast<size_t>(*argument.storage_of) < results.size();
    absl::StatusOr<HostValue> value = sampler.Create(
        is_storage ? results[*argument.storage_of].type : argument.type);
    if (!value.ok()) {
      return Annotate(value.status(),
                      absl::StrCat("(", signature.ArgumentName(i), ")"));
    }
    values.push_back(*std::move(value));
  }
  return values;
}

}  // namespace eyrie::abi
