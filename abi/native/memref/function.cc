// Declares memref functions, one of the conventions of native functions.
//
//   "sum": {"convention": "memref", "type": "(memref<?xf32>) -> f32"}
//
// Optional members: "symbol" (default _mlir_ciface_sum), "index_bits" (64 or
// 32), "bare_pointers", "outputs": the number of trailing arguments that are
// results of static shapes, or an array with a rule for each result; "layouts"
// and "equal". Tested by call_test.cc.
#include <algorithm>
#include <cstdlib>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "abi/native/library.h"
#include "abi/native/memref/import.h"
#include "abi/native/native_function.h"
#include "abi/native/shape_rule.h"
#include "absl/algorithm/container.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "base/plain_text.h"
#include "base/status_macros.h"

namespace eyrie::native {
namespace {

// The prefix of MLIR's C wrappers.
constexpr char kPrefix[] = "_mlir_ciface_";
// The free function of libraries that define their own allocation functions.
constexpr char kOwnFree[] = "_mlir_memref_to_llvm_free";

class LoadedMemref final : public NativeFunction {
 public:
  explicit LoadedMemref(std::shared_ptr<const MemrefFunction> function)
      : function_(std::move(function)) {}

  absl::StatusOr<std::shared_ptr<BoundFunction>> Bind(
      const ImportRequest& request) const override {
    if (!request.attributes.empty()) {
      return absl::InvalidArgumentError(absl::StrCat(
          "The import has the attributes '", PlainName(request.attributes),
          "'; memref functions have none."));
    }
    ASSIGN_OR_RETURN(MemrefPlan plan, MemrefPlan::Create(function_->signature,
                                                         request.signature));
    return std::shared_ptr<BoundFunction>(
        std::make_shared<MemrefImport>(function_, std::move(plan), request));
  }

 private:
  const std::shared_ptr<const MemrefFunction> function_;
};

class DeclaredMemref final : public NativeDeclaration {
 public:
  DeclaredMemref(MemrefSignature signature, std::string symbol)
      : signature_(std::move(signature)), symbol_(std::move(symbol)) {}

  absl::StatusOr<std::shared_ptr<const NativeFunction>> Load(
      std::shared_ptr<const NativeLibrary> library) const override;
  std::string Describe() const override { return signature_.ToString(); }
  std::string ImportConvention(size_t) const override {
    return signature_.ImportConvention();
  }
  std::vector<std::string> DeclareOperands(size_t) const override {
    return signature_.DeclareOperands();
  }

 private:
  const MemrefSignature signature_;
  const std::string symbol_;
};

// Returns the error for a wrapper that the library does not have. If it has the
// function itself, the message says how to get the wrapper.
absl::Status NoWrapper(const absl::Status& missing, const std::string& symbol,
                       const NativeLibrary& library) {
  absl::string_view function = symbol;
  if (!absl::ConsumePrefix(&function, kPrefix) ||
      !library.FindFunction(std::string(function)).ok()) {
    return missing;
  }
  return absl::NotFoundError(absl::StrCat(
      "'", library.path(), "' exports '", PlainName(function),
      "', but not its C wrapper '", PlainName(symbol),
      "'. Give the function the attribute llvm.emit_c_interface before it is "
      "lowered. If its memrefs are bare pointers "
      "(use-bare-ptr-memref-call-conv), say \"bare_pointers\": true in the "
      "manifest."));
}

absl::StatusOr<std::shared_ptr<const NativeFunction>> DeclaredMemref::Load(
    std::shared_ptr<const NativeLibrary> library) const {
  auto function = std::make_shared<MemrefFunction>();
  function->signature = signature_;
  const absl::StatusOr<void*> entry = library->FindFunction(symbol_);
  if (!entry.ok()) return NoWrapper(entry.status(), symbol_, *library);
  function->entry = *entry;
  const absl::StatusOr<void*> own_free = library->FindFunction(kOwnFree);
  function->free =
      own_free.ok() ? reinterpret_cast<void (*)(void*)>(*own_free) : std::free;
  function->library = std::move(library);
  return std::make_shared<const LoadedMemref>(std::move(function));
}

// Reads "outputs": a number, or an array of rules.
class OutputReader {
 public:
  OutputReader(absl::string_view function, MemrefSignature& signature)
      : function_(function), signature_(signature) {}

  absl::Status Read(JsonReader& json) {
    const Json* const outputs = json.Find("outputs");
    if (outputs == nullptr) return absl::OkStatus();
    if (!outputs->is(Json::Kind::kArray)) {
      ASSIGN_OR_RETURN(const int64_t count, json.GetInt("outputs", 0));
      RETURN_IF_ERROR(SetCount(count));
      return CheckTypes(/*has_rules=*/false);
    }
    int64_t trailing = 0;
    for (const Json& rule : outputs->items) {
      const bool is_inout =
          rule.is(Json::Kind::kObject) && rule.Find("inout") != nullptr;
      if (!is_inout) ++trailing;
    }
    RETURN_IF_ERROR(SetCount(trailing));
    for (const Json& rule : outputs->items) RETURN_IF_ERROR(ReadRule(rule));
    return CheckTypes(/*has_rules=*/true);
  }

 private:
  absl::Status Error(absl::string_view why) const {
    return absl::InvalidArgumentError(
        absl::StrCat("In the manifest, function '", function_, "' has ",
                     signature_.outputs, " \"outputs\", ", why, "."));
  }
  absl::Status SetCount(int64_t count);
  absl::Status ReadRule(const Json& rule);
  absl::Status CheckTypes(bool has_rules) const;

  const absl::string_view function_;
  MemrefSignature& signature_;
};

absl::Status OutputReader::SetCount(int64_t count) {
  const size_t arguments = signature_.type.arguments.size();
  if (count >= 0 && static_cast<uint64_t>(count) <= arguments) {
    signature_.outputs = static_cast<size_t>(count);
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(
      absl::StrCat("In the manifest, function '", function_, "' has ", count,
                   " \"outputs\", of ", arguments, " arguments."));
}

absl::Status OutputReader::ReadRule(const Json& rule) {
  ASSIGN_OR_RETURN(
      JsonReader json,
      JsonReader::Open(rule,
                       absl::StrCat("output ", signature_.output_rules.size(),
                                    " of function '", function_, "'")));
  ASSIGN_OR_RETURN(ShapeRule read,
                   ShapeRule::ReadShape(json, signature_.InputRanks()));
  RETURN_IF_ERROR(json.Finish());
  for (const ShapeRule& other : signature_.output_rules) {
    if (!read.inout() || other.inout() != read.inout()) continue;
    return absl::InvalidArgumentError(absl::StrCat(
        "In the manifest, ", json.where(), " is \"inout\" with operand ",
        *read.inout(), ", like an earlier output."));
  }
  signature_.output_rules.push_back(std::move(read));
  return absl::OkStatus();
}

absl::Status OutputReader::CheckTypes(bool has_rules) const {
  const std::vector<MemrefType>& arguments = signature_.type.arguments;
  for (size_t i = signature_.input_count(); i < arguments.size(); ++i) {
    const MemrefType& output = arguments[i];
    const std::string text = output.ToString();
    if (output.kind != MemrefType::Kind::kRanked || output.is_strided) {
      return Error(absl::StrCat("but argument ", i, ", ", text,
                                ", is not a ranked memref without a layout"));
    }
    if (!has_rules && absl::StrContains(text, "?")) {
      return Error(absl::StrCat("but argument ", i, ", ", text,
                                ", does not have a static shape; give an array "
                                "of shapes instead of the number"));
    }
  }
  return absl::OkStatus();
}

// Returns the layout of the argument or result with this type.
absl::StatusOr<TensorLayout> ReadLayout(const Json& value,
                                        const MemrefType& type,
                                        const std::string& where) {
  OperandRank rank = static_cast<OperandRank>(type.shape.size());
  if (type.kind == MemrefType::Kind::kUnranked) rank = kAnyRank;
  ASSIGN_OR_RETURN(TensorLayout layout, TensorLayout::Read(value, where, rank));
  if (layout.is_row_major()) return layout;
  const auto is_static = [](int64_t stride) {
    return stride != MemrefType::kDynamic;
  };
  const bool has_strides =
      std::any_of(type.strides.begin(), type.strides.end(), is_static);
  if (!type.is_scalar() && !has_strides) return layout;
  return absl::InvalidArgumentError(
      absl::StrCat("In the manifest, ", where, " has the layout ",
                   layout.ToString(), ", but is ", type.ToString(),
                   type.is_scalar() ? ", a scalar." : ", which has its own."));
}

// Reads "layouts": those of the arguments, then those of the results. The rest
// is row-major.
absl::Status ReadLayouts(JsonReader& json, MemrefSignature& signature) {
  const Json* const list = json.Find("layouts");
  if (list == nullptr) return absl::OkStatus();
  const std::vector<MemrefType>& arguments = signature.type.arguments;
  const size_t all = arguments.size() + signature.type.results.size();
  if (!list->is(Json::Kind::kArray)) {
    return json.WrongKind("layouts", *list, "an array");
  }
  if (list->items.size() > all) {
    return absl::InvalidArgumentError(absl::StrCat(
        "In the manifest, ", json.where(), " has ", list->items.size(),
        " \"layouts\" of ", all, " arguments and results."));
  }
  signature.layouts.resize(all);
  for (size_t i = 0; i < list->items.size(); ++i) {
    const bool is_result = i >= arguments.size();
    const size_t index = is_result ? i - arguments.size() : i;
    const MemrefType& type =
        is_result ? signature.type.results[index] : arguments[index];
    ASSIGN_OR_RETURN(
        signature.layouts[i],
        ReadLayout(list->items[i], type,
                   absl::StrCat(is_result ? "result " : "argument ", index,
                                " of ", json.where())));
  }
  return absl::OkStatus();
}

// Checks that all values can be passed without descriptors.
absl::Status CheckBarePointers(const MemrefSignature& signature,
                               absl::string_view function) {
  const auto bad = [&](absl::string_view what, const std::string& type) {
    return absl::UnimplementedError(
        absl::StrCat("In the manifest, function '", function,
                     "' has bare pointers and ", what, ", ", type, "."));
  };
  for (const MemrefType& type : signature.type.arguments) {
    if (type.is_scalar()) continue;
    if (type.kind != MemrefType::Kind::kRanked || type.is_strided ||
        absl::c_linear_search(type.shape, MemrefType::kDynamic)) {
      return bad(
          "an argument that is not a memref of static sizes without a "
          "layout",
          type.ToString());
    }
  }
  const std::vector<MemrefType>& results = signature.type.results;
  if (results.empty() || (results.size() == 1 && results[0].is_scalar())) {
    return absl::OkStatus();
  }
  return bad("other results than one scalar", signature.type.ToString());
}

}  // namespace

absl::StatusOr<std::unique_ptr<NativeDeclaration>> DeclareMemref(
    absl::string_view function, JsonReader& json) {
  const auto where = [&] {
    return absl::StrCat("(the \"type\" of function '", function, "')");
  };
  ASSIGN_OR_RETURN(const std::string text, json.GetString("type"));
  absl::StatusOr<MemrefFunctionType> type = ParseMemrefFunctionType(text);
  if (!type.ok()) return Annotate(type.status(), where());
  MemrefSignature signature;
  signature.type = *std::move(type);
  ASSIGN_OR_RETURN(const int64_t index_bits, json.GetInt("index_bits", 64));
  if (index_bits != 32 && index_bits != 64) {
    return absl::InvalidArgumentError(
        absl::StrCat("In the manifest, function '", function, "' has ",
                     index_bits, " \"index_bits\"; expected 32 or 64."));
  }
  signature.index_bits = static_cast<int>(index_bits);
  RETURN_IF_ERROR(OutputReader(function, signature).Read(json));
  RETURN_IF_ERROR(ReadLayouts(json, signature));
  ASSIGN_OR_RETURN(signature.equal,
                   EqualDims::Read(json, signature.InputRanks()));
  ASSIGN_OR_RETURN(signature.bare_pointers,
                   json.GetBool("bare_pointers", false));
  const bool is_bare = signature.bare_pointers;
  if (is_bare) RETURN_IF_ERROR(CheckBarePointers(signature, function));
  ASSIGN_OR_RETURN(
      std::string symbol,
      json.GetString("symbol", absl::StrCat(is_bare ? "" : kPrefix, function)));
  if (!is_bare && !absl::StartsWith(symbol, kPrefix)) {
    return absl::UnimplementedError(absl::StrCat(
        "In the manifest, function '", function, "' has the symbol '",
        PlainName(symbol), "'; expected a C wrapper, whose name begins with ",
        kPrefix, "."));
  }
  return std::unique_ptr<NativeDeclaration>(std::make_unique<DeclaredMemref>(
      std::move(signature), std::move(symbol)));
}

}  // namespace eyrie::native
