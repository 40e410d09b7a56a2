#include "abi/native/xla/frame.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "abi/native/guarded_call.h"
#include "abi/native/xla/api.h"
#include "abi/native/xla/context.h"
#include "absl/strings/str_cat.h"
#include "base/status_macros.h"

namespace eyrie::native {
namespace {

int32_t KindOf(const Attribute& value) {
  switch (value.kind) {
    case Attribute::Kind::kArray:
      return EYRIE_FFI_ARRAY;
    case Attribute::Kind::kString:
      return EYRIE_FFI_STRING;
    case Attribute::Kind::kDictionary:
      return EYRIE_FFI_DICTIONARY;
    case Attribute::Kind::kScalar:
    case Attribute::Kind::kSymbol:
      return EYRIE_FFI_SCALAR;
  }
  return 0;
}

absl::Status ThrownStatus(const Thrown& thrown) {
  return absl::UnknownError(
      absl::StrCat("The handler threw an exception: ", ThrownLines(thrown)));
}

}  // namespace

absl::StatusOr<std::unique_ptr<const AttributePack>> AttributePack::Create(
    Attributes attributes, SymbolFinder find_symbol) {
  std::unique_ptr<AttributePack> pack(new AttributePack());
  pack->tree_ = std::move(attributes);
  RETURN_IF_ERROR(pack->Fill(find_symbol));
  return pack;
}

size_t AttributePack::IndexOf(const std::string& name) const {
  return static_cast<size_t>(std::distance(tree_.begin(), tree_.find(name)));
}

absl::Status AttributePack::Fill(SymbolFinder find_symbol) {
  for (const auto& [name, value] : tree_) {
    kinds_.push_back(KindOf(value));
    names_.push_back(
        &texts_.emplace_back(eyrie_ffi_bytes_t{name.data(), name.size()}));
    ASSIGN_OR_RETURN(void* pointer, Add(value, find_symbol));
    values_.push_back(pointer);
  }
  attributes_.size = EYRIE_FFI_SIZE(eyrie_ffi_attributes_t, values);
  attributes_.count = static_cast<int64_t>(tree_.size());
  attributes_.kinds = kinds_.data();
  attributes_.names = names_.data();
  attributes_.values = values_.data();
  return absl::OkStatus();
}

absl::StatusOr<void*> AttributePack::Add(const Attribute& value,
                                         SymbolFinder find_symbol) {
  const std::string& bytes = value.bytes;
  const auto type = static_cast<int32_t>(value.type);
  switch (value.kind) {
    case Attribute::Kind::kScalar:
      return &scalars_.emplace_back(eyrie_ffi_scalar_t{type, bytes.data()});
    case Attribute::Kind::kArray:
      return &arrays_.emplace_back(eyrie_ffi_array_t{
          type, bytes.size() / InfoOf(value.type).bytes, bytes.data()});
    case Attribute::Kind::kString:
      return &texts_.emplace_back(
          eyrie_ffi_bytes_t{bytes.data(), bytes.size()});
    case Attribute::Kind::kSymbol: {
      ASSIGN_OR_RETURN(void* symbol, find_symbol(bytes));
      int64_t& address =
          addresses_.emplace_back(reinterpret_cast<int64_t>(symbol));
      return &scalars_.emplace_back(
          eyrie_ffi_scalar_t{static_cast<int32_t>(FfiType::kS64), &address});
    }
    case Attribute::Kind::kDictionary: {
      ASSIGN_OR_RETURN(auto inner, Create(value.members, find_symbol));
      dictionaries_.push_back(std::move(inner));
      return const_cast<eyrie_ffi_attributes_t*>(
          &dictionaries_.back()->attributes());
    }
  }
  return nullptr;
}

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
