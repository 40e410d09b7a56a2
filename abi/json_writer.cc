// Host values as JSON, on one line.
//
// Tested by tests/conformance/abi/abi_test.cc.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>

#include "abi/convert.h"
#include "abi/json_value.h"
#include "abi/tensor_text.h"
#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace eyrie::abi {
namespace {

template <typename T>
void AppendFloat(T value, std::string& out) {
  if (std::isfinite(value)) {
    AppendJsonFloat(value, out);
  } else {
    out += std::isnan(value) ? "\"nan\"" : value > 0 ? "\"inf\"" : "\"-inf\"";
  }
}

void AppendBytes(const std::string& bytes, std::string& out) {
  if (IsUtf8(bytes)) {
    AppendJsonString(bytes, out);
  } else {
    absl::StrAppend(&out, "{\"$hex\": \"", absl::BytesToHexString(bytes),
                    "\"}");
  }
}

// An element narrower than a byte is in its place among the bits of all.
void AppendPacked(const HostArray& array, int64_t index, std::string& out) {
  std::string text;
  const uint32_t bits = hal::StrideBits(array.type());
  AppendElement(array.bytes(), static_cast<uint64_t>(index) * bits,
                array.type(), FloatCase::kLower, text);
  if (IsInteger(array.type()) && bits > 1) {
    out += text;
  } else {
    AppendJsonString(text, out);
  }
}

// Without elements rows say little of a shape, and may be any number.
void AppendEmpty(const HostArray& array, std::string& out) {
  if (array.shape().size() == 1) {
    out += "[]";
    return;
  }
  absl::StrAppend(&out, "{\"$dtype\": \"", hal::ElementTypeName(array.type()),
                  "\", \"shape\": [", absl::StrJoin(array.shape(), ", "),
                  "], \"data\": []}");
}

// The elements from dimension `depth` on; `index` counts those before.
void AppendRows(const HostArray& array, size_t depth, const uint8_t* at,
                int64_t& index, std::string& out) {
  if (depth == array.shape().size()) {
    if (hal::StrideBits(array.type()) % 8 != 0) {
      AppendPacked(array, index, out);
    } else {
      AppendJson(ReadElement(at, array.type()), out);
    }
    ++index;
    return;
  }
  out += '[';
  for (int64_t i = 0; i < array.shape()[depth]; ++i) {
    if (i > 0) out += ", ";
    AppendRows(array, depth + 1, at + i * array.strides()[depth], index, out);
  }
  out += ']';
}

void AppendItems(const HostValue::Items& items, std::string& out) {
  out += '[';
  for (const HostValue& item : items) {
    if (&item != &items.front()) out += ", ";
    AppendJson(item, out);
  }
  out += ']';
}

// Keys that begin like those of the forms would read back as one.
bool LooksLikeForm(const HostValue::Entries& entries) {
  return std::any_of(entries.begin(), entries.end(), [](const auto& entry) {
    return absl::StartsWith(entry.first, "$");
  });
}

void AppendEntries(const HostValue::Entries& entries, std::string& out) {
  const bool wrapped = LooksLikeForm(entries);
  out += wrapped ? "{\"$dict\": {" : "{";
  for (const HostValue::Entry& entry : entries) {
    if (&entry != &entries.front()) out += ", ";
    AppendJsonString(entry.first, out);
    out += ": ";
    AppendJson(entry.second, out);
  }
  out += wrapped ? "}}" : "}";
}

}  // namespace

void AppendJson(const HostValue& value, std::string& out) {
  using Kind = HostValue::Kind;
  switch (value.kind()) {
    case Kind::kNull:
      out += "null";
      return;
    case Kind::kBool:
      out += *value.boolean() ? "true" : "false";
      return;
    case Kind::kInt:
      if (value.integer()->is_unsigned) {
        absl::StrAppend(&out, static_cast<uint64_t>(value.integer()->value));
      } else {
        absl::StrAppend(&out, value.integer()->value);
      }
      return;
    case Kind::kFloat: {
      const HostValue::Float& number = *value.number();
      if (number.bits != 0 && number.bits <= 32) {
        AppendFloat(static_cast<float>(number.value), out);
      } else {
        AppendFloat(number.value, out);
      }
      return;
    }
    case Kind::kBytes:
      AppendBytes(*value.bytes(), out);
      return;
    case Kind::kArray: {
      int64_t index = 0;
      if (value.array()->element_count() == 0) {
        AppendEmpty(*value.array(), out);
        return;
      }
      AppendRows(*value.array(), 0, value.array()->data(), index, out);
      return;
    }
    case Kind::kList:
    case Kind::kTuple:
      AppendItems(*value.items(), out);
      return;
    case Kind::kDict:
      AppendEntries(*value.entries(), out);
      return;
    case Kind::kRef:
      out += "{\"$ref\": ";
      AppendJsonString((*value.ref())->type().name, out);
      out += '}';
      return;
  }
}

}  // namespace eyrie::abi
