// Reads and writes messages of protocol buffers.
#include "plugins/pjrt/wire.h"

#include <optional>

namespace eyrie::pjrt {
namespace {

constexpr int kVarint = 0, kFixed64 = 1, kBytes = 2, kFixed32 = 5;

// Takes a number of at most 64 bits.
std::optional<uint64_t> TakeVarint(absl::string_view& rest) {
  uint64_t value = 0;
  for (int shift = 0; shift < 64 && !rest.empty(); shift += 7) {
    const auto byte = static_cast<uint8_t>(rest[0]);
    rest.remove_prefix(1);
    value |= uint64_t{byte & 0x7fu} << shift;
    if (byte < 0x80) return value;
  }
  return std::nullopt;
}

// Takes the content of a field.
bool TakeContent(absl::string_view& rest, int wire, WireField& field) {
  if (wire == kVarint) {
    const std::optional<uint64_t> value = TakeVarint(rest);
    field.value = value.value_or(0);
    return value.has_value();
  }
  std::optional<uint64_t> size;
  if (wire == kFixed64) size = 8;
  if (wire == kFixed32) size = 4;
  if (wire == kBytes) size = TakeVarint(rest);
  if (!size || *size > rest.size()) return false;
  field.bytes = rest.substr(0, *size);
  rest.remove_prefix(*size);
  field.is_bytes = wire == kBytes;
  for (size_t i = 0; i < *size && !field.is_bytes; ++i) {
    field.value |= uint64_t{static_cast<uint8_t>(field.bytes[i])} << (8 * i);
  }
  return true;
}

absl::Status NoMessage() {
  return absl::InvalidArgumentError(
      "The bytes are no message of protocol buffers.");
}

}  // namespace

absl::Status ForEachField(
    absl::string_view message,
    absl::FunctionRef<absl::Status(const WireField&)> visit) {
  while (!message.empty()) {
    WireField field;
    const std::optional<uint64_t> tag = TakeVarint(message);
    if (!tag) return NoMessage();
    field.number = *tag >> 3;
    if (!TakeContent(message, static_cast<int>(*tag & 7), field)) {
      return NoMessage();
    }
    const absl::Status status = visit(field);
    if (!status.ok()) return status;
  }
  return absl::OkStatus();
}

absl::Status ForEachNumber(const WireField& field,
                           absl::FunctionRef<void(uint64_t)> visit) {
  if (!field.is_bytes) {
    visit(field.value);
    return absl::OkStatus();
  }
  absl::string_view rest = field.bytes;
  while (!rest.empty()) {
    const std::optional<uint64_t> value = TakeVarint(rest);
    if (!value) return NoMessage();
    visit(*value);
  }
  return absl::OkStatus();
}

void AppendVarint(uint64_t value, std::string& out) {
  for (; value >= 0x80; value >>= 7) {
    out.push_back(static_cast<char>(value | 0x80));
  }
  out.push_back(static_cast<char>(value));
}

void AppendNumber(uint64_t number, uint64_t value, std::string& out) {
  AppendVarint(number << 3 | kVarint, out);
  AppendVarint(value, out);
}

void AppendBytes(uint64_t number, absl::string_view bytes, std::string& out) {
  AppendVarint(number << 3 | kBytes, out);
  AppendVarint(bytes.size(), out);
  out.append(bytes.data(), bytes.size());
}

}  // namespace eyrie::pjrt
