#include "tools/debug/object_text.h"

#include <cstdint>
#include <optional>
#include <span>
#include <utility>

#include "abi/call/value_text.h"
#include "abi/tensor/tensor_text.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/strip.h"
#include "base/plain_text.h"
#include "base/status_macros.h"
#include "hal/buffer.h"
#include "hal/device.h"
#include "hal/fence.h"
#include "vm/isa/value.h"
#include "vm/object/buffer.h"
#include "vm/object/list.h"

namespace eyrie::tools {
namespace {

constexpr size_t kMaxElements = 64;  // of a tensor or list
constexpr size_t kMaxBytes = 200;    // of a buffer's text
constexpr size_t kMaxText = 8192;    // bytes of a value
constexpr size_t kDeepest = 64;      // blanks before an element

std::string Cut(std::string text, size_t most) {
  if (text.size() <= most) return text;
  text.resize(most);
  return text + "...";
}

std::string TextOf(const vm::Value& value) {
  abi::PrintOptions options;
  options.max_elements = kMaxElements;
  std::string text;
  abi::AppendValue(value, options, text);
  return text;
}

std::optional<uint64_t> LengthOf(RefObject& object) {
  if (const auto* const buffer = RefCast<vm::Buffer>(&object)) {
    return buffer->bytes().size();
  }
  if (const auto* const buffer = RefCast<hal::Buffer>(&object)) {
    return buffer->byte_length();
  }
  return std::nullopt;
}

// "hal.buffer of 16 bytes"
std::string BufferTitle(const RefObject& object, uint64_t length) {
  return absl::StrCat(object.type().name, " of ", length,
                      length == 1 ? " byte" : " bytes");
}

// Describes a value; objects without a text in abi/ are described by their
// state.
std::string Text(const vm::Value& value) {
  RefObject* const object =
      value.type() == vm::ValueType::kRef ? value.ref() : nullptr;
  if (object == nullptr) {
    return value.type() == vm::ValueType::kRef ? "null" : TextOf(value);
  }
  if (const auto* const device = RefCast<hal::Device>(object)) {
    return absl::StrCat("hal.device ", device->id());
  }
  if (const auto* const fence = RefCast<hal::Fence>(object)) {
    const absl::StatusOr<bool> reached = fence->Query();
    if (!reached.ok()) return "hal.fence, failed";
    return *reached ? "hal.fence, reached" : "hal.fence, not reached";
  }
  const std::string text = TextOf(value);
  if (const auto length = LengthOf(*object)) {
    absl::string_view bytes = absl::StripSuffix(text, "\n");
    absl::ConsumePrefix(&bytes, object->type().name);
    return absl::StrCat(BufferTitle(*object, *length),
                        Cut(std::string(bytes), kMaxBytes));
  }
  return std::string(
      absl::StripSuffix(absl::StripSuffix(text, "\n"), "\n(no printer)"));
}

// Appends the description; lines after the first begin with `indent`. A list
// includes its elements.
void AppendText(const vm::Value& value, const std::string& indent,
                std::string& out) {
  const vm::List* const list = value.type() == vm::ValueType::kRef
                                   ? RefCast<vm::List>(value.ref())
                                   : nullptr;
  if (list == nullptr) {
    out += absl::StrReplaceAll(Text(value), {{"\n", indent}});
    return;
  }
  absl::StrAppend(&out, "vm.list<", list->element_type().ToString(), "> of ",
                  list->size());
  for (uint64_t i = 0; i < list->size(); ++i) {
    if (i == kMaxElements || out.size() > kMaxText ||
        indent.size() > kDeepest) {
      absl::StrAppend(&out, indent, "...");
      return;
    }
    const absl::StatusOr<vm::Value> element = list->Get(i);
    if (!element.ok()) return;
    absl::StrAppend(&out, indent, "[", i, "] ");
    AppendText(*element, absl::StrCat(indent, "    "), out);
  }
}

}  // namespace

absl::StatusOr<uint64_t> BufferSize(RefObject* object) {
  const auto length =
      object == nullptr ? std::optional<uint64_t>() : LengthOf(*object);
  if (length.has_value()) return *length;
  return absl::InvalidArgumentError(
      absl::StrCat("Only buffers have bytes; this is ",
                   object == nullptr ? "null" : object->type().name, "."));
}

absl::Status SeeBytes(RefObject* object,
                      absl::FunctionRef<void(std::span<const uint8_t>)> see) {
  ASSIGN_OR_RETURN(const uint64_t size, BufferSize(object));
  if (const auto* const buffer = RefCast<vm::Buffer>(object)) {
    see(buffer->bytes());
    return absl::OkStatus();
  }
  auto* const buffer = RefCast<hal::Buffer>(object);
  ASSIGN_OR_RETURN(const std::span<uint8_t> bytes,
                   buffer->Map(hal::memory_access::kRead, 0, size));
  see(bytes);
  return buffer->Unmap(0, size);
}

std::string ObjectText(RefObject* object) {
  std::string text;
  AppendText(vm::Value(Ref<RefObject>::Share(object)), "\n    ", text);
  return Cut(std::move(text), kMaxText);
}

absl::StatusOr<std::string> ObjectTextAs(RefObject* object,
                                         absl::string_view type) {
  ASSIGN_OR_RETURN(const uint64_t length, BufferSize(object));
  ASSIGN_OR_RETURN(hal::TensorType spec, hal::TensorType::ParseStatic(type));
  if (spec.shape.empty()) {
    spec.shape.push_back(
        static_cast<int64_t>(length * 8 / hal::StrideBits(spec.element)));
  }
  ASSIGN_OR_RETURN(const uint64_t need, spec.ByteLength());
  if (need > length) {
    return absl::OutOfRangeError(absl::StrCat(PlainName(type), " has ", need,
                                              " bytes; the buffer has ", length,
                                              "."));
  }
  std::string text = absl::StrCat(BufferTitle(*object, length), "\n    ",
                                  spec.ToString(), "=");
  RETURN_IF_ERROR(SeeBytes(object, [&](std::span<const uint8_t> bytes) {
    abi::AppendElements(bytes, spec, kMaxElements, abi::FloatCase::kUpper,
                        text);
  }));
  return Cut(std::move(text), kMaxText);
}

}  // namespace eyrie::tools
