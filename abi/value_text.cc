// Prints values.
//
// Tested by function_io_test.cc.
#include <algorithm>

#include "abi/function_io.h"
#include "abi/session.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "hal/buffer.h"
#include "vm/buffer.h"
#include "vm/list.h"

namespace eyrie::abi {
namespace {

// The length of the UTF-8 sequence that `text` begins with; 0: it is none.
size_t SequenceLength(absl::string_view text) {
  const auto first = static_cast<uint8_t>(text[0]);
  const size_t length = first < 0x80                    ? 1
                        : first >= 0xC2 && first < 0xE0 ? 2
                        : first >= 0xE0 && first < 0xF0 ? 3
                        : first >= 0xF0 && first < 0xF5 ? 4
                                                        : 0;
  if (length == 0 || length > text.size()) return 0;
  for (size_t i = 1; i < length; ++i) {
    if ((static_cast<uint8_t>(text[i]) & 0xC0) != 0x80) return 0;
  }
  const auto second = length > 1 ? static_cast<uint8_t>(text[1]) : 0;
  // Overlong forms, surrogates and what is beyond Unicode.
  if (first == 0xE0 && second < 0xA0) return 0;
  if (first == 0xED && second >= 0xA0) return 0;
  if (first == 0xF0 && second < 0x90) return 0;
  if (first == 0xF4 && second >= 0x90) return 0;
  return length;
}

// The text between quotes with \n, \t, \r, \" and \\; empty if the bytes are
// not text.
std::string Quoted(absl::string_view text) {
  std::string out = "\"";
  for (size_t i = 0; i < text.size();) {
    const size_t length = SequenceLength(text.substr(i));
    if (length == 0) return "";
    const char c = text[i];
    switch (c) {
      case '\n':
        out += "\\n";
        break;
      case '\t':
        out += "\\t";
        break;
      case '\r':
        out += "\\r";
        break;
      case '"':
        out += "\\\"";
        break;
      case '\\':
        out += "\\\\";
        break;
      default:
        if (length == 1 && absl::ascii_iscntrl(c)) return "";
        absl::StrAppend(&out, text.substr(i, length));
    }
    i += length;
  }
  return out + "\"";
}

void AppendBytes(std::span<const uint8_t> bytes, const PrintOptions& options,
                 std::string& out) {
  const std::string quoted =
      Quoted({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
  if (!quoted.empty() && bytes.size() <= options.max_elements) {
    absl::StrAppend(&out, quoted);
    return;
  }
  const size_t shown = std::min(bytes.size(), options.max_elements);
  absl::StrAppend(&out, "0x");
  for (size_t i = 0; i < shown; ++i) {
    absl::StrAppendFormat(&out, "%02X", bytes[i]);
  }
  if (shown < bytes.size()) absl::StrAppend(&out, "...");
}

void AppendTensor(const hal::BufferView& view, const PrintOptions& options,
                  std::string& out) {
  const absl::StatusOr<std::span<const uint8_t>> bytes = BytesOf(view);
  absl::StrAppend(&out, view.ShapeAndType(), "=");
  if (!bytes.ok()) {
    absl::StrAppend(&out, "(", bytes.status().message(), ")");
  } else if (view.encoding() != hal::EncodingType::kDenseRowMajor) {
    absl::StrAppend(&out, "(not a dense tensor)");
  } else {
    AppendElements(*bytes, SpecOf(view), options.max_elements,
                   options.float_case, out);
  }
}

void AppendList(const vm::List& list, const PrintOptions& options,
                std::string& out) {
  using Kind = vm::ElementType::Kind;
  const Kind kind = list.element_type().kind;
  for (uint64_t i = 0; i < list.size(); ++i) {
    absl::StrAppend(&out, "child_list[", i, "]: ");
    const absl::StatusOr<vm::Value> value = list.Get(i);
    if (!value.ok()) {
      absl::StrAppend(&out, "(", value.status().message(), ")");
    } else if (kind == Kind::kI8 || kind == Kind::kI16) {
      absl::StrAppend(&out, kind == Kind::kI8 ? "i8=" : "i16=", value->i32());
    } else {
      AppendValue(*value, options, out);
    }
    out.push_back('\n');
  }
}

void AppendRef(RefObject& object, const PrintOptions& options,
               std::string& out) {
  absl::StrAppend(&out, object.type().name, "\n");
  if (const auto* view = RefCast<hal::BufferView>(&object)) {
    AppendTensor(*view, options, out);
  } else if (const auto* list = RefCast<vm::List>(&object)) {
    AppendList(*list, options, out);
  } else if (const auto* buffer = RefCast<vm::Buffer>(&object)) {
    AppendBytes(buffer->bytes(), options, out);
  } else if (auto* storage = RefCast<hal::Buffer>(&object)) {
    const auto bytes =
        storage->Map(hal::memory_access::kRead, 0, storage->byte_length());
    if (bytes.ok()) {
      AppendBytes(*bytes, options, out);
    } else {
      absl::StrAppend(&out, "(", bytes.status().message(), ")");
    }
  } else {
    absl::StrAppend(&out, "(no printer)");
  }
}

}  // namespace

void AppendValue(const vm::Value& value, const PrintOptions& options,
                 std::string& out) {
  switch (value.type()) {
    case vm::ValueType::kI32:
      absl::StrAppend(&out, "i32=", value.i32());
      break;
    case vm::ValueType::kI64:
      absl::StrAppend(&out, "i64=", value.i64());
      break;
    case vm::ValueType::kF32:
      absl::StrAppendFormat(&out, "f32=%g", value.f32());
      break;
    case vm::ValueType::kF64:
      absl::StrAppendFormat(&out, "f64=%g", value.f64());
      break;
    case vm::ValueType::kRef:
      if (value.ref() == nullptr) {
        absl::StrAppend(&out, "(null)");
      } else {
        AppendRef(*value.ref(), options, out);
      }
  }
}

void AppendValues(absl::string_view name, std::span<const vm::Value> values,
                  const PrintOptions& options, std::string& out) {
  for (size_t i = 0; i < values.size(); ++i) {
    absl::StrAppend(&out, name, "[", i, "]: ");
    AppendValue(values[i], options, out);
    out.push_back('\n');
  }
}

void AppendTrace(absl::string_view key,
                 std::span<hal::BufferView* const> tensors,
                 const PrintOptions& options, std::string& out) {
  absl::StrAppend(&out, "=== ", key, " ===\n");
  for (const hal::BufferView* tensor : tensors) {
    AppendTensor(*tensor, options, out);
    out.push_back('\n');
  }
  out.push_back('\n');
}

}  // namespace eyrie::abi
