// Writes and reads the notes of programs.
#include "plugins/pjrt/program_image.h"

#include <span>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/json.h"
#include "base/status_macros.h"
#include "base/zip.h"

namespace eyrie::pjrt {
namespace {

constexpr char kMember[] = "eyrie.pjrt.json";
constexpr char kFile[] = "The program's file";
constexpr int64_t kNoteVersion = 1;
// The tree of a JSON takes up to 60 times the memory of its text.
constexpr size_t kMaxNoteBytes = size_t{4} << 20;

std::span<const uint8_t> Bytes(absl::string_view text) {
  return {reinterpret_cast<const uint8_t*>(text.data()), text.size()};
}

std::string NoteOf(const Interface& interface) {
  std::string note =
      absl::StrCat("{\"version\": ", kNoteVersion, ", \"name\": ");
  AppendJsonString(interface.name, note);
  note += ", \"arguments\": [";
  for (size_t i = 0; i < interface.arguments.size(); ++i) {
    absl::StrAppend(&note, i == 0 ? "" : ", ", "{\"shape\": \"",
                    ToText(interface.arguments[i]), "\"",
                    interface.donated[i] ? ", \"donated\": true}" : "}");
  }
  note += "], \"results\": [";
  for (size_t i = 0; i < interface.results.size(); ++i) {
    absl::StrAppend(&note, i == 0 ? "" : ", ", "{\"shape\": \"",
                    ToText(interface.results[i]), "\"}");
  }
  note += "], \"handlers\": [";
  for (const std::string& handler : interface.imports.handlers) {
    if (note.back() != '[') note += ", ";
    AppendJsonString(handler, note);
  }
  note += "], \"manifest\": ";
  AppendJsonString(interface.imports.manifest, note);
  if (!interface.may_write) note += ", \"reads_only\": true";
  return note + "}\n";
}

absl::Status BadNote(absl::string_view what) {
  return absl::InvalidArgumentError(
      absl::StrCat("The program's note, ", kMember, ", is damaged: ", what));
}

// Returns the shapes of a list in the note.
absl::StatusOr<std::vector<Shape>> ShapesIn(const Json& note, const char* key,
                                            std::vector<bool>* donated) {
  const Json* const list = note.Find(key);
  if (list == nullptr || !list->is(Json::Kind::kArray)) {
    return BadNote(absl::StrCat("\"", key, "\" is no list."));
  }
  std::vector<Shape> shapes;
  for (const Json& item : list->items) {
    const Json* const text = item.Find("shape");
    if (text == nullptr || !text->is(Json::Kind::kString)) {
      return BadNote(absl::StrCat("an item of \"", key, "\" has no shape."));
    }
    ASSIGN_OR_RETURN(Shape shape, ReadShape(text->text));
    shapes.push_back(std::move(shape));
    if (donated == nullptr) continue;
    const Json* const is_donated = item.Find("donated");
    donated->push_back(is_donated != nullptr && is_donated->boolean);
  }
  return shapes;
}

absl::StatusOr<Shape> ShapeIn(const eyrie_argument_info_t& info,
                              const char* what, size_t index) {
  const Buffer_Type type = TypeOf(info.dtype);
  if (info.kind == EYRIE_KIND_ARRAY && info.rank >= 0 &&
      type != kBufferTypeInvalid) {
    absl::StatusOr<Shape> shape =
        ShapeOf(type, info.shape, static_cast<size_t>(info.rank));
    if (shape.ok()) return shape;
  }
  return absl::InvalidArgumentError(absl::StrCat(
      what, " ", index, " of the program's function is ", info.type,
      "; PJRT needs arrays with a known type and "
      "shape."));
}

}  // namespace

absl::StatusOr<std::string> WithNote(absl::string_view module,
                                     const Interface& interface) {
  if (!LooksLikeZip(Bytes(module))) {
    return absl::InvalidArgumentError(
        "The compiler's module is not a ZIP; do not use the flag "
        "--iree-vm-emit-polyglot-zip=false.");
  }
  ASSIGN_OR_RETURN(const ZipDirectory members, ReadZip(Bytes(module), kFile));
  ZipWriter writer(Bytes(module), members);
  writer.Add(kMember, NoteOf(interface), /*alignment=*/1);
  const absl::string_view kept = module.substr(0, writer.begin());
  return absl::StrCat(kept, writer.Finish());
}

absl::StatusOr<Interface> ReadNoteText(absl::string_view text) {
  if (text.size() > kMaxNoteBytes) {
    return absl::InvalidArgumentError(
        absl::StrCat("The program's note, ", kMember, ", has ", text.size(),
                     " bytes; at most ", kMaxNoteBytes, " are read."));
  }
  ASSIGN_OR_RETURN(const Json note, ParseJson(text));
  const Json* const version = note.Find("version");
  const Json* const name = note.Find("name");
  if (version == nullptr || !version->is(Json::Kind::kInt)) {
    return BadNote("it has no version.");
  }
  if (version->integer != kNoteVersion) {
    return absl::UnimplementedError(
        absl::StrCat("The program's note has version ", version->integer,
                     "; this plug-in reads version ", kNoteVersion, "."));
  }
  if (name == nullptr || !name->is(Json::Kind::kString)) {
    return BadNote("it has no name.");
  }
  Interface interface;
  interface.name = name->text;
  ASSIGN_OR_RETURN(interface.arguments,
                   ShapesIn(note, "arguments", &interface.donated));
  const Json* const reads_only = note.Find("reads_only");
  interface.may_write = reads_only == nullptr || !reads_only->boolean;
  ASSIGN_OR_RETURN(interface.results, ShapesIn(note, "results", nullptr));
  const Json* const manifest = note.Find("manifest");
  const Json* const handlers = note.Find("handlers");
  if (manifest == nullptr || handlers == nullptr) return interface;
  if (!manifest->is(Json::Kind::kString) || !handlers->is(Json::Kind::kArray)) {
    return BadNote("its imports are not a text and a list.");
  }
  interface.imports.manifest = manifest->text;
  for (const Json& handler : handlers->items) {
    interface.imports.handlers.insert(handler.text);
  }
  return interface;
}

absl::StatusOr<Interface> ReadNote(absl::string_view file) {
  if (!LooksLikeZip(Bytes(file))) {
    return absl::NotFoundError("The program's file has no note.");
  }
  ASSIGN_OR_RETURN(const ZipDirectory directory, ReadZip(Bytes(file), kFile));
  for (const ZipMember& member : directory.members) {
    if (member.name != kMember || member.method != kZipStored) continue;
    return ReadNoteText({reinterpret_cast<const char*>(member.packed.data()),
                         member.packed.size()});
  }
  return absl::NotFoundError("The program's file has no note.");
}

absl::StatusOr<Interface> InterfaceOf(const eyrie_signature_t& signature,
                                      absl::string_view name) {
  Interface interface;
  interface.name = std::string(name);
  for (size_t i = 0; i < signature.argument_count; ++i) {
    ASSIGN_OR_RETURN(Shape shape,
                     ShapeIn(*signature.arguments[i], "Argument", i));
    interface.arguments.push_back(std::move(shape));
  }
  for (size_t i = 0; i < signature.result_count; ++i) {
    ASSIGN_OR_RETURN(Shape shape, ShapeIn(*signature.results[i], "Result", i));
    interface.results.push_back(std::move(shape));
  }
  interface.donated.resize(interface.arguments.size(), false);
  return interface;
}

}  // namespace eyrie::pjrt
