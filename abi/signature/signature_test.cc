// Tests signatures from every source: which are read, and which are rejected,
// with the position.
#include "abi/signature/signature.h"

#include <string>
#include <vector>

#include "abi/signature/signature_json.h"
#include "abi/signature/signature_rows.h"
#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "tests/support/status_text.h"

namespace eyrie::abi {
namespace {

// Returns the signature of a function 'f', or the error.
std::string Read(const char* convention,
                 const std::vector<vm::Attribute>& attributes) {
  const auto signature = ReadSignature(convention, attributes);
  if (!signature.ok()) return StatusText(signature);
  std::string text = SignatureText(*signature);
  if (signature->results_are_slots()) text += ", in slots";
  if (signature->raw() == nullptr) return text;
  for (const Parameter& storage : signature->raw()->storage) {
    absl::StrAppend(&text, ", storage of ", *storage.storage_of);
  }
  return text;
}

TEST(Signature, Sources) {
  constexpr char kDeclared[] = "iree.abi.declaration";
  const struct {
    const char* convention;
    std::vector<vm::Attribute> attributes;
    const char* want;
  } kRows[] = {
      {"0iIfFr_r",
       {},
       "f(i32, i64, f32, f64, unknown) -> unknown by calling convention"},
      {"0v_v", {}, "f() -> () by calling convention"},
      {"0ri_ri",
       {{kDeclared,
         "sync func @f(%a: tensor<?x4xf32>, %b: i1) -> (%c: "
         "!util.list<?>, %d: bf16)"}},
       "f(a: ?x4xf32, b: i1) -> (c: list, d: bf16) by iree.abi.declaration"},
      {"0rrrrrr",
       {{kDeclared,
         "sync func @f(%0: !util.buffer, %1: !util.list<i8>, %2: "
         "!util.list<i32>, %3: !hal.buffer, %4: !hal.buffer_view, %5: "
         "!foo.bar)"}},
       "f(0: bytes, 1: bytes, 2: list<i32>, 3: buffer, 4: array, 5: "
       "!foo.bar) -> () by iree.abi.declaration"},
      // The fences of an asynchronous function are not arguments.
      {"0rrr_r",
       {{kDeclared, "async func @f(%a: tensor<4xf32>) -> (%b: tensor<4xf32>)"},
        {"iree.abi.model", "coarse-fences"}},
       "f(a: 4xf32) -> (b: 4xf32) by iree.abi.declaration"},
      // A declaration that does not match the convention.
      {"0i_i",
       {{kDeclared, "sync func @f(%a: i32, %b: i32) -> (%c: i32)"}},
       "f(i32) -> i32 by calling convention"},
      {"0i_i",
       {{kDeclared, "no declaration"}},
       "f(i32) -> i32 by calling convention"},
      // A type that the register cannot hold.
      {"0i_",
       {{kDeclared, "sync func @f(%a: f32)"}},
       "f(a: i32) -> () by iree.abi.declaration"},
      {"0i_i",
       {{"d", R"({"a":["i8"],"r":["i16"]})"},
        {kDeclared, "sync func @f(%x: i32) -> (%y: i32)"}},
       "f(x: i8, /) -> (y: i16) by d"},
      {"0i_i",
       {{"d", R"({"a":["i16"],"r":["i16"]})"},
        {"iree.abi", R"({"a":[["named","n","i8"]],"r":["i8"]})"}},
       "f(n: i8) -> i8 by iree.abi"},
      // If a record is unknown or missing, the declaration's type is used.
      {"0r_r",
       {{"iree.abi", R"({"a":["unknown"]})"},
        {kDeclared, "sync func @f(%x: !util.buffer) -> (%y: tensor<f32>)"}},
       "f(x: bytes, /) -> (y: f32) by iree.abi"},
      {"0r_v", {{"iree.abi", "{}"}}, "f(unknown) -> () by iree.abi"},
      // A record that says less about bytes and buffers than the declaration.
      {"0rr",
       {{"iree.abi",
         R"({"a":[["py_homogeneous_list","i8"],["ndarray","f32",1,2]]})"},
        {kDeclared, "sync func @f(%x: !util.buffer, %y: !hal.buffer)"}},
       "f(x: bytes, y: buffer, /) -> () by iree.abi"},
      // A record that contradicts the declaration.
      {"0r_v",
       {{"iree.abi", R"({"a":[["py_homogeneous_list","f32"]]})"},
        {kDeclared, "sync func @f(%x: !util.list<i32>)"}},
       "INVALID_ARGUMENT: The record of argument 0 is list<f32>; the function "
       "declares list<i32> there. (attribute 'iree.abi' of function 'f')"},
      {"0_r",
       {{"d", R"({"r":[["ndarray","f32",1,3]]})"},
        {kDeclared, "sync func @f() -> (%x: tensor<2xf32>)"}},
       "INVALID_ARGUMENT: The record of result 0 is 3xf32; the function "
       "declares 2xf32 there. (attribute 'd' of function 'f')"},
      {"0_ri",
       {{"d", R"({"r":[["slist",["sdict"],"i32"]]})"},
        {kDeclared, "sync func @f() -> (%x: tensor<2xf32>, %y: i32)"}},
       "INVALID_ARGUMENT: The record of slot 0 of the only result is {}; the "
       "function declares 2xf32 there. (attribute 'd' of function 'f')"},
  };
  for (const auto& row : kRows) {
    EXPECT_EQ(Read(row.convention, row.attributes), row.want);
  }
}

TEST(Signature, DeclaredListsNestToALimit) {
  constexpr int kDepth = 100000;
  std::string declaration = "sync func @f(%a: ";
  for (int i = 0; i < kDepth; ++i) declaration += "!util.list<";
  absl::StrAppend(&declaration, "i32", std::string(kDepth, '>'), ")");
  const std::string read =
      Read("0r_v", {{"iree.abi.declaration", declaration}});
  EXPECT_EQ(read.substr(0, 20), "f(a: list<list<list<");
  EXPECT_LT(read.size(), 300);
}

TEST(Signature, Raw) {
  constexpr char kDeclared[] = "iree.abi.declaration";
  const struct {
    const char* convention;
    std::vector<vm::Attribute> attributes;
    const char* want;
  } kRows[] = {
      {"0riFr_r",
       {{"f", "I22!B6!t6d-1S3!t4S3!t2O1!R4!B1!"}},
       "f(?xsi32, si8, f64, unknown) -> f32 by f"},
      {"0v_v", {{"fv", "1"}, {"f", "I1!R1!"}}, "f() -> () by f"},
      // Names, and types of references, come from the declaration.
      {"0rrr_r",
       {{"f", "I12!O1!U1!B3!d4R4!U1!"},
        {kDeclared,
         "sync func @f(%a: !util.list<i32>, %b: !util.buffer, %c: !hal.buffer) "
         "-> (%d: tensor<2xf32>)"}},
       "f(a: list<i32>, b: bytes, c: buffer) -> (d: 2xf32) by f"},
      // Records and 'd' take precedence; V0 is not read then.
      {"0i_i",
       {{"f", "?"}, {"fv", "9"}, {"d", R"({"a":["i8"],"r":["i16"]})"}},
       "f(i8) -> i16 by d"},
      // Storage for results is not an argument.
      {"0rr_r",
       {{"f", "I6!B3!d4R6!B3!d4"}},
       "f(4xf32) -> 4xf32 by f, storage of 0"},
      {"0rrr_rr",
       {{"f", "I6!B3!d4R12!B3!d4B4!d-1"},
        {kDeclared,
         "sync func @f(%a: tensor<4xf32>, %s: tensor<?xf32> {iree.abi.output = "
         "1 : index}, %t: tensor<4xf32> {iree.abi.output = 0 : index}) -> "
         "(%b: tensor<4xf32>, %c: tensor<?xf32>)"}},
       "f(a: 4xf32) -> (b: 4xf32, c: ?xf32) by f, storage of 1, storage of 0"},
      {"0rrr_r",
       {{"f", "I4!B1!R4!B1!"}, {"iree.abi.model", "coarse-fences"}},
       "f(f32) -> f32 by f"},
      // A function that returns nothing fills storage.
      {"0rr_v",
       {{"f", "I6!B3!d4R6!B3!d4"}},
       "f(4xf32) -> 4xf32 by f, storage of 0"},
      {"0rrr_v",
       {{"f", "I6!B3!d4R12!B3!d4B4!d-1"},
        {kDeclared,
         "sync func @f(%a: tensor<4xf32>, %s: tensor<?xf32> {iree.abi.output = "
         "1 : index}, %t: tensor<4xf32> {iree.abi.output = 0 : index}) -> ()"}},
       "f(a: 4xf32) -> (4xf32, ?xf32) by f, storage of 1, storage of 0"},
      // Rejected.
      {"0r_v",
       {{"f", "I6!B3!d4R6!B3!d4"}},
       "INVALID_ARGUMENT: The raw signature has 1 result; the function returns "
       "0. (attribute 'f' of function 'f')"},
      {"0rr_v",
       {{"f", "I6!B3!d4R4!O1!"}},
       "INVALID_ARGUMENT: The raw signature has 1 result; the function returns "
       "0. (attribute 'f' of function 'f')"},
      {"0rrr_v",
       {{"f", "I6!B3!d4R11!B3!d4B3!d4"},
        {kDeclared,
         "sync func @f(%a: tensor<4xf32>, %s: tensor<4xf32> {iree.abi.output = "
         "1 : index}, %t: tensor<4xf32> {iree.abi.output = 1 : index}) -> ()"}},
       "INVALID_ARGUMENT: Argument 2 is storage for result 1, which "
       "already has storage. (attribute 'f' of function 'f')"},
      {"0r_r",
       {{"f", "I6!B3!d4R4!B1"}},
       "INVALID_ARGUMENT: Byte 9 of the signature: the length 4 exceeds the 3 "
       "bytes left. (attribute 'f' of function 'f')"},
      {"0r_r",
       {{"f", "I4!B1!R4!B1!"}, {"fv", "2"}},
       "UNIMPLEMENTED: Version '2' of the V0 convention 'raw' (attribute 'fv') "
       "is not known; version 1 is. (function 'f')"},
      {"0r_r",
       {{"abi", "xla"}},
       "UNIMPLEMENTED: The calling convention 'xla' (attribute 'abi') is not "
       "known; 'raw' and 'sip' are. (function 'f')"},
      {"0r_rr",
       {{"f", "I4!B1!R4!B1!"}},
       "INVALID_ARGUMENT: The raw signature has 1 result; the function returns "
       "2. (attribute 'f' of function 'f')"},
      {"0r_r",
       {{"f", "I7!B1!B1!R4!B1!"}},
       "INVALID_ARGUMENT: The raw signature has 2 inputs; the function takes "
       "1, those for storage included. (attribute 'f' of function 'f')"},
      {"0rrr_r",
       {{"f", "I4!B1!R4!B1!"}},
       "INVALID_ARGUMENT: The raw signature has 1 input; the function takes 3, "
       "those for storage included. (attribute 'f' of function 'f')"},
      {"0ri_r",
       {{"f", "I4!B1!R4!B1!"}},
       "INVALID_ARGUMENT: The raw signature has 1 input; the function takes 2, "
       "those for storage included. (attribute 'f' of function 'f')"},
      {"0rr_r",
       {{"f", "I4!B1!R4!B1!"},
        {kDeclared,
         "sync func @f(%a: tensor<f32>, %b: tensor<f32>) -> (%c: "
         "tensor<f32>)"}},
       "INVALID_ARGUMENT: The raw signature has 1 input; the function takes 2, "
       "those for storage included. (attribute 'f' of function 'f')"},
      {"0i_v",
       {{"f", "I6!S3!t2R1!"}},
       "INVALID_ARGUMENT: Input 0 of the raw signature is float64; the "
       "function "
       "has an i32 there. (attribute 'f' of function 'f')"},
      {"0_f",
       {{"f", "I1!R4!B1!"}},
       "INVALID_ARGUMENT: Result 0 of the raw signature is Buffer<float32[]>; "
       "the function has an f32 there. (attribute 'f' of function 'f')"},
      {"0f_v",
       {{"f", "I4!O1!R1!"}},
       "INVALID_ARGUMENT: Input 0 of the raw signature is RefObject<?>; the "
       "function has an f32 there. (attribute 'f' of function 'f')"},
  };
  for (const auto& row : kRows) {
    EXPECT_EQ(Read(row.convention, row.attributes), row.want);
  }
}

TEST(Signature, Records) {
  const struct {
    const char* convention;
    const char* json;
    const char* want;
  } kRows[] = {
      {"0iiiII", R"({"a":["i1","i7","i32","i64","index"],"r":[]})",
       "f(i1, i7, i32, i64, i64) -> ()"},
      {"0fFiir", R"({"a":["f32","f64","f16","bf16",null]})",
       "f(f32, f64, f16, bf16, null) -> ()"},
      // f64 in a program that the compiler demoted to f32; f16 in old releases.
      {"0ff", R"({"a":["f64","f16"]})", "f(f64, f16) -> ()"},
      {"0rr", R"({"a":[["ndarray","f32",2,null,4],["ndarray","i8",0]]})",
       "f(?x4xf32, i8) -> ()"},
      {"0rr", R"({"a":[["ndarray","i1",null],["ndarray","unknown",1,-1]]})",
       "f(*xi1, ?xunknown) -> ()"},
      {"0r", R"({"a":[["ndarray",["py_homogeneous_list","i8"],1,2]]})",
       "f(2x(list<i8>)) -> ()"},
      {"0r", R"({"a":[["slist","i32",["stuple",["ndarray","f32",1,3]],null]]})",
       "f([i32, (3xf32,), null]) -> ()"},
      {"0r", R"({"a":[["sdict",["b","i32"],["a",["sdict"]]]]})",
       "f({b: i32, a: {}}) -> ()"},
      {"0ir", R"({"a":[["named","x","i32"],["sdict_kwargs",["k","f32"]]]})",
       "f(x: i32, **{k: f32}) -> ()"},
      // Types and members of later versions.
      {"0ri", R"({"v":9,"new":{},"a":[["set","i32"],"i128"]})",
       "f(set, i32) -> ()"},
      {"0r", R"({"a":[["slist","ui8","f8E4M3FN","qi3"]]})",
       "f([ui8, f8E4M3FN, qi3]) -> ()"},
      // Results.
      {"0_ri", R"({"r":[["ndarray","f32",0],"i32"]})", "f() -> (f32, i32)"},
      {"0_ri", R"({"r":[["sdict",["a",["ndarray","f32",0]],["b","i32"]]]})",
       "f() -> {a: f32, b: i32}, in slots"},
      {"0_i", R"({"r":[["slist","i32"]]})", "f() -> [i32], in slots"},
      {"0_r", R"({"r":[["slist","i32"]]})", "f() -> [i32]"},
      {"0_v", R"({"r":[["stuple"]]})", "f() -> (), in slots"},
      {"0_ii", R"({"r":[["py_homogeneous_list","i32"]]})",
       "f() -> list<i32>, in slots"},
      {"0_r", R"({"r":[["py_homogeneous_list","i32"]]})", "f() -> list<i32>"},
  };
  for (const auto& row : kRows) {
    const std::string want = row.want;
    const size_t comma = want.find(", in slots");
    EXPECT_EQ(Read(row.convention, {{"iree.abi", row.json}}),
              want.substr(0, comma) + " by iree.abi" +
                  (comma == want.npos ? "" : want.substr(comma)))
        << row.json;
  }
}

TEST(Signature, MalformedRecordsSayWhere) {
  const struct {
    const char* convention;
    const char* json;
    const char* want;
  } kRows[] = {
      {"0i", "[]", "The records are an array, not an object, at byte 0."},
      {"0i", "{\"a\":[\"i32\"",
       "The JSON text is malformed at byte 11, after '\"i32\"'."},
      {"0i", R"({"a":"i32"})",
       "'a' is a string, not an array of type records, at byte 9."},
      {"0i", R"({"a":[7]})",
       "A type record is the number 7, not a string, null or an array, at "
       "byte 6."},
      {"0i", R"({"a":[{}]})",
       "A type record is an object, not a string, null or an array, at byte "
       "6."},
      {"0r", R"({"a":[[]]})", "A compound type record has no name at byte 6."},
      {"0r", R"({"a":[["ndarray","f32"]]})",
       "An 'ndarray' lacks its element type or rank at byte 6."},
      {"0r", R"({"a":[["ndarray","f32",2,4]]})",
       "An 'ndarray' of rank 2 has 1 dimension at byte 6."},
      {"0r", R"({"a":[["ndarray","f32",null,4]]})",
       "An 'ndarray' of unknown rank has 1 dimension at byte 6."},
      {"0r", R"({"a":[["ndarray","f32",-1]]})",
       "A rank is the number -1, not a number from 0 to 64, at byte 24."},
      {"0r", R"({"a":[["ndarray","f32",65]]})",
       "A rank is the number 65, not a number from 0 to 64, at byte 24."},
      {"0r", R"({"a":[["ndarray","f32",1,-2]]})",
       "A dimension is the number -2, not null or a number from 0 on, at byte "
       "26."},
      {"0r", R"({"a":[["ndarray","f32",1,1.5]]})",
       "A dimension is the number 1.5, not null or a number from 0 on, at "
       "byte 27."},
      {"0r", R"({"a":[["sdict",["a"]]]})",
       "An item of a dict is not a key and a type at byte 15."},
      {"0r", R"({"a":[["sdict",["a","i8"],["a","i8"]]]})",
       "A dict has the key 'a' twice at byte 6."},
      {"0r", R"({"a":[["py_homogeneous_list"]]})",
       "A 'py_homogeneous_list' must have exactly one element type at byte 6."},
      {"0i", R"({"a":[["named","x"]]})",
       "A 'named' record is not a name and a type at byte 6."},
      {"0r", R"({"a":[["slist",["named","x","i32"]]]})",
       "A 'named' record is nested in another at byte 15."},
      {"0ii", R"({"a":[["named","x","i32"],["named","x","i32"]]})",
       "Arguments 0 and 1 have the same name, 'x'."},
      {"0ri", R"({"a":[["sdict_kwargs"],"i32"]})",
       "The dict of keyword arguments is argument 0 of 2, not the last."},
      {"0ii", R"({"a":["i32"]})",
       "There is 1 record of an argument; the function takes 2."},
      {"0_ii", R"({"r":["i32"]})",
       "There is 1 record of a result; the function returns 2."},
      {"0_ii", R"({"r":[["slist","i32"]]})",
       "There is 1 record of a slot of its only result; the function "
       "returns 2."},
      {"0r", R"({"a":["i32"]})",
       "The record of argument 0 is i32; the function has a reference there."},
      {"0i", R"({"a":[["slist"]]})",
       "The record of argument 0 is []; the function has an i32 there."},
      {"0i", R"({"a":["f32"]})",
       "The record of argument 0 is f32; the function has an i32 there."},
      {"0_ri", R"({"r":[["slist","i32","i32"]]})",
       "The record of slot 0 of the only result is i32; the function has a "
       "reference there."},
  };
  for (const auto& row : kRows) {
    EXPECT_EQ(Read(row.convention, {{"iree.abi", row.json}}),
              absl::StrCat("INVALID_ARGUMENT: ", row.want,
                           " (attribute 'iree.abi' of function 'f')"))
        << row.json;
  }
}

TEST(Signature, DepthIsLimited) {
  std::string json = "\"i32\"";
  for (size_t i = 1; i < Signature::kMaxDepth; ++i) {
    json = absl::StrCat("[\"slist\",", json, "]");
  }
  EXPECT_NE(Read("0r", {{"d", "{\"a\":[" + json + "]}"}}).find("i32"),
            std::string::npos);
  EXPECT_EQ(Read("0r", {{"d", "{\"a\":[[\"slist\"," + json + "]]}"}}),
            "INVALID_ARGUMENT: Type records are nested 33 deep; the limit is "
            "32; at byte 298. (attribute 'd' of function 'f')");
}

TEST(Signature, Queries) {
  const std::vector<vm::Attribute> attributes = {
      {"iree.abi",
       R"({"a":[["named","x",["ndarray","f32",2,null,4]],"i8"],"r":["i1"],)"
       R"("doc":"Scales."})"},
      {"iree.abi.declaration",
       "sync func @f(%in: tensor<?x4xf32> {iree.abi.output = 0 : index}, "
       "%n: i8) -> (%out\xFF: i1)"}};
  const auto signature = ReadSignature("0ri_i", attributes);
  ASSERT_EQ(StatusText(signature), "OK");
  EXPECT_EQ(signature->doc(), "Scales.");
  EXPECT_EQ(signature->ArgumentName(0), "argument 0 ('x')");
  EXPECT_TRUE(signature->arguments()[0].keyword);
  EXPECT_FALSE(signature->arguments()[1].keyword);
  EXPECT_EQ(signature->arguments()[1].name, "n");
  EXPECT_EQ(signature->arguments()[0].storage_of, 0);
  const Type& type = signature->arguments()[0].type;
  EXPECT_EQ(type.element, hal::ElementType::kFloat32);
  EXPECT_TRUE(type.ranked);
  EXPECT_EQ(type.shape[0], Type::kDynamic);
  EXPECT_EQ(type.shape[1], 4);
  EXPECT_EQ(signature->result_carriers()[0], vm::ValueType::kI32);
  // Names may be any bytes, including invalid UTF-8.
  EXPECT_EQ(SignatureJson(*signature),
            R"j({"source":"iree.abi","text":"f(x: ?x4xf32, i8) -> )j"
            R"j((out\\xff: i1)",)j"
            R"j("arguments":[{"name":"x","keyword":true,"type":)j"
            R"j({"kind":"ndarray","dtype":"f32","rank":2,"shape":[null,4]},)j"
            R"j("storage_of":0},{"name":"n","keyword":false,"type":{"kind":)j"
            R"j("scalar","dtype":"i8"}}],"results":[{"name":)j"
            "\"out\xEF\xBF\xBD\","
            R"j("keyword":false,"type":{"kind":"scalar","dtype":"i1"}}],)j"
            R"j("results_are_slots":false,"doc":"Scales."})j");
}

TEST(Signature, AsJsonOfStructures) {
  const std::vector<vm::Attribute> attributes = {{"f", "I7!B4!d-1R7!B4!d-1"},
                                                 {"fbr", "__allocate"},
                                                 {"sip", "I8!S5!k0_0R3!_0"}};
  const auto signature = ReadSignature("0rr_r", attributes);
  ASSERT_TRUE(signature.ok()) << StatusText(signature);
  const std::string array =
      R"j({"name":"","keyword":false,"type":{"kind":"ndarray","dtype":"f32",)j"
      R"j("rank":1,"shape":[null]}})j";
  EXPECT_EQ(
      SignatureJson(*signature),
      absl::StrCat(
          R"j({"source":"sip","text":"f(?xf32) -> ?xf32","arguments":[)j",
          array, R"j(],"results":[)j", array,
          R"j(],"results_are_slots":false,)j",
          R"j("structure":{"inputs":":[\n  0=raw(0),\n],\n",)j",
          R"j("results":"=raw(0),\n"},)j",
          R"j("raw":"(Buffer<float32[?]>) -> (Buffer<float32[?]>)",)j",
          R"j("result_allocator":"__allocate","storage":[{"name":"",)j",
          R"j("keyword":false,"type":{"kind":"unknown"},"storage_of":0}]})j"));
}

}  // namespace
}  // namespace eyrie::abi
