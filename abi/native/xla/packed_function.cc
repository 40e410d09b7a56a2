#include "abi/native/xla/packed_function.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "abi/native/ffi_types.h"
#include "abi/native/xla/context.h"
#include "abi/native/xla/error.h"
#include "absl/strings/str_cat.h"
#include "base/foreign_function.h"
#include "base/half.h"
#include "base/plain_text.h"
#include "base/status_macros.h"

namespace eyrie::native {
namespace {

constexpr size_t kMaxErrorText = 1000;  // bytes
constexpr int32_t kHostDevice = 1;      // DLPack's kDLCPU

struct DlTensor {
  void* data;
  int32_t device;
  int32_t device_id;
  int32_t rank;
  uint8_t code;
  uint8_t bits;
  uint16_t lanes;
  int64_t* shape;
  int64_t* strides;  // null: row-major
  uint64_t offset;
};

struct DlType {
  uint8_t code;
  uint8_t bits;
};

// Returns DLPack's type; no bits if it has none. The codes are those of
// DLDataTypeCode.
DlType DlTypeOf(FfiType type) {
  switch (type) {
    case FfiType::kPred:
      return {6, 8};
    case FfiType::kS8:
      return {0, 8};
    case FfiType::kS16:
      return {0, 16};
    case FfiType::kS32:
      return {0, 32};
    case FfiType::kS64:
      return {0, 64};
    case FfiType::kU8:
      return {1, 8};
    case FfiType::kU16:
      return {1, 16};
    case FfiType::kU32:
      return {1, 32};
    case FfiType::kU64:
      return {1, 64};
    case FfiType::kF16:
      return {2, 16};
    case FfiType::kF32:
      return {2, 32};
    case FfiType::kF64:
      return {2, 64};
    case FfiType::kBF16:
      return {4, 16};
    case FfiType::kC64:
      return {5, 64};
    case FfiType::kC128:
      return {5, 128};
    case FfiType::kF8E4M3FN:
      return {10, 8};
    case FfiType::kF8E4M3FNUZ:
      return {11, 8};
    case FfiType::kF8E5M2:
      return {12, 8};
    case FfiType::kF8E5M2FNUZ:
      return {13, 8};
    case FfiType::kF8E8M0FNU:
      return {14, 8};
    default:
      return {0, 0};
  }
}

absl::StatusOr<DlTensor> TensorOf(const void* buffer) {
  const auto& from = *static_cast<const eyrie_ffi_buffer_t*>(buffer);
  const auto type = static_cast<FfiType>(from.type);
  const DlType dl = DlTypeOf(type);
  if (dl.bits == 0) {
    return absl::UnimplementedError(absl::StrCat("A tensor's elements are ",
                                                 InfoOf(type).name,
                                                 "; DLPack has no such type."));
  }
  return DlTensor{from.data, kHostDevice,
                  0,         static_cast<int32_t>(from.rank),
                  dl.code,   dl.bits,
                  1,         from.dims,
                  nullptr,   0};
}

template <typename T>
T LoadAs(const void* from) {
  T value;
  std::memcpy(&value, from, sizeof(value));
  return value;
}

TvmAny IntegerAny(int64_t value, int32_t type = TvmAny::kInt) {
  TvmAny any;
  any.type = type;
  any.integer = value;
  return any;
}

TvmAny NumberAny(double value) {
  TvmAny any;
  any.type = TvmAny::kFloat;
  any.number = value;
  return any;
}

absl::StatusOr<TvmAny> ScalarOf(const eyrie_ffi_scalar_t& scalar) {
  const void* const value = scalar.value;
  switch (static_cast<FfiType>(scalar.type)) {
    case FfiType::kPred:
      return IntegerAny(LoadAs<uint8_t>(value) != 0, TvmAny::kBool);
    case FfiType::kS8:
      return IntegerAny(LoadAs<int8_t>(value));
    case FfiType::kS16:
      return IntegerAny(LoadAs<int16_t>(value));
    case FfiType::kS32:
      return IntegerAny(LoadAs<int32_t>(value));
    case FfiType::kS64:
    case FfiType::kU64:
      return IntegerAny(LoadAs<int64_t>(value));
    case FfiType::kU8:
      return IntegerAny(LoadAs<uint8_t>(value));
    case FfiType::kU16:
      return IntegerAny(LoadAs<uint16_t>(value));
    case FfiType::kU32:
      return IntegerAny(LoadAs<uint32_t>(value));
    case FfiType::kF16:
      return NumberAny(DecodeFloat(kFloat16, LoadAs<uint16_t>(value)));
    case FfiType::kBF16:
      return NumberAny(DecodeFloat(kBfloat16, LoadAs<uint16_t>(value)));
    case FfiType::kF32:
      return NumberAny(LoadAs<float>(value));
    case FfiType::kF64:
      return NumberAny(LoadAs<double>(value));
    default:
      return absl::UnimplementedError(
          "An attribute is neither an integer, a float nor a string.");
  }
}

// Returns "a string"; the number of types that are not known.
std::string TypeName(int32_t type) {
  switch (type) {
#define TVM_TYPE(number, name) \
  case number:                 \
    return name;
#include "abi/native/xla/tvm_types.def"
#undef TVM_TYPE
    default:
      return absl::StrCat("an object of TVM-FFI's type ", type);
  }
}

// The arguments of one call.
class PackedCall {
 public:
  PackedCall(const PackedFunction& function,
             const eyrie_ffi_call_frame_t& frame)
      : function_(function), frame_(frame) {}

  absl::Status Run();

 private:
  absl::Status Pack();
  absl::StatusOr<TvmAny> AttributeOf(const std::string& name);
  // Returns the error that the function has raised.
  absl::Status TakeError() const;
  // Copies what the function returned to result 0.
  absl::Status TakeResult(const TvmAny& returned) const;
  absl::Status CopyTensor(const DlTensor& from) const;

  const PackedFunction& function_;
  const eyrie_ffi_call_frame_t& frame_;
  std::vector<DlTensor> tensors_;
  std::vector<std::string> texts_;
  std::vector<TvmAny> values_;
};

absl::StatusOr<TvmAny> PackedCall::AttributeOf(const std::string& name) {
  const eyrie_ffi_attributes_t& all = frame_.attributes;
  for (int64_t i = 0; i < all.count; ++i) {
    if (absl::string_view(all.names[i]->data, all.names[i]->size) != name) {
      continue;
    }
    if (all.kinds[i] == EYRIE_FFI_SCALAR) {
      return ScalarOf(*static_cast<const eyrie_ffi_scalar_t*>(all.values[i]));
    }
    if (all.kinds[i] == EYRIE_FFI_STRING) {
      const auto& text = *static_cast<const eyrie_ffi_bytes_t*>(all.values[i]);
      TvmAny any;
      any.type = TvmAny::kText;
      any.text = texts_.emplace_back(text.data, text.size).c_str();
      return any;
    }
    return absl::UnimplementedError(
        absl::StrCat("The attribute '", PlainName(name),
                     "' is neither a number nor a string."));
  }
  return IntegerAny(0, TvmAny::kNothing);
}

absl::Status PackedCall::Pack() {
  tensors_.reserve(function_.items.size());
  texts_.reserve(function_.items.size());
  using Kind = PackedFunction::Item::Kind;
  for (const PackedFunction::Item& item : function_.items) {
    if (item.kind == Kind::kAttribute) {
      ASSIGN_OR_RETURN(values_.emplace_back(), AttributeOf(item.name));
      continue;
    }
    const eyrie_ffi_values_t& from =
        item.kind == Kind::kArgument ? frame_.args : frame_.results;
    TvmAny& any = values_.emplace_back();
    // An optional argument that is not given.
    if (static_cast<int64_t>(item.index) >= from.count) continue;
    ASSIGN_OR_RETURN(tensors_.emplace_back(),
                     TensorOf(from.values[item.index]));
    any.type = TvmAny::kTensorPointer;
    any.pointer = &tensors_.back();
  }
  return absl::OkStatus();
}

EYRIE_CALLS_FOREIGN_CODE absl::Status PackedCall::TakeError() const {
  TvmObject* error = nullptr;
  function_.take_error(&error);
  if (error == nullptr) {
    return absl::UnknownError("The function failed without an error.");
  }
  const auto* const cell = reinterpret_cast<const TvmBytes*>(error + 1);
  const absl::string_view kind(cell[0].data, cell[0].size);
  const absl::string_view message(cell[1].data, cell[1].size);
  absl::StatusCode code = absl::StatusCode::kUnknown;
  if (kind == "ValueError" || kind == "TypeError") {
    code = absl::StatusCode::kInvalidArgument;
  } else if (kind == "IndexError") {
    code = absl::StatusCode::kOutOfRange;
  } else if (kind == "NotImplementedError") {
    code = absl::StatusCode::kUnimplemented;
  } else if (kind == "MemoryError") {
    code = absl::StatusCode::kResourceExhausted;
  }
  absl::Status status(
      code, absl::StrCat(PlainText(kind, kMaxErrorText), ": ",
                         MessageLines(message.substr(0, kMaxErrorText))));
  function_.drop(error);
  return status;
}

absl::Status PackedCall::CopyTensor(const DlTensor& from) const {
  ASSIGN_OR_RETURN(const DlTensor to, TensorOf(frame_.results.values[0]));
  bool same = from.rank == to.rank && from.code == to.code &&
              from.bits == to.bits && from.lanes == 1 &&
              from.device == kHostDevice &&
              std::equal(to.shape, to.shape + to.rank, from.shape);
  int64_t count = 1;
  for (int32_t i = 0; i < to.rank; ++i) count *= to.shape[i];
  // The strides of a tensor without elements may be any.
  int64_t stride = 1;
  for (int32_t i = to.rank; same && count != 0 && i-- > 0;) {
    same = from.strides == nullptr || to.shape[i] == 1 ||
           from.strides[i] == stride;
    stride *= to.shape[i];
  }
  if (!same) {
    return absl::InvalidArgumentError(
        "The function returned a tensor that differs from the declared result "
        "in its type, its shape or its device, or is not dense.");
  }
  if (count != 0) {
    std::memcpy(to.data, static_cast<const uint8_t*>(from.data) + from.offset,
                static_cast<uint64_t>(count) * (to.bits / 8));
  }
  return absl::OkStatus();
}

absl::Status PackedCall::TakeResult(const TvmAny& returned) const {
  if (!function_.returns) {
    if (returned.type == TvmAny::kNothing) return absl::OkStatus();
    return absl::InvalidArgumentError(
        "The function returned a value. If it does not write to its result, "
        "leave \"rets\" out of \"order\" in the manifest.");
  }
  if (returned.type == TvmAny::kTensor) {
    return CopyTensor(*reinterpret_cast<const DlTensor*>(returned.object + 1));
  }
  if (returned.type == TvmAny::kTensorPointer) {
    return CopyTensor(*static_cast<const DlTensor*>(returned.pointer));
  }
  const auto& to =
      *static_cast<const eyrie_ffi_buffer_t*>(frame_.results.values[0]);
  const auto type = static_cast<FfiType>(to.type);
  const bool integer =
      returned.type == TvmAny::kInt || returned.type == TvmAny::kBool;
  if (to.rank == 0 && type == FfiType::kS64 && integer) {
    std::memcpy(to.data, &returned.integer, sizeof(int64_t));
  } else if (to.rank == 0 && type == FfiType::kF64 &&
             returned.type == TvmAny::kFloat) {
    std::memcpy(to.data, &returned.number, sizeof(double));
  } else {
    return absl::InvalidArgumentError(absl::StrCat(
        "The function returned ", TypeName(returned.type),
        ". Its result may be a tensor; an integer, s64 without dimensions; or "
        "a float, f64 without dimensions."));
  }
  return absl::OkStatus();
}

EYRIE_CALLS_FOREIGN_CODE absl::Status PackedCall::Run() {
  RETURN_IF_ERROR(Pack());
  TvmAny returned;
  if (function_.call(function_.handle, values_.data(),
                     static_cast<int32_t>(values_.size()), &returned) != 0) {
    return TakeError();
  }
  absl::Status status = TakeResult(returned);
  if (returned.type >= TvmAny::kFirstObject) function_.drop(returned.object);
  return status;
}

}  // namespace

eyrie_ffi_error_t* CallPacked(eyrie_ffi_call_frame_t* frame) {
  const PackedFunction& function =
      *FfiContext::From(*frame->context).services().packed;
  return CreateFfiError(PackedCall(function, *frame).Run());
}

}  // namespace eyrie::native
