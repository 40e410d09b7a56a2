#include "abi/v0/call/buffer_description.h"

#include <algorithm>
#include <utility>

#include "abi/tensor/element_range.h"
#include "abi/tensor/tensor.h"
#include "abi/value/convert.h"
#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "hal/buffer.h"
#include "hal/tensor_type.h"

namespace eyrie::abi::v0 {
namespace {

using Dimensions = BufferDescription::Dimensions;
using Memory = BufferDescription::Memory;
using hal::ElementType;

constexpr int64_t kUnknown = BufferDescription::kUnknown;
constexpr uint32_t kBitsPerByte = 8;
// The alignment of memory that a device may use.
constexpr uint64_t kAlignment = 64;

uint64_t AlignmentOf(const void* data) {
  const auto address = reinterpret_cast<uintptr_t>(data);
  return address == 0 ? kAlignment : address & ~(address - 1);
}

Dimensions PackedStrides(const Dimensions& shape, Layout layout,
                         int64_t width) {
  const size_t rank = shape.size();
  const bool columns = layout == Layout::kColumnMajor;
  Dimensions strides(rank);
  auto stride = static_cast<uint64_t>(width);
  for (size_t i = 0; i < rank; ++i) {
    const size_t dimension = columns ? i : rank - 1 - i;
    strides[dimension] = static_cast<int64_t>(stride);
    // Can overflow only if there are no elements, when strides are not used.
    stride *= static_cast<uint64_t>(shape[dimension]);
  }
  return strides;
}

// Reports whether the elements are contiguous in an order.
bool IsPacked(const Dimensions& shape, const Dimensions& strides, Layout layout,
              int64_t width) {
  const Dimensions packed = PackedStrides(shape, layout, width);
  if (std::find(shape.begin(), shape.end(), 0) != shape.end()) return true;
  for (size_t i = 0; i < shape.size(); ++i) {
    if (shape[i] != 1 && strides[i] != packed[i]) return false;
  }
  return true;
}

hal::TensorType SpecOf(ElementType element, const Dimensions& shape) {
  hal::TensorType spec;
  spec.element = element;
  spec.shape = shape;
  return spec;
}

// The state of one query.
class Oracle {
 public:
  Oracle(const hal::Device& device, const RawType& type,
         const BufferDescription& given)
      : device_(device), type_(type), given_(given) {}

  absl::StatusOr<BufferPlan> Answer() {
    if (type_.kind != RawType::Kind::kBuffer) {
      return absl::InvalidArgumentError(absl::StrCat(
          "A buffer is given; ", type_.ToString(), " is expected."));
    }
    RETURN_IF_ERROR(CheckElement());
    RETURN_IF_ERROR(Complete());
    RETURN_IF_ERROR(CheckLength());
    BufferPlan plan;
    ASSIGN_OR_RETURN(plan.use, Use());
    BufferDescription& description = plan.description;
    description.element = type_.element;
    ASSIGN_OR_RETURN(description.byte_length,
                     SpecOf(type_.element, shape_).ByteLength());
    description.strides =
        PackedStrides(shape_, type_.layout, WidthOf(type_.element));
    description.shape = std::move(shape_);
    description.memory =
        plan.use == BufferUse::kAsIs ? given_.memory : Memory::kDevice;
    description.device = &device_;
    description.alignment =
        plan.use == BufferUse::kAsIs ? given_.alignment : kAlignment;
    description.lends = true;
    return plan;
  }

 private:
  static int64_t WidthOf(ElementType type) {
    return hal::StrideBits(type) / kBitsPerByte;
  }

  // Returns the error "A buffer 2x?xf32 is given; Buffer<float32[2]> is
  // expected, and …".
  absl::Status Refused(absl::string_view why) const {
    return absl::InvalidArgumentError(
        absl::StrCat("A buffer ", given_.ToString(), " is given; ",
                     type_.ToString(), " is expected, and ", why, "."));
  }

  absl::Status CheckElement() {
    if (given_.element == ElementType::kNone) {
      element_ = type_.element;
      return absl::OkStatus();
    }
    element_ = given_.element;
    if (hal::StrideBits(element_) == 0 ||
        hal::StrideBits(element_) % kBitsPerByte != 0) {
      return absl::UnimplementedError(absl::StrCat(
          "Elements of ", hal::ElementTypeName(element_),
          " are not whole bytes, as those of ", type_.ToString(), " are."));
    }
    if (SameBits(element_, type_.element) ||
        IsLossless(element_, type_.element)) {
      return absl::OkStatus();
    }
    if (!IsReal(element_)) {
      return absl::UnimplementedError(absl::StrCat(
          "Elements of ", hal::ElementTypeName(element_),
          " are not converted to ", hal::ElementTypeName(type_.element), "."));
    }
    if (given_.casts) return absl::OkStatus();
    return Refused(
        absl::StrCat(hal::ElementTypeName(element_), " cannot be converted to ",
                     hal::ElementTypeName(type_.element), " without loss"));
  }

  // Computes the dimensions.
  absl::Status Complete() {
    const size_t rank = type_.shape.size();
    if (given_.shape && given_.shape->size() != rank) {
      return Refused(
          absl::StrCat("the rank is ", given_.shape->size(), ", not ", rank));
    }
    shape_.assign(type_.shape.begin(), type_.shape.end());
    if (given_.shape) {
      for (size_t i = 0; i < rank; ++i) {
        RETURN_IF_ERROR(TakeDimension(i, (*given_.shape)[i]));
      }
    }
    const auto unknown = std::find(shape_.begin(), shape_.end(), kUnknown);
    if (unknown == shape_.end()) return absl::OkStatus();
    return Derive(unknown - shape_.begin());
  }

  absl::Status TakeDimension(size_t index, int64_t given) {
    if (given == kUnknown) return absl::OkStatus();
    if (given < 0) {
      return Refused(
          absl::StrCat("dimension ", index, " is below 0 (", given, ")"));
    }
    if (shape_[index] != RawType::kDynamic && shape_[index] != given) {
      return Refused(absl::StrCat("dimension ", index, " is ", given, ", not ",
                                  shape_[index]));
    }
    shape_[index] = given;
    return absl::OkStatus();
  }

  // Computes the one unknown dimension from the length.
  absl::Status Derive(size_t unknown) {
    const auto other =
        std::find(shape_.begin() + unknown + 1, shape_.end(), kUnknown);
    if (other != shape_.end() || !given_.byte_length) {
      return Refused(absl::StrCat(
          "dimension ", unknown, " is not known",
          given_.byte_length ? absl::StrCat(", nor is ", other - shape_.begin())
                             : ""));
    }
    shape_[unknown] = 1;
    ASSIGN_OR_RETURN(const uint64_t row, SpecOf(element_, shape_).ByteLength());
    const uint64_t length = *given_.byte_length;
    if (row == 0 || length % row != 0 || length / row > INT64_MAX) {
      return Refused(absl::StrCat("dimension ", unknown, " times ", row,
                                  " bytes is not ", length));
    }
    shape_[unknown] = static_cast<int64_t>(length / row);
    return absl::OkStatus();
  }

  absl::Status CheckLength() {
    ASSIGN_OR_RETURN(const uint64_t length,
                     SpecOf(element_, shape_).ByteLength());
    if (given_.byte_length && *given_.byte_length != length) {
      return Refused(
          absl::StrCat("its ", *given_.byte_length, " bytes are not ", length));
    }
    if (given_.strides && given_.strides->size() != shape_.size()) {
      return Refused(absl::StrCat(
          given_.strides->size(),
          given_.strides->size() == 1 ? " stride is" : " strides are",
          " given for a rank of ", shape_.size()));
    }
    return absl::OkStatus();
  }

  absl::StatusOr<BufferUse> Use() const {
    if (given_.memory == Memory::kNone) return BufferUse::kMake;
    const bool in_order =
        !given_.strides ||
        IsPacked(shape_, *given_.strides, type_.layout, WidthOf(element_));
    const bool usable = given_.memory == Memory::kDevice
                            ? given_.device == &device_
                            : given_.alignment % kAlignment == 0;
    return UseOfElements(element_, type_.element, in_order,
                         usable && given_.lends);
  }

  const hal::Device& device_;
  const RawType& type_;
  const BufferDescription& given_;
  ElementType element_ = ElementType::kNone;  // of the given memory
  Dimensions shape_;
};

}  // namespace

BufferDescription BufferDescription::Of(const HostArray& array,
                                        const hal::Device* device) {
  BufferDescription description;
  description.element = array.type();
  description.byte_length = array.byte_length();
  description.shape.emplace(array.shape().begin(), array.shape().end());
  description.strides.emplace(array.strides().begin(), array.strides().end());
  description.memory = array.view() ? Memory::kDevice : Memory::kHost;
  description.alignment = AlignmentOf(array.data());
  description.device = array.view() ? device : nullptr;
  description.lends = array.may_be_used();
  description.casts = array.casts();
  return description;
}

BufferDescription BufferDescription::Of(const hal::BufferView& view,
                                        const hal::Device* device) {
  BufferDescription description;
  description.element = view.element_type();
  description.byte_length = view.byte_length();
  description.shape.emplace(view.shape().begin(), view.shape().end());
  description.memory = Memory::kDevice;
  description.device = device;
  description.lends = true;
  return description;
}

std::string BufferDescription::ToString() const {
  std::string text;
  if (!shape) text = "*x";
  for (size_t i = 0; shape && i < shape->size(); ++i) {
    if ((*shape)[i] == kUnknown) {
      text += "?x";
    } else {
      absl::StrAppend(&text, (*shape)[i], "x");
    }
  }
  return text +
         (element == ElementType::kNone ? "?" : hal::ElementTypeName(element));
}

absl::StatusOr<BufferPlan> BufferDescriptionOracle(
    const hal::Device& device, const RawType& type,
    const BufferDescription& given) {
  return Oracle(device, type, given).Answer();
}

absl::StatusOr<Ref<hal::BufferView>> CreateBuffer(
    hal::Device& device, const BufferDescription& description,
    const BufferOwner& owner) {
  if (!description.shape || !description.byte_length) {
    return absl::InvalidArgumentError(absl::StrCat(
        "A buffer cannot be made of ", description.ToString(), "."));
  }
  const uint64_t size = *description.byte_length;
  hal::BufferParams params = TensorParams();
  params.owner = owner.id;
  ASSIGN_OR_RETURN(Ref<hal::Buffer> buffer,
                   device.allocator().AllocateCharged(
                       owner.meter, "a device buffer", params, size));
  return hal::BufferView::Create(std::move(buffer), *description.shape,
                                 description.element);
}

namespace {

// INVALID_ARGUMENT: an element of the array is out of the type's range.
absl::Status CheckRange(std::span<const uint8_t> elements,
                        const HostArray& array, ElementType to) {
  const std::optional<Misfit> misfit =
      FindMisfit(elements, array.type(), to, array.shape());
  if (!misfit) return absl::OkStatus();
  return Annotate(OutOfRange(misfit->number, to),
                  absl::StrCat("(element ", misfit->element, ")"));
}

// Lends memory to a device; for a device buffer, creates another view.
absl::StatusOr<Ref<hal::BufferView>> Lend(
    hal::Device& device, const BufferDescription& description,
    const std::shared_ptr<const HostArray>& array) {
  const Ref<hal::BufferView>& view = array->view();
  if (view && view->element_type() == description.element) return view;
  Ref<hal::Buffer> buffer;
  if (view) {
    buffer = view->buffer();
  } else {
    const std::span<uint8_t> bytes(const_cast<uint8_t*>(array->data()),
                                   array->byte_length());
    hal::BufferParams params = TensorParams();
    if (array->is_read_only()) params.access = hal::memory_access::kRead;
    ASSIGN_OR_RETURN(buffer,
                     device.allocator().ImportHost(params, bytes, [array] {}));
  }
  return hal::BufferView::Create(std::move(buffer), *description.shape,
                                 description.element);
}

}  // namespace

absl::StatusOr<Ref<hal::BufferView>> ToBuffer(
    hal::Device& device, const RawType& type,
    std::shared_ptr<const HostArray> array, const BufferOwner& owner) {
  ASSIGN_OR_RETURN(const BufferPlan plan,
                   BufferDescriptionOracle(
                       device, type, BufferDescription::Of(*array, &device)));
  const BufferDescription& description = plan.description;
  if (plan.use == BufferUse::kAsIs) {
    RETURN_IF_ERROR(CheckRange(array->bytes(), *array, description.element));
    return Lend(device, description, array);
  }
  ASSIGN_OR_RETURN(Ref<hal::BufferView> view,
                   CreateBuffer(device, description, owner));
  const uint64_t size = *description.byte_length;
  ASSIGN_OR_RETURN(
      const std::span<uint8_t> target,
      view->buffer()->Map(hal::memory_access::kDiscardWrite, 0, size));
  // Column-major order is row-major order with the dimensions reversed.
  if (type.layout == Layout::kColumnMajor) array = array->Transposed();
  RETURN_IF_ERROR(WriteElements(*array, description.element, target.data()));
  RETURN_IF_ERROR(CheckRange(target, *array, description.element));
  RETURN_IF_ERROR(view->buffer()->Unmap(0, size));
  return view;
}

absl::StatusOr<std::shared_ptr<const HostArray>> FromBuffer(
    const RawType& type, Ref<hal::BufferView> view) {
  if (type.layout != Layout::kColumnMajor || view->shape().size() < 2) {
    return HostArray::OfTensor(std::move(view));
  }
  Dimensions reversed(view->shape().begin(), view->shape().end());
  std::reverse(reversed.begin(), reversed.end());
  ASSIGN_OR_RETURN(
      Ref<hal::BufferView> rows,
      hal::BufferView::Create(view->buffer(), reversed, view->element_type()));
  ASSIGN_OR_RETURN(const auto array, HostArray::OfTensor(std::move(rows)));
  return array->Transposed();
}

absl::StatusOr<Ref<hal::BufferView>> FromRows(hal::Device& device,
                                              const RawType& type,
                                              Ref<hal::BufferView> view) {
  if (type.layout != Layout::kColumnMajor) return view;
  ASSIGN_OR_RETURN(auto array,
                   HostArray::OfTensor(std::move(view), HostArray::Use::kLend));
  return ToBuffer(device, type, std::move(array));
}

absl::StatusOr<Ref<hal::BufferView>> ToRows(hal::Device& device,
                                            const RawType& type,
                                            Ref<hal::BufferView> view) {
  if (type.layout != Layout::kColumnMajor) return view;
  ASSIGN_OR_RETURN(auto array, FromBuffer(type, std::move(view)));
  RawType rows = type;
  rows.layout = Layout::kRowMajor;
  return ToBuffer(device, rows, std::move(array));
}

}  // namespace eyrie::abi::v0
