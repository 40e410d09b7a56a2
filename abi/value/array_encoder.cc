#include "abi/value/array_encoder.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "abi/tensor/element_range.h"
#include "abi/tensor/tensor.h"
#include "abi/value/convert.h"
#include "absl/strings/str_cat.h"
#include "base/allocate.h"
#include "base/plain_text.h"
#include "base/status_macros.h"
#include "hal/buffer.h"
#include "hal/packed_elements.h"
#include "hal/tensor_type.h"

namespace eyrie::abi {
namespace {

using Kind = Type::Kind;
using HostKind = HostValue::Kind;
using hal::ElementType;

// Limits on the arrays that one call keeps for the next: their number, and the
// size of each.
constexpr size_t kMaxSpares = 64;
constexpr uint64_t kMaxSpareBytes = 4096;

// Adds the dimensions of the first array in nested lists, after those of the
// lists.
void AddInnerShape(const HostValue& value, std::vector<int64_t>& shape) {
  const HostValue* row = &value;
  while (row->items() != nullptr && !row->items()->empty()) {
    row = &row->items()->front();
  }
  if (const HostArray* array = row->array()) {
    shape.insert(shape.end(), array->shape().begin(), array->shape().end());
  }
}

}  // namespace

absl::Status ValuePath::Add(absl::string_view key, absl::Status status) {
  if (!status.ok()) text_ = absl::StrCat("['", EscapedName(key), "']", text_);
  return status;
}

absl::Status ValuePath::Add(size_t index, absl::Status status) {
  if (!status.ok()) text_ = absl::StrCat("[", index, "]", text_);
  return status;
}

absl::Status NotExpected(const HostValue& value, const Type& type) {
  return absl::InvalidArgumentError(absl::StrCat(
      value.Describe(), " is given; ", type.ToString(), " is expected."));
}

std::vector<int64_t> NestedShape(const HostValue& value, const Type& type) {
  const size_t rank = type.ranked ? type.shape.size() : Signature::kMaxRank;
  std::vector<int64_t> shape;
  const HostValue* row = &value;
  while (shape.size() < rank && row->items() != nullptr) {
    shape.push_back(static_cast<int64_t>(row->items()->size()));
    if (!row->items()->empty()) {
      row = &row->items()->front();
      continue;
    }
    while (type.ranked && shape.size() < rank) {
      const int64_t declared = type.shape[shape.size()];
      shape.push_back(declared == Type::kDynamic ? 0 : declared);
    }
    break;
  }
  return shape;
}

absl::Status TakeRow(const HostValue& value, int64_t count,
                     const HostValue::Items*& items) {
  items = value.items();
  if (items != nullptr && static_cast<int64_t>(items->size()) == count) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(
      absl::StrCat(value.Describe(), " is given; a list of ", count,
                   " is expected, like its neighbours."));
}

absl::Status ArrayEncoder::Encode(const HostValue& value, const Type& type,
                                  Ref<RefObject>& object) {
  if (const HostArray* array = value.array()) {
    return GivenArray(*array, type, object);
  }
  if (const Ref<RefObject>* ref = value.ref(); ref != nullptr && *ref) {
    auto* view = RefCast<hal::BufferView>(ref->get());
    if (view == nullptr) return NotExpected(value, type);
    ASSIGN_OR_RETURN(auto array,
                     HostArray::OfTensor(Ref<hal::BufferView>::Share(view)));
    return GivenArray(*array, type, object);
  }
  switch (value.kind()) {
    case HostKind::kNull:
    case HostKind::kDict:
      return NotExpected(value, type);
    default:
      return NestedArray(value, type, object);
  }
}

// Takes an array of the last call if it fits and nothing else refers to it.
bool ArrayEncoder::TakeSpare(ElementType type, std::span<const int64_t> shape,
                             Ref<hal::BufferView>& view) {
  if (spares_ == nullptr || next_spare_ >= spares_->size()) return false;
  const Ref<hal::BufferView>& spare = (*spares_)[next_spare_];
  const bool fits = spare && spare->IsSoleOwner() &&
                    spare->element_type() == type &&
                    std::equal(shape.begin(), shape.end(),
                               spare->shape().begin(), spare->shape().end());
  if (fits) view = spare;
  next_spare_ += fits ? 1 : 0;
  return fits;
}

void ArrayEncoder::KeepSpare(const Ref<hal::BufferView>& view) {
  if (spares_ == nullptr || next_spare_ >= kMaxSpares ||
      view->byte_length() > kMaxSpareBytes) {
    return;
  }
  if (next_spare_ == spares_->size()) spares_->emplace_back();
  (*spares_)[next_spare_++] = view;
}

absl::Status ArrayEncoder::NewArray(ElementType type,
                                    std::span<const int64_t> shape,
                                    uint64_t owner, Ref<hal::BufferView>& view,
                                    std::span<uint8_t>& target) {
  if (TakeSpare(type, shape, view)) {
    const uint64_t size = view->byte_length();
    ASSIGN_OR_RETURN(target, view->buffer()->Map(
                                 hal::memory_access::kDiscardWrite, 0, size));
    return absl::OkStatus();
  }
  if (device_ == nullptr) {
    return absl::FailedPreconditionError("an array needs a device to hold it.");
  }
  hal::TensorType spec;
  spec.element = type;
  spec.shape.assign(shape.begin(), shape.end());
  ASSIGN_OR_RETURN(const uint64_t size, spec.ByteLength());
  hal::BufferParams params = TensorParams();
  params.owner = owner;
  ASSIGN_OR_RETURN(Ref<hal::Buffer> buffer,
                   device_->allocator().AllocateCharged(
                       memory_, "the copy of an argument", params, size));
  ASSIGN_OR_RETURN(target,
                   buffer->Map(hal::memory_access::kDiscardWrite, 0, size));
  ASSIGN_OR_RETURN(view,
                   hal::BufferView::Create(std::move(buffer), shape, type));
  KeepSpare(view);
  return absl::OkStatus();
}

absl::Status ArrayEncoder::CreateStorage(const Type& result,
                                         const Type& argument, vm::Slot& slot) {
  Ref<hal::BufferView> view;
  std::span<uint8_t> target;
  // Do not reuse storage of the last call, because its results may still be in
  // use.
  std::vector<Ref<hal::BufferView>>* const spares =
      std::exchange(spares_, nullptr);
  const absl::Status status =
      NewArray(result.element, result.shape, 0, view, target);
  spares_ = spares;
  RETURN_IF_ERROR(status);
  RETURN_IF_ERROR(view->buffer()->Unmap(0, target.size()));
  if (argument.is(Kind::kBuffer)) {
    slot.ref = Ref<hal::Buffer>(view->buffer()).release();
  } else {
    slot.ref = view.release();
  }
  return absl::OkStatus();
}

absl::Status ArrayEncoder::CheckGiven(const HostArray& array, const Type& type,
                                      ElementType to, BufferUse use) const {
  const ElementType from = array.type();
  const bool converts = IsReal(from) == IsReal(to);
  if (use == BufferUse::kConvert && !(array.casts() && converts) &&
      !IsLossless(from, to) && !IsByteEach(from, to)) {
    return absl::InvalidArgumentError(absl::StrCat(
        "an array ", array.ShapeText(), " is given; ", type.ToString(),
        " is expected, and ", hal::ElementTypeName(from),
        " cannot be converted to ", hal::ElementTypeName(to),
        converts ? " without loss." : "."));
  }
  if (!type.FitsShape(array.shape())) {
    return absl::InvalidArgumentError(
        absl::StrCat("an array ", array.ShapeText(), " is given; ",
                     type.ShapeDifference(array.shape())));
  }
  const bool lends = array.use() == HostArray::Use::kLend;
  if (is_storage_ && lends && array.is_read_only()) {
    return absl::InvalidArgumentError(
        "a read-only array cannot receive a result.");
  }
  if (use == BufferUse::kAsIs && elements_may_change_ &&
      MayChangeValue(from, to)) {
    return absl::InvalidArgumentError(absl::StrCat(
        "an array ", array.ShapeText(), " is lent; ", type.ToString(),
        " is expected, and elements that may still change cannot be compared "
        "with the range of ",
        ElementText(to), RangeText(to), "; give a copy."));
  }
  return absl::OkStatus();
}

// INVALID_ARGUMENT: an element is out of range for type `to`.
absl::Status ArrayEncoder::CheckRange(std::span<const uint8_t> elements,
                                      const HostArray& array, ElementType to) {
  // The elements of storage are only written.
  if (array.type() == to || is_storage_) [[likely]]
    return absl::OkStatus();
  const std::optional<Misfit> misfit =
      FindMisfit(elements, array.type(), to, array.shape());
  if (!misfit) return absl::OkStatus();
  path_.Set(misfit->Place());
  return OutOfRange(misfit->number, to);
}

absl::Status ArrayEncoder::GivenArray(const HostArray& array, const Type& type,
                                      Ref<RefObject>& object) {
  const ElementType to =
      type.element == ElementType::kNone ? array.type() : type.element;
  const bool lends = array.may_be_used() || (is_storage_ && array.view());
  const BufferUse use =
      UseOfElements(array.type(), to, array.is_dense(), lends);
  RETURN_IF_ERROR(CheckGiven(array, type, to, use));
  if (use == BufferUse::kAsIs) {
    RETURN_IF_ERROR(CheckRange(array.bytes(), array, to));
    const absl::Status lent = Lend(array, to, object);
    if (!absl::IsUnavailable(lent)) return lent;
  }
  Ref<hal::BufferView> view;
  std::span<uint8_t> target;
  RETURN_IF_ERROR(NewArray(to, array.shape(), hal::kOverwritten, view, target));
  RETURN_IF_ERROR(WriteElements(array, to, target.data()));
  RETURN_IF_ERROR(CheckRange(target, array, to));
  ++(use == BufferUse::kConvert ? statistics_->converted
     : use == BufferUse::kPack  ? statistics_->packed
                                : statistics_->copied);
  statistics_->bytes_copied += target.size();
  RETURN_IF_ERROR(view->buffer()->Unmap(0, target.size()));
  object = std::move(view);
  return absl::OkStatus();
}

// UNAVAILABLE: the device cannot use this memory.
absl::Status ArrayEncoder::Lend(const HostArray& array, ElementType type,
                                Ref<RefObject>& object) {
  Ref<hal::BufferView> view = array.view();
  if (view && device_ && !device_->allocator().CanUse(*view->buffer()))
      [[unlikely]] {
    // The buffer belongs to another device, which does not share memory.
    if (!is_storage_) return absl::UnavailableError("");
    return absl::InvalidArgumentError(
        "an array in the memory of another device cannot receive a result.");
  }
  if (!view) {
    if (device_ == nullptr) return absl::UnavailableError("");
    ASSIGN_OR_RETURN(view, array.Import(*device_, type));
  } else if (array.type() != type) {
    ASSIGN_OR_RETURN(
        view, hal::BufferView::Create(view->buffer(), array.shape(), type));
  }
  object = std::move(view);
  ++statistics_->lent;
  return absl::OkStatus();
}

absl::Status ArrayEncoder::NestedArray(const HostValue& value, const Type& type,
                                       Ref<RefObject>& object) {
  if (value.is(HostKind::kBytes) && IsInteger(type.element)) {
    return NotExpected(value, type);
  }
  if (type.element == ElementType::kNone) {
    return absl::InvalidArgumentError(absl::StrCat(
        value.Describe(), " is given; ", type.ToString(),
        " is expected, which needs an array that has an element type, such as "
        "{\"$dtype\": \"f32\", \"data\": [1, 2]} in JSON."));
  }
  std::vector<int64_t> shape = NestedShape(value, type);
  AddInnerShape(value, shape);
  const std::string difference = type.ShapeDifference(shape);
  if (!difference.empty()) {
    return absl::InvalidArgumentError(
        absl::StrCat(value.Describe(), " is given; ", difference));
  }
  // Check the shape before allocating: if rows have different lengths, the
  // first ones may claim more elements than there are.
  uint8_t* nowhere = nullptr;
  RETURN_IF_ERROR(Fill(value, type.element, shape, nowhere));
  Ref<hal::BufferView> view;
  std::span<uint8_t> target;
  RETURN_IF_ERROR(NewArray(type.element, shape, 0, view, target));
  uint8_t* place = target.data();
  if (!target.empty() && hal::StrideBits(type.element) < 8) {
    std::vector<uint8_t> elements;
    RETURN_IF_ERROR(Reserve(elements,
                            static_cast<size_t>(view->element_count()),
                            "the elements of an array"));
    elements.resize(static_cast<size_t>(view->element_count()));
    place = elements.data();
    RETURN_IF_ERROR(Fill(value, type.element, shape, place));
    hal::Pack(type.element, elements, target.data());
  } else if (!target.empty()) {
    RETURN_IF_ERROR(Fill(value, type.element, shape, place));
  }
  ++statistics_->packed;
  statistics_->bytes_copied += target.size();
  RETURN_IF_ERROR(view->buffer()->Unmap(0, target.size()));
  object = std::move(view);
  return absl::OkStatus();
}

// Checks that nested lists have a shape. If `target` is not null, also writes
// their elements to it.
absl::Status ArrayEncoder::Fill(const HostValue& value, ElementType type,
                                std::span<const int64_t> shape,
                                uint8_t*& target) {
  if (const HostArray* array = value.array()) {
    return FillFrom(*array, type, shape, target);
  }
  if (shape.empty()) {
    if (target == nullptr) return absl::OkStatus();
    RETURN_IF_ERROR(WriteElement(value, type, target));
    target += BytesOfElement(type);
    return absl::OkStatus();
  }
  const HostValue::Items* items = nullptr;
  RETURN_IF_ERROR(TakeRow(value, shape[0], items));
  for (size_t i = 0; i < items->size(); ++i) {
    RETURN_IF_ERROR(
        path_.Add(i, Fill((*items)[i], type, shape.subspan(1), target)));
  }
  return absl::OkStatus();
}

// Checks an array in nested lists, and writes its elements, as Fill does.
absl::Status ArrayEncoder::FillFrom(const HostArray& array, ElementType type,
                                    std::span<const int64_t> shape,
                                    uint8_t*& target) {
  Type row;
  row.kind = Kind::kArray;
  row.element = type;
  row.ranked = true;
  row.shape.assign(shape.begin(), shape.end());
  if (hal::StrideBits(type) < 8) {
    return absl::UnimplementedError(
        absl::StrCat("an array in a list cannot be packed as elements of ",
                     hal::ElementTypeName(type), "."));
  }
  if (target == nullptr) {
    return CheckGiven(
        array, row, type,
        UseOfElements(array.type(), type, array.is_dense(), false));
  }
  RETURN_IF_ERROR(WriteElements(array, type, target));
  std::span<const uint8_t> written(
      target, array.element_count() * (hal::StrideBits(type) / 8));
  RETURN_IF_ERROR(CheckRange(written, array, type));
  target += written.size();
  return absl::OkStatus();
}

absl::Status ArrayEncoder::EncodeBuffer(const HostValue& value,
                                        Ref<RefObject>& object) {
  if (value.is(HostKind::kNull)) return absl::OkStatus();
  if (const Ref<RefObject>* ref = value.ref()) {
    if (auto* view = RefCast<hal::BufferView>(ref->get())) {
      object = view->buffer();
      return absl::OkStatus();
    }
    if (RefCast<hal::Buffer>(ref->get()) != nullptr) {
      object = *ref;
      return absl::OkStatus();
    }
  }
  const HostArray* array = value.array();
  if (array == nullptr) {
    Type type;
    type.kind = Kind::kBuffer;
    return NotExpected(value, type);
  }
  Ref<RefObject> view;
  RETURN_IF_ERROR(GivenArray(*array, Type::Any(), view));
  object = static_cast<hal::BufferView*>(view.get())->buffer();
  return absl::OkStatus();
}

}  // namespace eyrie::abi
