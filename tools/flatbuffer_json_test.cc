// FlatBuffers as JSON: one row for each form, with the public tool's text.
#include "tools/flatbuffer_json.h"

#include <cstdint>
#include <initializer_list>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "base/text_stream.h"
#include "flatbuffers/flatbuffers.h"
#include "gtest/gtest.h"
#include "vm/module/archive.h"
#include "vm/module/flatbuffer.h"
#include "vm/module/module_generated.h"

namespace eyrie::tools {
namespace {

namespace fbs = vm::fbs;
using flatbuffers::Offset;
using To = flatbuffers::FlatBufferBuilder;

std::string Printed(const To& builder, bool pretty, uint64_t most) {
  const auto archive = vm::Archive::Copy(
      {builder.GetBufferPointer(), builder.GetSize()}, "test");
  if (!archive.ok()) return std::string(archive.status().message());
  const auto module = vm::VerifyFlatBuffer(**archive);
  if (!module.ok()) return std::string(module.status().message());
  std::string text;
  const auto sink = [&text](absl::string_view piece) {
    absl::StrAppend(&text, piece);
    return absl::OkStatus();
  };
  TextStream to(most, sink);
  PrintFlatBufferJson(**module, pretty, to);
  EXPECT_TRUE(to.Finish().ok());
  return to.is_too_long() ? "too long" : text;
}

std::string Json(Offset<fbs::Module> (*make)(To&), bool pretty = false,
                 uint64_t most = UINT64_MAX) {
  To to;
  to.ForceDefaults(true);
  to.FinishSizePrefixed(make(to), fbs::ModuleIdentifier());
  return Printed(to, pretty, most);
}

template <typename T>
std::vector<T> List(std::initializer_list<T> list) {
  return list;
}

Offset<fbs::Module> Imports(To& to) {
  const auto attrs = List({fbs::CreateAttr(to)});
  const auto none = std::vector<Offset<fbs::Attr>>();
  const auto empty = fbs::CreateSignature(to);
  const auto types = List({fbs::CreateType(to), fbs::CreateTypeDirect(to, "")});
  const auto needs = List({fbs::CreateDependencyDirect(to, "a", 7, 3),
                           fbs::CreateDependency(to, 0, 0, 4),
                           fbs::CreateDependency(to, 0, 0, 0),
                           fbs::CreateDependency(to, 0, 0, 1)});
  const auto imports = List({fbs::CreateImport(to, 0, empty, 2)});
  const auto exports =
      List({fbs::CreateExportDirect(to, "x", -5), fbs::CreateExport(to)});
  const auto signatures =
      List({fbs::CreateSignatureDirect(to, "0v_v", &attrs)});
  return fbs::CreateModuleDirect(to, "m", 0, 0, &none, &types, &needs, &imports,
                                 &exports, &signatures);
}

Offset<fbs::Module> Contents(To& to) {
  const auto bytes = List<uint8_t>({1, 255});
  const auto plain = fbs::CreateUncompressed(to).Union();
  const auto rodata = List(
      {fbs::CreateRodataDirect(to, fbs::Compression::Uncompressed, plain,
                               &bytes),
       fbs::CreateRodata(to, fbs::Compression::NONE, 0, 0, UINT64_MAX, 1)});
  const auto rwdata = List({fbs::CreateRwdata(to, -1)});
  const auto functions = List({fbs::Function(-1, 2, 3, -4, 65535, 6, 7),
                               fbs::Function(0, 0, 16, 0, 0, 0, 0)});
  return fbs::CreateModuleDirect(to, "m", 1, 0x80000003, nullptr, nullptr,
                                 nullptr, nullptr, nullptr, nullptr, &rodata,
                                 &rwdata, fbs::CreateState(to, 8, 0),
                                 &functions, UINT32_MAX, &bytes);
}

Offset<fbs::Module> Locations(To& to) {
  const auto places = List<int32_t>({1, -2});
  const auto kinds = List<fbs::Location>(
      {fbs::Location::NamedLocation, fbs::Location::FusedLocation,
       fbs::Location::CallSiteLocation, fbs::Location::FileLocation,
       fbs::Location::NONE, static_cast<fbs::Location>(9)});
  const auto file = fbs::CreateFileLocation(to).Union();
  const auto values = List<Offset<void>>(
      {fbs::CreateNamedLocationDirect(to, "n", 4).Union(),
       fbs::CreateFusedLocationDirect(to, nullptr, &places).Union(),
       fbs::CreateCallSiteLocation(to, 2, 3).Union(),
       fbs::CreateFileLocationDirect(to, "f", -4).Union(), file, file});
  const auto map = List({fbs::InstructionLocation(0, 1)});
  const auto functions = List(
      {fbs::CreateSourceMapDirect(to, "f", &map), fbs::CreateSourceMap(to)});
  const auto debug = fbs::CreateDebugDatabase(to, to.CreateVector(kinds),
                                              to.CreateVector(values),
                                              to.CreateVector(functions));
  return fbs::CreateModuleDirect(to, "m", 0, 0, nullptr, nullptr, nullptr,
                                 nullptr, nullptr, nullptr, nullptr, nullptr, 0,
                                 nullptr, 0, nullptr, debug);
}

Offset<fbs::Module> Text(To& to) {
  return fbs::CreateModule(
      to, to.CreateString("a\"\\/\b\f\n\r\t\x1F\0'<\u00E9\x7F\xFF", 17));
}

// CreateModule() asserts that there is a name.
Offset<fbs::Module> Nameless(To& to) { return to.EndTable(to.StartTable()); }

TEST(FlatBufferJson, Rows) {
  const struct {
    Offset<fbs::Module> (*make)(To&);
    const char* want;
  } kRows[] = {
      {Imports,
       R"({"name":"m","attrs":[],"types":[{},{"full_name":""}],)"
       R"("dependencies":[{"name":"a","minimum_version":7,)"
       R"("flags":"REQUIRED OPTIONAL"},{"flags":4},{"flags":0},{}],)"
       R"("imported_functions":[{"signature":{},"flags":"OPTIONAL"}],)"
       R"("exported_functions":[{"local_name":"x","internal_ordinal":-5},{}])"
       R"(,)"
       R"("function_signatures":[{"calling_convention":"0v_v",)"
       R"("attrs":[{}]}]})"},
      {Contents,
       R"({"name":"m","version":1,"requirements":2147483651,)"
       R"("rodata_segments":[{"compression_type_type":"UncompressedDataDef",)"
       R"("compression_type":{},"embedded_data":[1,255]},)"
       R"({"external_data_offset":18446744073709551615,)"
       R"("external_data_length":1}],"rwdata_segments":[{"byte_size":-1}],)"
       R"("module_state":{"global_bytes_capacity":8},"function_descriptors":[)"
       R"({"bytecode_offset":-1,"bytecode_length":2,)"
       R"("requirements":"EXT_F32 EXT_F64","reserved":-4,"block_count":-1,)"
       R"("i32_register_count":6,"ref_register_count":7},{"bytecode_offset":0,)"
       R"("bytecode_length":0,"requirements":16,"reserved":0,"block_count":0,)"
       R"("i32_register_count":0,"ref_register_count":0}],)"
       R"("bytecode_version":4294967295,"bytecode_data":[1,255]})"},
      // The public tool's text of an unknown kind is not JSON.
      {Locations,
       R"({"name":"m","debug_database":{"location_table_type":["NameLocDef",)"
       R"("FusedLocDef","CallSiteLocDef","FileLineColLocDef","NONE",9],)"
       R"("location_table":[{"name":"n","child_location":4},)"
       R"({"locations":[1,-2]},{"callee":2,"caller":3},)"
       R"({"filename":"f","line":-4},null,null],"functions":[)"
       R"({"local_name":"f","locations":[{"bytecode_offset":0,)"
       R"("location":1}]},{}]}})"},
      {Text, R"({"name":"a\"\\/\b\f\n\r\t\u001f\u0000'<)"
             "\u00E9\\u007f\uFFFD\"}"},
      {Nameless,
       "The module's FlatBuffer is damaged: an offset or a size in it points "
       "outside of it."},
  };
  for (const auto& row : kRows) EXPECT_EQ(Json(row.make), row.want);
}

TEST(FlatBufferJson, Lines) {
  EXPECT_EQ(Json(Locations, /*pretty=*/true), R"({
  "name": "m",
  "debug_database": {
    "location_table_type": [
      "NameLocDef",
      "FusedLocDef",
      "CallSiteLocDef",
      "FileLineColLocDef",
      "NONE",
      9
    ],
    "location_table": [{
        "name": "n",
        "child_location": 4
      },{
        "locations": [
          1,
          -2
        ]
      },{
        "callee": 2,
        "caller": 3
      },{
        "filename": "f",
        "line": -4
      },null,null
    ],
    "functions": [{
        "local_name": "f",
        "locations": [
          {
            "bytecode_offset": 0,
            "location": 1
          }
        ]
      },{
      }
    ]
  }
}
)");
}

TEST(FlatBufferJson, StopsAtTheLimit) {
  const std::string text = Json(Contents);
  EXPECT_EQ(Json(Contents, false, text.size()), text);
  EXPECT_EQ(Json(Contents, false, text.size() - 1), "too long");
}

}  // namespace
}  // namespace eyrie::tools
