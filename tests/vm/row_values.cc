#include "tests/vm/row_values.h"

#include <bit>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <utility>

#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "base/hex.h"
#include "vm/object/buffer.h"
#include "vm/object/list.h"

namespace eyrie::tests {
namespace {

using vm::Buffer;
using vm::IsWide;
using vm::List;
using vm::Value;
using vm::ValueType;

[[noreturn]] void NoValue(absl::string_view text) {
  std::fprintf(stderr, "'%s' is no value\n", std::string(text).c_str());
  std::abort();
}

Value ParseRef(absl::string_view text) {
  const std::pair<absl::string_view, absl::string_view> parts =
      absl::StrSplit(text, absl::MaxSplits(':', 1));
  if (parts.first == "null") return Value(Ref<RefObject>());
  if (parts.first == "list") {
    Ref<List> list = *List::Create({vm::ElementType::Kind::kI32});
    for (absl::string_view item :
         absl::StrSplit(parts.second, ',', absl::SkipEmpty())) {
      list->Append(ParseValue(ValueType::kI32, item)).IgnoreError();
    }
    return Value(Ref<RefObject>(std::move(list)));
  }
  const std::optional<std::string> hex = BytesOfHex(parts.second);
  if (!hex.has_value()) NoValue(text);
  const std::string& bytes = *hex;
  if (parts.first == "buf") {
    return Value(Ref<RefObject>(*Buffer::CopyText(bytes)));
  }
  if (parts.first != "ro") NoValue(text);
  auto owner = std::make_shared<std::string>(bytes);
  return Value(Ref<RefObject>(Buffer::Borrow(
      {reinterpret_cast<const uint8_t*>(owner->data()), owner->size()},
      owner)));
}

bool IsFloat(ValueType type) {
  return type == ValueType::kF32 || type == ValueType::kF64;
}

uint64_t BitsOf(const Value& value) {
  return IsWide(value.type()) ? static_cast<uint64_t>(value.i64())
                              : static_cast<uint32_t>(value.i32());
}
double DoubleOf(const Value& value) {
  return value.type() == ValueType::kF64 ? value.f64() : double{value.f32()};
}

std::string TextOfRef(RefObject* object) {
  if (object == nullptr) return "null";
  if (const auto* buffer = RefCast<Buffer>(object)) {
    return absl::StrCat("buf:", absl::BytesToHexString(buffer->text()));
  }
  const auto* list = RefCast<List>(object);
  if (list == nullptr) return object->type().name;
  std::vector<std::string> items;
  for (uint64_t i = 0; i < list->size(); ++i) {
    items.push_back(TextOf(*list->Get(i)));
  }
  return absl::StrCat("list:", absl::StrJoin(items, ","));
}

}  // namespace

Value ParseValue(ValueType type, absl::string_view text) {
  if (type == ValueType::kRef) return ParseRef(text);
  uint64_t bits = 0;
  int64_t integer = 0;
  double number = 0;
  if (absl::StartsWith(text, "0x")) {
    if (!absl::SimpleHexAtoi(text, &bits)) NoValue(text);
  } else if (!IsFloat(type)) {
    if (!absl::SimpleAtoi(text, &integer)) NoValue(text);
    bits = static_cast<uint64_t>(integer);
  } else {
    if (!absl::SimpleAtod(text, &number)) NoValue(text);
    bits = type == ValueType::kF64
               ? std::bit_cast<uint64_t>(number)
               : std::bit_cast<uint32_t>(static_cast<float>(number));
  }
  vm::Slot slot;
  slot.i64 = static_cast<int64_t>(bits);
  return Value::Adopt(type, slot);
}

std::string TextOf(const Value& value) {
  switch (value.type()) {
    case ValueType::kI32:
      return absl::StrCat(value.i32());
    case ValueType::kI64:
      return absl::StrCat(value.i64());
    case ValueType::kF32:
      return absl::StrFormat("%.9g(0x%08x)", value.f32(), BitsOf(value));
    case ValueType::kF64:
      return absl::StrFormat("%.17g(0x%016x)", value.f64(), BitsOf(value));
    case ValueType::kRef:
      return TextOfRef(value.ref());
  }
  return "?";
}

bool Matches(const Value& value, absl::string_view want) {
  if (!IsFloat(value.type())) return TextOf(value) == want;
  if (want == "nan") return std::isnan(DoubleOf(value));
  if (!absl::ConsumePrefix(&want, "~")) {
    return BitsOf(value) == BitsOf(ParseValue(value.type(), want));
  }
  const double number = DoubleOf(ParseValue(value.type(), want));
  const double tolerance = value.type() == ValueType::kF64 ? 1e-12 : 5e-7;
  return std::abs(DoubleOf(value) - number) <= tolerance * std::abs(number);
}

}  // namespace eyrie::tests
