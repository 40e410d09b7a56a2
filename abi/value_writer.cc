// Writes values to files.
//
// Tested by function_io_test.cc.
#include <sys/stat.h>

#include <cstdio>
#include <cstring>
#include <utility>

#include "abi/function_io.h"
#include "abi/npy.h"
#include "abi/session.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "base/file_writer.h"
#include "base/status_macros.h"
#include "hal/buffer.h"
#include "vm/buffer.h"

namespace eyrie::abi {
namespace {

// A value as a tensor of bytes in host memory.
struct FlatValue {
  TensorSpec spec;
  std::span<const uint8_t> bytes;
};

FlatValue FlatBytes(std::span<const uint8_t> bytes) {
  FlatValue flat;
  flat.spec.type = hal::ElementType::kInt8;
  flat.spec.shape.push_back(static_cast<int64_t>(bytes.size()));
  flat.bytes = bytes;
  return flat;
}

FlatValue FlatScalar(const vm::Value& value, hal::ElementType type) {
  FlatValue flat;
  flat.spec.type = type;
  flat.bytes = {reinterpret_cast<const uint8_t*>(&value.slot()),
                hal::BitCount(type) / 8};
  return flat;
}

// Scalars have rank 0; buffers, and null, are arrays of bytes.
absl::StatusOr<FlatValue> Flatten(const vm::Value& value) {
  switch (value.type()) {
    case vm::ValueType::kI32:
      return FlatScalar(value, hal::ElementType::kInt32);
    case vm::ValueType::kI64:
      return FlatScalar(value, hal::ElementType::kInt64);
    case vm::ValueType::kF32:
      return FlatScalar(value, hal::ElementType::kFloat32);
    case vm::ValueType::kF64:
      return FlatScalar(value, hal::ElementType::kFloat64);
    case vm::ValueType::kRef:
      break;
  }
  RefObject* object = value.ref();
  if (object == nullptr) return FlatBytes({});
  if (const auto* view = RefCast<hal::BufferView>(object)) {
    FlatValue flat;
    flat.spec = SpecOf(*view);
    ASSIGN_OR_RETURN(flat.bytes, BytesOf(*view));
    return flat;
  }
  if (const auto* buffer = RefCast<vm::Buffer>(object)) {
    return FlatBytes(buffer->bytes());
  }
  if (auto* buffer = RefCast<hal::Buffer>(object)) {
    ASSIGN_OR_RETURN(
        const std::span<uint8_t> bytes,
        buffer->Map(hal::memory_access::kRead, 0, buffer->byte_length()));
    return FlatBytes(bytes);
  }
  return absl::InvalidArgumentError(
      absl::StrCat("A ", object->type().name, " cannot be written to a file."));
}

absl::string_view TextOf(std::span<const uint8_t> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

}  // namespace

absl::StatusOr<ValueWriter::Target*> ValueWriter::Open(const std::string& path,
                                                       bool append) {
  const auto known = targets_.find(path);
  if (known != targets_.end() && append) return &known->second;
  Target& target = targets_[path];
  target = Target();
  target.is_zip = absl::EndsWith(path, ".npz");
  struct stat existing = {};
  if (!append || stat(path.c_str(), &existing) != 0 ||
      !S_ISREG(existing.st_mode)) {
    return &target;
  }
  ASSIGN_OR_RETURN(const auto file, MappedFile::Open(path));
  if (!target.is_zip) {
    target.contents = std::string(TextOf(file->bytes()));
    return &target;
  }
  ASSIGN_OR_RETURN(const auto members, ReadZip(file->bytes()));
  for (const NpzMember& member : members) {
    target.zip.Add(member.name, TextOf(member.bytes));
  }
  target.member_count = members.size();
  return &target;
}

absl::Status CheckOutputText(absl::string_view text) {
  if (text.empty() || text == "-" || text[0] == '@' || text[0] == '+') {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(absl::StrCat(
      "--output='", text, "' is neither '-' nor '@file' nor '+file'."));
}

absl::Status ValueWriter::Write(absl::string_view text, const vm::Value& value,
                                std::string& out) {
  if (text.empty()) return absl::OkStatus();
  if (text == "-") {
    AppendValue(value, options_, out);
    out.push_back('\n');
    return absl::OkStatus();
  }
  RETURN_IF_ERROR(CheckOutputText(text));
  const bool append = text[0] == '+';
  const std::string path(text.substr(1));
  ASSIGN_OR_RETURN(const FlatValue flat, Flatten(value));
  std::string contents;
  if (absl::EndsWith(path, ".npy") || absl::EndsWith(path, ".npz")) {
    ASSIGN_OR_RETURN(contents, NpyHeader(flat.spec));
  }
  absl::StrAppend(&contents, TextOf(flat.bytes));
  ASSIGN_OR_RETURN(Target * target, Open(path, append));
  if (target->is_zip) {
    target->zip.Add(absl::StrCat("arr_", target->member_count++, ".npy"),
                    contents);
  } else if (target->contents.empty()) {
    target->contents = std::move(contents);
  } else {
    target->contents += contents;
  }
  return absl::OkStatus();
}

absl::Status ValueWriter::Commit() {
  for (auto& [path, target] : targets_) {
    if (target.is_zip) target.contents = target.zip.Finish();
    FileWriter writer(path);
    RETURN_IF_ERROR(writer.WriteText(target.contents));
    RETURN_IF_ERROR(writer.Finish());
  }
  targets_.clear();
  return absl::OkStatus();
}

}  // namespace eyrie::abi
