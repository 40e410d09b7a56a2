// All arithmetic is checked, because the program computes every number.
#include "hal/vmvx/strided.h"

#include <optional>

#include "absl/strings/str_cat.h"
#include "base/checked_math.h"
#include "base/status_macros.h"

namespace eyrie::hal::vmvx {
namespace {

absl::Status Negative(absl::string_view what, int64_t value) {
  return absl::OutOfRangeError(
      absl::StrCat("The ", what, " (", value, ") is negative."));
}

// Returns the index after the last element, or nullopt if it exceeds i64.
std::optional<int64_t> EndOf(const Operand& operand, const Extent& extent) {
  const auto rows = CheckedMul<int64_t>(extent.size0 - 1, operand.stride0);
  const auto columns = CheckedMul<int64_t>(extent.size1 - 1, operand.stride1);
  if (!rows || !columns) return std::nullopt;
  const auto last = CheckedAdd<int64_t>(*rows, *columns);
  if (!last) return std::nullopt;
  const auto begin = CheckedAdd<int64_t>(operand.offset, 1);
  return begin ? CheckedAdd<int64_t>(*last, *begin) : std::nullopt;
}

}  // namespace

absl::Status CheckExtent(const Extent& extent) {
  for (const int64_t size : {extent.size0, extent.size1}) {
    if (size < 0) [[unlikely]]
      return Negative("size", size);
  }
  return absl::OkStatus();
}

absl::Status CheckOperand(const Operand& operand, const Extent& extent,
                          uint64_t width) {
  const struct {
    const char* what;
    int64_t value;
  } kNumbers[] = {{"offset", operand.offset},
                  {"stride", operand.stride0},
                  {"stride", operand.stride1}};
  for (const auto& number : kNumbers) {
    if (number.value >= 0) [[likely]]
      continue;
    return Negative(absl::StrCat(number.what, " of ", operand.name),
                    number.value);
  }
  const std::optional<int64_t> end = EndOf(operand, extent);
  const uint64_t size = operand.buffer->size();
  if (end && static_cast<uint64_t>(*end) <= size / width) [[likely]] {
    return absl::OkStatus();
  }
  return absl::OutOfRangeError(absl::StrCat(
      "The ", extent.size0, "x", extent.size1, " elements of ", width,
      " bytes of ", operand.name, " at offset ", operand.offset,
      " with strides ", operand.stride0, " and ", operand.stride1,
      " exceed the buffer's size (", size, " bytes)."));
}

absl::Status CheckTarget(const Operand& operand, const Extent& extent,
                         uint64_t width) {
  if (!operand.buffer->is_mutable()) {
    return operand.buffer->MutableBytes().status();
  }
  return CheckOperand(operand, extent, width);
}

absl::Status MultiplySizes(int64_t a, int64_t b, int64_t& product) {
  for (const int64_t size : {a, b}) {
    if (size < 0) return Negative("size", size);
  }
  const auto result = CheckedMul<int64_t>(a, b);
  if (!result) {
    return absl::OutOfRangeError(
        absl::StrCat("The product of sizes ", a, " and ", b, " exceeds i64."));
  }
  product = *result;
  return absl::OkStatus();
}

}  // namespace eyrie::hal::vmvx
