#include "tools/bisect/element_guess.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

#include "abi/tensor/tensor_compare.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "tools/bisect/kernel_name.h"

namespace eyrie::tools {
namespace {

using hal::ElementType;

constexpr int64_t kLikelySamples = 4096;
// Numbers of models are rarely beyond these; integers that are taken for
// floats are.
constexpr double kSmall = 1e-20;
constexpr double kLarge = 1e20;
constexpr uint64_t kUnknownSize = 4;   // bytes of an element
constexpr double kMostStrange = 0.05;  // of the samples

std::optional<ElementType> TypeOf(absl::string_view word) {
  if (word == "i1") return ElementType::kBool8;
  for (const hal::ElementTypeInfo& row : hal::ElementTypes()) {
    if (row.bits >= 8 && row.kind != 0 && word == row.name) return row.type;
  }
  return std::nullopt;
}

// Returns the words of "matmul_4x8xf32": "matmul", "4", "8", "f32".
std::vector<absl::string_view> WordsOf(absl::string_view kernel) {
  std::vector<absl::string_view> words;
  for (const absl::string_view part :
       absl::StrSplit(kernel, absl::ByAnyChar("_$."))) {
    for (const absl::string_view word : absl::StrSplit(part, 'x')) {
      words.push_back(word);
    }
  }
  return words;
}

bool IsLikely(ElementType type, std::span<const uint8_t> bytes) {
  const size_t size = hal::StrideBits(type) / 8;
  if (bytes.empty() || bytes.size() % size != 0) return false;
  if (hal::IsIntegerOrBool(type)) return true;
  const auto count = static_cast<int64_t>(bytes.size() / size);
  const int64_t step = std::max<int64_t>(1, count / kLikelySamples);
  int64_t seen = 0;
  int64_t strange = 0;
  for (int64_t i = 0; i < count; i += step) {
    const double number = abi::FloatAt(bytes, i, type).value_or(NAN);
    const double size_of = std::fabs(number);
    ++seen;
    if (number == 0 || !std::isfinite(number)) continue;
    if (!(size_of > kSmall && size_of < kLarge)) ++strange;
  }
  return strange <= kMostStrange * seen;
}

}  // namespace

ElementType GuessElement(absl::string_view kernel,
                         std::span<const uint8_t> bytes) {
  std::vector<ElementType> named;  // the last one first
  for (const absl::string_view word : WordsOf(OperationOf(kernel))) {
    const std::optional<ElementType> type = TypeOf(word);
    if (!type || bytes.size() % (hal::StrideBits(*type) / 8) != 0) continue;
    std::erase(named, *type);
    named.insert(named.begin(), *type);
  }
  if (named.size() == 1) return named[0];
  // Integers are rarely likely floats, but any bytes are integers.
  for (const ElementType type : named) {
    if (!hal::IsIntegerOrBool(type) && IsLikely(type, bytes)) return type;
  }
  for (const ElementType type : named) {
    if (hal::IsIntegerOrBool(type)) return type;
  }
  if (!named.empty()) return named[0];
  for (const ElementType type :
       {ElementType::kFloat32, ElementType::kFloat64, ElementType::kInt32}) {
    if (IsLikely(type, bytes)) return type;
  }
  return ElementType::kInt8;
}

ByteRange WholeElements(absl::string_view kernel, const ByteRange& range,
                        uint64_t size) {
  uint64_t element = kUnknownSize;
  for (const absl::string_view word : WordsOf(OperationOf(kernel))) {
    const std::optional<ElementType> type = TypeOf(word);
    if (type) element = hal::StrideBits(*type) / 8;
  }
  const uint64_t whole = (range.size() + element - 1) / element * element;
  return {range.begin, std::min(size, range.begin + whole)};
}

std::string GuessShape(absl::string_view kernel, int64_t count,
                       ElementType type) {
  const std::string name = hal::ElementTypeName(type);
  std::vector<int64_t> dims;
  const auto fits = [&dims, count](size_t begin, size_t end) {
    int64_t product = 1;
    for (size_t i = begin; i < end; ++i) {
      if (dims[i] <= 0 || product > count / dims[i]) return false;
      product *= dims[i];
    }
    return end > begin && product == count;
  };
  for (const absl::string_view word : WordsOf(OperationOf(kernel))) {
    int64_t dim = 0;
    if (absl::SimpleAtoi(word, &dim)) {
      dims.push_back(dim);
      continue;
    }
    // The first of several dimensions are those of a matrix product's result.
    for (size_t end = dims.size(); end > 0; --end) {
      for (size_t begin = 0; begin < 2 && begin < end; ++begin) {
        if (!fits(begin, end)) continue;
        return absl::StrCat(
            absl::StrJoin(dims.begin() + static_cast<ptrdiff_t>(begin),
                          dims.begin() + static_cast<ptrdiff_t>(end), "x"),
            "x", name);
      }
    }
    dims.clear();
  }
  return absl::StrCat(count, "x", name);
}

}  // namespace eyrie::tools
