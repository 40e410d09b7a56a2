#include "abi/native/xla/frame.h"

#include <algorithm>
#include <utility>

#include "abi/native/guarded_call.h"
#include "abi/native/xla/api.h"
#include "abi/native/xla/error.h"
#include "absl/strings/str_cat.h"
#include "base/status_macros.h"

namespace eyrie::native {
namespace {

absl::Status ThrownStatus(const Thrown& thrown) {
  return absl::UnknownError(
      absl::StrCat("The handler threw an exception: ", ThrownLines(thrown)));
}

}  // namespace

FfiFrame::FfiFrame(const FfiHandlers& handlers, const AttributePack& pack,
                   FfiContext& context, std::span<eyrie_ffi_buffer_t> args,
                   std::span<eyrie_ffi_buffer_t> results)
    : handlers_(handlers),
      context_(context),
      one_stage_(handlers.stages[EYRIE_FFI_PREPARE] == nullptr &&
                 handlers.stages[EYRIE_FFI_INITIALIZE] == nullptr),
      kinds_(std::max(args.size(), results.size()), EYRIE_FFI_BUFFER) {
  for (eyrie_ffi_buffer_t& arg : args) pointers_.push_back(&arg);
  for (eyrie_ffi_buffer_t& result : results) pointers_.push_back(&result);
  frame_.size = EYRIE_FFI_CALL_FRAME_SIZE;
  frame_.api = &FfiApi(handlers.minor);
  frame_.context = &context;
  frame_.stage = EYRIE_FFI_EXECUTE;
  const size_t size = EYRIE_FFI_SIZE(eyrie_ffi_values_t, values);
  frame_.args = {size, nullptr, static_cast<int64_t>(args.size()),
                 kinds_.data(), pointers_.data()};
  frame_.results = {size, nullptr, static_cast<int64_t>(results.size()),
                    kinds_.data(), pointers_.data() + args.size()};
  frame_.attributes = pack.attributes();
}

void FfiFrame::OwnAttributes() {
  if (!attributes_.empty()) return;
  eyrie_ffi_attributes_t& attributes = frame_.attributes;
  const auto count = static_cast<size_t>(attributes.count);
  attributes_.assign(attributes.values, attributes.values + count);
  attributes.values = attributes_.data();
  scalars_.reserve(count);
  scalar_bits_.reserve(count);
  texts_.reserve(count);
}

void FfiFrame::AddScalar(size_t index, FfiType type) {
  OwnAttributes();
  uint64_t& bits = scalar_bits_.emplace_back(0);
  attributes_[index] = &scalars_.emplace_back(
      eyrie_ffi_scalar_t{static_cast<int32_t>(type), &bits});
}

void FfiFrame::AddText(size_t index) {
  OwnAttributes();
  attributes_[index] = &texts_.emplace_back(eyrie_ffi_bytes_t{"", 0});
}

absl::Status FfiFrame::RunStage(int32_t stage, Ref<eyrie_ffi_future>& future) {
  frame_.stage = stage;
  frame_.future = nullptr;
  context_.set_stage(stage);
  Thrown thrown;
  const CudaDevice::Current current(context_.services().cuda.get());
  if (context_.services().cuda != nullptr) [[unlikely]]
    RETURN_IF_ERROR(current.status());
  eyrie_ffi_error_t* error =
      CallGuarded(handlers_.stages[stage], &frame_, thrown);
  if (frame_.future != nullptr) [[unlikely]] {
    future = Ref<eyrie_ffi_future>::Adopt(frame_.future);
    context_.Watch(future);
  }
  if (thrown.any()) [[unlikely]]
    return ThrownStatus(thrown);
  if (error != nullptr) [[unlikely]]
    return TakeFfiError(error);
  return absl::OkStatus();
}

absl::Status FfiFrame::Run(Ref<eyrie_ffi_future>& future) {
  if (!one_stage_) {
    for (const int32_t stage : {EYRIE_FFI_PREPARE, EYRIE_FFI_INITIALIZE}) {
      if (handlers_.stages[stage] == nullptr) continue;
      RETURN_IF_ERROR(RunStage(stage, future));
      if (future) {
        return absl::UnimplementedError(
            absl::StrCat("Stage ", stage,
                         " of the handler returns a future; only its last "
                         "stage may."));
      }
    }
  }
  return RunStage(EYRIE_FFI_EXECUTE, future);
}

absl::Status FfiFrame::Instantiate() {
  const int64_t args = std::exchange(frame_.args.count, 0);
  const int64_t results = std::exchange(frame_.results.count, 0);
  Ref<eyrie_ffi_future> future;
  absl::Status status = RunStage(EYRIE_FFI_INSTANTIATE, future);
  frame_.args.count = args;
  frame_.results.count = results;
  if (status.ok() && future) {
    return absl::UnimplementedError(
        "The stage instantiate of the handler returns a future.");
  }
  return status;
}

}  // namespace eyrie::native
