// Tensors: hal.buffer_view.*.
//
// Tested by hal_module_test.cc.
#include <string>
#include <utility>

#include "absl/container/inlined_vector.h"
#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "hal/element_type.h"
#include "hal/module/arguments.h"
#include "hal/module/imports.h"

namespace eyrie::hal {
namespace {

// Limit of a tensor's dimensions, far above real ones.
constexpr size_t kMaxRank = 128;

// Opaque elements match any type.
bool Accepts(ElementType expected, ElementType actual) {
  return NumericalKind(actual) == 0 || EqualUpToSign(expected, actual);
}

// Returns the expected type as text: "2x3xf32".
std::string ExpectedText(vm::Spread<int64_t> shape, ElementType type) {
  std::string text;
  for (size_t i = 0; i < shape.size(); ++i) {
    absl::StrAppend(&text, shape.get(i), "x");
  }
  return absl::StrCat(text, ElementTypeName(type));
}

// Returns the first difference as the end of a sentence; empty if none.
std::string Difference(const BufferView& view, ElementType type,
                       vm::Spread<int64_t> shape) {
  if (!Accepts(type, view.element_type())) {
    return absl::StrCat("the element type is ",
                        ElementTypeName(view.element_type()), ", not ",
                        ElementTypeName(type));
  }
  if (view.shape().size() != shape.size()) {
    return absl::StrCat("the rank is ", view.shape().size(), ", not ",
                        shape.size());
  }
  for (size_t i = 0; i < shape.size(); ++i) {
    if (view.shape()[i] == shape.get(i)) continue;
    return absl::StrCat("dimension ", i, " is ", view.shape()[i], ", not ",
                        shape.get(i));
  }
  return "";
}

// Reports whether a tensor is as expected, without a message.
bool Matches(const BufferView& view, ElementType type, EncodingType encoding,
             vm::Spread<int64_t> shape) {
  if (view.encoding() != encoding && view.encoding() != EncodingType::kOpaque) {
    return false;
  }
  if (!Accepts(type, view.element_type())) return false;
  if (view.shape().size() != shape.size()) return false;
  for (size_t i = 0; i < shape.size(); ++i) {
    if (view.shape()[i] != shape.get(i)) return false;
  }
  return true;
}

[[gnu::noinline]] absl::Status ViewDiffers(const BufferView& view,
                                           const vm::Buffer& message,
                                           ElementType type,
                                           EncodingType expected,
                                           vm::Spread<int64_t> shape) {
  std::string difference = Difference(view, type, shape);
  if (difference.empty()) {
    difference =
        absl::StrCat("the encoding is ", static_cast<uint32_t>(view.encoding()),
                     ", not ", static_cast<uint32_t>(expected));
  }
  return absl::InvalidArgumentError(
      absl::StrCat(TextOf(message), ": expected ", ExpectedText(shape, type),
                   ", have ", view.ShapeAndType(), "; ", difference, "."));
}

[[gnu::noinline]] absl::Status RankError(size_t rank) {
  return absl::InvalidArgumentError(
      absl::StrCat("The rank (", rank, ") exceeds ", kMaxRank, "."));
}

}  // namespace

absl::Status BufferViewAssert(HalModuleState&, BufferView& view,
                              vm::Buffer& message, int32_t element_type,
                              int32_t encoding, vm::Spread<int64_t> shape) {
  const auto type = static_cast<ElementType>(element_type);
  const auto expected = static_cast<EncodingType>(encoding);
  if (Matches(view, type, expected, shape)) [[likely]]
    return absl::OkStatus();
  return ViewDiffers(view, message, type, expected, shape);
}

absl::StatusOr<Ref<BufferView>> BufferViewCreate(
    HalModuleState& state, Buffer& source, int64_t offset, int64_t length,
    int32_t element_type, int32_t encoding, vm::Spread<int64_t> shape) {
  ASSIGN_OR_RETURN(uint64_t begin, ReadSize("source offset", offset));
  ASSIGN_OR_RETURN(uint64_t size, ReadLength("source length", length));
  if (shape.size() > kMaxRank) [[unlikely]]
    return RankError(shape.size());
  int64_t storage[kMaxRank];
  const std::span<int64_t> dimensions(storage, shape.size());
  for (size_t i = 0; i < shape.size(); ++i) dimensions[i] = shape.get(i);
  ASSIGN_OR_RETURN(Ref<Buffer> buffer, state.Subspan(source, begin, size));
  return state.Charged(
      BufferView::Create(std::move(buffer), dimensions,
                         static_cast<ElementType>(element_type),
                         static_cast<EncodingType>(encoding)),
      sizeof(BufferView) + dimensions.size() * sizeof(int64_t), "a tensor");
}

absl::StatusOr<int64_t> BufferViewDim(HalModuleState&, BufferView& view,
                                      int32_t index) {
  if (index < 0 || static_cast<size_t>(index) >= view.shape().size()) {
    return absl::OutOfRangeError(absl::StrCat(
        "Dimension ", index, " exceeds the rank (", view.shape().size(), ")."));
  }
  return view.shape()[static_cast<size_t>(index)];
}

absl::StatusOr<int32_t> BufferViewElementType(HalModuleState&,
                                              BufferView& view) {
  return static_cast<int32_t>(view.element_type());
}

absl::StatusOr<int32_t> BufferViewEncodingType(HalModuleState&,
                                               BufferView& view) {
  return static_cast<int32_t>(view.encoding());
}

absl::StatusOr<int32_t> BufferViewRank(HalModuleState&, BufferView& view) {
  return static_cast<int32_t>(view.shape().size());
}

absl::Status BufferViewTrace(HalModuleState& state, vm::Buffer& key,
                             vm::Spread<BufferView*> views) {
  if (!state.options().trace) return absl::OkStatus();
  absl::InlinedVector<BufferView*, 8> tensors(views.size());
  for (size_t i = 0; i < views.size(); ++i) {
    tensors[i] = views.get(i);
    if (tensors[i] == nullptr) {
      return absl::InvalidArgumentError(
          absl::StrCat("Tensor ", i, " to trace is null."));
    }
  }
  state.options().trace(TextOf(key), tensors);
  return absl::OkStatus();
}

}  // namespace eyrie::hal
