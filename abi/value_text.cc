// Prints values.
//
// Tested by function_io_test.cc.
#include <algorithm>

#include "abi/function_io.h"
#include "abi/json.h"
#include "abi/session.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "hal/buffer.h"
#include "vm/buffer.h"
#include "vm/list.h"

namespace eyrie::abi {
namespace {

// The text between quotes with \n, \t, \r, \" and \\; empty if the bytes are
// not text.
std::string Quoted(absl::string_view text) {
  for (const char c : text) {
    if (absl::ascii_iscntrl(c) && c != '\n' && c != '\t' && c != '\r')
      return "";
  }
  std::string out;
  if (IsUtf8(text)) AppendJsonString(text, out);
  return out;
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
