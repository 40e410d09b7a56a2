// Writes module files, bare and as ZIP archives.
#include "tests/support/module_builder.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <optional>

#include "absl/status/status.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "base/status_macros.h"
#include "flatbuffers/flatbuffers.h"
#include "tests/support/append.h"
#include "vm/isa/opcode.h"
#include "vm/module/module_generated.h"

namespace eyrie::tests {
namespace {

namespace fbs = vm::fbs;
using Bytes = std::vector<uint8_t>;

using Builder = flatbuffers::FlatBufferBuilder;
using Pairs = std::vector<std::pair<std::string, std::string>>;

auto BuildAttributes(Builder& to, const Pairs& pairs) {
  std::vector<flatbuffers::Offset<fbs::Attr>> attrs;
  for (const auto& [key, value] : pairs) {
    attrs.push_back(fbs::CreateAttrDirect(to, key.c_str(), value.c_str()));
  }
  return to.CreateVector(attrs);
}

flatbuffers::Offset<void> BuildLocation(Builder& to,
                                        const ModuleBuilder::Location& from) {
  switch (from.kind) {
    case ModuleBuilder::Location::kCallSite:
      return fbs::CreateCallSiteLocation(to, from.a, from.b).Union();
    case ModuleBuilder::Location::kFused: {
      std::vector<int32_t> places = {from.a, from.b};
      return fbs::CreateFusedLocationDirect(to, nullptr, &places).Union();
    }
    case ModuleBuilder::Location::kNamed:
      return fbs::CreateNamedLocationDirect(to, from.text.c_str(), from.a)
          .Union();
    default:
      return fbs::CreateFileLocationDirect(to, from.text.c_str(), from.a,
                                           from.b)
          .Union();
  }
}

auto BuildDebugDatabase(Builder& to, const ModuleBuilder& module) {
  std::vector<ModuleBuilder::Location> table = module.locations;
  for (size_t i = table.size(); i < module.functions.size(); ++i) {
    table.push_back({ModuleBuilder::Location::kFile, "test.mlir",
                     static_cast<int32_t>(i) + 1, 1});
  }
  std::vector<uint8_t> kinds;
  std::vector<flatbuffers::Offset<void>> locations;
  for (const ModuleBuilder::Location& location : table) {
    kinds.push_back(static_cast<uint8_t>(location.kind));
    locations.push_back(BuildLocation(to, location));
  }
  std::vector<flatbuffers::Offset<fbs::SourceMap>> maps;
  for (size_t i = 0; i < module.functions.size(); ++i) {
    if (module.one_source_map && i != 0) break;
    size_t whose = module.one_source_map ? module.functions.size() - 1 : i;
    std::vector<fbs::InstructionLocation> list = {
        fbs::InstructionLocation(0, static_cast<int>(whose))};
    maps.push_back(fbs::CreateSourceMapDirect(
        to, module.functions[whose].name.c_str(), &list));
  }
  auto kind_vector = to.CreateVector(kinds);
  auto location_vector = to.CreateVector(locations);
  auto map_vector = to.CreateVector(maps);
  // Unlike the generated helper, takes the kinds as bytes.
  fbs::DebugDatabaseBuilder database(to);
  database.add_locations_type(
      flatbuffers::Offset<flatbuffers::Vector<fbs::Location>>(kind_vector.o));
  database.add_locations(location_vector);
  database.add_functions(map_vector);
  return database.Finish();
}

uint64_t AlignUp(uint64_t value) { return (value + 63) & ~uint64_t{63}; }

// Appends a local header. Its extra field pads the contents to a multiple of
// 64.
void AppendZipHeader(Bytes& file, const std::string& name, uint64_t size) {
  uint64_t contents = AlignUp(file.size() + 30 + name.size() + 4);
  uint16_t padding =
      static_cast<uint16_t>(contents - file.size() - 30 - name.size() - 4);
  Append(file, uint32_t{0x04034B50});
  Append(file, uint16_t{20});
  for (int i = 0; i < 4; ++i) Append(file, uint16_t{0});  // flags … date
  Append(file, uint32_t{0});                              // checksum
  Append(file, static_cast<uint32_t>(size));
  Append(file, static_cast<uint32_t>(size));
  Append(file, static_cast<uint16_t>(name.size()));
  Append(file, static_cast<uint16_t>(padding + 4));
  file.insert(file.end(), name.begin(), name.end());
  Append(file, uint16_t{0xFECA});
  Append(file, padding);
  file.resize(contents);
}

void AppendZipEntry(Bytes& file, const std::string& name, uint64_t size,
                    uint64_t header) {
  Append(file, uint32_t{0x02014B50});
  Append(file, uint16_t{20});
  Append(file, uint16_t{20});
  for (int i = 0; i < 4; ++i) Append(file, uint16_t{0});
  Append(file, uint32_t{0});
  Append(file, static_cast<uint32_t>(size));
  Append(file, static_cast<uint32_t>(size));
  Append(file, static_cast<uint16_t>(name.size()));
  for (int i = 0; i < 4; ++i) Append(file, uint16_t{0});
  Append(file, uint32_t{0});
  Append(file, static_cast<uint32_t>(header));
  file.insert(file.end(), name.begin(), name.end());
}

}  // namespace

uint32_t ModuleBuilder::AddImport(std::string full_name, std::string convention,
                                  bool optional) {
  imports.push_back({std::move(full_name), std::move(convention), optional});
  return static_cast<uint32_t>(imports.size() - 1);
}

uint32_t ModuleBuilder::AddRodata(std::vector<uint8_t> bytes, bool external) {
  rodata.push_back({std::move(bytes), external});
  return static_cast<uint32_t>(rodata.size() - 1);
}

ModuleBuilder::Function& ModuleBuilder::AddFunction(std::string function_name,
                                                    std::string convention,
                                                    absl::string_view code) {
  absl::StatusOr<Bytes> bytes = AssembleCode(code);
  if (!bytes.ok()) {
    std::fprintf(stderr, "%s\n", bytes.status().ToString().c_str());
    std::abort();
  }
  Function function;
  function.name = std::move(function_name);
  function.convention = std::move(convention);
  function.code = *std::move(bytes);
  for (char c : code) function.blocks += c == ':';
  functions.push_back(std::move(function));
  return functions.back();
}

namespace {

// Writes the vectors of a module's tables, before the root table.
class TableWriter {
 public:
  TableWriter(Builder& to, const ModuleBuilder& module)
      : to_(to), module_(module) {}

  auto Types() {
    std::vector<flatbuffers::Offset<fbs::Type>> list;
    for (const std::string& type : module_.types) {
      list.push_back(fbs::CreateTypeDirect(to_, type.c_str()));
    }
    return to_.CreateVector(list);
  }

  auto Dependencies() {
    std::vector<flatbuffers::Offset<fbs::Dependency>> list;
    for (const auto& dependency : module_.dependencies) {
      list.push_back(fbs::CreateDependencyDirect(to_, dependency.name.c_str(),
                                                 dependency.minimum_version,
                                                 dependency.optional ? 2 : 1));
    }
    return to_.CreateVector(list);
  }

  auto Imports() {
    std::vector<flatbuffers::Offset<fbs::Import>> list;
    for (const auto& import : module_.imports) {
      auto signature = Signature(import.convention, {});
      list.push_back(fbs::CreateImportDirect(
          to_, import.full_name.c_str(), signature, import.optional ? 2 : 1));
    }
    return to_.CreateVector(list);
  }

  auto Exports() {
    std::vector<flatbuffers::Offset<fbs::Export>> list;
    int32_t ordinal = 0;
    for (const auto& f : module_.functions) {
      if (f.exported) {
        list.push_back(fbs::CreateExportDirect(to_, f.name.c_str(), ordinal));
      }
      ++ordinal;
    }
    for (const auto& [name, function] : module_.extra_exports) {
      list.push_back(fbs::CreateExportDirect(to_, name.c_str(), function));
    }
    return to_.CreateVector(list);
  }

  auto Signatures() {
    std::vector<flatbuffers::Offset<fbs::Signature>> list;
    for (const auto& f : module_.functions) {
      list.push_back(Signature(f.convention, f.attributes));
    }
    return to_.CreateVector(list);
  }

  auto RodataSegments() {
    uint64_t external_end = 0;
    std::vector<flatbuffers::Offset<fbs::Rodata>> list;
    for (const auto& constant : module_.rodata) {
      if (constant.external) {
        // In a ZIP, each member's header precedes it.
        uint64_t offset = AlignUp(external_end) + 64;
        list.push_back(fbs::CreateRodata(to_, fbs::Compression::NONE, 0, 0,
                                         offset, constant.bytes.size()));
        external_end = offset + constant.bytes.size();
        continue;
      }
      to_.ForceVectorAlignment(constant.bytes.size(), 1, 16);
      auto bytes = to_.CreateVector(constant.bytes);
      flatbuffers::Offset<void> how = 0;
      if (constant.compression != 0) how = fbs::CreateUncompressed(to_).Union();
      list.push_back(fbs::CreateRodata(
          to_, static_cast<fbs::Compression>(constant.compression), how,
          bytes));
    }
    return to_.CreateVector(list);
  }

  // Also collects all bytecode.
  auto Functions(Bytes& bytecode) {
    std::vector<fbs::Function> list;
    for (const auto& f : module_.functions) {
      bytecode.resize((bytecode.size() + 7) & ~size_t{7});
      int32_t offset = static_cast<int32_t>(bytecode.size());
      int32_t length = static_cast<int32_t>(f.code.size());
      list.emplace_back(f.bytecode_offset == -1 ? offset : f.bytecode_offset,
                        f.bytecode_length == -1 ? length : f.bytecode_length,
                        f.requirements, 0, f.blocks, f.i32_registers,
                        f.ref_registers);
      bytecode.insert(bytecode.end(), f.code.begin(), f.code.end());
    }
    return to_.CreateVectorOfStructs(list);
  }

 private:
  flatbuffers::Offset<fbs::Signature> Signature(const std::string& convention,
                                                const Pairs& pairs) {
    auto attrs = BuildAttributes(to_, pairs);
    auto text = module_.share_conventions ? to_.CreateSharedString(convention)
                                          : to_.CreateString(convention);
    return fbs::CreateSignature(to_, text, attrs);
  }

  Builder& to_;
  const ModuleBuilder& module_;
};

}  // namespace

std::vector<uint8_t> ModuleBuilder::BuildFlatBuffer() const {
  Builder to;
  TableWriter tables(to, *this);
  Bytes code;
  auto attrs = BuildAttributes(to, attributes);
  auto type_list = tables.Types();
  auto dependency_list = tables.Dependencies();
  auto import_list = tables.Imports();
  auto export_list = tables.Exports();
  auto signature_list = tables.Signatures();
  auto rodata_list = tables.RodataSegments();
  auto function_list = tables.Functions(code);
  flatbuffers::Offset<fbs::DebugDatabase> debug = 0;
  if (debug_database) debug = BuildDebugDatabase(to, *this);
  auto module_name = to.CreateString(name);
  auto state = fbs::CreateState(to, global_bytes, global_refs);
  to.ForceVectorAlignment(code.size(), 1, 16);
  auto bytecode = to.CreateVector(code);
  to.FinishSizePrefixed(
      fbs::CreateModule(to, module_name, version, requirements, attrs,
                        type_list, dependency_list, import_list, export_list,
                        signature_list, rodata_list, 0, state, function_list,
                        bytecode_version, bytecode, debug),
      "IREE");
  return Bytes(to.GetBufferPointer(), to.GetBufferPointer() + to.GetSize());
}

std::vector<uint8_t> ModuleBuilder::Build() const {
  Bytes file = BuildFlatBuffer();
  for (const Rodata& constant : rodata) {
    if (!constant.external) continue;
    file.resize(AlignUp(file.size()) + 64);
    file.insert(file.end(), constant.bytes.begin(), constant.bytes.end());
  }
  return file;
}

std::vector<uint8_t> ModuleBuilder::BuildZip() const {
  Bytes flatbuffer = BuildFlatBuffer();
  Bytes file;
  Bytes directory;
  uint16_t members = 0;
  auto add = [&](const std::string& member, const Bytes& bytes) {
    AppendZipEntry(directory, member, bytes.size(), file.size());
    AppendZipHeader(file, member, bytes.size());
    file.insert(file.end(), bytes.begin(), bytes.end());
    ++members;
  };
  add("module.fb", flatbuffer);
  for (size_t i = 0; i < rodata.size(); ++i) {
    if (!rodata[i].external) continue;
    file.resize(AlignUp(file.size()));
    add(absl::StrCat("rodata_", i, ".bin"), rodata[i].bytes);
  }
  uint64_t directory_offset = file.size();
  file.insert(file.end(), directory.begin(), directory.end());
  Append(file, uint32_t{0x06054B50});
  Append(file, uint32_t{0});  // disks
  Append(file, members);
  Append(file, members);
  Append(file, static_cast<uint32_t>(directory.size()));
  Append(file, static_cast<uint32_t>(directory_offset));
  Append(file, uint16_t{0});
  return file;
}

std::string Registers(int count) {
  std::string list = "[";
  for (int i = 0; i < count; ++i) absl::StrAppend(&list, i ? " i" : "i", i);
  return list + "]";
}

}  // namespace eyrie::tests
