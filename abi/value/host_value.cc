// Implements arrays and host values.
#include "abi/value/host_value.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <memory>
#include <new>
#include <optional>
#include <span>
#include <utility>
#include <variant>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "base/allocate.h"
#include "base/checked_math.h"
#include "base/counted.h"
#include "base/ref.h"
#include "base/status_macros.h"
#include "hal/buffer.h"
#include "hal/buffer_view.h"
#include "hal/element_type.h"
#include "hal/types.h"

namespace eyrie::abi {
namespace {

using hal::ElementType;

constexpr uint32_t kBitsPerByte = 8;

// Keeps shapes and their texts smaller than kSmallBytes.
constexpr size_t kMaxRank = 1024;

std::string ShapeTextOf(ElementType type, std::span<const int64_t> shape) {
  std::string text;
  for (const int64_t dimension : shape) absl::StrAppend(&text, dimension, "x");
  return text + hal::ElementTypeName(type);
}

bool IsReadOnly(const hal::BufferView& view) {
  return (view.buffer()->allowed_access() & hal::memory_access::kWrite) == 0;
}

// Returns the number of elements. INVALID_ARGUMENT: a dimension is negative,
// there are more than kMaxRank dimensions, or the number needs more than 64
// bits.
absl::StatusOr<int64_t> CountOf(ElementType type,
                                std::span<const int64_t> shape) {
  if (shape.size() > kMaxRank) {
    return absl::InvalidArgumentError(
        absl::StrCat("The rank (", shape.size(), ") exceeds ", kMaxRank, "."));
  }
  int64_t count = 1;
  bool empty = false;
  for (size_t i = 0; i < shape.size(); ++i) {
    if (shape[i] < 0) {
      return absl::InvalidArgumentError(absl::StrCat(
          "Dimension ", i, " of ", ShapeTextOf(type, shape), " is below 0."));
    }
    empty |= shape[i] == 0;
  }
  if (empty) return 0;
  for (const int64_t dimension : shape) {
    const std::optional<int64_t> product = CheckedMul(count, dimension);
    if (!product) {
      return absl::InvalidArgumentError(
          absl::StrCat("The number of elements of ", ShapeTextOf(type, shape),
                       " exceeds 64 bits."));
    }
    count = *product;
  }
  return count;
}

// Stores the strides of a dense array. There is one for each dimension.
void SetDenseStrides(std::span<const int64_t> shape, ElementType type,
                     std::span<int64_t> strides) {
  int64_t stride = hal::StrideBits(type) / kBitsPerByte;
  for (size_t i = shape.size(); i-- > 0;) {
    strides[i] = stride;
    // Overflows only for arrays without elements, whose strides are not used.
    stride = static_cast<int64_t>(static_cast<uint64_t>(stride) *
                                  static_cast<uint64_t>(shape[i]));
  }
}

// Reports whether two lists of strides give the same addresses. The stride of a
// dimension of size 1 or 0 is never used.
bool HasStrides(std::span<const int64_t> shape,
                std::span<const int64_t> strides,
                std::span<const int64_t> others, int64_t count) {
  for (size_t i = 0; i < shape.size(); ++i) {
    const bool used = shape[i] > 1 && count > 0;
    if (used && strides[i] != others[i]) return false;
  }
  return true;
}

// The range of addresses of all elements, in bytes from the first element.
struct Reach {
  int64_t lowest = 0;
  int64_t highest = 0;  // one past the last byte
};

// Returns nullopt if an offset needs more than 64 bits. The array must not be
// empty.
std::optional<Reach> ReachOf(std::span<const int64_t> shape,
                             std::span<const int64_t> strides, int64_t width) {
  Reach all{0, width};
  for (size_t i = 0; i < shape.size(); ++i) {
    const std::optional<int64_t> step = CheckedMul(shape[i] - 1, strides[i]);
    if (!step) return std::nullopt;
    int64_t& end = strides[i] < 0 ? all.lowest : all.highest;
    const std::optional<int64_t> sum = CheckedAdd(end, *step);
    if (!sum) return std::nullopt;
    end = *sum;
  }
  return all;
}

// OUT_OF_RANGE: an element is outside the `size` bytes. The first element is at
// offset `first`.
absl::Status CheckReach(std::span<const int64_t> shape,
                        std::span<const int64_t> strides, uint64_t size,
                        size_t first, int64_t width) {
  const std::optional<Reach> reach = ReachOf(shape, strides, width);
  if (reach && first <= size &&
      first >= 0 - static_cast<uint64_t>(reach->lowest) &&
      static_cast<uint64_t>(reach->highest) <= size - first) {
    return absl::OkStatus();
  }
  return absl::OutOfRangeError(absl::StrCat(
      "The strides address memory outside the ", size, " bytes of the array."));
}

}  // namespace

void HostArray::SetShape(std::span<const int64_t> shape) {
  shape_.assign(shape.begin(), shape.end());
  strides_.resize(shape.size());
  SetDenseStrides(shape, type_, strides_);
}

absl::StatusOr<std::shared_ptr<const HostArray>> HostArray::Copy(
    ElementType type, std::span<const int64_t> shape,
    std::span<const uint8_t> bytes) {
  // Devices need this alignment to use the memory in place.
  constexpr auto kAlignment = std::align_val_t(64);
  void* const made = ::operator new(std::max<size_t>(bytes.size(), 1),
                                    kAlignment, std::nothrow);
  if (made == nullptr) {
    return CannotAllocate(bytes.size(), 1, "an array");
  }
  const std::shared_ptr<void> owned(
      made, [](void* memory) { ::operator delete(memory, kAlignment); });
  if (!bytes.empty()) std::memcpy(owned.get(), bytes.data(), bytes.size());
  return Borrow(type, shape, {},
                {static_cast<const uint8_t*>(owned.get()), bytes.size()}, 0,
                owned);
}

absl::StatusOr<std::shared_ptr<const HostArray>> HostArray::Borrow(
    ElementType type, std::span<const int64_t> shape,
    std::span<const int64_t> strides, std::span<const uint8_t> bytes,
    size_t first, std::shared_ptr<const void> owner, Use use) {
  auto array = std::make_shared<HostArray>(Key());
  array->use_ = use;
  array->owner_ = std::move(owner);
  RETURN_IF_ERROR(array->Set(type, shape, strides, bytes, first));
  return std::shared_ptr<const HostArray>(std::move(array));
}

absl::Status HostArray::Set(ElementType type, std::span<const int64_t> shape,
                            std::span<const int64_t> strides,
                            std::span<const uint8_t> bytes, size_t first) {
  type_ = type;
  dense_ = true;
  ASSIGN_OR_RETURN(count_, CountOf(type, shape));
  SetShape(shape);
  const std::optional<uint64_t> length = hal::DenseByteLength(type, count_);
  if (!length || hal::BitCount(type) == 0) {
    return absl::InvalidArgumentError(absl::StrCat(
        "The number of bytes of ", ShapeText(), " exceeds 64 bits."));
  }
  byte_length_ = *length;
  data_ = first <= bytes.size() ? bytes.data() + first : nullptr;
  const int64_t width = hal::StrideBits(type) / kBitsPerByte;
  if (strides.empty()) {
    if (first > bytes.size() || bytes.size() - first != *length) {
      return absl::InvalidArgumentError(absl::StrCat(
          bytes.size() - std::min(first, bytes.size()), " bytes are given; ",
          ShapeText(), " needs ", *length, "."));
    }
    return absl::OkStatus();
  }
  if (strides.size() != shape.size()) {
    return absl::InvalidArgumentError(
        absl::StrCat(ShapeText(), " has ", Counted(shape.size(), "dimension"),
                     "; strides of ", strides.size(), " are given."));
  }
  if (hal::StrideBits(type) % kBitsPerByte != 0) {
    return absl::UnimplementedError(absl::StrCat(
        "Elements of ", hal::ElementTypeName(type), " have no strides."));
  }
  if (count_ > 0) {
    RETURN_IF_ERROR(CheckReach(shape, strides, bytes.size(), first, width));
  }
  dense_ = HasStrides(shape, strides, strides_, count_);
  strides_.assign(strides.begin(), strides.end());
  return absl::OkStatus();
}

absl::StatusOr<std::shared_ptr<const HostArray>> HostArray::BorrowAt(
    ElementType type, std::span<const int64_t> shape,
    std::span<const int64_t> strides, const uint8_t* data,
    std::shared_ptr<const void> owner) {
  auto array = std::make_shared<HostArray>(Key());
  array->owner_ = std::move(owner);
  RETURN_IF_ERROR(array->SetAt(type, shape, strides, data));
  return std::shared_ptr<const HostArray>(std::move(array));
}

absl::Status HostArray::SetAt(ElementType type, std::span<const int64_t> shape,
                              std::span<const int64_t> strides,
                              const uint8_t* data) {
  ASSIGN_OR_RETURN(const int64_t count, CountOf(type, shape));
  Reach reach;
  if (count > 0 && strides.size() == shape.size()) {
    const std::optional<Reach> all =
        ReachOf(shape, strides, hal::StrideBits(type) / kBitsPerByte);
    if (!all) {
      return absl::InvalidArgumentError(absl::StrCat(
          "The strides of ", ShapeTextOf(type, shape), " exceed 64 bits."));
    }
    reach = *all;
  }
  const size_t before = 0 - static_cast<size_t>(reach.lowest);
  const size_t size = before + static_cast<size_t>(reach.highest);
  return Set(type, shape, strides, {data - before, size}, before);
}

absl::StatusOr<std::shared_ptr<const HostArray>> HostArray::OfTensor(
    Ref<hal::BufferView> view, Use use) {
  if (view->encoding() != hal::EncodingType::kDenseRowMajor) {
    return absl::UnimplementedError(
        absl::StrCat("The tensor ", view->ShapeAndType(), " is not dense."));
  }
  const uint8_t* data = view->buffer()->Peek(0, view->byte_length());
  if (data == nullptr) {
    ASSIGN_OR_RETURN(
        const std::span<uint8_t> bytes,
        view->buffer()->Map(hal::memory_access::kRead, 0, view->byte_length()));
    data = bytes.data();
  }
  return OfReadable(std::move(view), data, use);
}

std::shared_ptr<const HostArray> HostArray::OfReadable(
    Ref<hal::BufferView> view, const uint8_t* data, Use use) {
  auto array = std::make_shared<HostArray>(Key());
  array->type_ = view->element_type();
  array->use_ = use;
  array->SetShape(view->shape());
  array->count_ = view->element_count();
  array->byte_length_ = view->byte_length();
  array->data_ = data;
  array->read_only_ = IsReadOnly(*view);
  array->view_ = std::move(view);
  return array;
}

bool HostArray::Reuse(const std::shared_ptr<const HostArray>& array,
                      hal::BufferView* view, const uint8_t* data) {
  if (!IsOnly(array) || !array->view_ || array->type_ != view->element_type() ||
      !std::equal(view->shape().begin(), view->shape().end(),
                  array->shape_.begin(), array->shape_.end())) {
    return false;
  }
  auto& reused = const_cast<HostArray&>(*array);  // no array is created const
  reused.use_ = Use::kCopy;
  reused.casts_ = false;
  reused.read_only_ = IsReadOnly(*view);
  reused.data_ = data;
  reused.view_ = Ref<hal::BufferView>::Adopt(view);
  return true;
}

hal::BufferView* HostArray::TensorOn(hal::Device& device) const {
  if (view_) {
    return device.allocator().CanUse(*view_->buffer()) ? view_.get() : nullptr;
  }
  const Imported* made = imported_.made.load(std::memory_order_acquire);
  // Do not reuse the tensor if a module has released its ownership of the
  // buffer.
  const bool usable = made != nullptr && made->device.get() == &device &&
                      made->view->element_type() == type_ &&
                      made->view->buffer()->HasOneOwner();
  return usable ? made->view.get() : nullptr;
}

absl::StatusOr<Ref<hal::BufferView>> HostArray::Import(hal::Device& device,
                                                       ElementType type) const {
  const Imported* made = imported_.made.load(std::memory_order_acquire);
  // Do not reuse the tensor if a module has released its ownership of the
  // buffer.
  if (made != nullptr && made->device.get() == &device &&
      made->view->element_type() == type &&
      made->view->buffer()->HasOneOwner()) {
    return made->view;
  }
  hal::BufferParams params;
  params.type = hal::memory_type::kDeviceLocal | hal::memory_type::kHostVisible;
  params.usage = hal::buffer_usage::kDefault | hal::buffer_usage::kMapping;
  if (read_only_) params.access = hal::memory_access::kRead;
  const std::span<uint8_t> bytes(const_cast<uint8_t*>(data_), byte_length_);
  ASSIGN_OR_RETURN(
      Ref<hal::Buffer> buffer,
      device.allocator().ImportHost(params, bytes, [owner = owner_] {}));
  ASSIGN_OR_RETURN(Ref<hal::BufferView> view,
                   hal::BufferView::Create(std::move(buffer), shape_, type));
  if (made == nullptr) {
    const auto* kept = new Imported{Ref<hal::Device>::Share(&device), view};
    if (!imported_.made.compare_exchange_strong(made, kept)) delete kept;
  }
  return view;
}

std::shared_ptr<const HostArray> HostArray::Transposed() const {
  auto array = std::shared_ptr<HostArray>(new HostArray(*this));
  std::reverse(array->shape_.begin(), array->shape_.end());
  std::reverse(array->strides_.begin(), array->strides_.end());
  Dims dense(array->shape_.size());
  SetDenseStrides(array->shape_, type_, dense);
  array->dense_ = HasStrides(array->shape_, array->strides_, dense, count_);
  if (view_) {  // the view has the original shape
    array->owner_ = std::make_shared<Ref<hal::BufferView>>(view_);
    array->view_ = nullptr;
  }
  return array;
}

std::string HostArray::ShapeText() const { return ShapeTextOf(type_, shape_); }

void HostArray::Pack(uint8_t* target) const {
  if (dense_) {
    if (byte_length_ > 0) std::memcpy(target, data_, byte_length_);
    return;
  }
  const size_t width = hal::StrideBits(type_) / kBitsPerByte;
  const size_t last = shape_.size() - 1;  // rank 0 is dense
  const bool rows = strides_[last] == static_cast<int64_t>(width);
  std::vector<int64_t> index(shape_.size(), 0);
  const uint8_t* source = data_;
  for (int64_t done = 0; done < count_; done += shape_[last]) {
    if (rows) {
      std::memcpy(target, source, shape_[last] * width);
      target += shape_[last] * width;
    } else {
      for (int64_t i = 0; i < shape_[last]; ++i, target += width) {
        std::memcpy(target, source + i * strides_[last], width);
      }
    }
    for (size_t i = last; i-- > 0;) {
      source += strides_[i];
      if (++index[i] < shape_[i]) break;
      source -= shape_[i] * strides_[i];
      index[i] = 0;
    }
  }
}

HostValue HostValue::Sequence(Items items, bool is_tuple) {
  HostValue value;
  value.value_ = SequenceOf{std::move(items), is_tuple};
  return value;
}

HostValue HostValue::Dict(Entries entries) {
  HostValue value;
  value.value_ = DictOf{std::move(entries)};
  return value;
}

namespace {

absl::Status CopyItems(const HostValue::Items& items, HostValue::Items& copy) {
  RETURN_IF_ERROR(Reserve(copy, items.size(), "the items of a copy"));
  for (const HostValue& item : items) {
    ASSIGN_OR_RETURN(HostValue value, item.Copy());
    copy.push_back(std::move(value));
  }
  return absl::OkStatus();
}

absl::Status CopyEntries(const HostValue::Entries& entries,
                         HostValue::Entries& copy) {
  RETURN_IF_ERROR(Reserve(copy, entries.size(), "the items of a copy"));
  for (const auto& [key, item] : entries) {
    auto& [copied_key, copied_item] = copy.emplace_back();
    RETURN_IF_ERROR(Assign(copied_key, key, "a key"));
    ASSIGN_OR_RETURN(copied_item, item.Copy());
  }
  return absl::OkStatus();
}

}  // namespace

void HostValue::Set(Ref<hal::BufferView> view, const uint8_t* data) {
  auto* held = std::get_if<ArrayPtr>(&value_);
  if (held != nullptr && *held && HostArray::Reuse(*held, view.get(), data)) {
    static_cast<void>(view.release());  // taken
    return;
  }
  SetTo(HostArray::OfReadable(std::move(view), data));
}

absl::StatusOr<HostValue> HostValue::Copy() const {
  if (const std::string* source = bytes()) {
    std::string text;
    RETURN_IF_ERROR(Assign(text, *source, "the copy of a text"));
    return Bytes(std::move(text));
  }
  if (const auto* held = std::get_if<SequenceOf>(&value_)) {
    Items copy;
    RETURN_IF_ERROR(CopyItems(held->items, copy));
    return Sequence(std::move(copy), held->is_tuple);
  }
  if (const Entries* source = entries()) {
    Entries copy;
    RETURN_IF_ERROR(CopyEntries(*source, copy));
    return Dict(std::move(copy));
  }
  return HostValue(*this);
}

HostValue::Kind HostValue::kind() const {
  constexpr Kind kKinds[] = {Kind::kNull,  Kind::kBool,  Kind::kInt,
                             Kind::kFloat, Kind::kBytes, Kind::kArray,
                             Kind::kList,  Kind::kDict,  Kind::kRef};
  if (const auto* held = std::get_if<SequenceOf>(&value_)) {
    return held->is_tuple ? Kind::kTuple : Kind::kList;
  }
  if (const auto* held = ref(); held != nullptr && !*held) return Kind::kNull;
  return kKinds[value_.index()];
}

const HostValue::Items* HostValue::items() const {
  const auto* held = std::get_if<SequenceOf>(&value_);
  return held ? &held->items : nullptr;
}

const HostValue::Entries* HostValue::entries() const {
  const auto* held = std::get_if<DictOf>(&value_);
  return held ? &held->entries : nullptr;
}

std::string HostValue::Describe() const {
  switch (kind()) {
    case Kind::kNull:
      return "null";
    case Kind::kBool:
      return *boolean() ? "true" : "false";
    case Kind::kInt:
      return integer()->is_unsigned
                 ? absl::StrCat("the integer ",
                                static_cast<uint64_t>(integer()->value))
                 : absl::StrCat("the integer ", integer()->value);
    case Kind::kFloat:
      return absl::StrCat("the float ", number()->value);
    case Kind::kBytes:
      return absl::StrCat("a string of ", bytes()->size(),
                          bytes()->size() == 1 ? " byte" : " bytes");
    case Kind::kArray:
      return absl::StrCat("an array ", array()->ShapeText());
    case Kind::kList:
      return absl::StrCat("a list of ", items()->size());
    case Kind::kTuple:
      return absl::StrCat("a tuple of ", items()->size());
    case Kind::kDict:
      return absl::StrCat("a dict of ", entries()->size());
    case Kind::kRef:
      return absl::StrCat("a ", (*ref())->type().name);
  }
  return "";
}

// Sets arrays in place, for hosts whose arguments change from call to call.

using hal::ElementType;

HostArray& HostArray::Unbind(std::shared_ptr<const HostArray>& array) {
  if (!IsOnly(array)) array = std::make_shared<HostArray>(Key());
  HostArray& only = const_cast<HostArray&>(*array);  // not created const
  only.use_ = Use::kCopy;
  only.casts_ = only.read_only_ = false;
  only.owner_.reset();
  only.view_ = Ref<hal::BufferView>();
  delete only.imported_.made.exchange(nullptr);
  return only;
}

absl::Status HostArray::Rebind(std::shared_ptr<const HostArray>& array,
                               ElementType type, std::span<const int64_t> shape,
                               std::span<const int64_t> strides,
                               const uint8_t* data) {
  return Unbind(array).SetAt(type, shape, strides, data);
}

absl::Status HostArray::Rebind(std::shared_ptr<const HostArray>& array,
                               ElementType type, std::span<const int64_t> shape,
                               std::span<const uint8_t> bytes) {
  return Unbind(array).Set(type, shape, {}, bytes, 0);
}

template <typename... Elements>
absl::Status HostValue::Rebind(Elements... elements) {
  if (!is(Kind::kArray)) value_ = ArrayPtr();
  absl::Status status =
      HostArray::Rebind(std::get<ArrayPtr>(value_), elements...);
  if (!status.ok()) value_ = std::monostate();
  return status;
}

absl::Status HostValue::SetBorrowed(ElementType type,
                                    std::span<const int64_t> shape,
                                    std::span<const int64_t> strides,
                                    const uint8_t* data) {
  return Rebind(type, shape, strides, data);
}

absl::Status HostValue::SetBorrowed(ElementType type,
                                    std::span<const int64_t> shape,
                                    std::span<const uint8_t> bytes) {
  return Rebind(type, shape, bytes);
}

// Arrays with the same elements that calls may use in another way.

std::shared_ptr<const HostArray> HostArray::Casting() const {
  auto array = std::shared_ptr<HostArray>(new HostArray(*this));
  array->casts_ = true;
  return array;
}

std::shared_ptr<const HostArray> HostArray::Lent() const {
  auto array = std::shared_ptr<HostArray>(new HostArray(*this));
  array->use_ = Use::kLend;
  return array;
}

std::shared_ptr<const HostArray> HostArray::LentConst() const {
  auto array = std::shared_ptr<HostArray>(new HostArray(*this));
  array->use_ = Use::kLendConst;
  array->read_only_ = true;
  if (view_) {
    auto view = hal::BufferView::Create(hal::Buffer::ReadOnly(view_->buffer()),
                                        shape_, type_);
    if (view.ok()) array->view_ = *std::move(view);
    if (!view.ok()) array->use_ = Use::kCopy;
  }
  return array;
}

std::shared_ptr<const HostArray> HostArray::ReadOnly() const {
  auto array = std::shared_ptr<HostArray>(new HostArray(*this));
  array->read_only_ = true;
  return array;
}

}  // namespace eyrie::abi
