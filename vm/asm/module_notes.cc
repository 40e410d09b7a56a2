// Notes, which express what upstream's text cannot.
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "vm/asm/module_parser.h"
#include "vm/isa/callconv.h"
#include "vm/module/module_def.h"

namespace eyrie::vm {
namespace {

// Parses "key" = "value".
absl::Status TakeAttribute(TextCursor& in, ModulePlan::Attributes& attributes) {
  ASSIGN_OR_RETURN(std::string key, in.TakeQuoted());
  RETURN_IF_ERROR(in.Expect("="));
  ASSIGN_OR_RETURN(std::string value, in.TakeQuoted());
  attributes.emplace_back(std::move(key), std::move(value));
  return absl::OkStatus();
}

// Parses features such as "EXT_F32" and "YIELD", or "none".
absl::StatusOr<uint32_t> TakeFeatures(TextCursor& in) {
  uint32_t features = 0;
  if (in.Accept("none")) return features;
  do {
    in.SkipBlanks();
    const size_t at = in.position();
    const absl::string_view name = in.TakeName();
    uint32_t found = 0;
    for (uint32_t bit = 1; bit != 0; bit <<= 1) {
      if ((bit & kKnownFeatures) && name == FeaturesToString(bit)) found = bit;
    }
    if (found == 0) {
      return in.ErrorAt(
          at, absl::StrCat("Expected one of ", FeaturesToString(kKnownFeatures),
                           "."));
    }
    features |= found;
  } while (in.Accept("|"));
  return features;
}

absl::StatusOr<int32_t> TakeInt32(TextCursor& in) {
  const bool negative = in.Peek() == '-';
  const size_t at = in.position();
  ASSIGN_OR_RETURN(const uint64_t bits, in.TakeInteger(32));
  const auto value = static_cast<int32_t>(bits);
  if (value >= 0 || negative) return value;
  return in.ErrorAt(at, absl::StrCat("The number ", bits, " exceeds 31 bits."));
}

// Parses the number of one of `count` locations, or -1 for none.
absl::StatusOr<int32_t> TakeOrdinal(TextCursor& in, size_t count) {
  in.SkipBlanks();
  const size_t at = in.position();
  ASSIGN_OR_RETURN(const int32_t place, TakeInt32(in));
  const bool known =
      place < 0 ? place == kNoPlace : static_cast<size_t>(place) < count;
  if (known) return place;
  return in.ErrorAt(at, absl::StrCat("loc[", place, "] is not defined yet; ",
                                     count, " are."));
}

// Parses "loc[3]".
absl::StatusOr<int32_t> TakePlace(TextCursor& in, size_t count) {
  RETURN_IF_ERROR(in.Expect("loc"));
  RETURN_IF_ERROR(in.Expect("["));
  ASSIGN_OR_RETURN(const int32_t place, TakeOrdinal(in, count));
  RETURN_IF_ERROR(in.Expect("]"));
  return place;
}

absl::Status TakePlaces(TextCursor& in, size_t count,
                        std::vector<int32_t>& places) {
  RETURN_IF_ERROR(in.Expect("["));
  if (in.Accept("]")) return absl::OkStatus();
  do {
    ASSIGN_OR_RETURN(const int32_t place, TakeOrdinal(in, count));
    places.push_back(place);
  } while (in.Accept(","));
  return in.Expect("]");
}

// Parses a location. One that consists of others refers to earlier ones only,
// which rules out cycles.
absl::StatusOr<ModulePlan::Location> TakeLocation(TextCursor& in,
                                                  size_t count) {
  ModulePlan::Location location;
  if (in.Accept("none")) return location;
  if (in.Accept("call")) {
    location.kind = ModulePlan::Location::kCallSite;
    ASSIGN_OR_RETURN(location.a, TakePlace(in, count));
    RETURN_IF_ERROR(in.Expect("from"));
    ASSIGN_OR_RETURN(location.b, TakePlace(in, count));
  } else if (in.Accept("name")) {
    location.kind = ModulePlan::Location::kNamed;
    ASSIGN_OR_RETURN(location.text, in.TakeQuoted());
    ASSIGN_OR_RETURN(location.a, TakePlace(in, count));
  } else if (in.Accept("fused")) {
    location.kind = ModulePlan::Location::kFused;
    if (in.Peek() != '[') {
      ASSIGN_OR_RETURN(location.text, in.TakeQuoted());
    }
    RETURN_IF_ERROR(TakePlaces(in, count, location.places));
  } else {
    location.kind = ModulePlan::Location::kFile;
    ASSIGN_OR_RETURN(location.text, in.TakeQuoted());
    RETURN_IF_ERROR(in.Expect(":"));
    ASSIGN_OR_RETURN(location.a, TakeInt32(in));
    RETURN_IF_ERROR(in.Expect(":"));
    ASSIGN_OR_RETURN(location.b, TakeInt32(in));
  }
  return location;
}

}  // namespace

const ModuleParser::Word ModuleParser::kNotes[] = {
    {"bytecode", &ModuleParser::NoteBytecode},
    {"requires", &ModuleParser::NoteRequires},
    {"archive", &ModuleParser::NoteArchive},
    {"attr", &ModuleParser::NoteAttr},
    {"depends", &ModuleParser::NoteDepends},
    {"import.attr", &ModuleParser::NoteImportAttr},
    {"rodata.external", &ModuleParser::NoteRodataExternal},
    {"rodata.align", &ModuleParser::NoteRodataAlign},
    {"globals", &ModuleParser::NoteGlobals},
    {"loc", &ModuleParser::NoteLocation},
    {nullptr, nullptr},
};

const ModuleParser::Word ModuleParser::kFunctionNotes[] = {
    {"func.attr", &ModuleParser::NoteFuncAttr},
    {"func.name", &ModuleParser::NoteFuncName},
    {"func.cconv", &ModuleParser::NoteFuncConvention},
    {"func.requires", &ModuleParser::NoteFuncRequires},
    {"func.registers", &ModuleParser::NoteFuncRegisters},
    {nullptr, nullptr},
};

absl::Status ModuleParser::NoteBytecode(TextCursor& in) {
  RETURN_IF_ERROR(BeforeFunctions(in));
  in.SkipBlanks();
  const size_t at = in.position();
  // A period may be part of a name, so the version is read as one.
  const absl::string_view text = in.TakeName();
  const size_t period = text.find('.');
  uint32_t major = 0;
  uint32_t minor = 0;
  if (!absl::SimpleAtoi(text.substr(0, period), &major) || major > 0xFFFF ||
      (period != absl::string_view::npos &&
       (!absl::SimpleAtoi(text.substr(period + 1), &minor) ||
        minor > 0xFFFF))) {
    return in.ErrorAt(at, "Expected a version, as in 17.0.");
  }
  const auto version = FindWritableVersion(major << 16 | minor);
  if (!version.ok()) return in.ErrorAt(at, version.status().message());
  scope_.version = *version;
  scope_.plan.bytecode_major = static_cast<uint16_t>(major);
  scope_.plan.bytecode_minor = static_cast<uint16_t>(minor);
  return absl::OkStatus();
}

absl::Status ModuleParser::NoteRequires(TextCursor& in) {
  ASSIGN_OR_RETURN(scope_.requirements, TakeFeatures(in));
  return absl::OkStatus();
}

absl::Status ModuleParser::NoteArchive(TextCursor& in) {
  scope_.plan.zip = true;
  return in.Expect("zip");
}

absl::Status ModuleParser::NoteAttr(TextCursor& in) {
  return TakeAttribute(in, scope_.plan.attributes);
}

absl::Status ModuleParser::NoteDepends(TextCursor& in) {
  ModulePlan::Dependency dependency;
  dependency.optional = in.Accept("optional");
  ASSIGN_OR_RETURN(dependency.name, in.TakeSymbol());
  RETURN_IF_ERROR(in.Expect("version"));
  ASSIGN_OR_RETURN(dependency.minimum_version, in.TakeU32("a version"));
  scope_.plan.dependencies.push_back(std::move(dependency));
  return absl::OkStatus();
}

absl::Status ModuleParser::NoteImportAttr(TextCursor& in) {
  if (scope_.plan.imports.empty()) {
    return in.Error("This note must come after its import.");
  }
  return TakeAttribute(in, scope_.plan.imports.back().attributes);
}

absl::Status ModuleParser::NoteRodataExternal(TextCursor& in) {
  if (scope_.plan.rodata.empty()) {
    return in.Error("This note must come after its constant.");
  }
  ModulePlan::Rodata& rodata = scope_.plan.rodata.back();
  rodata.external = true;
  if (!in.AtEnd()) {
    ASSIGN_OR_RETURN(rodata.name, in.TakeQuoted());
  }
  return absl::OkStatus();
}

absl::Status ModuleParser::NoteRodataAlign(TextCursor& in) {
  if (scope_.plan.rodata.empty()) {
    return in.Error("This note must come after its constant.");
  }
  in.SkipBlanks();
  const size_t at = in.position();
  ASSIGN_OR_RETURN(const uint32_t alignment, in.TakeU32("an alignment"));
  if (alignment == 0 || alignment > kMaxRodataAlignment ||
      (alignment & (alignment - 1)) != 0) {
    return in.ErrorAt(
        at, absl::StrCat("The alignment must be a power of two up to ",
                         kMaxRodataAlignment, "."));
  }
  scope_.plan.rodata.back().alignment = alignment;
  return absl::OkStatus();
}

absl::Status ModuleParser::NoteGlobals(TextCursor& in) {
  in.SkipBlanks();
  const size_t at = in.position();
  ASSIGN_OR_RETURN(const uint32_t bytes, in.TakeU32("a count of bytes"));
  RETURN_IF_ERROR(in.Expect("bytes"));
  RETURN_IF_ERROR(in.Expect(","));
  ASSIGN_OR_RETURN(const uint32_t refs, in.TakeU32("a count of refs"));
  const uint32_t most_bytes = options_.verify ? kMaxGlobalBytes : kMaxStateSize;
  const uint32_t most_refs = options_.verify ? kMaxGlobalRefs : kMaxStateSize;
  if (bytes > most_bytes || refs > most_refs) {
    return in.ErrorAt(
        at, absl::StrCat("A module may have at most ", most_bytes,
                         " bytes of globals and ", most_refs, " refs."));
  }
  scope_.global_sizes = {bytes, refs};
  return in.Expect("refs");
}

absl::Status ModuleParser::NoteLocation(TextCursor& in) {
  RETURN_IF_ERROR(BeforeFunctions(in));
  has_locations_ = true;
  RETURN_IF_ERROR(in.Expect("["));
  in.SkipBlanks();
  const size_t at = in.position();
  ASSIGN_OR_RETURN(const uint32_t ordinal, in.TakeU32("a location's number"));
  if (ordinal != scope_.plan.locations.size()) {
    return in.ErrorAt(at,
                      absl::StrCat("Locations are numbered from 0; expected ",
                                   scope_.plan.locations.size(), "."));
  }
  RETURN_IF_ERROR(in.Expect("]"));
  RETURN_IF_ERROR(in.Expect("="));
  ASSIGN_OR_RETURN(ModulePlan::Location location, TakeLocation(in, ordinal));
  scope_.plan.locations.push_back(std::move(location));
  return absl::OkStatus();
}

absl::Status ModuleParser::NoteFuncAttr(TextCursor& in) {
  return TakeAttribute(in, notes_.attributes);
}

absl::Status ModuleParser::NoteFuncName(TextCursor& in) {
  ASSIGN_OR_RETURN(notes_.name, in.TakeQuoted());
  return absl::OkStatus();
}

absl::Status ModuleParser::NoteFuncConvention(TextCursor& in) {
  ASSIGN_OR_RETURN(notes_.convention, in.TakeQuoted());
  return absl::OkStatus();
}

absl::Status ModuleParser::NoteFuncRequires(TextCursor& in) {
  ASSIGN_OR_RETURN(notes_.requirements, TakeFeatures(in));
  return absl::OkStatus();
}

absl::Status ModuleParser::NoteFuncRegisters(TextCursor& in) {
  ASSIGN_OR_RETURN(const uint32_t i32, in.TakeU32("a count of registers"));
  RETURN_IF_ERROR(in.Expect("i32"));
  RETURN_IF_ERROR(in.Expect(","));
  ASSIGN_OR_RETURN(const uint32_t ref, in.TakeU32("a count of registers"));
  if (i32 > kMaxI32Registers || ref > kMaxRefRegisters) {
    return in.Error(absl::StrCat("A function may have at most ",
                                 kMaxI32Registers, " i32 and ",
                                 kMaxRefRegisters, " ref registers."));
  }
  notes_.registers = {i32, ref};
  return in.Expect("ref");
}

absl::Status ModuleParser::NoteInstruction(TextCursor& in) {
  RETURN_IF_ERROR(in.Expect("["));
  // The text must not refer to locations made from its own lines.
  const size_t count = has_locations_ ? scope_.plan.locations.size() : 0;
  ASSIGN_OR_RETURN(const int32_t location, TakeOrdinal(in, count));
  RETURN_IF_ERROR(in.Expect("]"));
  RETURN_IF_ERROR(in.ExpectEnd());
  if (scope_.code_places.back().empty()) {
    return in.Error("This note must be on the line of its instruction.");
  }
  scope_.plan.functions.back().locations.push_back(
      {code_->last_offset(), location});
  return absl::OkStatus();
}

void ModuleParser::AddDebugLine() {
  ModulePlan::Location location;
  location.kind = ModulePlan::Location::kFile;
  location.text = std::string(line_.file);
  const SourcePlace& place = scope_.code_places.back().back().place;
  location.a = static_cast<int32_t>(place.line.number);
  location.b = static_cast<int32_t>(place.at + 1);
  scope_.plan.functions.back().locations.push_back(
      {code_->last_offset(),
       static_cast<int32_t>(scope_.plan.locations.size())});
  scope_.plan.locations.push_back(std::move(location));
}

}  // namespace eyrie::vm
