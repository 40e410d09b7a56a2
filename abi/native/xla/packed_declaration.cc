// Declares functions of TVM-FFI, one of the conventions of native functions.
//
//   "add_one": {"convention": "tvm_ffi", "arguments": ["*xf32"],
//               "results": [{"like": 0}], "order": ["args", "rets"]}
//
// The members are those of XLA FFI's handlers, and "order": the values that the
// function takes. docs/native.md describes it.
// Tested by tools/native_test.sh.
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "abi/native/library.h"
#include "abi/native/native_function.h"
#include "abi/native/xla/api.h"
#include "abi/native/xla/declaration.h"
#include "abi/native/xla/function.h"
#include "abi/native/xla/packed_function.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "base/foreign_function.h"
#include "base/plain_text.h"
#include "base/status_macros.h"

namespace eyrie::native {
namespace {

using Item = PackedFunction::Item;

constexpr char kPrefix[] = "__tvm_ffi_";  // of exported functions

class DeclaredPacked final : public DeclaredHandler {
 public:
  DeclaredPacked(FfiDeclaration declaration, std::string symbol,
                 std::vector<Item> items, bool returns)
      : DeclaredHandler(std::move(declaration)),
        symbol_(std::move(symbol)),
        items_(std::move(items)),
        returns_(returns) {}

  absl::StatusOr<std::shared_ptr<const NativeFunction>> Load(
      std::shared_ptr<const NativeLibrary> library) const override;

 private:
  // Finds an exported function, or one that the library registers by a name.
  absl::Status Find(const NativeLibrary& library, PackedFunction& packed) const;

  const std::string symbol_;
  const std::vector<Item> items_;
  const bool returns_;
};

EYRIE_CALLS_FOREIGN_CODE absl::Status DeclaredPacked::Find(
    const NativeLibrary& library, PackedFunction& packed) const {
  const std::string& name = declaration()->registered;
  if (name.empty()) {
    ASSIGN_OR_RETURN(void* const symbol, library.FindFunction(symbol_));
    packed.call = reinterpret_cast<PackedFunction::Call*>(symbol);
    return absl::OkStatus();
  }
  using Get = int(const TvmBytes* name, TvmObject** function);
  ASSIGN_OR_RETURN(void* const get,
                   library.FindNeeded("TVMFFIFunctionGetGlobal"));
  const TvmBytes bytes = {name.data(), name.size()};
  TvmObject* function = nullptr;
  if (reinterpret_cast<Get*>(get)(&bytes, &function) != 0 ||
      function == nullptr) {
    return absl::NotFoundError(absl::StrCat("'", library.path(),
                                            "' registers no global function '",
                                            PlainName(name), "'."));
  }
  // Never dropped, as the library is never closed.
  packed.handle = function;
  packed.call = *reinterpret_cast<PackedFunction::Call**>(function + 1);
  return absl::OkStatus();
}

absl::StatusOr<std::shared_ptr<const NativeFunction>> DeclaredPacked::Load(
    std::shared_ptr<const NativeLibrary> library) const {
  auto packed = std::make_shared<PackedFunction>();
  RETURN_IF_ERROR(Find(*library, *packed));
  ASSIGN_OR_RETURN(void* const take_error,
                   library->FindNeeded("TVMFFIErrorMoveFromRaised"));
  ASSIGN_OR_RETURN(void* const drop, library->FindNeeded("TVMFFIObjectDecRef"));
  packed->take_error =
      reinterpret_cast<decltype(PackedFunction::take_error)>(take_error);
  packed->drop = reinterpret_cast<decltype(PackedFunction::drop)>(drop);
  // A library with the same ABI may lack it.
  if (const auto make = library->FindNeeded("TVMFFITensorFromDLPackVersioned");
      make.ok()) {
    packed->make_tensor =
        reinterpret_cast<decltype(PackedFunction::make_tensor)>(*make);
  }
  packed->items = items_;
  packed->returns = returns_;
  if (returns_) packed->result_layout = declaration()->results[0].layout;
  FfiHandlers handlers;
  handlers.stages[EYRIE_FFI_EXECUTE] = &CallPacked;
  handlers.minor = kNewestFfiMinor;
  return MakeFfiFunction(declaration(), std::move(library), handlers,
                         std::move(packed));
}

// Reads "order".
class OrderReader {
 public:
  OrderReader(const FfiDeclaration& declaration, const JsonReader& json)
      : declaration_(declaration), json_(json) {}

  absl::Status Read(const Json* order);
  std::vector<Item> TakeItems() { return std::move(items_); }
  bool has_results() const { return has_results_; }

 private:
  absl::Status Add(absl::string_view text);
  void AddArguments();

  const FfiDeclaration& declaration_;
  const JsonReader& json_;
  std::vector<Item> items_;
  bool has_results_ = false;
};

void OrderReader::AddArguments() {
  size_t index = 0;
  for (const FfiOperand& operand : declaration_.operands) {
    if (operand.kind == FfiOperand::Kind::kAttribute) {
      items_.push_back({Item::Kind::kAttribute, 0, operand.attribute, {}});
    } else {
      items_.push_back({Item::Kind::kArgument, index++, {}, operand.layout});
    }
  }
}

absl::Status OrderReader::Add(absl::string_view text) {
  if (text == "args") {
    AddArguments();
    return absl::OkStatus();
  }
  if (text == "rets") {
    has_results_ = true;
    for (size_t i = 0; i < declaration_.results.size(); ++i) {
      items_.push_back(
          {Item::Kind::kResult, i, {}, declaration_.results[i].layout});
    }
    return absl::OkStatus();
  }
  absl::string_view name = text;
  if (absl::ConsumePrefix(&name, "attrs.") &&
      declaration_.attributes.members.contains(std::string(name))) {
    items_.push_back({Item::Kind::kAttribute, 0, std::string(name), {}});
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(absl::StrCat(
      "In the manifest, \"order\" of ", json_.where(), " has '",
      PlainName(text), "'; expected \"args\", \"rets\", or \"attrs.NAME\" for ",
      "one of \"attributes\"."));
}

absl::Status OrderReader::Read(const Json* order) {
  if (order == nullptr) {
    RETURN_IF_ERROR(Add("args"));
    return Add("rets");
  }
  if (!order->is(Json::Kind::kArray)) {
    return json_.WrongKind("order", *order, "an array");
  }
  for (const Json& item : order->items) {
    if (!item.is(Json::Kind::kString)) {
      return json_.WrongKind("order", item,
                             "\"args\", \"rets\" or \"attrs.…\"");
    }
    RETURN_IF_ERROR(Add(item.text));
  }
  return absl::OkStatus();
}

// Checks what a packed function cannot have.
absl::Status CheckPacked(const FfiDeclaration& declaration, JsonReader& json,
                         bool returns) {
  const auto refuse = [&](absl::string_view what) {
    return absl::UnimplementedError(absl::StrCat(
        "In the manifest, ", json.where(), " is a function of TVM-FFI and has ",
        what, ", which is not supported."));
  };
  for (const FfiOperand& operand : declaration.operands) {
    if (operand.presence == FfiOperand::Presence::kRest) {
      return refuse("further arguments");
    }
  }
  for (const FfiResult& result : declaration.results) {
    if (result.rest) return refuse("further results");
    if (returns && (declaration.results.size() != 1 ||
                    result.kind != FfiResult::Kind::kBuffer)) {
      return refuse("results that are not in \"order\"");
    }
  }
  if (!IsHostPlatform(declaration.platform)) return refuse("a platform");
  if (json.Find("stages") != nullptr) return refuse("stages");
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<std::unique_ptr<NativeDeclaration>> DeclareTvmFfi(
    absl::string_view function, JsonReader& json) {
  ASSIGN_OR_RETURN(const std::string symbol,
                   json.GetString("symbol", absl::StrCat(kPrefix, function)));
  ASSIGN_OR_RETURN(FfiDeclaration declaration,
                   ReadFfiDeclaration(function, json));
  OrderReader order(declaration, json);
  RETURN_IF_ERROR(order.Read(json.Find("order")));
  const bool returns = !declaration.results.empty() && !order.has_results();
  RETURN_IF_ERROR(CheckPacked(declaration, json, returns));
  return std::unique_ptr<NativeDeclaration>(std::make_unique<DeclaredPacked>(
      std::move(declaration), symbol, order.TakeItems(), returns));
}

}  // namespace eyrie::native
