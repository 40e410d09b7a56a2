#include "abi/native/xla/packed_function.h"

#include <cstring>
#include <utility>

#include "abi/native/ffi_types.h"
#include "abi/native/xla/context.h"
#include "abi/native/xla/packed_tensor.h"
#include "absl/strings/str_cat.h"
#include "base/foreign_function.h"
#include "base/half.h"
#include "base/plain_text.h"
#include "base/status_macros.h"

namespace eyrie::native {
namespace {

constexpr size_t kMaxErrorText = 1000;  // bytes

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
  absl::Status Call();
  absl::Status Pack();
  absl::StatusOr<TvmAny> TensorAny(const PackedFunction::Item& item,
                                   const eyrie_ffi_values_t& from);
  // Releases the tensors. UNIMPLEMENTED: the function keeps one.
  absl::Status Unpack();
  absl::StatusOr<TvmAny> AttributeOf(const std::string& name);
  // Returns the error that the function has raised.
  absl::Status TakeError() const;
  // Copies what the function returned to result 0.
  absl::Status TakeResult(const TvmAny& returned) const;
  absl::Status Copy(const DlTensor& from) const {
    return CopyReturned(
        from, function_.result_layout,
        *static_cast<const eyrie_ffi_buffer_t*>(frame_.results.values[0]));
  }

  const PackedFunction& function_;
  const eyrie_ffi_call_frame_t& frame_;
  struct Passed {
    const PackedFunction::Item* item;
    PassedTensor* tensor;
    TvmObject* object;  // null: the function gets a pointer
  };
  std::vector<Passed> tensors_;
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

// Functions may take views of tensors, or objects, which TVM-FFI makes. Objects
// are accepted for views, too.
EYRIE_CALLS_FOREIGN_CODE absl::StatusOr<TvmAny> PackedCall::TensorAny(
    const PackedFunction::Item& item, const eyrie_ffi_values_t& from) {
  ASSIGN_OR_RETURN(PassedTensor* const tensor,
                   PassedTensor::Create(*static_cast<const eyrie_ffi_buffer_t*>(
                                            from.values[item.index]),
                                        item.layout));
  Passed& passed = tensors_.emplace_back(Passed{&item, tensor, nullptr});
  TvmAny any;
  if (function_.make_tensor == nullptr) {
    any.type = TvmAny::kTensorPointer;
    any.pointer = &tensor->tensor();
    return any;
  }
  if (function_.make_tensor(tensor->Share(), 0, 0, &passed.object) != 0) {
    tensor->Release();
    return TakeError();
  }
  any.type = TvmAny::kTensor;
  any.object = passed.object;
  return any;
}

EYRIE_CALLS_FOREIGN_CODE absl::Status PackedCall::Unpack() {
  absl::Status status;
  for (const Passed& passed : tensors_) {
    if (passed.object != nullptr) function_.drop(passed.object);
    if (passed.tensor->Release() || !status.ok()) continue;
    status = absl::UnimplementedError(absl::StrCat(
        "The function keeps ",
        passed.item->kind == PackedFunction::Item::Kind::kResult ? "result "
                                                                 : "argument ",
        passed.item->index,
        " after it has returned. The tensor's memory is no longer valid then; "
        "the function must copy it."));
  }
  return status;
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
    ASSIGN_OR_RETURN(any, TensorAny(item, from));
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
  absl::Status status(code, absl::StrCat(PlainText(kind, kMaxErrorText), ": ",
                                         MessageLines(message, kMaxErrorText)));
  function_.drop(error);
  return status;
}

absl::Status PackedCall::TakeResult(const TvmAny& returned) const {
  if (!function_.returns) {
    if (returned.type == TvmAny::kNothing) return absl::OkStatus();
    return absl::InvalidArgumentError(
        "The function returned a value. If it does not write to its result, "
        "leave \"rets\" out of \"order\" in the manifest.");
  }
  if (returned.type == TvmAny::kTensor) {
    return Copy(*reinterpret_cast<const DlTensor*>(returned.object + 1));
  }
  if (returned.type == TvmAny::kTensorPointer) {
    return Copy(*static_cast<const DlTensor*>(returned.pointer));
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

EYRIE_CALLS_FOREIGN_CODE absl::Status PackedCall::Call() {
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

absl::Status PackedCall::Run() {
  absl::Status status = Call();
  status.Update(Unpack());
  return status;
}

}  // namespace

eyrie_ffi_error_t* CallPacked(eyrie_ffi_call_frame_t* frame) {
  const PackedFunction& function =
      *FfiContext::From(*frame->context).services().packed;
  return CreateFfiError(PackedCall(function, *frame).Run());
}

}  // namespace eyrie::native
