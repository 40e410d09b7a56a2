// Prints values.
#include "abi/call/value_text.h"

#include <algorithm>
#include <utility>

#include "abi/call/session.h"
#include "abi/tensor/tensor_text.h"
#include "abi/value/encoder.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "base/json.h"
#include "base/plain_text.h"
#include "hal/buffer.h"
#include "vm/object/buffer.h"
#include "vm/object/list.h"

namespace eyrie::abi {
namespace {

constexpr size_t kMaxKey = 4096;      // bytes of a trace's key
constexpr uint64_t kMaxListMiB = 16;  // the text of all lists

// Returns the text in quotes, with escapes \n, \t, \r, \" and \\; empty if the
// bytes are not text.
std::string Quoted(absl::string_view text) {
  for (const char c : text) {
    if (absl::ascii_iscntrl(c) && c != '\n' && c != '\t' && c != '\r')
      return "";
  }
  std::string out;
  if (IsUtf8(text)) AppendJsonString(text, out);
  return out;
}

// Prints one or more values. The text of all lists is limited, because lists
// may contain each other, and themselves, many times.
class Printer {
 public:
  Printer(const PrintOptions& options, std::string& out)
      : options_(options), out_(out) {}

  void Append(const vm::Value& value);
  void AppendTensor(const hal::BufferView& view);

 private:
  void AppendRef(RefObject& object);
  void AppendList(const vm::List& list);
  void AppendBytes(std::span<const uint8_t> bytes);
  const PrintOptions& options_;
  std::string& out_;
  size_t depth_ = 0;         // nesting of lists
  size_t begin_ = 0;         // start of the outermost list
  uint64_t list_bytes_ = 0;  // size of earlier outermost lists
  bool cut_ = false;         // the outermost list is cut off
};

void Printer::AppendBytes(std::span<const uint8_t> bytes) {
  const size_t shown = std::min(bytes.size(), options_.max_elements);
  const std::string quoted =
      shown < bytes.size()
          ? std::string()
          : Quoted({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
  if (!quoted.empty()) {
    absl::StrAppend(&out_, quoted);
    return;
  }
  absl::StrAppend(&out_, "0x");
  for (size_t i = 0; i < shown; ++i) {
    absl::StrAppendFormat(&out_, "%02X", bytes[i]);
  }
  if (shown < bytes.size()) absl::StrAppend(&out_, "...");
}

void Printer::AppendTensor(const hal::BufferView& view) {
  const absl::StatusOr<std::span<const uint8_t>> bytes = BytesOf(view);
  absl::StrAppend(&out_, view.ShapeAndType(), "=");
  if (!bytes.ok()) {
    absl::StrAppend(&out_, "(", bytes.status().message(), ")");
  } else if (view.encoding() != hal::EncodingType::kDenseRowMajor) {
    absl::StrAppend(&out_, "(not a dense tensor)");
  } else {
    AppendElements(*bytes, SpecOf(view), options_.max_elements,
                   options_.float_case, out_, options_.max_empty_rows);
  }
}

void Printer::AppendList(const vm::List& list) {
  using Kind = vm::ElementType::Kind;
  if (depth_ == kMaxValueDepth) {
    absl::StrAppend(&out_, "(not shown: nested more than ", kMaxValueDepth,
                    " deep)");
    return;
  }
  if (depth_++ == 0) begin_ = out_.size();
  const Kind kind = list.element_type().kind;
  for (uint64_t i = 0; i < list.size(); ++i) {
    if (list_bytes_ + (out_.size() - begin_) >= kMaxListMiB << 20) {
      cut_ = true;
      break;
    }
    absl::StrAppend(&out_, "child_list[", i, "]: ");
    const absl::StatusOr<vm::Value> value = list.Get(i);
    if (!value.ok()) {
      absl::StrAppend(&out_, "(", value.status().message(), ")");
    } else if (kind == Kind::kI8 || kind == Kind::kI16) {
      absl::StrAppend(&out_, kind == Kind::kI8 ? "i8=" : "i16=", value->i32());
    } else {
      Append(*value);
    }
    out_.push_back('\n');
  }
  if (--depth_ > 0) return;
  list_bytes_ += out_.size() - begin_;
  // Only the outermost list says so.
  if (!std::exchange(cut_, false)) return;
  absl::StrAppend(&out_, "(not shown: lists give more than ", kMaxListMiB,
                  " MiB of text)\n");
}

void Printer::AppendRef(RefObject& object) {
  absl::StrAppend(&out_, object.type().name, "\n");
  if (const auto* view = RefCast<hal::BufferView>(&object)) {
    AppendTensor(*view);
  } else if (const auto* list = RefCast<vm::List>(&object)) {
    AppendList(*list);
  } else if (!options_.bytes) {
    absl::StrAppend(&out_, "(no printer)");
  } else if (const auto* buffer = RefCast<vm::Buffer>(&object)) {
    AppendBytes(buffer->bytes());
  } else if (auto* storage = RefCast<hal::Buffer>(&object)) {
    const auto bytes =
        storage->Map(hal::memory_access::kRead, 0, storage->byte_length());
    if (bytes.ok()) {
      AppendBytes(*bytes);
      storage->Unmap(0, storage->byte_length()).IgnoreError();
    } else {
      absl::StrAppend(&out_, "(", bytes.status().message(), ")");
    }
  } else {
    absl::StrAppend(&out_, "(no printer)");
  }
}

void Printer::Append(const vm::Value& value) {
  switch (value.type()) {
    case vm::ValueType::kI32:
      absl::StrAppend(&out_, "i32=", value.i32());
      break;
    case vm::ValueType::kI64:
      absl::StrAppend(&out_, "i64=", value.i64());
      break;
    case vm::ValueType::kF32:
      absl::StrAppendFormat(&out_, "f32=%g", value.f32());
      break;
    case vm::ValueType::kF64:
      absl::StrAppendFormat(&out_, "f64=%g", value.f64());
      break;
    case vm::ValueType::kRef:
      if (value.ref() == nullptr) {
        absl::StrAppend(&out_, "(null)");
      } else {
        AppendRef(*value.ref());
      }
  }
}

}  // namespace

void AppendValue(const vm::Value& value, const PrintOptions& options,
                 std::string& out) {
  Printer(options, out).Append(value);
}

void AppendValues(absl::string_view name, std::span<const vm::Value> values,
                  const PrintOptions& options, std::string& out) {
  Printer printer(options, out);
  for (size_t i = 0; i < values.size(); ++i) {
    absl::StrAppend(&out, name, "[", i, "]: ");
    printer.Append(values[i]);
    out.push_back('\n');
  }
}

void AppendTrace(absl::string_view key,
                 std::span<hal::BufferView* const> tensors,
                 const PrintOptions& options, std::string& out) {
  absl::StrAppend(&out, "=== ", PlainText(key, kMaxKey), " ===\n");
  Printer printer(options, out);
  for (const hal::BufferView* tensor : tensors) {
    printer.AppendTensor(*tensor);
    out.push_back('\n');
  }
  out.push_back('\n');
}

}  // namespace eyrie::abi
