// Writes values to files.
#include "abi/call/value_writer.h"

#include <memory>
#include <utility>

#include "abi/call/session.h"
#include "abi/call/value_text.h"
#include "abi/tensor/npy.h"
#include "abi/tensor/npz.h"
#include "absl/algorithm/container.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "base/file_appender.h"
#include "base/file_writer.h"
#include "base/status_macros.h"
#include "hal/buffer.h"
#include "vm/object/buffer.h"

namespace eyrie::abi {
namespace {

// Extensions of files that other programs would misread. Files with any other
// name, such as .bin, .raw and .dat, get the bytes of a value.
constexpr absl::string_view kOtherFormats[] = {
    ".json",    ".jsonl", ".csv",  ".tsv",         ".txt",  ".yaml", ".yml",
    ".xml",     ".html",  ".png",  ".jpg",         ".jpeg", ".gif",  ".bmp",
    ".webp",    ".tif",   ".tiff", ".svg",         ".pdf",  ".wav",  ".mp3",
    ".flac",    ".mp4",   ".zip",  ".gz",          ".zst",  ".xz",   ".pkl",
    ".pt",      ".pth",   ".h5",   ".hdf5",        ".mat",  ".onnx", ".gguf",
    ".parquet", ".irpa",  ".vmfb", ".safetensors",
};

// Ignores the case of letters. Files that are read need no such
// rule: their content tells their format.
OutputFormat FormatOf(absl::string_view path) {
  const size_t dot = path.rfind('.');
  if (dot == path.npos) return OutputFormat::kBytes;
  const std::string extension = absl::AsciiStrToLower(path.substr(dot));
  if (extension == ".npy") return OutputFormat::kNpy;
  if (extension == ".npz") return OutputFormat::kNpz;
  return absl::c_linear_search(kOtherFormats, extension) ? OutputFormat::kOther
                                                         : OutputFormat::kBytes;
}

// A value as a tensor in host memory.
struct FlatValue {
  bool is_buffer = false;  // its bytes may have any format
  hal::TensorType spec;
  std::span<const uint8_t> bytes;
};

FlatValue FlatBytes(std::span<const uint8_t> bytes) {
  FlatValue flat;
  flat.is_buffer = true;
  flat.spec.element = hal::ElementType::kInt8;
  flat.spec.shape.push_back(static_cast<int64_t>(bytes.size()));
  flat.bytes = bytes;
  return flat;
}

FlatValue FlatScalar(const vm::Value& value, hal::ElementType type) {
  FlatValue flat;
  flat.spec.element = type;
  flat.bytes = {reinterpret_cast<const uint8_t*>(&value.slot()),
                hal::BitCount(type) / 8};
  return flat;
}

// Scalars become tensors of rank 0; buffers and null become arrays of bytes.
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

std::span<const uint8_t> AsBytes(const std::string& text) {
  return {reinterpret_cast<const uint8_t*>(text.data()), text.size()};
}

}  // namespace

bool NamesArrays(absl::string_view path) {
  const auto is_array = [](OutputFormat format) {
    return format == OutputFormat::kNpy || format == OutputFormat::kNpz;
  };
  return is_array(FormatOf(path)) ||
         is_array(FormatOf(path.substr(0, ArrayColon(path))));
}

absl::Status CheckOutputText(absl::string_view text) {
  if (text.empty() || text == "-") return absl::OkStatus();
  if (text[0] == '@' || text[0] == '+') {
    if (text.size() > 1) return absl::OkStatus();
    return absl::InvalidArgumentError(
        absl::StrCat("--output='", text, "' names no file."));
  }
  return absl::InvalidArgumentError(absl::StrCat(
      "--output='", text, "' is neither '-' nor '@file' nor '+file'."));
}

absl::Status CheckOutputFormat(absl::string_view text) {
  if (FormatOf(text) != OutputFormat::kOther) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat(
      "--output='", text,
      "' would contain only the value's bytes, which are not a ",
      absl::AsciiStrToLower(text.substr(text.rfind('.'))),
      " file. Use .npy or .npz for a NumPy array, .bin for its "
      "bytes, '-' for its text, or --output=json for JSON on standard "
      "output."));
}

absl::Status AppendNpy(const vm::Value& value, std::string& out) {
  ASSIGN_OR_RETURN(const FlatValue flat, Flatten(value));
  out += NpyHeader(flat.spec);
  AppendNpyElements(flat.spec, flat.bytes, out);
  return absl::OkStatus();
}

absl::StatusOr<ValueWriter::Target*> ValueWriter::Open(absl::string_view text) {
  RETURN_IF_ERROR(CheckOutputText(text));
  const bool append = text[0] == '+';
  const std::string path(text.substr(1));
  Target target;
  target.format = FormatOf(path);
  std::string identity;
  if (append) {
    target.appender = std::make_unique<FileAppender>(
        path, target.is_zip() ? FileAppender::Adds::kTail
                              : FileAppender::Adds::kRecords);
    RETURN_IF_ERROR(target.appender->status());
    identity = target.appender->identity();
  } else {
    target.writer = std::make_unique<FileWriter>(path);
    RETURN_IF_ERROR(target.writer->status());
    identity = target.writer->identity();
  }
  const bool is_stream = identity.empty();
  if (is_stream) identity = path;
  const auto known = targets_.find(identity);
  if (known != targets_.end()) {
    if (append || is_stream) return &known->second;
    return absl::InvalidArgumentError(absl::StrCat(
        "--output='", text,
        "' would replace the result before it in the same file; '+' appends."));
  }
  if (append && target.is_zip()) {
    RETURN_IF_ERROR(target.appender->Look([&](std::span<const uint8_t> zip) {
      return Annotate(ContinueNpz(zip).status(),
                      absl::StrCat("(file '", path, "')"));
    }));
  }
  return &(targets_[identity] = std::move(target));
}

absl::Status ValueWriter::Prepare(std::span<const std::string> texts) {
  for (const std::string& text : texts) {
    if (text.empty() || text == "-") continue;
    ASSIGN_OR_RETURN(Target * target, Open(text));
    by_text_[text] = target;
  }
  return absl::OkStatus();
}

absl::Status ValueWriter::Write(absl::string_view text, const vm::Value& value,
                                std::string& out) {
  if (text.empty()) return absl::OkStatus();
  if (text == "-") {
    AppendValue(value, options_, out);
    out.push_back('\n');
    return absl::OkStatus();
  }
  ASSIGN_OR_RETURN(const FlatValue flat, Flatten(value));
  if (!flat.is_buffer) RETURN_IF_ERROR(CheckOutputFormat(text));
  Target* target = nullptr;
  if (const auto found = by_text_.find(std::string(text));
      found != by_text_.end()) {
    target = found->second;
  } else {
    ASSIGN_OR_RETURN(target, Open(text));
  }
  std::string contents;
  if (target->is_zip() || FormatOf(text) == OutputFormat::kNpy) {
    contents = NpyHeader(flat.spec);
    AppendNpyElements(flat.spec, flat.bytes, contents);
  } else {
    absl::StrAppend(&contents, TextOf(flat.bytes));
  }
  if (target->is_zip()) {
    target->arrays.push_back(std::move(contents));
  } else if (target->contents.empty()) {
    target->contents = std::move(contents);
  } else {
    target->contents += contents;
  }
  return absl::OkStatus();
}

absl::Status ValueWriter::Append(Target& target) {
  if (!target.is_zip()) {
    return target.appender->Append(AsBytes(target.contents));
  }
  return target.appender->ReplaceTail(
      [&](std::span<const uint8_t> old) -> absl::StatusOr<FileTail> {
        ASSIGN_OR_RETURN(ZipWriter zip, ContinueNpz(old));
        for (const std::string& array : target.arrays) AddNpzArray(zip, array);
        const uint64_t begin = zip.begin();
        return FileTail{begin, zip.Finish()};
      });
}

absl::Status ValueWriter::Commit() {
  for (auto& [path, target] : targets_) {
    if (target.writer == nullptr) continue;
    ZipWriter zip;
    for (const std::string& array : target.arrays) AddNpzArray(zip, array);
    if (target.is_zip()) target.contents = zip.Finish();
    RETURN_IF_ERROR(target.writer->WriteText(target.contents));
  }
  for (auto& [path, target] : targets_) {
    RETURN_IF_ERROR(target.writer != nullptr ? target.writer->Finish()
                                             : Append(target));
  }
  targets_.clear();
  by_text_.clear();
  return absl::OkStatus();
}

}  // namespace eyrie::abi
