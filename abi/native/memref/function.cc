// Memref functions as a convention of native functions.
//
//   "sum": {"convention": "memref", "type": "(memref<?xf32>) -> f32"}
// and, where they are not the usual ones, "symbol" (_mlir_ciface_sum),
// "index_bits" (64 or 32) and "outputs": how many arguments, the last ones, are
// results of static shapes.
// Tested by call_test.cc.
#include <cstdlib>
#include <memory>
#include <string>
#include <utility>

#include "abi/native/conventions.h"
#include "abi/native/library.h"
#include "abi/native/memref/import.h"
#include "abi/native/native_function.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "base/plain_text.h"
#include "base/status_macros.h"

namespace eyrie::native {
namespace {

constexpr size_t kMostQuoted = 80;
// What MLIR's C wrappers begin with.
constexpr char kPrefix[] = "_mlir_ciface_";
// What libraries free with that are lowered to functions of their own.
constexpr char kOwnFree[] = "_mlir_memref_to_llvm_free";

class LoadedMemref final : public NativeFunction {
 public:
  explicit LoadedMemref(std::shared_ptr<const MemrefFunction> function)
      : function_(std::move(function)) {}

  absl::StatusOr<std::shared_ptr<BoundFunction>> Bind(
      const ImportRequest& request) const override {
    if (!request.attributes.empty()) {
      return absl::InvalidArgumentError(
          absl::StrCat("The import has the attributes '",
                       PlainText(request.attributes, kMostQuoted),
                       "'; memref functions have none."));
    }
    ASSIGN_OR_RETURN(MemrefPlan plan,
                     MemrefPlan::Make(function_->signature, request.signature));
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
  std::string Describe() const override { return signature_.type.ToString(); }
  std::string ImportConvention(size_t) const override {
    return signature_.ImportConvention();
  }

 private:
  const MemrefSignature signature_;
  const std::string symbol_;
};

absl::StatusOr<std::shared_ptr<const NativeFunction>> DeclaredMemref::Load(
    std::shared_ptr<const NativeLibrary> library) const {
  if (!kHasMachineCall) {
    return absl::UnimplementedError(
        "Memref functions are called on x86-64 and AArch64 only.");
  }
  auto function = std::make_shared<MemrefFunction>();
  function->signature = signature_;
  ASSIGN_OR_RETURN(function->entry, library->FindSymbol(symbol_));
  const absl::StatusOr<void*> own_free = library->FindSymbol(kOwnFree);
  function->free =
      own_free.ok() ? reinterpret_cast<void (*)(void*)>(*own_free) : std::free;
  function->library = std::move(library);
  return std::make_shared<const LoadedMemref>(std::move(function));
}

absl::Status CheckOutputs(absl::string_view function, int64_t outputs,
                          const MemrefFunctionType& type) {
  const auto error = [&](absl::string_view why) {
    return absl::InvalidArgumentError(
        absl::StrCat("In the manifest, function '", function, "' has ", outputs,
                     " \"outputs\", ", why, "."));
  };
  if (outputs < 0 || static_cast<uint64_t>(outputs) > type.arguments.size()) {
    return error(absl::StrCat("of ", type.arguments.size(), " arguments"));
  }
  for (size_t i = type.arguments.size() - static_cast<size_t>(outputs);
       i < type.arguments.size(); ++i) {
    const MemrefType& output = type.arguments[i];
    const std::string text = output.ToString();
    if (output.kind != MemrefType::Kind::kRanked ||
        absl::StrContains(text, "?") || output.is_strided) {
      return error(absl::StrCat("but argument ", i, ", ", text,
                                ", is no memref of a static shape"));
    }
  }
  return absl::OkStatus();
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
                     index_bits, " \"index_bits\"; they are 32 or 64."));
  }
  signature.index_bits = static_cast<int>(index_bits);
  ASSIGN_OR_RETURN(const int64_t outputs, json.GetInt("outputs", 0));
  RETURN_IF_ERROR(CheckOutputs(function, outputs, signature.type));
  signature.outputs = static_cast<size_t>(outputs);
  ASSIGN_OR_RETURN(std::string symbol,
                   json.GetString("symbol", absl::StrCat(kPrefix, function)));
  if (!absl::StartsWith(symbol, kPrefix)) {
    return absl::UnimplementedError(
        absl::StrCat("In the manifest, function '", function,
                     "' has the symbol '", PlainText(symbol, kMostQuoted),
                     "'; only C wrappers are called, of "
                     "names that begin with ",
                     kPrefix, "."));
  }
  return std::unique_ptr<NativeDeclaration>(std::make_unique<DeclaredMemref>(
      std::move(signature), std::move(symbol)));
}

}  // namespace eyrie::native
