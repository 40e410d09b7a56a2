#include "abi/native/manifest.h"

#include <utility>
#include <vector>

#include "abi/native/elf_note.h"
#include "abi/native/json_reader.h"
#include "abi/native/native_function.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "base/json.h"
#include "base/mapped_file.h"
#include "base/plain_text.h"
#include "base/status_macros.h"
#include "base/suggest.h"

namespace eyrie::native {
namespace {

constexpr int64_t kVersion = 1;

struct Convention {
  const char* name;
  decltype(&DeclareXlaFfi) declare;
};
constexpr Convention kConventions[] = {
#define NATIVE_CONVENTION(name, declare) {name, declare},
#include "abi/native/conventions.def"
#undef NATIVE_CONVENTION
};

constexpr char kNameCharacters[] = "letters, digits, '_', '-' and '$'";

// Reports whether a text is a valid part of "module.function?attributes".
bool IsName(absl::string_view name, bool dots) {
  for (const char c : name) {
    if (!absl::ascii_isalnum(c) && c != '_' && c != '-' && c != '$' &&
        !(dots && c == '.')) {
      return false;
    }
  }
  return !name.empty();
}

absl::Status BadName(absl::string_view what, absl::string_view name) {
  return absl::InvalidArgumentError(
      absl::StrCat("In the manifest, the ", what, "'s name is '",
                   PlainName(name), "'; expected ", kNameCharacters,
                   what == "function" ? ", and '.'." : "."));
}

absl::StatusOr<ManifestFunction> ReadFunction(absl::string_view name,
                                              const Json& value) {
  ASSIGN_OR_RETURN(
      JsonReader json,
      JsonReader::Open(value, absl::StrCat("function '", name, "'")));
  ManifestFunction function;
  ASSIGN_OR_RETURN(function.convention, json.GetString("convention"));
  std::vector<std::string> names;
  for (const Convention& convention : kConventions) {
    names.emplace_back(convention.name);
    if (function.convention != convention.name) continue;
    ASSIGN_OR_RETURN(function.declaration, convention.declare(name, json));
    RETURN_IF_ERROR(json.Finish());
    return function;
  }
  return absl::InvalidArgumentError(absl::StrCat(
      "In the manifest, function '", name, "' has ",
      function.convention.empty()
          ? "no \"convention\"."
          : absl::StrCat("the convention '", PlainName(function.convention),
                         "', which is unknown."),
      DidYouMean(function.convention, names)));
}

absl::Status ReadTypes(const Json& list, Manifest& manifest) {
  ASSIGN_OR_RETURN(JsonReader types, JsonReader::Open(list, "\"types\""));
  for (size_t i = 0; i < list.keys.size(); ++i) {
    ASSIGN_OR_RETURN(
        JsonReader json,
        JsonReader::Open(list.items[i],
                         absl::StrCat("type '", PlainName(list.keys[i]), "'")));
    ManifestType& type = manifest.types[list.keys[i]];
    ASSIGN_OR_RETURN(type.id, json.GetString("id"));
    ASSIGN_OR_RETURN(type.info, json.GetString("info"));
    RETURN_IF_ERROR(json.Finish());
    if (type.id.empty()) {
      return absl::InvalidArgumentError(
          absl::StrCat("In the manifest, ", json.where(), " has no \"id\"."));
    }
  }
  return absl::OkStatus();
}

absl::Status ReadFunctions(const Json& list, Manifest& manifest) {
  ASSIGN_OR_RETURN(JsonReader functions,
                   JsonReader::Open(list, "\"functions\""));
  for (size_t i = 0; i < list.keys.size(); ++i) {
    const std::string& name = list.keys[i];
    if (!IsName(name, /*dots=*/true)) return BadName("function", name);
    ASSIGN_OR_RETURN(manifest.functions[name],
                     ReadFunction(name, list.items[i]));
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<Manifest> Manifest::Parse(absl::string_view text) {
  ASSIGN_OR_RETURN(const Json root, ParseJson(text));
  ASSIGN_OR_RETURN(JsonReader json, JsonReader::Open(root, "the root"));
  ASSIGN_OR_RETURN(const int64_t version, json.GetInt("version", kVersion));
  if (version != kVersion) {
    return absl::UnimplementedError(absl::StrCat(
        "The manifest has version ", version, "; expected ", kVersion, "."));
  }
  Manifest manifest;
  ASSIGN_OR_RETURN(manifest.module, json.GetString("module"));
  if (!IsName(manifest.module, /*dots=*/false)) {
    return BadName("module", manifest.module);
  }
  ASSIGN_OR_RETURN(manifest.global, json.GetBool("global", false));
  ASSIGN_OR_RETURN(manifest.partial, json.GetBool("partial", false));
  if (const Json* types = json.Find("types")) {
    RETURN_IF_ERROR(ReadTypes(*types, manifest));
  }
  const Json* functions = json.Find("functions");
  if (functions == nullptr) {
    return absl::InvalidArgumentError("The manifest has no \"functions\".");
  }
  RETURN_IF_ERROR(ReadFunctions(*functions, manifest));
  RETURN_IF_ERROR(json.Finish());
  return manifest;
}

std::string Manifest::Describe() const {
  std::string text;
  for (const auto& [name, function] : functions) {
    absl::StrAppend(&text, module, ".", name, ": ", function.convention, " ",
                    function.declaration->Describe(), "\n");
  }
  return text;
}

absl::StatusOr<Manifest> ReadManifest(const std::string& library,
                                      const std::string& manifest) {
  std::string path = manifest;
  if (path.empty()) {
    ASSIGN_OR_RETURN(const auto file, MappedFile::Open(library));
    ASSIGN_OR_RETURN(const auto note, FindAbiNote(file->bytes(), library));
    if (note) {
      absl::StatusOr<Manifest> parsed = Manifest::Parse(*note);
      if (parsed.ok()) return parsed;
      return Annotate(parsed.status(),
                      absl::StrCat("(in the note of '", library, "')"));
    }
    path = absl::StrCat(library, ".json");
  }
  const auto file = MappedFile::Open(path);
  if (absl::IsNotFound(file.status()) && manifest.empty()) {
    return absl::NotFoundError(
        absl::StrCat("'", library,
                     "' has no manifest: it has no note "
                     ".note.eyrie.abi, and there is no file '",
                     path, "'."));
  }
  RETURN_IF_ERROR(file);
  const auto bytes = (*file)->bytes();
  absl::StatusOr<Manifest> parsed = Manifest::Parse(
      {reinterpret_cast<const char*>(bytes.data()), bytes.size()});
  if (parsed.ok()) return parsed;
  return Annotate(parsed.status(), absl::StrCat("(in '", path, "')"));
}

}  // namespace eyrie::native
