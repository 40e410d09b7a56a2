// Writes FlatBuffers that store each text and each table once.
#include "tests/support/shared_module.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "flatbuffers/flatbuffers.h"
#include "tests/support/module_builder.h"
#include "vm/module/module_generated.h"

namespace eyrie::tests {
namespace {

namespace fbs = vm::fbs;
using flatbuffers::Offset;

class Writer {
 public:
  explicit Writer(const SharedModule& module) : module_(module) {}

  // Writes the module. May be called once.
  std::vector<uint8_t> Write();

 private:
  using Attrs = Offset<flatbuffers::Vector<Offset<fbs::Attr>>>;

  bool Is(SharedPart part) const { return module_.part == part; }
  size_t CountIf(SharedPart part) const { return Is(part) ? module_.count : 0; }

  template <typename T>
  auto Repeat(size_t count, Offset<T> table) {
    return to_.CreateVector(std::vector<Offset<T>>(count, table));
  }
  Attrs Attributes(SharedPart part) {
    if (!Is(part)) return 0;
    return Repeat(module_.count,
                  fbs::CreateAttr(to_, to_.CreateString("key"), text_));
  }
  // Returns the module's attributes.
  Attrs OwnAttributes() {
    if (!Is(SharedPart::kKeys)) return Attributes(SharedPart::kAttributes);
    std::vector<Offset<fbs::Attr>> list;
    for (size_t i = 0; i < module_.count; ++i) {
      list.push_back(
          fbs::CreateAttr(to_, to_.CreateString(absl::StrCat(i)), text_));
    }
    return to_.CreateVector(list);
  }
  auto Types() {
    const auto name = Is(SharedPart::kTypes)
                          ? to_.CreateString(absl::StrCat("!", module_.text))
                          : to_.CreateString("i32");
    return Repeat(std::max<size_t>(CountIf(SharedPart::kTypes), 1),
                  fbs::CreateType(to_, name));
  }
  auto Dependencies() {
    return Repeat(CountIf(SharedPart::kDependencies),
                  fbs::CreateDependency(to_, text_, 0, 2));
  }
  auto Imports() {
    const auto attributes = Attributes(SharedPart::kImportAttributes);
    const auto signature =
        fbs::CreateSignature(to_, to_.CreateString("0v_v"), attributes);
    const auto name = to_.CreateString(
        Is(SharedPart::kImports) ? absl::StrCat("m.", module_.text) : "m.f");
    return Repeat(
        CountIf(SharedPart::kImports) + CountIf(SharedPart::kImportAttributes),
        fbs::CreateImport(to_, name, signature, 2));
  }
  size_t FunctionCount() const {
    const bool many =
        Is(SharedPart::kFunctionAttributes) || Is(SharedPart::kReflection) ||
        Is(SharedPart::kConventions) || Is(SharedPart::kFunctionNames);
    return many ? module_.count : 1;
  }
  auto Signatures() {
    Attrs attributes = Attributes(SharedPart::kFunctionAttributes);
    if (Is(SharedPart::kReflection)) {
      attributes =
          Repeat(1, fbs::CreateAttr(to_, to_.CreateString("iree.abi"), text_));
    }
    const auto convention =
        Is(SharedPart::kConventions) ? text_ : to_.CreateString("0v_v");
    return Repeat(FunctionCount(),
                  fbs::CreateSignature(to_, convention, attributes));
  }
  auto Exports() {
    const auto name =
        Is(SharedPart::kExports) ? text_ : to_.CreateString("run");
    std::vector<Offset<fbs::Export>> list(
        std::max<size_t>(CountIf(SharedPart::kExports), 1),
        fbs::CreateExport(to_, name, 0));
    if (Is(SharedPart::kReflection)) {
      for (size_t i = 1; i < module_.count; ++i) {
        list.push_back(
            fbs::CreateExport(to_, to_.CreateString(absl::StrCat("run", i)),
                              static_cast<int32_t>(i)));
      }
    }
    return to_.CreateVector(list);
  }
  auto Functions(std::vector<uint8_t>& code) {
    std::string calls = "entry: ";
    for (size_t i = 0; i < module_.calls; ++i) {
      absl::StrAppend(&calls, Is(SharedPart::kImports) ? "call #0 [] [] "
                                                       : "call 0 [] [] ");
    }
    std::vector<fbs::Function> list;
    for (size_t i = 0; i < FunctionCount(); ++i) {
      const auto body = *AssembleCode(i == 0 ? absl::StrCat(calls, "return []")
                                             : "entry: return []");
      code.resize((code.size() + 7) & ~size_t{7});
      list.emplace_back(static_cast<int32_t>(code.size()),
                        static_cast<int32_t>(body.size()), 0, 0, 1, 1, 1);
      code.insert(code.end(), body.begin(), body.end());
    }
    return to_.CreateVectorOfStructs(list);
  }

  Offset<void> Location() {
    if (Is(SharedPart::kLocationNames)) {
      return fbs::CreateNamedLocation(to_, text_, -1).Union();
    }
    if (Is(SharedPart::kFusedMetadata)) {
      return fbs::CreateFusedLocation(to_, text_, 0).Union();
    }
    if (Is(SharedPart::kFusedPlaces)) {
      const auto places =
          to_.CreateVector(std::vector<int32_t>(module_.count, -1));
      return fbs::CreateFusedLocation(to_, 0, places).Union();
    }
    return fbs::CreateFileLocation(to_, text_, 1, 1).Union();
  }
  fbs::Location LocationKind() const {
    if (Is(SharedPart::kLocationNames)) return fbs::Location::NamedLocation;
    if (Is(SharedPart::kFusedMetadata) || Is(SharedPart::kFusedPlaces)) {
      return fbs::Location::FusedLocation;
    }
    return fbs::Location::FileLocation;
  }
  Offset<fbs::DebugDatabase> Debug() {
    const size_t places =
        CountIf(SharedPart::kFiles) + CountIf(SharedPart::kLocationNames) +
        CountIf(SharedPart::kFusedMetadata) + CountIf(SharedPart::kFusedPlaces);
    const size_t names = CountIf(SharedPart::kFunctionNames);
    if (places == 0 && names == 0) return 0;
    const auto kinds = to_.CreateVector(
        std::vector<uint8_t>(places, static_cast<uint8_t>(LocationKind())));
    const auto locations = Repeat(places, Location());
    const auto name = names != 0 ? text_ : to_.CreateString("run");
    std::vector<fbs::InstructionLocation> entries;
    for (size_t i = 0; i < places; ++i) {
      entries.emplace_back(static_cast<int32_t>(i), static_cast<int32_t>(i));
    }
    const auto source_map =
        fbs::CreateSourceMap(to_, name, to_.CreateVectorOfStructs(entries));
    const auto maps = Repeat(std::max<size_t>(names, 1), source_map);
    fbs::DebugDatabaseBuilder database(to_);
    database.add_locations_type(
        Offset<flatbuffers::Vector<fbs::Location>>(kinds.o));
    database.add_locations(locations);
    database.add_functions(maps);
    return database.Finish();
  }

  const SharedModule& module_;
  flatbuffers::FlatBufferBuilder to_;
  Offset<flatbuffers::String> text_;
};

std::vector<uint8_t> Writer::Write() {
  text_ = to_.CreateString(module_.text);
  const auto attributes = OwnAttributes();
  const auto types = Types();
  const auto dependencies = Dependencies();
  const auto imports = Imports();
  const auto signatures = Signatures();
  const auto exports = Exports();
  std::vector<uint8_t> code;
  const auto functions = Functions(code);
  const auto debug = Debug();
  const auto name =
      Is(SharedPart::kModuleName) ? text_ : to_.CreateString("shared");
  to_.ForceVectorAlignment(code.size(), 1, 16);
  const auto bytecode = to_.CreateVector(code);
  to_.FinishSizePrefixed(
      fbs::CreateModule(to_, name, 0, 0, attributes, types, dependencies,
                        imports, exports, signatures, 0, 0, 0, functions,
                        17u << 16, bytecode, debug),
      "IREE");
  return {to_.GetBufferPointer(), to_.GetBufferPointer() + to_.GetSize()};
}

}  // namespace

std::vector<uint8_t> SharedModule::Build() const {
  return Writer(*this).Write();
}

}  // namespace eyrie::tests
