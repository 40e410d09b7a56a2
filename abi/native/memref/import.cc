#include "abi/native/memref/import.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <optional>
#include <utility>

#include "abi/native/memref/descriptor.h"
#include "abi/native/native_call.h"
#include "absl/container/inlined_vector.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
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

bool FitIndex32(std::span<const int64_t> dims) {
  return std::all_of(dims.begin(), dims.end(),
                     [](int64_t dim) { return dim <= kMaxIndex32; });
}

// Returns the lowest bits as a signed number.
int32_t SignExtend(uint64_t bits, int count) {
  const int above = 32 - count;
  return static_cast<int32_t>(static_cast<uint32_t>(bits) << above) >> above;
}

}  // namespace

MemrefImport::MemrefImport(std::shared_ptr<const MemrefFunction> function,
                           MemrefPlan plan, const ImportRequest& request)
    : MemrefImport(std::make_unique<const MemrefParts>(
          MemrefParts{{request.services->device, ResultParams(request.owner),
                       request.state.memory(), &request.state},
                      std::move(function),
                      request.services,
                      std::move(plan)})) {}

MemrefImport::MemrefImport(std::unique_ptr<const MemrefParts> parts)
    : NativeCall(parts->plan, *parts),
      owned_(std::move(parts)),
      signature_(owned_->function->signature),
      plan_(owned_->plan),
      layout_(signature_.index_bits),
      arena_(plan_.arena_bytes / kWordBytes) {
  if (plan_.has_struct) {
    MachineCall::WordAt(words_, plan_.struct_place) =
        reinterpret_cast<uintptr_t>(arena(plan_.struct_offset));
  }
  for (size_t i = 0; i < plan_.places.size(); ++i) {
    if (signature_.type.arguments[i].is_scalar()) continue;
    MachineCall::WordAt(words_, plan_.places[i].word) =
        reinterpret_cast<uintptr_t>(arena(plan_.places[i].descriptor));
  }
  FindPlainArguments();
}

void MemrefImport::FindPlainArguments() {
  if (plan_.returns_memrefs || plan_.has_struct ||
      signature_.output_count() != 0 || signature_.index_bits != 64 ||
      !signature_.equal.empty()) {
    return;
  }
  std::vector<PlainArgument> plain;
  for (size_t i = 0; i < plan_.places.size(); ++i) {
    const MemrefPlan::Place& argument = plan_.places[i];
    const hal::TensorType::Shape& dims = signature_.type.arguments[i].shape;
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
        view->shape().size() != argument.rank ||
        view->encoding() != hal::EncodingType::kDenseRowMajor) [[unlikely]] {
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
  if (!plan_.has_fences()) [[likely]]
    return Run(arguments, results);
  ASSIGN_OR_RETURN(const CallFences fences,
                   ReadFences(arguments + plan_.wait_slot));
  absl::Status status;
  if (fences.wait != nullptr) {
    status = WaitWithinLimits(*fences.wait, *owned_->state);
  }
  if (status.ok()) status = Run(arguments, results);
  EndFence(*fences.signal, status);
  return status;
}

absl::Status MemrefImport::Run(const vm::Slot* arguments, vm::Slot* results) {
  if (SetPlainArguments(arguments)) [[likely]] {
    const uint64_t word = plan_.call.Call(owned_->function->entry, words_);
    const std::vector<MemrefType>& types = signature_.type.results;
    if (!types.empty()) *results = ScalarOf(types[0], word);
    return absl::OkStatus();
  }
  lent_.clear();
  absl::Status status = SetArguments(arguments);
  if (status.ok()) [[likely]] {
    status =
        TakeResults(plan_.call.Call(owned_->function->entry, words_), results);
  }
  EndTensors(status.ok());
  return status;
}

absl::Status MemrefImport::SetArguments(const vm::Slot* arguments) {
  RETURN_IF_ERROR(PrepareTensors(*this, arguments));
  if (!is_usual()) [[unlikely]]
    RETURN_IF_ERROR(CopyTensorsIn());
  for (size_t i = 0; i < plan_.places.size(); ++i) {
    if (plan_.places[i].element == hal::ElementType::kNone) {
      RETURN_IF_ERROR(SetScalar(i, arguments[i]));
    } else {
      SetMemref(i);
    }
  }
  return absl::OkStatus();
}

absl::Status MemrefImport::SetScalar(size_t index, const vm::Slot& slot) {
  uint64_t& word = MachineCall::WordAt(words_, plan_.places[index].word);
  const auto bits = static_cast<uint32_t>(slot.i32);
  const MemrefType& type = signature_.type.arguments[index];
  if (type.is_index && signature_.index_bits == 32 &&
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

absl::StatusOr<FfiType> MemrefImport::CheckArgument(
    size_t index, const hal::BufferView& view) const {
  const MemrefType& type = signature_.type.arguments[index];
  const hal::ElementType element = plan_.places[index].element;
  if (!IsPassedAs(view.element_type(), element) ||
      !type.FitsDims(view.shape())) {
    return absl::InvalidArgumentError(absl::StrCat(
        "Argument ", index, " of the function is ", view.ShapeAndType(), "; ",
        type.ToString(), " is declared."));
  }
  RETURN_IF_ERROR(plan_.arguments[index].layout.CheckRank(
      absl::StrCat("Argument ", index, " of the function"),
      view.shape().size()));
  const std::optional<int64_t> extent =
      plan_.arguments[index].layout.ExtentOf(view.shape());
  if (!extent) {
    return absl::OutOfRangeError(
        absl::StrCat(view.ShapeAndType(), " as ", type.ToString(),
                     " exceeds the range of an index."));
  }
  if (signature_.index_bits == 32 &&
      (*extent > kMaxIndex32 || !FitIndex32(view.shape()))) {
    return absl::OutOfRangeError(absl::StrCat(
        "Argument ", index, " of the function is ", view.ShapeAndType(),
        "; a 32-bit index addresses only ", kMaxIndex32, " elements."));
  }
  return FfiTypeOf(element);
}

void MemrefImport::Point(size_t index, const MemrefDescriptor& descriptor) {
  if (signature_.bare_pointers) {
    MachineCall::WordAt(words_, plan_.places[index].word) =
        reinterpret_cast<uintptr_t>(descriptor.aligned);
    return;
  }
  uint8_t* at = arena(plan_.places[index].descriptor);
  if (signature_.type.arguments[index].kind == Kind::kUnranked) {
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
      slot.i64 = type.is_index && signature_.index_bits == 32
                     ? static_cast<int32_t>(bits)
                     : static_cast<int64_t>(bits);
  }
  return slot;
}

absl::Status MemrefImport::LoadResult(size_t index,
                                      MemrefDescriptor& descriptor) {
  const MemrefType& type = signature_.type.results[index];
  const uint8_t* at = arena(plan_.struct_offset + plan_.result_offsets[index]);
  if (type.kind == Kind::kRanked) {
    descriptor = layout_.Load(at, type.shape.size());
  } else {
    int64_t rank = 0;
    void* behind = nullptr;
    std::memcpy(&rank, at, sizeof(rank));
    std::memcpy(&behind, at + sizeof(rank), sizeof(behind));
    if (signature_.index_bits == 32) rank = static_cast<int32_t>(rank);
    const bool known = rank >= 0 && behind != nullptr &&
                       rank <= static_cast<int64_t>(MemrefType::kMaxRank);
    if (known) {
      descriptor = layout_.Load(static_cast<const uint8_t*>(behind),
                                static_cast<size_t>(rank));
    }
    owned_->function->free(behind);  // the descriptor, not the elements
    if (!known) {
      return absl::InternalError(absl::StrCat(
          "Result ", index, " of the function has rank ", rank,
          behind == nullptr ? ", and no descriptor." : "; the limit is 8."));
    }
  }
  if (type.FitsDims(descriptor.shape.dims())) [[likely]] {
    const TensorLayout layout = signature_.ResultLayout(index);
    if (layout.is_row_major()) [[likely]]
      return absl::OkStatus();
    RETURN_IF_ERROR(
        layout.CheckRank(absl::StrCat("Result ", index, " of the function"),
                         descriptor.shape.rank));
    SetStrides(layout.StridesOf(descriptor.shape.dims()), descriptor.shape);
    return absl::OkStatus();
  }
  return absl::InternalError(
      absl::StrCat("Result ", index, " of the function has the sizes [",
                   absl::StrJoin(descriptor.shape.dims(), ", "),
                   "], but is declared as ", type.ToString(), "."));
}

absl::Status MemrefImport::TakeResults(uint64_t word, vm::Slot* results) {
  const std::vector<MemrefType>& types = signature_.type.results;
  if (!plan_.returns_memrefs && !plan_.has_struct) [[likely]] {
    if (!types.empty()) *results++ = ScalarOf(types[0], word);
    ShareResults(results);
    return absl::OkStatus();
  }
  MemrefResults memrefs(*owned_, owned_->function->free, lent_);
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
        views[i], memrefs.View(descriptors[i], signature_.ElementOf(types[i])));
  }
  // Nothing can fail from here on.
  for (size_t i = 0; i < types.size(); ++i, ++results) {
    if (!types[i].is_scalar()) {
      results->ref = views[i].release();
      continue;
    }
    uint64_t bits = word;
    if (plan_.has_struct) {
      std::memcpy(&bits, arena(plan_.struct_offset + plan_.result_offsets[i]),
                  signature_.ElementBytes(types[i]));
    }
    *results = ScalarOf(types[i], bits);
  }
  ShareResults(results);
  return absl::OkStatus();
}

const TensorLayout& MemrefImport::LayoutOf(size_t index) const {
  return index < signature_.input_count()
             ? plan_.arguments[index].layout
             : plan_.results[plan_.places[index].output].layout;
}

void MemrefImport::Lend(size_t index, void* data) {
  const uint32_t output = plan_.places[index].output;
  const hal::BufferView& view =
      output == NativePlan::kNone ? *argument_view(index) : result_view(output);
  LentMemory lent = {data, view.byte_length(), &view, index};
  if (data != view.buffer()->host_data()) {  // a copy
    lent.view = nullptr;
    lent.bytes =
        static_cast<uint64_t>(*LayoutOf(index).ExtentOf(view.shape())) *
        signature_.ElementBytes(signature_.type.arguments[index]);
  }
  lent_.push_back(lent);
}

void MemrefImport::SetMemref(size_t index) {
  const MemrefPlan::Place& place = plan_.places[index];
  const eyrie_ffi_buffer_t& buffer = place.output == NativePlan::kNone
                                         ? arguments()[index]
                                         : results()[place.output];
  if (plan_.returns_memrefs) Lend(index, buffer.data);
  const std::span<const int64_t> dims(buffer.dims,
                                      static_cast<size_t>(buffer.rank));
  if (place.is_dense) [[likely]]
    return StoreDense(buffer.data, dims, words_at(place.descriptor));
  const MemrefType& type = signature_.type.arguments[index];
  MemrefDescriptor descriptor;
  descriptor.shape = ShapeOf(dims);
  SetStrides(LayoutOf(index).StridesOf(dims), descriptor.shape);
  if (type.is_strided && type.offset != MemrefType::kDynamic) {
    descriptor.offset = type.offset;
  }
  descriptor.allocated = buffer.data;
  // The address of the first element stays the same, whatever offset the type
  // declares.
  descriptor.aligned = reinterpret_cast<uint8_t*>(
      reinterpret_cast<uintptr_t>(buffer.data) -
      static_cast<uint64_t>(descriptor.offset) * signature_.ElementBytes(type));
  Point(index, descriptor);
}

absl::StatusOr<FfiType> MemrefImport::CheckResult(
    size_t index, std::span<const int64_t> dims,
    hal::ElementType& element) const {
  size_t argument = 0;
  while (plan_.places[argument].output != index) ++argument;
  if (argument >= signature_.input_count()) {  // not "inout"
    const MemrefType& type = signature_.type.arguments[argument];
    element = plan_.places[argument].element;
    const bool is_narrow = signature_.index_bits == 32;
    if (!type.FitsDims(dims) || (is_narrow && !FitIndex32(dims)) ||
        (is_narrow && plan_.results[index].layout.ExtentOf(dims).value_or(
                          kMaxIndex32 + 1) > kMaxIndex32)) {
      return absl::InvalidArgumentError(absl::StrCat(
          "Argument ", argument,
          " of the function, an output, gets from its rule the sizes [",
          absl::StrJoin(dims, ", "), "]; ", type.ToString(), " is declared",
          signature_.index_bits == 64 ? "." : ", an index of 32 bits."));
    }
  }
  return FfiTypeOf(element);
}

}  // namespace eyrie::native
