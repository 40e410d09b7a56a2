// Writes a plan as a FlatBuffer, alone or in a ZIP file.
#include "vm/asm/module_plan.h"

#include <algorithm>
#include <limits>
#include <span>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "base/checked_math.h"
#include "base/status_macros.h"
#include "base/zip.h"
#include "flatbuffers/flatbuffers.h"
#include "vm/module/module_generated.h"

namespace eyrie::vm {
namespace {

using Builder = flatbuffers::FlatBufferBuilder;
using Bytes = std::vector<uint8_t>;

constexpr uint32_t kFunctionAlignment = 8;
constexpr uint32_t kEmbeddedAlignment = 16;
constexpr uint32_t kRequiredFlag = 1;
constexpr uint32_t kOptionalFlag = 2;

template <typename T>
using Offsets = std::vector<flatbuffers::Offset<T>>;

// Creates a vector; none if it is empty.
template <typename T>
flatbuffers::Offset<flatbuffers::Vector<flatbuffers::Offset<T>>> Vector(
    Builder& to, const Offsets<T>& list) {
  return list.empty() ? 0 : to.CreateVector(list);
}

// Writes the tables of a module, each before those that refer to it.
class TableWriter {
 public:
  TableWriter(Builder& to, const ModulePlan& plan) : to_(to), plan_(plan) {}

  auto Attributes(const ModulePlan::Attributes& attributes) {
    Offsets<fbs::Attr> list;
    for (const auto& [key, value] : attributes) {
      const auto key_text = to_.CreateString(key);
      list.push_back(fbs::CreateAttr(to_, key_text, to_.CreateString(value)));
    }
    return Vector(to_, list);
  }

  auto Types() {
    Offsets<fbs::Type> list;
    for (const std::string& type : plan_.types) {
      list.push_back(fbs::CreateType(to_, to_.CreateString(type)));
    }
    return Vector(to_, list);
  }

  auto Dependencies() {
    Offsets<fbs::Dependency> list;
    for (const ModulePlan::Dependency& from : plan_.dependencies) {
      list.push_back(fbs::CreateDependency(
          to_, to_.CreateString(from.name), from.minimum_version,
          from.optional ? kOptionalFlag : kRequiredFlag));
    }
    return Vector(to_, list);
  }

  auto Imports() {
    Offsets<fbs::Import> list;
    for (const ModulePlan::Import& from : plan_.imports) {
      const auto signature = Signature(from.convention, from.attributes);
      list.push_back(
          fbs::CreateImport(to_, to_.CreateString(from.full_name), signature,
                            from.optional ? kOptionalFlag : kRequiredFlag));
    }
    return Vector(to_, list);
  }

  auto Exports() {
    Offsets<fbs::Export> list;
    for (const ModulePlan::Export& from : plan_.exports) {
      list.push_back(fbs::CreateExport(to_, to_.CreateString(from.name),
                                       static_cast<int32_t>(from.function)));
    }
    return Vector(to_, list);
  }

  auto Signatures() {
    Offsets<fbs::Signature> list;
    for (const ModulePlan::Function& from : plan_.functions) {
      list.push_back(Signature(from.convention, from.attributes));
    }
    return to_.CreateVector(list);
  }

  // `external` has the offsets of external constants.
  auto Rodata(const std::vector<uint64_t>& external) {
    Offsets<fbs::Rodata> list;
    // Makes the FlatBuffer's size independent of the offsets.
    to_.ForceDefaults(true);
    for (size_t i = 0; i < plan_.rodata.size(); ++i) {
      const ModulePlan::Rodata& from = plan_.rodata[i];
      if (from.external) {
        list.push_back(fbs::CreateRodata(to_, fbs::Compression::NONE, 0, 0,
                                         external[i], from.bytes.size()));
        continue;
      }
      to_.ForceVectorAlignment(
          from.bytes.size(), 1,
          from.alignment == 0 ? kEmbeddedAlignment : from.alignment);
      const auto bytes = to_.CreateVector(from.bytes);
      list.push_back(fbs::CreateRodata(to_, fbs::Compression::NONE, 0, bytes));
    }
    to_.ForceDefaults(false);
    return Vector(to_, list);
  }

  flatbuffers::Offset<fbs::DebugDatabase> Debug() {
    if (!plan_.has_debug()) return 0;
    std::vector<uint8_t> kinds;
    std::vector<flatbuffers::uoffset_t> locations;
    for (const ModulePlan::Location& from : plan_.locations) {
      kinds.push_back(from.kind);
      locations.push_back(Location(from).o);
    }
    Offsets<fbs::SourceMap> maps;
    for (const ModulePlan::Function& from : plan_.functions) {
      maps.push_back(SourceMap(from));
    }
    const auto kind_vector = to_.CreateVector(kinds);
    const auto location_vector = LocationVector(locations);
    const auto map_vector = to_.CreateVector(maps);
    fbs::DebugDatabaseBuilder database(to_);
    // The generated reader expects the kinds as enumerators of one byte.
    database.add_locations_type(
        flatbuffers::Offset<flatbuffers::Vector<fbs::Location>>(kind_vector.o));
    database.add_locations(location_vector);
    database.add_functions(map_vector);
    return database.Finish();
  }

 private:
  flatbuffers::Offset<fbs::Signature> Signature(
      const std::string& convention, const ModulePlan::Attributes& attributes) {
    const auto list = Attributes(attributes);
    return fbs::CreateSignature(to_, to_.CreateString(convention), list);
  }

  flatbuffers::Offset<void> Location(const ModulePlan::Location& from) {
    switch (from.kind) {
      case ModulePlan::Location::kCallSite:
        return fbs::CreateCallSiteLocation(to_, from.a, from.b).Union();
      case ModulePlan::Location::kFused: {
        const auto places = to_.CreateVector(from.places);
        const auto text = from.text.empty() ? 0 : to_.CreateString(from.text);
        return fbs::CreateFusedLocation(to_, text, places).Union();
      }
      case ModulePlan::Location::kNamed:
        return fbs::CreateNamedLocation(to_, to_.CreateString(from.text),
                                        from.a)
            .Union();
      case ModulePlan::Location::kFile:
        return fbs::CreateFileLocation(to_, to_.CreateString(from.text), from.a,
                                       from.b)
            .Union();
      case ModulePlan::Location::kNone:
        break;
    }
    return 0;
  }

  // Writes a zero in place of a location that does not exist.
  flatbuffers::Offset<flatbuffers::Vector<flatbuffers::Offset<void>>>
  LocationVector(const std::vector<flatbuffers::uoffset_t>& locations) {
    using flatbuffers::uoffset_t;
    uoffset_t* elements = nullptr;
    const auto vector =
        to_.CreateUninitializedVector(locations.size(), &elements);
    // Locations are relative to the end of the buffer, whose last entry is the
    // vector.
    uoffset_t place = to_.GetSize() - sizeof(uoffset_t);
    for (size_t i = 0; i < locations.size(); ++i, place -= sizeof(uoffset_t)) {
      const uoffset_t distance = locations[i] == 0 ? 0 : place - locations[i];
      elements[i] = flatbuffers::EndianScalar(distance);
    }
    return {vector.o};
  }

  flatbuffers::Offset<fbs::SourceMap> SourceMap(
      const ModulePlan::Function& from) {
    std::vector<fbs::InstructionLocation> list;
    for (const ModulePlan::InstructionLocation& entry : from.locations) {
      list.push_back(fbs::InstructionLocation(
          static_cast<int32_t>(entry.offset), entry.location));
    }
    const auto vector = to_.CreateVectorOfStructs(list);
    return fbs::CreateSourceMap(to_, to_.CreateString(from.debug_name), vector);
  }

  Builder& to_;
  const ModulePlan& plan_;
};

uint64_t ExternalAlignment(const ModulePlan::Rodata& rodata) {
  return std::max<uint64_t>(rodata.alignment, kArchiveAlignment);
}

absl::Status Check(absl::string_view what, uint64_t value, uint64_t most) {
  if (value <= most) return absl::OkStatus();
  return absl::ResourceExhaustedError(absl::StrCat(
      "The module has ", value, " ", what, "; the limit is ", most, "."));
}

// Returns an error if the plan does not fit into the format's fields. The
// builder aborts if it needs 2 GiB or more.
absl::Status CheckSizes(const ModulePlan& plan) {
  constexpr uint64_t kMaxInt32 = std::numeric_limits<int32_t>::max();
  uint64_t total = plan.locations.size() * 64;
  uint64_t file = 0;
  const auto attributes = [&](const ModulePlan::Attributes& list) {
    for (const auto& [key, value] : list) {
      total += key.size() + value.size() + 64;
    }
  };
  attributes(plan.attributes);
  for (const ModulePlan::Import& import : plan.imports) {
    attributes(import.attributes);
    total += import.full_name.size() + import.convention.size() + 128;
  }
  for (const ModulePlan::Function& function : plan.functions) {
    attributes(function.attributes);
    total += function.code.size() + function.convention.size() + 256 +
             function.locations.size() * 8;
    RETURN_IF_ERROR(Check("i32 registers", function.i32_registers, 0xFFFF));
    RETURN_IF_ERROR(Check("ref registers", function.ref_registers, 0xFFFF));
    RETURN_IF_ERROR(Check("blocks", function.blocks, kMaxBlocks));
  }
  for (const ModulePlan::Location& location : plan.locations) {
    total += location.text.size() + location.places.size() * 4;
  }
  for (const ModulePlan::Rodata& rodata : plan.rodata) {
    total += 128 + (rodata.external ? 0 : rodata.bytes.size());
    file += rodata.bytes.size() + ZipWriter::kMaxAlignment + rodata.name.size();
    RETURN_IF_ERROR(
        Check("bytes of a constant's name", rodata.name.size(), 0x7FFF));
  }
  for (const std::string& type : plan.types) total += type.size() + 64;
  RETURN_IF_ERROR(Check("bytes of globals", plan.global_bytes, kMaxStateSize));
  RETURN_IF_ERROR(Check("global refs", plan.global_refs, kMaxStateSize));
  RETURN_IF_ERROR(Check("bytes of constants", file, kMaxRodataBytes));
  if (plan.zip) {
    RETURN_IF_ERROR(Check("constants", plan.rodata.size(), 0xFFFE));
  }
  return Check("bytes of contents", total, kMaxInt32 / 2);
}

Bytes BuildFlatBuffer(const ModulePlan& plan,
                      const std::vector<uint64_t>& external) {
  Builder to;
  TableWriter tables(to, plan);
  Bytes code;
  std::vector<fbs::Function> functions;
  for (const ModulePlan::Function& from : plan.functions) {
    code.resize(AlignUp(code.size(), kFunctionAlignment));
    functions.push_back(
        fbs::Function(static_cast<int32_t>(code.size()),
                      static_cast<int32_t>(from.code.size()), from.requirements,
                      /*reserved=*/0, static_cast<uint16_t>(from.blocks),
                      static_cast<uint16_t>(from.i32_registers),
                      static_cast<uint16_t>(from.ref_registers)));
    code.insert(code.end(), from.code.begin(), from.code.end());
  }
  code.resize(AlignUp(code.size(), kFunctionAlignment));
  const auto name = to.CreateString(plan.name);
  const auto attributes = tables.Attributes(plan.attributes);
  const auto types = tables.Types();
  const auto dependencies = tables.Dependencies();
  const auto imports = tables.Imports();
  const auto exports = tables.Exports();
  const auto signatures = tables.Signatures();
  const auto rodata = tables.Rodata(external);
  flatbuffers::Offset<fbs::State> state = 0;
  if (plan.global_bytes != 0 || plan.global_refs != 0) {
    state = fbs::CreateState(to, static_cast<int32_t>(plan.global_bytes),
                             static_cast<int32_t>(plan.global_refs));
  }
  const auto debug = tables.Debug();
  const auto function_vector = to.CreateVectorOfStructs(functions);
  to.ForceVectorAlignment(code.size(), 1, kEmbeddedAlignment);
  const auto code_vector = to.CreateVector(code);
  fbs::FinishSizePrefixedModuleBuffer(
      to, fbs::CreateModule(
              to, name, plan.version, plan.requirements, attributes, types,
              dependencies, imports, exports, signatures, rodata, /*rwdata=*/0,
              state, function_vector,
              uint32_t{plan.bytecode_major} << 16 | plan.bytecode_minor,
              code_vector, debug));
  return Bytes(to.GetBufferPointer(), to.GetBufferPointer() + to.GetSize());
}

absl::string_view AsText(const Bytes& bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

std::string MemberName(const ModulePlan& plan, size_t ordinal) {
  if (!plan.rodata[ordinal].name.empty()) return plan.rodata[ordinal].name;
  return absl::StrCat("rodata_", ordinal, ".bin");
}

// Returns where each external constant begins, relative to the end of the
// FlatBuffer, in a file whose FlatBuffer has this size.
std::vector<uint64_t> PlaceExternals(const ModulePlan& plan,
                                     uint64_t flatbuffer_size) {
  std::vector<uint64_t> offsets(plan.rodata.size());
  uint64_t at = 0;
  if (plan.zip) {
    at = ZipWriter::Place(0, "module.fb", flatbuffer_size, kArchiveAlignment);
  }
  at += flatbuffer_size;
  const uint64_t base = AlignUp(at, kArchiveAlignment);
  for (size_t i = 0; i < plan.rodata.size(); ++i) {
    if (!plan.rodata[i].external) continue;
    const size_t alignment = ExternalAlignment(plan.rodata[i]);
    at = plan.zip ? ZipWriter::Place(at, MemberName(plan, i),
                                     plan.rodata[i].bytes.size(), alignment)
                  : AlignUp(at, alignment);
    offsets[i] = at - base;
    at += plan.rodata[i].bytes.size();
  }
  return offsets;
}

}  // namespace

bool ModulePlan::has_debug() const {
  if (!locations.empty()) return true;
  return std::any_of(
      functions.begin(), functions.end(), [](const Function& function) {
        return !function.debug_name.empty() || !function.locations.empty();
      });
}

absl::StatusOr<std::vector<uint8_t>> WriteModule(const ModulePlan& plan) {
  RETURN_IF_ERROR(CheckSizes(plan));
  // The offsets depend on the FlatBuffer's size, but not the reverse.
  const size_t size =
      BuildFlatBuffer(plan, std::vector<uint64_t>(plan.rodata.size())).size();
  Bytes flatbuffer = BuildFlatBuffer(plan, PlaceExternals(plan, size));
  if (plan.zip) {
    ZipWriter zip;
    zip.Add("module.fb", AsText(flatbuffer), kArchiveAlignment);
    for (size_t i = 0; i < plan.rodata.size(); ++i) {
      if (!plan.rodata[i].external) continue;
      zip.Add(MemberName(plan, i), AsText(plan.rodata[i].bytes),
              ExternalAlignment(plan.rodata[i]));
    }
    const std::string file = zip.Finish();
    return Bytes(file.begin(), file.end());
  }
  for (size_t i = 0; i < plan.rodata.size(); ++i) {
    if (!plan.rodata[i].external) continue;
    flatbuffer.resize(
        AlignUp(flatbuffer.size(), ExternalAlignment(plan.rodata[i])));
    flatbuffer.insert(flatbuffer.end(), plan.rodata[i].bytes.begin(),
                      plan.rodata[i].bytes.end());
  }
  return flatbuffer;
}

}  // namespace eyrie::vm
