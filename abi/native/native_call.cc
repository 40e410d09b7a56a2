#include "abi/native/native_call.h"

#include <algorithm>
#include <cstring>
#include <optional>
#include <string>
#include <utility>

#include "abi/native/tensor_layout.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/checked_math.h"
#include "base/deadline.h"
#include "base/status_macros.h"
#include "hal/packed_elements.h"
#include "hal/paid_transfer.h"
#include "vm/limits/meter.h"

namespace eyrie::native {
namespace {

std::string Named(const RefObject* object) {
  return object == nullptr ? "null" : absl::StrCat("a !", object->type().name);
}

absl::Status NoFence(absl::string_view which, const RefObject* object) {
  return absl::InvalidArgumentError(absl::StrCat(
      "The fence ", which, " is ", Named(object), ", not a !hal.fence."));
}

// Returns the error "Argument 1 of the function is null; a !hal.buffer_view is
// required."
absl::Status NoViewError(size_t index, absl::string_view callee,
                         const RefObject* object) {
  return absl::InvalidArgumentError(
      absl::StrCat("Argument ", index, " of the ", callee, " is ",
                   Named(object), "; a !hal.buffer_view is required."));
}

using Kind = NativePlan::Result::Kind;

// Buffers without dimensions point here.
constexpr int64_t kNoDims[1] = {};

// Reports whether two shapes are equal. Without a call, because most have few
// dimensions.
bool IsSame(std::span<const int64_t> a, std::span<const int64_t> b) {
  if (a.size() != b.size()) return false;
  for (size_t i = 0; i < a.size(); ++i) {
    if (a[i] != b[i]) return false;
  }
  return true;
}

// Reports whether a result may take the memory of the argument in a slot: the
// caller gives it away, nothing else refers to its view or its memory, and the
// host may write to it. `all` are the arguments of the call.
bool IsGivenAway(const vm::ModuleState& import, size_t slot,
                 const hal::BufferView& view,
                 std::span<const hal::BufferView* const> all) {
  const hal::Buffer& buffer = *view.buffer();
  // The slot borrows the only reference.
  if (!import.IsGiven(slot) || !view.IsSoleOwner() ||
      &buffer.allocation() != &buffer || buffer.host_data() == nullptr ||
      !buffer.CheckAccess(hal::memory_access::kWrite).ok()) {
    return false;
  }
  // Another argument may be the same.
  return std::count_if(all.begin(), all.end(), [&](const auto* other) {
           return other != nullptr && other->buffer().get() == &buffer;
         }) == 1;
}

// Calls `use(const uint8_t* elements)` for a view that is not empty. If the
// host cannot see its memory, the device copies it, in order with its queue,
// and this waits for the copy. Returns the errors of Buffer::Map.
template <typename Use>
absl::Status WithElements(const hal::BufferView& view, const Use& use) {
  hal::Buffer& buffer = *view.buffer();
  if (buffer.host_data() != nullptr) {
    use(static_cast<const uint8_t*>(buffer.host_data()));
    return absl::OkStatus();
  }
  ASSIGN_OR_RETURN(
      const std::span<uint8_t> bytes,
      buffer.Map(hal::memory_access::kRead, 0, view.byte_length()));
  use(static_cast<const uint8_t*>(bytes.data()));
  return buffer.Unmap(0, view.byte_length());
}

// Returns the bytes of an element in a function's buffer.
size_t ElementBytes(hal::ElementType element) {
  return hal::IsPacked(element) ? 1 : hal::BitCount(element) / 8;
}

uint64_t BytesOf(const hal::BufferView& view) {
  return static_cast<uint64_t>(view.element_count()) *
         ElementBytes(view.element_type());
}

eyrie_ffi_buffer_t EmptyBuffer() {
  eyrie_ffi_buffer_t buffer = {};
  buffer.size = EYRIE_FFI_SIZE(eyrie_ffi_buffer_t, dims);
  buffer.type = static_cast<int32_t>(FfiType::kToken);
  buffer.dims = const_cast<int64_t*>(kNoDims);
  return buffer;
}

}  // namespace

absl::StatusOr<CallFences> ReadFences(const vm::Slot* slots) {
  const CallFences fences = {RefCast<hal::Fence>(slots[0].ref),
                             RefCast<hal::Fence>(slots[1].ref)};
  if (fences.wait == nullptr && slots[0].ref != nullptr) {
    return NoFence("to wait for", slots[0].ref);
  }
  if (fences.signal == nullptr) return NoFence("to signal", slots[1].ref);
  return fences;
}

absl::Status WaitWithinLimits(const hal::Fence& fence,
                              const vm::ModuleState& state) {
  const vm::Meter* meter = state.meter();
  const auto stopped = [meter] { return meter && meter->stopped(); };
  const absl::Status status = fence.Wait(Deadline::Never(), stopped);
  if (status.ok() || !stopped()) return status;
  return Annotate(meter->StopReason(), "(while waiting for a native function)");
}

void EndFence(const hal::Fence& signal, const absl::Status& status) {
  const absl::Status ended = status.ok() ? signal.Signal() : status;
  if (!ended.ok()) signal.Fail(ended);
}

hal::BufferParams ResultParams(uint64_t owner) {
  hal::BufferParams params;
  params.type = hal::memory_type::kDeviceLocal | hal::memory_type::kHostVisible;
  params.usage = hal::buffer_usage::kDefault | hal::buffer_usage::kMapping;
  params.owner = owner;
  return params;
}

NativeCall::NativeCall(const NativePlan& plan, const NativeCallParts& parts)
    : plan_(plan),
      parts_(parts),
      views_(plan.arguments.size()),
      argument_buffers_(plan.arguments.size(), EmptyBuffer()),
      result_buffers_(plan.results.size(), EmptyBuffer()),
      arguments_(plan.arguments.size()),
      results_(plan.results.size()),
      given_(plan.arguments.size()) {
  for (size_t i = 0; i < results_.size(); ++i) {
    results_[i].kind = plan.results[i].kind;
  }
}

absl::Status NativeCall::Learn(size_t index, const hal::BufferView& view) {
  Argument& argument = arguments_[index];
  argument.element = hal::ElementType::kNone;
  planned_ = usual_ = false;
  ASSIGN_OR_RETURN(const FfiType type, CheckArgument(index, view));
  RETURN_IF_ERROR(plan_.arguments[index].layout.CheckRank(
      absl::StrCat("Argument ", index, " of the ", plan_.callee),
      view.shape().size()));
  argument.element = view.element_type();
  argument.shape.assign(view.shape().begin(), view.shape().end());
  Fill(argument_buffers_[index], type, nullptr, argument.shape);
  return absl::OkStatus();
}

// The shape of such a view says nothing about its memory.
absl::Status NativeCall::NotDenseError(size_t index,
                                       const hal::BufferView& view) const {
  return absl::InvalidArgumentError(absl::StrCat(
      "Argument ", index, " of the ", plan_.callee, " is ", view.ShapeAndType(),
      " with the encoding ", static_cast<uint32_t>(view.encoding()),
      "; a dense array is required."));
}

inline absl::Status NativeCall::SetBuffer(size_t index,
                                          const vm::Slot* arguments) {
  const uint32_t slot = plan_.arguments[index].slot;
  if (slot == NativePlan::kNone) return absl::OkStatus();
  RefObject* const object = arguments[slot].ref;
  const auto* view = RefCast<hal::BufferView>(object);
  if (view == nullptr) [[unlikely]]
    return NoViewError(index, plan_.callee, object);
  if (view->encoding() != hal::EncodingType::kDenseRowMajor) [[unlikely]]
    return NotDenseError(index, *view);
  views_[index] = view;
  const Argument& known = arguments_[index];
  if (view->element_type() != known.element ||
      !IsSame(view->shape(), known.shape)) [[unlikely]] {
    RETURN_IF_ERROR(Learn(index, *view));
  }
  uint8_t* const data = view->buffer()->host_data();
  if (data == nullptr && view->byte_length() != 0) [[unlikely]]
    usual_ = false;
  argument_buffers_[index].data = data;
  return absl::OkStatus();
}

absl::Status NativeCall::PlanResult(size_t index) {
  Result& result = results_[index];
  if (result.kind == Kind::kToken) return absl::OkStatus();
  result.views = {};
  result.element = hal::ElementType::kNone;
  const NativePlan::Result& plan = plan_.results[index];
  RETURN_IF_ERROR(plan.shape.Apply(views_, result.element, result.shape));
  ASSIGN_OR_RETURN(const FfiType type,
                   CheckResult(index, result.shape, result.element));
  RETURN_IF_ERROR(plan.layout.CheckRank(
      absl::StrCat("Result ", index, " of the ", plan_.callee),
      result.shape.size()));
  int64_t count = 1;
  for (const int64_t dim : result.shape) {
    if (__builtin_mul_overflow(count, dim, &count)) count = -1;
  }
  const std::optional<uint64_t> bytes =
      hal::DenseByteLength(result.element, count);
  if (!bytes) {
    return absl::InvalidArgumentError(absl::StrCat(
        "Result ", index, " of the ", plan_.callee, " has the sizes [",
        absl::StrJoin(result.shape, ", "), "], which exceed any memory."));
  }
  result.bytes = *bytes;
  if (result.kind == Kind::kTemporary && hal::IsPacked(result.element)) {
    result.bytes = static_cast<uint64_t>(count);  // never packed
  }
  large_ |= *bytes > kMaxKept;
  Fill(result_buffers_[index], type, nullptr, result.shape);
  return absl::OkStatus();
}

absl::StatusOr<Ref<hal::BufferView>> NativeCall::NewView(
    const Result& result) const {
  ASSIGN_OR_RETURN(Ref<hal::Buffer> buffer,
                   parts_.device->allocator().AllocateCharged(
                       parts_.memory, "a result", parts_.params, result.bytes));
  ASSIGN_OR_RETURN(
      Ref<hal::BufferView> view,
      hal::BufferView::Create(std::move(buffer), result.shape, result.element));
  if (parts_.memory != nullptr) {
    ASSIGN_OR_RETURN(MemoryCharge charge,
                     MemoryCharge::Take(parts_.memory, sizeof(hal::BufferView),
                                        "a buffer view"));
    view->Hold(std::move(charge));
  }
  return view;
}

inline absl::Status NativeCall::CreateResult(size_t index) {
  Result& result = results_[index];
  if (result.kind == Kind::kToken) return absl::OkStatus();
  if (result.kind == Kind::kTemporary) {
    ASSIGN_OR_RETURN(result_buffers_[index].data,
                     AllocateTemporary(result.bytes));
    return absl::OkStatus();
  }
  // The one before the last first: the caller rarely holds that, too.
  const uint8_t last = result.current;
  result.current = last ^ 1;
  if (!result.views[last ^ 1] || !result.views[last ^ 1]->IsSoleOwner()) {
    if (result.views[last] && result.views[last]->IsSoleOwner()) {
      result.current = last;
    } else {
      ASSIGN_OR_RETURN(result.views[last ^ 1], NewView(result));
    }
  }
  result_buffers_[index].data =
      result.views[result.current]->buffer()->host_data();
  return absl::OkStatus();
}

absl::Status NativeCall::PrepareTensors(const vm::ModuleState& import,
                                        const vm::Slot* arguments) {
  size_t count = views_.size();
  // Trailing optional arguments may be null.
  while (count > 0 && plan_.arguments[count - 1].optional &&
         arguments[plan_.arguments[count - 1].slot].ref == nullptr) {
    views_[--count] = nullptr;
  }
  if (count != given_) [[unlikely]] {
    given_ = count;
    planned_ = usual_ = false;
  }
  for (size_t i = 0; i < count; ++i) RETURN_IF_ERROR(SetBuffer(i, arguments));
  if (!usual_) [[unlikely]]
    return PrepareUnusual(import, arguments);
  for (size_t i = 0; i < results_.size(); ++i) RETURN_IF_ERROR(CreateResult(i));
  return absl::OkStatus();
}

void NativeCall::ShareResults(vm::Slot* results) const {
  for (const Result& result : results_) {
    if (result.kind != Kind::kBuffer) continue;
    RefObject* const view = result.views[result.current].get();
    view->AddRef();
    (results++)->ref = view;
  }
}

absl::Status NativeCall::PrepareUnusual(const vm::ModuleState& import,
                                        const vm::Slot* arguments) {
  attended_ = true;  // also if this fails
  if (!planned_) {
    large_ = false;
    RETURN_IF_ERROR(plan_.equal.Check({views_.data(), given_}));
    for (size_t i = 0; i < results_.size(); ++i) RETURN_IF_ERROR(PlanResult(i));
    planned_ = true;
  }
  bool takes_arguments = false;
  for (size_t i = 0; i < results_.size(); ++i) {
    results_[i].is_argument = TakeArgument(i, import, arguments);
    takes_arguments |= results_[i].is_argument;
    if (!results_[i].is_argument) RETURN_IF_ERROR(CreateResult(i));
  }
  RETURN_IF_ERROR(PlanCopies());
  usual_ = copies_in_.empty() && copies_out_.empty() && !takes_arguments &&
           !parts_.is_remote;
  attended_ = large_ || !usual_;
  return absl::OkStatus();
}

bool NativeCall::TakeArgument(size_t index, const vm::ModuleState& import,
                              const vm::Slot* arguments) {
  const std::optional<int> inout = plan_.results[index].shape.inout();
  if (!inout || parts_.is_remote) return false;
  const auto argument = static_cast<size_t>(*inout);
  const NativePlan::Argument& plan = plan_.arguments[argument];
  if (argument >= given_ || plan.slot == NativePlan::kNone) return false;
  auto* const view = RefCast<hal::BufferView>(arguments[plan.slot].ref);
  if (plan.layout.Moves(view->shape()) || hal::IsPacked(view->element_type()) ||
      !IsGivenAway(import, plan.slot, *view, {views_.data(), given_})) {
    return false;
  }
  Result& result = results_[index];
  result.current = 0;
  result.views = {Ref<hal::BufferView>::Share(view), nullptr};
  result_buffers_[index].data = view->buffer()->host_data();
  return true;
}

absl::Status NativeCall::PlanCopies() {
  copies_in_.clear();
  copies_out_.clear();
  uint64_t bytes = 0;
  for (size_t i = 0; i < given_; ++i) {
    if (views_[i] == nullptr || views_[i]->byte_length() == 0) continue;
    RETURN_IF_ERROR(PlanArgumentCopy(i, bytes));
  }
  for (size_t i = 0; i < results_.size(); ++i) {
    if (results_[i].kind != Kind::kBuffer) continue;
    RETURN_IF_ERROR(PlanResultCopy(i, bytes));
  }
  for (size_t i = 0; parts_.is_remote && i < given_; ++i) {
    bytes += ArgumentBytes(i);
  }
  for (size_t i = 0; parts_.is_remote && i < results_.size(); ++i) {
    bytes += ResultBytes(i);
  }
  return parts_.state->WorkOnBytes(bytes);
}

absl::StatusOr<void*> NativeCall::AllocateScratch(uint64_t bytes) {
  const std::optional<uint64_t> whole =
      bytes > SIZE_MAX - kAlignment ? std::nullopt
                                    : std::optional(AlignUp(bytes, kAlignment));
  Scratch scratch;
  if (whole) {
    ASSIGN_OR_RETURN(scratch.charge, MemoryCharge::Take(parts_.memory, *whole,
                                                        "a copy of a tensor"));
    scratch.data.reset(std::aligned_alloc(kAlignment, *whole));
  }
  if (scratch.data == nullptr) {
    return absl::ResourceExhaustedError(
        absl::StrCat("The system cannot allocate ", bytes,
                     " bytes for a copy of a tensor."));
  }
  return scratch_.emplace_back(std::move(scratch)).data.get();
}

absl::Status NativeCall::AddCopy(size_t index, const hal::BufferView& view,
                                 const TensorLayout& layout, void*& elements,
                                 std::vector<Copy>& copies, uint64_t& bytes) {
  const uint64_t dense = BytesOf(view);
  bytes += dense;
  if (elements == nullptr) {
    const std::optional<int64_t> extent = layout.ExtentOf(view.shape());
    const std::optional<uint64_t> size =
        extent ? CheckedMul(static_cast<uint64_t>(*extent),
                            uint64_t{ElementBytes(view.element_type())})
               : std::nullopt;
    ASSIGN_OR_RETURN(elements, AllocateScratch(size.value_or(UINT64_MAX)));
  }
  void* unpacked = nullptr;
  if (hal::IsPacked(view.element_type())) {
    unpacked = elements;
    if (layout.Moves(view.shape())) {
      bytes += dense;
      ASSIGN_OR_RETURN(unpacked, AllocateScratch(dense));
    }
  }
  copies.push_back({index, static_cast<uint8_t*>(elements),
                    static_cast<uint8_t*>(unpacked)});
  return absl::OkStatus();
}

absl::Status NativeCall::PlanArgumentCopy(size_t index, uint64_t& bytes) {
  const hal::BufferView& view = *views_[index];
  const NativePlan::Argument& plan = plan_.arguments[index];
  const bool differs =
      plan.layout.Moves(view.shape()) || hal::IsPacked(view.element_type());
  // Memory of another device is always a copy.
  const bool is_written =
      plan.inout && !parts_.is_remote && !results_[*plan.inout].is_argument;
  if (!differs && !is_written && view.buffer()->host_data() != nullptr) {
    return absl::OkStatus();
  }
  void* to =
      plan.inout && !differs ? result_buffers_[*plan.inout].data : nullptr;
  RETURN_IF_ERROR(AddCopy(index, view, plan.layout, to, copies_in_, bytes));
  argument_buffers_[index].data = to;
  if (plan.inout) result_buffers_[*plan.inout].data = to;
  return absl::OkStatus();
}

absl::Status NativeCall::PlanResultCopy(size_t index, uint64_t& bytes) {
  const Result& result = results_[index];
  const NativePlan::Result& plan = plan_.results[index];
  const bool moves = plan.layout.Moves(result.shape);
  if (result.bytes == 0 || !(moves || hal::IsPacked(result.element))) {
    return absl::OkStatus();
  }
  // Memory of an "inout" result is the argument's copy.
  void*& data = result_buffers_[index].data;
  if (!plan.shape.inout()) data = nullptr;
  return AddCopy(index, result_view(index), plan.layout, data, copies_out_,
                 bytes);
}

absl::Status NativeCall::CopyTensorsIn() {
  for (const Copy& copy : copies_in_) {
    const hal::BufferView& view = *views_[copy.index];
    RETURN_IF_ERROR(WithElements(view, [&](const uint8_t* elements) {
      if (copy.unpacked != nullptr) {
        // The function's type says whether a signless element has a sign.
        const auto type =
            static_cast<FfiType>(argument_buffers_[copy.index].type);
        hal::Unpack(InfoOf(type).element, elements,
                    {copy.unpacked, static_cast<size_t>(view.element_count())});
        if (copy.unpacked == copy.elements) return;
        elements = copy.unpacked;
      }
      CopyStrided(view.shape(), ElementBytes(view.element_type()), elements,
                  TensorLayout().StridesOf(view.shape()), copy.elements,
                  plan_.arguments[copy.index].layout.StridesOf(view.shape()));
    }));
  }
  return absl::OkStatus();
}

uint64_t NativeCall::ArgumentBytes(size_t index) const {
  return views_[index] == nullptr ? 0 : BytesOf(*views_[index]);
}

uint64_t NativeCall::ResultBytes(size_t index) const {
  if (results_[index].kind != Kind::kBuffer) return 0;
  return BytesOf(result_view(index));
}

void NativeCall::CopyOut() {
  for (const Copy& copy : copies_out_) {
    const Result& result = results_[copy.index];
    const hal::BufferView& view = result_view(copy.index);
    uint8_t* const data = view.buffer()->host_data();
    uint8_t* const to = copy.unpacked != nullptr ? copy.unpacked : data;
    if (to != copy.elements) {
      CopyStrided(result.shape, ElementBytes(result.element), copy.elements,
                  plan_.results[copy.index].layout.StridesOf(result.shape), to,
                  TensorLayout().StridesOf(result.shape));
    }
    if (copy.unpacked != nullptr) {
      hal::Pack(result.element,
                {copy.unpacked, static_cast<size_t>(view.element_count())},
                data);
    }
  }
}

void NativeCall::Attend(bool succeeded) {
  if (succeeded) CopyOut();
  for (Result& result : results_) {
    if (result.bytes > kMaxKept || result.is_argument) result.views = {};
    result.is_argument = false;
  }
  scratch_.clear();
}

}  // namespace eyrie::native
