#include "abi/native/memref/import.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>
#include <optional>
#include <utility>

#include "abi/native/call_support.h"
#include "abi/native/memref/layout.h"
#include "abi/native/memref/strided.h"
#include "absl/container/inlined_vector.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/checked_math.h"
#include "base/status_macros.h"

namespace eyrie::native {
namespace {

using Kind = MemrefType::Kind;

constexpr int64_t kMaxIndex32 = std::numeric_limits<int32_t>::max();

// Functions read only bit 0 of an i1, so other bytes are not passed as it.
inline bool IsPassedAs(hal::ElementType have, hal::ElementType want) {
  return have == want ||
         (want != hal::ElementType::kBool8 && hal::IsTakenAs(have, want));
}

// Returns the lowest bits as a signed number.
int32_t SignExtend(uint64_t bits, int count) {
  const int above = 32 - count;
  return static_cast<int32_t>(static_cast<uint32_t>(bits) << above) >> above;
}

}  // namespace

MemrefImport::MemrefImport(std::shared_ptr<const MemrefFunction> function,
                           MemrefPlan plan, const ImportRequest& request)
    : function_(std::move(function)),
      services_(request.services),
      plan_(std::move(plan)),
      layout_(function_->signature.index_bits),
      parts_{services_->device, ResultParams(request.owner),
             request.state.memory(), function_->free},
      state_(request.state),
      arena_(plan_.arena_bytes / kWordBytes) {
  if (plan_.has_struct) {
    MachineCall::WordAt(words_, plan_.struct_place) =
        reinterpret_cast<uintptr_t>(arena(plan_.struct_offset));
  }
  for (size_t i = 0; i < plan_.arguments.size(); ++i) {
    if (function_->signature.type.arguments[i].is_scalar()) continue;
    MachineCall::WordAt(words_, plan_.arguments[i].place) =
        reinterpret_cast<uintptr_t>(arena(plan_.arguments[i].descriptor));
  }
  if (!function_->signature.output_rules.empty() ||
      !function_->signature.equal.empty()) {
    views_.resize(function_->signature.input_count());
  }
  FindPlainArguments();
}

void MemrefImport::FindPlainArguments() {
  const MemrefSignature& signature = function_->signature;
  if (plan_.returns_memrefs || plan_.has_struct ||
      signature.output_count() != 0 || signature.index_bits != 64 ||
      !signature.equal.empty()) {
    return;
  }
  std::vector<PlainArgument> plain;
  for (size_t i = 0; i < plan_.arguments.size(); ++i) {
    const MemrefPlan::Argument& argument = plan_.arguments[i];
    const hal::TensorType::Shape& dims = signature.type.arguments[i].shape;
    if (argument.element == hal::ElementType::kNone || !argument.is_dense ||
        std::any_of(dims.begin(), dims.end(),
                    [](int64_t dim) { return dim != MemrefType::kDynamic; })) {
      return;
    }
    plain.push_back(
        {words_at(argument.descriptor), dims.size(), argument.element});
  }
  plain_ = std::move(plain);
}

inline bool MemrefImport::SetPlainArguments(const vm::Slot* arguments) {
  if (plain_.empty()) return false;
  for (const PlainArgument& argument : plain_) {
    const auto* view = RefCast<hal::BufferView>((arguments++)->ref);
    if (view == nullptr || view->element_type() != argument.element ||
        view->shape().size() != argument.rank) [[unlikely]] {
      return false;
    }
    uint8_t* const data = view->buffer()->host_data();
    if (data == nullptr) [[unlikely]]
      return false;
    StoreDense(data, view->shape(), argument.words);
  }
  return true;
}

absl::Status MemrefImport::Invoke(const vm::Slot* arguments,
                                  vm::Slot* results) {
  if (plan_.wait_slot == MemrefPlan::kNone) [[likely]]
    return Run(arguments, results);
  ASSIGN_OR_RETURN(const CallFences fences,
                   ReadFences(arguments + plan_.wait_slot));
  absl::Status status;
  if (fences.wait != nullptr) status = WaitWithinLimits(*fences.wait, state_);
  if (status.ok()) status = Run(arguments, results);
  EndFence(*fences.signal, status);
  return status;
}

absl::Status MemrefImport::Run(const vm::Slot* arguments, vm::Slot* results) {
  if (SetPlainArguments(arguments)) [[likely]] {
    const uint64_t word = plan_.call.Call(function_->entry, words_);
    const std::vector<MemrefType>& types = function_->signature.type.results;
    if (!types.empty()) *results = ScalarOf(types[0], word);
    return absl::OkStatus();
  }
  lent_.clear();
  absl::Status status = SetArguments(arguments);
  if (status.ok()) [[likely]] {
    status = TakeResults(plan_.call.Call(function_->entry, words_), results);
  }
  packed_.clear();
  outputs_.clear();
  packed_outputs_.clear();
  return status;
}

inline bool MemrefImport::Fits(size_t index,
                               const hal::BufferView& view) const {
  const MemrefType& type = function_->signature.type.arguments[index];
  if (!IsPassedAs(view.element_type(), plan_.arguments[index].element) ||
      !HasDims(type, view.shape())) {
    return false;
  }
  if (function_->signature.index_bits == 64) [[likely]]
    return true;
  bool fits = view.element_count() <= kMaxIndex32;
  for (const int64_t dim : view.shape()) fits = fits && dim <= kMaxIndex32;
  return fits;
}

absl::Status MemrefImport::SetArguments(const vm::Slot* arguments) {
  const MemrefSignature& signature = function_->signature;
  outputs_.resize(signature.output_count());
  for (size_t i = 0; i < signature.input_count(); ++i) {
    if (plan_.arguments[i].element == hal::ElementType::kNone) {
      RETURN_IF_ERROR(SetScalar(i, arguments[i]));
      continue;
    }
    RefObject* const object = arguments[i].ref;
    const auto* view = RefCast<hal::BufferView>(object);
    if (view == nullptr) [[unlikely]] {
      return NoViewError(i, "function", object);
    }
    if (!Fits(i, *view)) [[unlikely]]
      return Misfit(i, *view);
    if (!views_.empty()) views_[i] = view;
    uint8_t* const data = view->buffer()->host_data();
    if (plan_.arguments[i].is_dense && data != nullptr) [[likely]] {
      StoreDense(data, view->shape(), words_at(plan_.arguments[i].descriptor));
      if (plan_.returns_memrefs) {
        lent_.push_back({data, view->byte_length(), view, i});
      }
    } else if (plan_.arguments[i].output == MemrefPlan::kNone) {
      RETURN_IF_ERROR(SetMemref(i, *view));
    }
  }
  for (size_t i = 0; i < signature.input_count() && !views_.empty(); ++i) {
    if (plan_.arguments[i].output == MemrefPlan::kNone) continue;
    auto* const view = RefCast<hal::BufferView>(arguments[i].ref);
    RETURN_IF_ERROR(SetInout(i, *view));
  }
  if (!signature.equal.empty()) {
    RETURN_IF_ERROR(signature.equal.Check(views_));
  }
  for (size_t i = signature.input_count(); i < signature.type.arguments.size();
       ++i) {
    RETURN_IF_ERROR(SetOutput(i));
  }
  return absl::OkStatus();
}

absl::Status MemrefImport::SetScalar(size_t index, const vm::Slot& slot) {
  uint64_t& word = MachineCall::WordAt(words_, plan_.arguments[index].place);
  const auto bits = static_cast<uint32_t>(slot.i32);
  const MemrefType& type = function_->signature.type.arguments[index];
  if (type.is_index && function_->signature.index_bits == 32 &&
      slot.i64 != static_cast<int32_t>(slot.i64)) {
    return absl::OutOfRangeError(absl::StrCat("Argument ", index,
                                              " of the function is ", slot.i64,
                                              "; its index has 32 bits."));
  }
  switch (type.element) {
    case hal::ElementType::kBool8:
      word = bits & 1;
      break;
    case hal::ElementType::kInt8:
      word = static_cast<uint8_t>(bits);
      break;
    case hal::ElementType::kInt16:
    case hal::ElementType::kFloat16:
    case hal::ElementType::kBfloat16:
      word = static_cast<uint16_t>(bits);
      break;
    case hal::ElementType::kInt32:
      word = Int32Word(slot.i32);
      break;
    case hal::ElementType::kFloat32:
      word = Float32Word(bits);
      break;
    default:  // 64 bits: an integer or a float
      word = static_cast<uint64_t>(slot.i64);
  }
  return absl::OkStatus();
}

absl::Status MemrefImport::Misfit(size_t index,
                                  const hal::BufferView& view) const {
  const MemrefType& type = function_->signature.type.arguments[index];
  const std::string argument =
      absl::StrCat("Argument ", index, " of the function is ");
  if (!IsPassedAs(view.element_type(), plan_.arguments[index].element) ||
      !HasDims(type, view.shape())) {
    return absl::InvalidArgumentError(absl::StrCat(
        argument, view.ShapeAndType(), "; ", type.ToString(), " is declared."));
  }
  return absl::OutOfRangeError(absl::StrCat(argument, view.ShapeAndType(),
                                            "; a 32-bit index addresses only ",
                                            kMaxIndex32, " elements."));
}

void MemrefImport::Point(size_t index, const MemrefDescriptor& descriptor) {
  if (function_->signature.bare_pointers) {
    MachineCall::WordAt(words_, plan_.arguments[index].place) =
        reinterpret_cast<uintptr_t>(descriptor.aligned);
    return;
  }
  uint8_t* at = arena(plan_.arguments[index].descriptor);
  if (function_->signature.type.arguments[index].kind == Kind::kUnranked) {
    const auto rank = static_cast<uint64_t>(descriptor.shape.rank);
    uint8_t* const behind = at + DescriptorLayout::kUnrankedBytes;
    std::memcpy(at, &rank, sizeof(rank));
    std::memcpy(at + sizeof(rank), &behind, sizeof(behind));
    at = behind;
  }
  layout_.Store(descriptor, at);
}

vm::Slot MemrefImport::ScalarOf(const MemrefType& type, uint64_t bits) const {
  vm::Slot slot;
  switch (type.element) {
    case hal::ElementType::kBool8:
      slot.i32 = static_cast<int32_t>(bits & 1);
      break;
    case hal::ElementType::kInt8:
      slot.i32 = SignExtend(bits, 8);
      break;
    case hal::ElementType::kInt16:
      slot.i32 = SignExtend(bits, 16);
      break;
    case hal::ElementType::kFloat16:
    case hal::ElementType::kBfloat16:
      slot.i32 = static_cast<uint16_t>(bits);
      break;
    case hal::ElementType::kInt32:
    case hal::ElementType::kFloat32:
      slot.i32 = static_cast<int32_t>(bits);
      break;
    default:  // 64 bits, or an index of 32
      slot.i64 = type.is_index && function_->signature.index_bits == 32
                     ? static_cast<int32_t>(bits)
                     : static_cast<int64_t>(bits);
  }
  return slot;
}

absl::Status MemrefImport::LoadResult(size_t index,
                                      MemrefDescriptor& descriptor) {
  const MemrefType& type = function_->signature.type.results[index];
  const uint8_t* at = arena(plan_.struct_offset + plan_.result_offsets[index]);
  if (type.kind == Kind::kRanked) {
    descriptor = layout_.Load(at, type.shape.size());
  } else {
    int64_t rank = 0;
    void* behind = nullptr;
    std::memcpy(&rank, at, sizeof(rank));
    std::memcpy(&behind, at + sizeof(rank), sizeof(behind));
    if (function_->signature.index_bits == 32)
      rank = static_cast<int32_t>(rank);
    const bool known = rank >= 0 && behind != nullptr &&
                       rank <= static_cast<int64_t>(MemrefType::kMaxRank);
    if (known) {
      descriptor = layout_.Load(static_cast<const uint8_t*>(behind),
                                static_cast<size_t>(rank));
    }
    function_->free(behind);  // the descriptor, not the elements
    if (!known) {
      return absl::InternalError(absl::StrCat(
          "Result ", index, " of the function has rank ", rank,
          behind == nullptr ? ", and no descriptor." : "; the limit is 8."));
    }
  }
  if (HasDims(type, descriptor.shape.dims())) [[likely]] {
    const TensorLayout* const layout = function_->signature.ResultLayout(index);
    if (layout == nullptr) [[likely]]
      return absl::OkStatus();
    RETURN_IF_ERROR(
        layout->CheckRank(absl::StrCat("Result ", index, " of the function"),
                          descriptor.shape.rank));
    SetStrides(layout->StridesOf(descriptor.shape.dims()), descriptor.shape);
    return absl::OkStatus();
  }
  return absl::InternalError(
      absl::StrCat("Result ", index, " of the function has the sizes [",
                   absl::StrJoin(descriptor.shape.dims(), ", "),
                   "], but is declared as ", type.ToString(), "."));
}

absl::Status MemrefImport::TakeResults(uint64_t word, vm::Slot* results) {
  const MemrefSignature& signature = function_->signature;
  const std::vector<MemrefType>& types = signature.type.results;
  if (!plan_.returns_memrefs && !plan_.has_struct && outputs_.empty())
      [[likely]] {
    if (!types.empty()) *results = ScalarOf(types[0], word);
    return absl::OkStatus();
  }
  MemrefResults memrefs(parts_, lent_);
  absl::InlinedVector<MemrefDescriptor, 2> descriptors(types.size());
  absl::Status status;
  for (size_t i = 0; i < types.size(); ++i) {
    if (types[i].is_scalar()) continue;
    status.Update(LoadResult(i, descriptors[i]));
    memrefs.Adopt(descriptors[i]);
  }
  RETURN_IF_ERROR(status);
  absl::InlinedVector<Ref<hal::BufferView>, 4> views(types.size());
  for (size_t i = 0; i < types.size(); ++i) {
    if (types[i].is_scalar()) continue;
    ASSIGN_OR_RETURN(
        views[i], memrefs.View(descriptors[i], signature.ElementOf(types[i])));
  }
  // Nothing can fail from here on.
  Unpack();
  for (size_t i = 0; i < types.size(); ++i, ++results) {
    if (!types[i].is_scalar()) {
      results->ref = views[i].release();
      continue;
    }
    uint64_t bits = word;
    if (plan_.has_struct) {
      std::memcpy(&bits, arena(plan_.struct_offset + plan_.result_offsets[i]),
                  signature.ElementBytes(types[i]));
    }
    *results = ScalarOf(types[i], bits);
  }
  for (Ref<hal::BufferView>& output : outputs_) {
    (results++)->ref = output.release();
  }
  return absl::OkStatus();
}

// Arguments of memref functions that are copied, and those that are results.

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
      (function_->signature.index_bits == 32 && *reach > kMaxIndex32)) {
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
    fits = fits && (signature.index_bits == 64 || dim <= kMaxIndex32);
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
