// Writes host values as one line of JSON.
//
// Tested by tests/conformance/abi/abi_test.cc.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>

#include "abi/tensor/tensor_compare.h"
#include "abi/tensor/tensor_text.h"
#include "abi/value/convert.h"
#include "abi/value/json_value.h"
#include "absl/status/status.h"
#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "base/json.h"
#include "base/plain_text.h"
#include "base/text_stream.h"

namespace eyrie::abi {
namespace {

constexpr size_t kChunkBytes = size_t{1} << 14;  // written at a time

// Removes a part of at most kChunkBytes from the front, without splitting a
// UTF-8 character.
absl::string_view TakeChunk(absl::string_view& bytes) {
  size_t size = std::min(bytes.size(), kChunkBytes);
  for (int i = 0; i < 3 && size < bytes.size(); ++i) {
    if (!IsUtf8Continuation(bytes[size])) break;
    --size;
  }
  const absl::string_view chunk = bytes.substr(0, size);
  bytes.remove_prefix(size);
  return chunk;
}

// Reports whether a key begins with '$', so that the dict would be read back as
// one of the forms.
bool LooksLikeForm(const HostValue::Entries& entries) {
  return std::any_of(entries.begin(), entries.end(), [](const auto& entry) {
    return absl::StartsWith(entry.first, "$");
  });
}

// Writes values to a stream, until the stream is full.
class Writer {
 public:
  explicit Writer(TextStream& out) : out_(out) {}

  void Write(const HostValue& value);

 private:
  template <typename T>
  void WriteFloat(T value);
  void WriteString(absl::string_view text);
  void WriteBytes(absl::string_view bytes);
  void WritePacked(const HostArray& array, int64_t index);
  void WriteEmpty(const HostArray& array);
  void WriteRows(const HostArray& array, size_t depth, const uint8_t* at,
                 int64_t& index);
  void WriteItems(const HostValue::Items& items);
  void WriteEntries(const HostValue::Entries& entries);

  TextStream& out_;
};

template <typename T>
void Writer::WriteFloat(T value) {
  if (!std::isfinite(value)) {
    out_.Add(std::isnan(value) ? "\"nan\""
             : value > 0       ? "\"inf\""
                               : "\"-inf\"");
    return;
  }
  std::string text;
  AppendJsonFloat(value, text);
  out_.Add(text);
}

void Writer::WriteString(absl::string_view text) {
  std::string escaped;
  out_.Add("\"");
  while (!text.empty() && out_.ok()) {
    escaped.clear();
    AppendJsonText(TakeChunk(text), escaped);
    out_.Add(escaped);
  }
  out_.Add("\"");
}

void Writer::WriteBytes(absl::string_view bytes) {
  if (IsUtf8(bytes)) return WriteString(bytes);
  out_.Add("{\"$hex\": \"");
  while (!bytes.empty() && out_.ok()) {
    out_.Add(absl::BytesToHexString(TakeChunk(bytes)));
  }
  out_.Add("\"}");
}

// Writes an element narrower than a byte. Its position is in bits.
void Writer::WritePacked(const HostArray& array, int64_t index) {
  if (IsFloat(array.type())) {
    const auto bits = static_cast<uint8_t>(hal::BitCount(array.type()));
    const double number = *FloatAt(array.bytes(), index, array.type());
    return Write(HostValue(HostValue::Float{number, bits}));
  }
  std::string text;
  const uint32_t bits = hal::StrideBits(array.type());
  AppendElement(array.bytes(), static_cast<uint64_t>(index) * bits,
                array.type(), FloatCase::kLower, text);
  if (IsInteger(array.type()) && bits > 1) {
    out_.Add(text);
  } else {
    WriteString(text);
  }
}

// Writes an array without elements. Nested rows would not show its shape, and
// could be very many.
void Writer::WriteEmpty(const HostArray& array) {
  if (array.shape().size() == 1) return out_.Add("[]");
  out_.Add("{\"$dtype\": \"", hal::ElementTypeName(array.type()),
           "\", \"shape\": [", absl::StrJoin(array.shape(), ", "),
           "], \"data\": []}");
}

// Writes the rows from dimension `depth` on. `index` counts the elements that
// were written.
void Writer::WriteRows(const HostArray& array, size_t depth, const uint8_t* at,
                       int64_t& index) {
  if (depth == array.shape().size()) {
    if (hal::StrideBits(array.type()) % 8 != 0) {
      WritePacked(array, index);
    } else {
      Write(ReadElement(at, array.type()));
    }
    ++index;
    return;
  }
  out_.Add("[");
  for (int64_t i = 0; i < array.shape()[depth] && out_.ok(); ++i) {
    if (i > 0) out_.Add(", ");
    WriteRows(array, depth + 1, at + i * array.strides()[depth], index);
  }
  out_.Add("]");
}

void Writer::WriteItems(const HostValue::Items& items) {
  out_.Add("[");
  for (const HostValue& item : items) {
    if (!out_.ok()) return;
    if (&item != &items.front()) out_.Add(", ");
    Write(item);
  }
  out_.Add("]");
}

void Writer::WriteEntries(const HostValue::Entries& entries) {
  const bool wrapped = LooksLikeForm(entries);
  out_.Add(wrapped ? "{\"$dict\": {" : "{");
  for (const HostValue::Entry& entry : entries) {
    if (!out_.ok()) return;
    if (&entry != &entries.front()) out_.Add(", ");
    WriteString(entry.first);
    out_.Add(": ");
    Write(entry.second);
  }
  out_.Add(wrapped ? "}}" : "}");
}

void Writer::Write(const HostValue& value) {
  using Kind = HostValue::Kind;
  switch (value.kind()) {
    case Kind::kNull:
      return out_.Add("null");
    case Kind::kBool:
      return out_.Add(*value.boolean() ? "true" : "false");
    case Kind::kInt:
      if (value.integer()->is_unsigned) {
        return out_.Add(static_cast<uint64_t>(value.integer()->value));
      }
      return out_.Add(value.integer()->value);
    case Kind::kFloat: {
      const HostValue::Float& number = *value.number();
      if (number.bits != 0 && number.bits <= 32) {
        return WriteFloat(static_cast<float>(number.value));
      }
      return WriteFloat(number.value);
    }
    case Kind::kBytes:
      return WriteBytes(*value.bytes());
    case Kind::kArray: {
      const HostArray& array = *value.array();
      if (array.element_count() == 0) return WriteEmpty(array);
      int64_t index = 0;
      return WriteRows(array, 0, array.data(), index);
    }
    case Kind::kList:
    case Kind::kTuple:
      return WriteItems(*value.items());
    case Kind::kDict:
      return WriteEntries(*value.entries());
    case Kind::kRef:
      out_.Add("{\"$ref\": ");
      WriteString((*value.ref())->type().name);
      out_.Add("}");
      return;
  }
}

}  // namespace

void WriteJson(const HostValue& value, TextStream& out) {
  Writer(out).Write(value);
}

}  // namespace eyrie::abi
