// Compares results with expected values.
#include "abi/call/compare.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "abi/call/session.h"
#include "abi/call/value_reader.h"
#include "abi/call/value_text.h"
#include "abi/tensor/element_range.h"
#include "abi/tensor/tensor.h"
#include "abi/tensor/tensor_compare.h"
#include "abi/tensor/tensor_text.h"
#include "absl/algorithm/container.h"
#include "absl/functional/function_ref.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "base/status_macros.h"
#include "hal/buffer.h"
#include "vm/object/buffer.h"
#include "vm/object/list.h"

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

// Two tensors of one shape and the rule by which their elements are compared.
class TensorPair {
 public:
  TensorPair(const ElementPair& pair, std::span<const int64_t> shape,
             int64_t count, const Tolerance& tolerance)
      : pair_(pair),
        shape_(shape),
        count_(count),
        absolute_(AbsoluteOf(tolerance, pair.actual_type)),
        relative_(tolerance.relative),
        as_numbers_(!tolerance.exact && IsNumber(pair.actual_type)),
        may_misfit_(MayChangeValue(pair.expected_type, pair.actual_type)) {}

  // Returns the index of the first element that differs; -1 if none does.
  int64_t First() const {
    for (int64_t i = 0; i < count_; ++i) {
      if (Differs(i)) return i;
    }
    return -1;
  }

  // "element at index 3 (44) does not match the expected (44.5)"
  std::string Mismatch(int64_t index) const;
  // "3 of 4 elements differ; the largest error is 0.5 at [3] (44, expected
  // 44.5)". `first` is First().
  std::string Details(int64_t first) const;

 private:
  bool Differs(int64_t i) const {
    const ElementType type = pair_.actual_type;
    if (as_numbers_) {
      return !IsNear(*FloatAt(pair_.actual, i, type),
                     *FloatAt(pair_.expected, i, type), absolute_, relative_);
    }
    if (!HasSameBits(pair_.expected, pair_.actual, i, hal::StrideBits(type))) {
      return true;
    }
    // The same bits may be another number if the types have different signs.
    return may_misfit_ && ErrorAt(pair_, i).value_or(0) != 0;
  }
  std::string ActualText(int64_t index) const {
    return ElementText(pair_.actual, pair_.actual_type, index);
  }
  std::string ExpectedText(int64_t index) const {
    return ElementText(pair_.expected, pair_.expected_type, index);
  }
  static std::string ElementText(std::span<const uint8_t> bytes,
                                 ElementType type, int64_t index) {
    std::string text;
    AppendElement(bytes, static_cast<uint64_t>(index) * hal::StrideBits(type),
                  type, FloatCase::kUpper, text);
    return text;
  }

  const ElementPair& pair_;
  std::span<const int64_t> shape_;
  int64_t count_;
  double absolute_;
  double relative_;
  bool as_numbers_;
  bool may_misfit_;
};

std::string TensorPair::Mismatch(int64_t index) const {
  return absl::StrCat("element at index ", index, " (", ActualText(index),
                      ") does not match the expected (", ExpectedText(index),
                      ")");
}

std::string TensorPair::Details(int64_t first) const {
  int64_t differing = 0;
  int64_t worst = first;
  double largest = -1;
  for (int64_t i = first; i < count_; ++i) {
    if (!Differs(i)) continue;
    ++differing;
    const std::optional<double> error = ErrorAt(pair_, i);
    // NaN is larger than every number.
    if (error && !std::isnan(largest) && !(*error <= largest)) {
      largest = *error;
      worst = i;
    }
  }
  std::string text = absl::StrCat(differing, " of ", count_, " elements ",
                                  differing == 1 ? "differs; " : "differ; ");
  if (largest == -1) {
    absl::StrAppend(&text,
                    "the first");  // elements of this type are not numbers
  } else {
    absl::StrAppendFormat(&text, "the largest error is %G", largest);
  }
  absl::StrAppend(&text, shape_.empty() ? "" : " at ",
                  ElementPlace(shape_, worst), " (", ActualText(worst),
                  ", expected ", ExpectedText(worst), ")");
  return text;
}

// The differences of two tensors; empty if they match.
struct ComparedTensors {
  std::string text;  // in the public runtime's words
  std::string details;
};

absl::StatusOr<ComparedTensors> CompareTensors(const hal::BufferView& expected,
                                               const hal::BufferView& actual,
                                               const Tolerance& tolerance) {
  ComparedTensors difference;
  const bool same_shape =
      std::equal(expected.shape().begin(), expected.shape().end(),
                 actual.shape().begin(), actual.shape().end());
  // .npy has no signless integers.
  if (!same_shape ||
      !hal::EqualUpToSign(expected.element_type(), actual.element_type())) {
    difference.text = absl::StrCat("metadata is ", actual.ShapeAndType(),
                                   "; expected that the view matches ",
                                   expected.ShapeAndType());
    return difference;
  }
  ElementPair elements = {.actual = {},
                          .expected = {},
                          .actual_type = actual.element_type(),
                          .expected_type = expected.element_type()};
  ASSIGN_OR_RETURN(elements.actual, BytesOf(actual));
  ASSIGN_OR_RETURN(elements.expected, BytesOf(expected));
  const TensorPair pair(elements, actual.shape(), actual.element_count(),
                        tolerance);
  const int64_t first = pair.First();
  if (first < 0) return difference;
  difference.text = pair.Mismatch(first);
  difference.details = pair.Details(first);
  return difference;
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

using Bytes = std::span<const uint8_t>;

// Returns the bytes of a buffer, of null, or of an array that --output=@x.npy
// writes for one of them; nullopt for other objects. The public tools compare
// only bytes of vm.buffer.
absl::StatusOr<std::optional<Bytes>> BytesIn(const vm::Value& value,
                                             const PrintOptions& options) {
  if (const auto* bytes = RefCast<vm::Buffer>(value.ref())) {
    return bytes->bytes();
  }
  if (!options.bytes) return std::nullopt;
  if (value.ref() == nullptr) return Bytes();
  if (auto* buffer = RefCast<hal::Buffer>(value.ref())) {
    ASSIGN_OR_RETURN(const Bytes bytes, buffer->Map(hal::memory_access::kRead,
                                                    0, buffer->byte_length()));
    return bytes;
  }
  const auto* view = RefCast<hal::BufferView>(value.ref());
  const bool is_bytes =
      view != nullptr && view->shape().size() == 1 &&
      hal::EqualUpToSign(view->element_type(), ElementType::kInt8);
  if (!is_bytes) return std::nullopt;
  ASSIGN_OR_RETURN(const Bytes bytes, BytesOf(*view));
  return bytes;
}

// The elements of lists that one comparison may look at; lists can have others
// many times.
struct ListBudget {
  uint64_t items = uint64_t{1} << 20;
  uint32_t depth = 64;
};

// Compares the elements of lists of one size.
absl::Status CompareItems(
    const vm::List& expected, const vm::List& actual, ListBudget& budget,
    absl::FunctionRef<absl::Status(const vm::Value&, const vm::Value&)> each) {
  if (&expected == &actual) return absl::OkStatus();
  if (budget.depth == 0 || budget.items < expected.size()) {
    return absl::ResourceExhaustedError(
        "A result has more lists than a comparison reads: 64 in each other, or "
        "1048576 elements.");
  }
  budget.items -= expected.size();
  --budget.depth;
  for (uint64_t i = 0; i < expected.size(); ++i) {
    ASSIGN_OR_RETURN(const vm::Value a, expected.Get(i));
    ASSIGN_OR_RETURN(const vm::Value b, actual.Get(i));
    RETURN_IF_ERROR(each(a, b));
  }
  ++budget.depth;
  return absl::OkStatus();
}

// Compares one pair of values. RESOURCE_EXHAUSTED: lists have more elements
// than the budget.
absl::Status CompareOne(size_t index, const vm::Value& expected,
                        const vm::Value& actual, const Tolerance& tolerance,
                        const PrintOptions& options, ListBudget& budget,
                        Comparison& comparison) {
  const std::string failed = absl::StrCat("[FAILED] result[", index, "]: ");
  const auto fail = [&](auto... words) {
    comparison.same = false;
    absl::StrAppend(&comparison.text, failed, words...);
  };
  if (expected.type() == actual.type() && !actual.is_ref()) {
    if (!SameScalar(expected, actual, tolerance)) {
      fail(TypeText(actual), " values differ\n",
           "  expected: ", NumberText(expected),
           "\n  actual: ", NumberText(actual), "\n");
    }
    return absl::OkStatus();
  }
  if (!expected.ref() && !actual.ref()) return absl::OkStatus();
  const auto* expected_view = RefCast<hal::BufferView>(expected.ref());
  const auto* actual_view = RefCast<hal::BufferView>(actual.ref());
  if (expected_view && actual_view) {
    ASSIGN_OR_RETURN(const ComparedTensors difference,
                     CompareTensors(*expected_view, *actual_view, tolerance));
    if (difference.text.empty()) return absl::OkStatus();
    fail(difference.text,
         "; expected that the view is equal to contents of a view of ",
         expected_view->ShapeAndType());
    AppendBoth(expected, actual, options, comparison.text);
    if (!difference.details.empty()) {
      comparison.details.push_back(
          absl::StrCat("Result ", index, ": ", difference.details, "."));
    }
    return absl::OkStatus();
  }
  const auto* expected_list = RefCast<vm::List>(expected.ref());
  const auto* actual_list = RefCast<vm::List>(actual.ref());
  if (expected_list && actual_list) {
    if (expected_list->size() != actual_list->size()) {
      fail("expected ", expected_list->size(), " list elements but ",
           actual_list->size(), " provided\n");
      return absl::OkStatus();
    }
    return CompareItems(*expected_list, *actual_list, budget,
                        [&](const vm::Value& a, const vm::Value& b) {
                          return CompareOne(index, a, b, tolerance, options,
                                            budget, comparison);
                        });
  }
  ASSIGN_OR_RETURN(const auto expected_bytes, BytesIn(expected, options));
  ASSIGN_OR_RETURN(const auto actual_bytes, BytesIn(actual, options));
  if (expected.ref() && expected_bytes && actual_bytes) {
    if (absl::c_equal(*expected_bytes, *actual_bytes)) return absl::OkStatus();
    fail("the bytes differ");
    AppendBoth(expected, actual, options, comparison.text);
    return absl::OkStatus();
  }
  fail("variant types mismatch; expected ", TypeText(expected), " but got ",
       TypeText(actual), "\n");
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<Comparison> CompareValues(std::span<const ParsedValue> expected,
                                         std::span<const vm::Value> actual,
                                         const Tolerance& tolerance,
                                         const PrintOptions& options) {
  Comparison comparison;
  if (expected.size() != actual.size()) {
    comparison.same = false;
    comparison.text =
        absl::StrCat("[FAILED] expected ", expected.size(),
                     " list elements but ", actual.size(), " provided\n");
    return comparison;
  }
  ListBudget budget;
  for (size_t i = 0; i < actual.size(); ++i) {
    if (expected[i].ignored) continue;
    RETURN_IF_ERROR(CompareOne(i, expected[i].value, actual[i], tolerance,
                               options, budget, comparison));
  }
  return comparison;
}

}  // namespace eyrie::abi
