// Compares results with expected values.
//
// Tested by function_io_test.cc.
#include <algorithm>
#include <optional>

#include "abi/call/function_io.h"
#include "abi/call/session.h"
#include "abi/tensor/element_range.h"
#include "abi/tensor/tensor_compare.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "base/status_macros.h"
#include "vm/object/buffer.h"

namespace eyrie::abi {
namespace {

using hal::ElementType;

// Reports whether elements are compared as numbers; others are compared bit by
// bit.
bool IsNumber(ElementType type) {
  return type == ElementType::kFloat16 || type == ElementType::kBfloat16 ||
         type == ElementType::kFloat32 || type == ElementType::kFloat64;
}

double AbsoluteOf(const Tolerance& tolerance, ElementType type) {
  switch (type) {
    case ElementType::kFloat16:
      return tolerance.f16;
    case ElementType::kBfloat16:
      return tolerance.bf16;
    case ElementType::kFloat64:
      return tolerance.f64;
    default:
      return tolerance.f32;
  }
}

// Returns the index of the first element that differs; -1 if none does.
int64_t FirstDifference(std::span<const uint8_t> expected,
                        std::span<const uint8_t> actual, ElementType type,
                        int64_t count, const Tolerance& tolerance) {
  const double absolute = AbsoluteOf(tolerance, type);
  const bool numbers = !tolerance.exact && IsNumber(type);
  for (int64_t i = 0; i < count; ++i) {
    const bool same =
        numbers ? IsNear(*FloatAt(actual, i, type), *FloatAt(expected, i, type),
                         absolute, tolerance.relative)
                : HasSameBits(expected, actual, i, hal::StrideBits(type));
    if (!same) return i;
  }
  return -1;
}

// Returns how two tensors differ, in the public runtime's words; empty if they
// match.
absl::StatusOr<std::string> TensorDifference(const hal::BufferView& expected,
                                             const hal::BufferView& actual,
                                             const Tolerance& tolerance) {
  const bool same_shape =
      std::equal(expected.shape().begin(), expected.shape().end(),
                 actual.shape().begin(), actual.shape().end());
  const ElementType type = actual.element_type();
  // .npy has no signless integers.
  if (!same_shape || !hal::EqualUpToSign(expected.element_type(), type)) {
    return absl::StrCat("metadata is ", actual.ShapeAndType(),
                        "; expected that the view matches ",
                        expected.ShapeAndType());
  }
  ASSIGN_OR_RETURN(const auto expected_bytes, BytesOf(expected));
  ASSIGN_OR_RETURN(const auto actual_bytes, BytesOf(actual));
  int64_t index = FirstDifference(expected_bytes, actual_bytes, type,
                                  actual.element_count(), tolerance);
  // The same bits may be another number if the types have different signs.
  const std::optional<Misfit> misfit = FindMisfit(
      expected_bytes, expected.element_type(), type, expected.shape());
  if (misfit && (index < 0 || misfit->element < index)) index = misfit->element;
  if (index < 0) return std::string();
  const uint64_t bit = static_cast<uint64_t>(index) * hal::StrideBits(type);
  std::string text = absl::StrCat("element at index ", index, " (");
  AppendElement(actual_bytes, bit, type, FloatCase::kUpper, text);
  absl::StrAppend(&text, ") does not match the expected (");
  AppendElement(expected_bytes, bit, expected.element_type(), FloatCase::kUpper,
                text);
  absl::StrAppend(&text, ")");
  return text;
}

// Returns a scalar's text in the format of its element type.
std::string NumberText(const vm::Value& value) {
  switch (value.type()) {
    case vm::ValueType::kI32:
      return absl::StrCat(value.i32());
    case vm::ValueType::kI64:
      return absl::StrCat(value.i64());
    case vm::ValueType::kF32:
      return absl::StrFormat("%G", value.f32());
    case vm::ValueType::kF64:
      return absl::StrFormat("%G", value.f64());
    case vm::ValueType::kRef:
      break;
  }
  return "";
}

bool SameScalar(const vm::Value& expected, const vm::Value& actual,
                const Tolerance& tolerance) {
  switch (actual.type()) {
    case vm::ValueType::kI32:
      return expected.i32() == actual.i32();
    case vm::ValueType::kI64:
      return expected.i64() == actual.i64();
    case vm::ValueType::kF32:
      return tolerance.exact ? expected.slot().i32 == actual.slot().i32
                             : IsNear(actual.f32(), expected.f32(),
                                      tolerance.f32, tolerance.relative);
    case vm::ValueType::kF64:
      return tolerance.exact ? expected.slot().i64 == actual.slot().i64
                             : IsNear(actual.f64(), expected.f64(),
                                      tolerance.f64, tolerance.relative);
    case vm::ValueType::kRef:
      break;
  }
  return false;
}

absl::string_view TypeText(const vm::Value& value) {
  if (!value.is_ref()) return vm::NameOf(value.type());
  return value.ref() ? value.ref()->type().name : "empty";
}

// Appends the two values under a "[FAILED]" line.
void AppendBoth(const vm::Value& expected, const vm::Value& actual,
                const PrintOptions& options, std::string& out) {
  const auto value = [&](const vm::Value& which) {
    std::string text;
    AppendValue(which, options, text);
    return text.substr(text.find('\n') + 1);  // without the type's name
  };
  absl::StrAppend(&out, "\n  expected:\n", value(expected), "\n  actual:\n",
                  value(actual), "\n");
}

// Compares one pair of values. Returns true if they match.
absl::StatusOr<bool> CompareOne(size_t index, const vm::Value& expected,
                                const vm::Value& actual,
                                const Tolerance& tolerance,
                                const PrintOptions& options, std::string& out) {
  const std::string failed = absl::StrCat("[FAILED] result[", index, "]: ");
  if (expected.type() == actual.type() && !actual.is_ref()) {
    if (SameScalar(expected, actual, tolerance)) return true;
    absl::StrAppend(&out, failed, TypeText(actual), " values differ\n",
                    "  expected: ", NumberText(expected),
                    "\n  actual: ", NumberText(actual), "\n");
    return false;
  }
  if (!expected.ref() && !actual.ref()) return true;
  const auto* expected_view = RefCast<hal::BufferView>(expected.ref());
  const auto* actual_view = RefCast<hal::BufferView>(actual.ref());
  if (expected_view && actual_view) {
    ASSIGN_OR_RETURN(const std::string difference,
                     TensorDifference(*expected_view, *actual_view, tolerance));
    if (difference.empty()) return true;
    absl::StrAppend(&out, failed, difference,
                    "; expected that the view is equal to contents of a view "
                    "of ",
                    expected_view->ShapeAndType());
    AppendBoth(expected, actual, options, out);
    return false;
  }
  const auto* expected_bytes = RefCast<vm::Buffer>(expected.ref());
  const auto* actual_bytes = RefCast<vm::Buffer>(actual.ref());
  if (expected_bytes && actual_bytes) {
    if (expected_bytes->text() == actual_bytes->text()) return true;
    absl::StrAppend(&out, failed, "the bytes differ");
    AppendBoth(expected, actual, options, out);
    return false;
  }
  absl::StrAppend(&out, failed, "variant types mismatch; expected ",
                  TypeText(expected), " but got ", TypeText(actual), "\n");
  return false;
}

}  // namespace

absl::StatusOr<bool> CompareValues(std::span<const ParsedValue> expected,
                                   std::span<const vm::Value> actual,
                                   const Tolerance& tolerance,
                                   const PrintOptions& options,
                                   std::string& out) {
  if (expected.size() != actual.size()) {
    absl::StrAppend(&out, "[FAILED] expected ", expected.size(),
                    " list elements but ", actual.size(), " provided\n");
    return false;
  }
  bool all = true;
  for (size_t i = 0; i < actual.size(); ++i) {
    if (expected[i].ignored) continue;
    ASSIGN_OR_RETURN(
        const bool same,
        CompareOne(i, expected[i].value, actual[i], tolerance, options, out));
    all &= same;
  }
  return all;
}

}  // namespace eyrie::abi
