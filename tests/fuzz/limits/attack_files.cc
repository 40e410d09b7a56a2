// Attacks with FlatBuffers that name the same text or table many times.
#include <array>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "flatbuffers/flatbuffers.h"
#include "tests/fuzz/limits/attacks.h"
#include "tests/support/module_builder.h"
#include "vm/module/module_generated.h"

namespace eyrie::tests {
namespace {

namespace fbs = vm::fbs;
using flatbuffers::Offset;
using Builder = flatbuffers::FlatBufferBuilder;

// The parts of a module that an attack can repeat.
enum Part {
  kAttributes,
  kTypes,
  kDependencies,
  kImports,
  kExports,
  kSignatureAttributes,
  kRodata,
  kLocations,
  kPartCount,
};
constexpr absl::string_view kPartNames[] = {
    "attributes", "types",     "dependencies", "imports",
    "exports",    "signature", "rodata",       "locations"};

// Creates `count` elements: one shared table, or tables with one shared string.
template <typename Make>
auto Repeat(Builder& to, uint32_t count, bool share_tables, Make make) {
  using Element = decltype(make());
  const Element first = make();
  std::vector<Element> elements(count, first);
  if (!share_tables) {
    for (Element& element : elements) element = make();
  }
  return to.CreateVector(elements);
}

// A module with one function that returns, and with one part repeated.
class HugeModule {
  // Creates the vector of one part, with `otherwise` elements if it is not
  // attacked.
  template <typename Make>
  auto List(Part part, uint32_t otherwise, Make make) {
    return Repeat(to_, part == part_ ? count_ : otherwise, share_tables_, make);
  }

 public:
  HugeModule(Random& random, Part part)
      : part_(part), share_tables_(random.OneIn(2)) {
    const uint32_t text_bytes =
        random.Of(std::array{1u, 1000u, 60000u, 1000000u});
    count_ = random.Of(std::array{1000u, 40000u});
    if (share_tables_ && random.OneIn(2)) count_ = 400000;
    text_ = to_.CreateString(
        std::string(text_bytes, random.Of(std::array{'x', '"'})));
    name_ = absl::StrCat(kPartNames[part], " ", count_, " times ", text_bytes,
                         " bytes", share_tables_ ? ", one table" : "");
  }

  const std::string& name() const { return name_; }

  std::vector<uint8_t> Build() {
    const auto module_name = to_.CreateString("huge");
    const auto convention = to_.CreateString("0v_v");
    const auto attack = to_.CreateString("attack");
    const auto attributes = List(
        kAttributes, 0, [&] { return fbs::CreateAttr(to_, text_, text_); });
    const auto types =
        List(kTypes, 0, [&] { return fbs::CreateType(to_, text_); });
    const auto dependencies = List(kDependencies, 0, [&] {
      return fbs::CreateDependency(to_, text_, 0, 2);
    });
    const auto imported = fbs::CreateSignature(to_, convention);
    const auto imports = List(kImports, 0, [&] {
      return fbs::CreateImport(to_, text_, imported, 1);
    });
    const auto exports = List(kExports, 1, [&] {
      return fbs::CreateExport(to_, part_ == kExports ? text_ : attack, 0);
    });
    const auto reflection = List(kSignatureAttributes, 0, [&] {
      return fbs::CreateAttr(to_, text_, text_);
    });
    const auto signature = fbs::CreateSignature(to_, convention, reflection);
    const auto signatures = to_.CreateVector(&signature, 1);
    const auto bytes = to_.CreateVector(std::vector<uint8_t>(1000, 1));
    const auto rodata = List(kRodata, 0, [&] {
      return fbs::CreateRodata(to_, fbs::Compression::NONE, 0, bytes);
    });
    const auto debug = Debug();
    const std::vector<uint8_t> code =
        *AssembleCode("entry: fail i0 \"attack\"");
    const auto bytecode = to_.CreateVector(code);
    const fbs::Function function(0, static_cast<int32_t>(code.size()), 0, 0, 1,
                                 16, 8);
    const auto functions = to_.CreateVectorOfStructs(&function, 1);
    fbs::ModuleBuilder module(to_);
    module.add_name(part_ == kTypes ? text_ : module_name);
    module.add_attrs(attributes);
    module.add_types(types);
    module.add_dependencies(dependencies);
    module.add_imports(imports);
    module.add_exports(exports);
    module.add_signatures(signatures);
    module.add_rodata(rodata);
    module.add_functions(functions);
    module.add_bytecode_version(17u << 16);
    module.add_bytecode(bytecode);
    module.add_debug(debug);
    to_.FinishSizePrefixed(module.Finish(), fbs::ModuleIdentifier());
    return {to_.GetBufferPointer(), to_.GetBufferPointer() + to_.GetSize()};
  }

 private:
  // Locations that fuse the previous one twice, so that a walk doubles each
  // time.
  Offset<fbs::DebugDatabase> Debug() {
    const uint32_t count = part_ == kLocations ? count_ : 1;
    std::vector<uint8_t> kinds;
    std::vector<Offset<void>> locations;
    for (uint32_t i = 0; i < count; ++i) {
      const bool last = i + 1 == count;
      kinds.push_back(static_cast<uint8_t>(
          last ? fbs::Location::FileLocation : fbs::Location::FusedLocation));
      if (last) {
        locations.push_back(fbs::CreateFileLocation(to_, text_, 1, 1).Union());
        continue;
      }
      const std::vector<int32_t> next(2, static_cast<int32_t>(i + 1));
      locations.push_back(
          fbs::CreateFusedLocation(to_, text_, to_.CreateVector(next)).Union());
    }
    const std::vector<fbs::InstructionLocation> map = {
        fbs::InstructionLocation(0, 0)};
    const auto source_map =
        fbs::CreateSourceMap(to_, text_, to_.CreateVectorOfStructs(map));
    const auto maps = to_.CreateVector(&source_map, 1);
    const auto kind_vector = to_.CreateVector(kinds);
    const auto location_vector = to_.CreateVector(locations);
    fbs::DebugDatabaseBuilder database(to_);
    database.add_locations_type(
        Offset<flatbuffers::Vector<fbs::Location>>(kind_vector.o));
    database.add_locations(location_vector);
    database.add_functions(maps);
    return database.Finish();
  }

  Builder to_;
  Part part_;
  bool share_tables_;
  uint32_t count_;
  Offset<flatbuffers::String> text_;
  std::string name_;
};

}  // namespace

Attack FileAttack(Random& random) {
  const std::vector<std::string> kCommands[] = {
      {"run", "FILE", "--function=attack"},
      {"run", "FILE", "--function=absent"},
      {"run", "FILE", "--function=attack", "--input=auto"},
      {"inspect", "FILE"},
      {"inspect", "FILE", "--json"},
      {"inspect", "FILE", "--html=/dev/stdout"},
      {"diff", "FILE", "tests/modules/3.13/add.vmfb"},
      {"diff", "FILE", "tests/modules/3.13/add.vmfb", "--json"},
      {"dump", "FILE"},
      {"dump", "FILE", "--json"},
      {"dump", "FILE", "--output=disassembly"},
  };
  HugeModule module(random, static_cast<Part>(random.Below(kPartCount)));
  std::vector<std::string> arguments = random.Of(kCommands);
  return {
      absl::StrCat(module.name(), ", ", arguments[0], " ", arguments.back()),
      module.Build(), arguments};
}

}  // namespace eyrie::tests
