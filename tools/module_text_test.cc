// Metadata of modules of five releases: sections of the text, fields of the
// JSON, and signatures as a table.
#include "tools/module_text.h"

#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "absl/functional/function_ref.h"
#include "absl/strings/str_cat.h"
#include "base/plain_text.h"
#include "base/text_stream.h"
#include "gtest/gtest.h"
#include "tools/json_object.h"
#include "vm/module/archive.h"
#include "vm/module/module_def.h"

namespace eyrie::tools {
namespace {

std::string Printed(absl::FunctionRef<void(TextStream&)> print) {
  std::string text;
  const auto sink = [&text](absl::string_view piece) {
    absl::StrAppend(&text, piece);
    return absl::OkStatus();
  };
  TextStream to(sink);
  print(to);
  EXPECT_TRUE(to.Finish().ok());
  return text;
}

vm::ModuleDef Load(const std::string& name) {
  auto archive = vm::Archive::Open(absl::StrCat("tests/modules/", name));
  EXPECT_TRUE(archive.ok()) << archive.status().message();
  auto module = vm::ModuleDef::Decode(*std::move(archive));
  EXPECT_TRUE(module.ok()) << module.status().message();
  return *std::move(module);
}

std::string MetadataText(const vm::ModuleDef& module) {
  return Printed([&](TextStream& to) { PrintMetadata(module, to); });
}

std::string MetadataJson(const vm::ModuleDef& module) {
  return Printed([&](TextStream& to) {
    JsonObject object(to);
    PrintMetadataJson(module, nullptr, object);
    object.End();
  });
}

TEST(ModuleText, Signatures) {
  const struct {
    const char* convention;
    const char* want;
  } kRows[] = {
      {"0v_v", "() -> ()"},
      {"", "() -> ()"},
      {"0iIfFr_r", "(i32, i64, f32, f64, !vm.ref<?>) -> (!vm.ref<?>)"},
      {"0rCiirIID_v",
       "(!vm.ref<?>, tuple<i32, i32, !vm.ref<?>, i64, i64>...) -> ()"},
      {"0rCrD_iI", "(!vm.ref<?>, tuple<!vm.ref<?>>...) -> (i32, i64)"},
      {"0q_v", "(0q_v)"},
  };
  for (const auto& row : kRows) {
    EXPECT_EQ(SignatureText(row.convention), row.want) << row.convention;
  }
}

// Lines that the text of a module must have, by release.
TEST(ModuleText, Samples) {
  const struct {
    const char* file;
    const char* line;
  } kRows[] = {
      {"3.3/add.vmfb", "  hal, version >= 5, required\n"},
      {"3.9/add.vmfb", "  hal, version >= 6, required\n"},
      {"3.11/add.vmfb", "Requirements: 0000000C\n"},
      {"3.13/add.vmfb", "  hal, version >= 7, required\n"},
      {"3.13/add.vmfb", "// @module : version 0\n"},
      {"3.13/add.vmfb", "        iree.abi.declaration: sync func @add("},
      {"3.13/add.vmfb", "] external "},
      {"3.13/add.bare.vmfb", "FlatBuffer: "},
      {"3.13/add.debug.vmfb", "// NOTE: debug databases are large"},
      {"3.13/add.debug.vmfb", "\nLocations: "},
  };
  for (const auto& row : kRows) {
    EXPECT_NE(MetadataText(Load(row.file)).find(row.line), std::string::npos)
        << row.file << " has no line '" << row.line << "'";
  }
  EXPECT_EQ(MetadataText(Load("3.13/add.vmfb")).find("Locations:"),
            std::string::npos);
}

TEST(ModuleText, Json) {
  for (const char* file : {"3.3/add.vmfb", "3.9/add.bare.vmfb", "3.11/add.vmfb",
                           "3.12/add.vmfb", "3.13/add.debug.vmfb"}) {
    SCOPED_TRACE(file);
    const auto json = nlohmann::json::parse(MetadataJson(Load(file)), nullptr,
                                            /*allow_exceptions=*/false);
    ASSERT_TRUE(json.is_object());
    EXPECT_EQ(json["name"], "module");
    EXPECT_EQ(json["dependencies"][0]["name"], "hal");
    EXPECT_EQ(json["exports"][0]["name"], "add");
    EXPECT_EQ(json["exports"][0]["calling_convention"], "0rr_r");
    EXPECT_GT(json["imports"].size(), 5u);
    const auto& signature = json["exports"][0]["signature"];
    EXPECT_EQ(signature["source"], "iree.abi.declaration");
    EXPECT_EQ(signature["arguments"][0].dump(),
              R"({"keyword":true,"name":"input0","type":{"dtype":"f32",)"
              R"("kind":"ndarray","rank":1,"shape":[4]}})");
    EXPECT_EQ(SignaturesText(Load(file), nullptr),
              "add(input0: 4xf32, input1: 4xf32) -> (output0: 4xf32)  "
              "[iree.abi.declaration]\n");
  }
}

// Writing values one by one prints the same text as printing the whole object.
TEST(JsonObject, PrintsAsOneValue) {
  using Json = JsonObject::Json;
  const Json kValues[] = {1,
                          "text \x7F\n\" \xFF",
                          Json::array(),
                          Json::object(),
                          {1, 2},
                          {{"key", Json::array({1, Json::object()})}}};
  Json want = Json::object();
  const std::string text = Printed([&](TextStream& to) {
    JsonObject object(to);
    for (size_t i = 0; i < std::size(kValues); ++i) {
      const std::string key = absl::StrCat("field ", i);
      object.Field(key, kValues[i]);
      want[key] = kValues[i];
    }
    for (const size_t count : {size_t{0}, std::size(kValues)}) {
      const std::string key = absl::StrCat(count, " values");
      object.List(key, count, [&](size_t i) { return kValues[i]; });
      want[key] = Json(std::vector<Json>(kValues, kValues + count));
    }
    object.Object("none", [](JsonObject&) {});
    want["none"] = Json::object();
    object.Object("object",
                  [&](JsonObject& inner) { inner.Field("a", kValues[4]); });
    want["object"] = {{"a", kValues[4]}};
    object.End();
  });
  EXPECT_EQ(text, EscapeJsonControls(want.dump(
                      2, ' ', false, Json::error_handler_t::replace)) +
                      "\n");
}

}  // namespace
}  // namespace eyrie::tools
