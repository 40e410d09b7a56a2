// Arguments of memref functions that are copied, and those that are results.
// Tested by copies_test.cc, call_test.cc.
#include <cstring>
#include <limits>
#include <optional>
#include <utility>

#include "abi/native/call_support.h"
#include "abi/native/memref/import.h"
#include "abi/native/memref/layout.h"
#include "abi/native/memref/strided.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/checked_math.h"
#include "base/status_macros.h"

namespace eyrie::native {
namespace {

constexpr int64_t kMaxNarrow = std::numeric_limits<int32_t>::max();

}  // namespace

bool MemrefImport::MustPack(size_t index, const hal::BufferView& view,
                            const MemrefShape& shape) const {
  const MemrefType& type = function_->signature.type.arguments[index];
  if (view.byte_length() == 0) return false;
  if (view.buffer()->host_data() == nullptr) return true;
  if (type.is_strided) return !HasStrides(type, shape);
  const TensorLayout* const layout = function_->signature.ArgumentLayout(index);
  return layout != nullptr && layout->Moves(view.shape());
}

absl::Status MemrefImport::Pack(size_t index, const hal::BufferView& view,
                                MemrefDescriptor& descriptor) {
  const MemrefType& type = function_->signature.type.arguments[index];
  const MemrefShape dense = descriptor.shape;
  const size_t width = function_->signature.ElementBytes(type);
  bool fits = true;
  if (const TensorLayout* const layout =
          function_->signature.ArgumentLayout(index)) {
    SetStrides(layout->StridesOf(view.shape()), descriptor.shape);
  } else if (type.is_strided && !HasStrides(type, dense)) {
    fits = SetStrides(type, descriptor.shape);
  }
  const std::optional<int64_t> reach = CountReach(descriptor.shape);
  const std::optional<uint64_t> bytes =
      fits && reach ? CheckedMul(static_cast<uint64_t>(*reach),
                                 static_cast<uint64_t>(width))
                    : std::nullopt;
  if (!bytes ||
      (function_->signature.index_bits == 32 && *reach > kMaxNarrow)) {
    return absl::OutOfRangeError(
        absl::StrCat(view.ShapeAndType(), " as ", type.ToString(),
                     " exceeds the range of an index."));
  }
  const uint32_t output = plan_.arguments[index].output;
  const bool is_output = output != MemrefPlan::kNone;
  RETURN_IF_ERROR(state_.WorkOnBytes(view.byte_length() * (is_output ? 2 : 1)));
  ASSIGN_OR_RETURN(
      packed_.emplace_back(),
      parts_.device->allocator().AllocateCharged(
          parts_.memory, "a copy of an argument", parts_.params, *bytes));
  descriptor.aligned = packed_.back()->host_data();
  if (is_output) {
    packed_outputs_.push_back({output, descriptor.aligned, descriptor.shape});
  }
  return WithElements(view, [&](const uint8_t* elements) {
    CopyStrided(dense, width, elements, dense.strides, descriptor.aligned,
                descriptor.shape.strides);
  });
}

void MemrefImport::Unpack() {
  for (const PackedOutput& packed : packed_outputs_) {
    const hal::BufferView& view = *outputs_[packed.output];
    const MemrefShape dense = ShapeOf(view.shape());
    CopyStrided(dense, hal::BitCount(view.element_type()) / 8, packed.from,
                packed.shape.strides, view.buffer()->host_data(),
                dense.strides);
  }
}

absl::Status MemrefImport::SetMemref(size_t index,
                                     const hal::BufferView& view) {
  uint8_t* const data = view.buffer()->host_data();
  const MemrefType& type = function_->signature.type.arguments[index];
  MemrefDescriptor descriptor;
  descriptor.shape = ShapeOf(view.shape());
  descriptor.aligned = data;
  LentMemory lent = {nullptr, view.byte_length(), &view, index};
  if (const TensorLayout* const layout =
          function_->signature.ArgumentLayout(index)) {
    RETURN_IF_ERROR(
        layout->CheckRank(absl::StrCat("Argument ", index, " of the function"),
                          descriptor.shape.rank));
  }
  if (MustPack(index, view, descriptor.shape)) {
    RETURN_IF_ERROR(Pack(index, view, descriptor));
    lent.view = nullptr;
    lent.bytes = packed_.back()->byte_length();
  }
  if (type.is_strided && type.offset != MemrefType::kDynamic) {
    descriptor.offset = type.offset;
  }
  lent.allocated = descriptor.allocated = descriptor.aligned;
  lent_.push_back(lent);
  // The address of the first element stays the same, whatever offset the type
  // declares.
  const size_t width = function_->signature.ElementBytes(type);
  descriptor.aligned = reinterpret_cast<uint8_t*>(
      reinterpret_cast<uintptr_t>(descriptor.aligned) -
      static_cast<uint64_t>(descriptor.offset) * width);
  Point(index, descriptor);
  return absl::OkStatus();
}

absl::Status MemrefImport::OutputShape(size_t index,
                                       hal::BufferView::Shape& shape) const {
  const MemrefSignature& signature = function_->signature;
  const MemrefType& type = signature.type.arguments[index];
  if (signature.output_rules.empty()) {
    shape.assign(type.shape.begin(), type.shape.end());
    return absl::OkStatus();
  }
  hal::ElementType element;
  RETURN_IF_ERROR(signature.output_rules[plan_.arguments[index].output].Apply(
      views_, element, shape));
  bool fits = HasDims(type, shape);
  for (const int64_t dim : shape) {
    fits = fits && (signature.index_bits == 64 || dim <= kMaxNarrow);
  }
  if (fits) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(
      "Argument ", index,
      " of the function, an output, gets from its rule the sizes [",
      absl::StrJoin(shape, ", "), "]; ", type.ToString(), " is declared",
      signature.index_bits == 64 ? "." : ", an index of 32 bits."));
}

absl::Status MemrefImport::SetOutput(size_t index) {
  const MemrefSignature& signature = function_->signature;
  const MemrefType& type = signature.type.arguments[index];
  hal::BufferView::Shape shape;
  RETURN_IF_ERROR(OutputShape(index, shape));
  const std::optional<int64_t> count = CountElements(ShapeOf(shape));
  const hal::ElementType element = signature.ElementOf(type);
  const std::optional<uint64_t> bytes =
      count ? hal::DenseByteLength(element, *count) : std::nullopt;
  if (!bytes) {
    return absl::InvalidArgumentError(absl::StrCat(
        "Argument ", index, " of the function, ", type.ToString(),
        ", has too many elements: [", absl::StrJoin(shape, ", "), "]."));
  }
  ASSIGN_OR_RETURN(Ref<hal::Buffer> buffer,
                   parts_.device->allocator().AllocateCharged(
                       parts_.memory, "a result", parts_.params, *bytes));
  ASSIGN_OR_RETURN(Ref<hal::BufferView> view,
                   hal::BufferView::Create(std::move(buffer), shape, element));
  outputs_[plan_.arguments[index].output] = view;
  return SetMemref(index, *view);
}

absl::Status MemrefImport::SetInout(size_t index, hal::BufferView& view) {
  if (IsGivenAway(*this, index, view, views_)) {
    outputs_[plan_.arguments[index].output] =
        Ref<hal::BufferView>::Share(&view);
    return SetMemref(index, view);
  }
  const uint64_t bytes = view.byte_length();
  RETURN_IF_ERROR(state_.WorkOnBytes(bytes));
  ASSIGN_OR_RETURN(Ref<hal::Buffer> buffer,
                   parts_.device->allocator().AllocateCharged(
                       parts_.memory, "a result", parts_.params, bytes));
  if (bytes != 0) {
    RETURN_IF_ERROR(WithElements(view, [&](const uint8_t* elements) {
      std::memcpy(buffer->host_data(), elements, bytes);
    }));
  }
  Ref<hal::BufferView>& output = outputs_[plan_.arguments[index].output];
  ASSIGN_OR_RETURN(output,
                   hal::BufferView::Create(std::move(buffer), view.shape(),
                                           view.element_type()));
  return SetMemref(index, *output);
}

}  // namespace eyrie::native
