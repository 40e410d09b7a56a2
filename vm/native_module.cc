// Tested by native_module_test.cc.
#include "vm/native_module.h"

#include <algorithm>
#include <set>
#include <string_view>

#include "absl/strings/cord.h"
#include "absl/strings/str_cat.h"
#include "base/plain_text.h"
#include "base/status_macros.h"
#include "base/suggest.h"

namespace eyrie::vm {
namespace {

// Marks a Pending() status; nothing else carries it.
constexpr char kPendingUrl[] = "eyrie.vm/pending";

}  // namespace

absl::Status Pending() {
  absl::Status status =
      absl::UnavailableError("The result of the call is not ready.");
  status.SetPayload(kPendingUrl, absl::Cord());
  return status;
}

bool IsPending(const absl::Status& status) {
  return status.code() == absl::StatusCode::kUnavailable &&
         status.GetPayload(kPendingUrl).has_value();
}

namespace binding_internal {

absl::Status Mismatch::ToStatus() const {
  if (got == nullptr) {
    return absl::InvalidArgumentError(absl::StrCat(
        "Argument ", index, " is null; a ", want->name, " is required."));
  }
  return absl::InvalidArgumentError(absl::StrCat("Argument ", index, " is a ",
                                                 got->type().name, ", not a ",
                                                 want->name, "."));
}

}  // namespace binding_internal

absl::StatusOr<std::shared_ptr<const NativeModule>> NativeModule::Create(
    std::string name, uint32_t version, std::span<const NativeFunction> rows,
    NativeStateFactory create_state) {
  std::set<std::pair<std::string_view, std::string_view>> seen;
  for (const NativeFunction& row : rows) {
    absl::StatusOr<CallingConvention> parsed =
        CallingConvention::Parse(row.signature);
    if (!parsed.ok() || parsed->ToString() != row.signature) {
      return absl::InvalidArgumentError(absl::StrCat(
          "Signature \"", row.signature, "\" of native function ", name, ".",
          row.name, " is not a canonical calling convention."));
    }
    if (!seen.insert({row.name, row.signature}).second) {
      return absl::InvalidArgumentError(
          absl::StrCat("Native function ", name, ".", row.name, " ",
                       row.signature, " occurs twice."));
    }
  }
  return std::shared_ptr<const NativeModule>(new NativeModule(
      std::move(name), version, rows, std::move(create_state)));
}

absl::StatusOr<uint32_t> NativeModule::ResolveImport(
    absl::string_view name, absl::string_view signature) const {
  const NativeFunction* nearest = nullptr;
  size_t least = 0;
  for (const NativeFunction& row : rows_) {
    if (name != row.name) continue;
    const size_t distance = EditDistance(signature, row.signature);
    if (distance == 0) return static_cast<uint32_t>(&row - rows_.data());
    if (nearest == nullptr || distance < least) {
      nearest = &row;
      least = distance;
    }
  }
  if (nearest == nullptr) {
    return absl::NotFoundError(absl::StrCat("Module ", name_, " version ",
                                            version_, " has no function ",
                                            PlainName(name), "."));
  }
  return absl::UnimplementedError(absl::StrCat(
      "Function ", name_, ".", PlainName(name), " has no signature ", signature,
      "; the nearest known is ", nearest->signature, "."));
}

absl::StatusOr<NativeImport> NativeModule::BindImport(
    ModuleState& state, absl::string_view name,
    const CallingConvention& signature) const {
  ASSIGN_OR_RETURN(const uint32_t ordinal,
                   ResolveImport(name, signature.ToString()));
  return NativeImport{nullptr, rows_[ordinal].thunk, &state};
}

}  // namespace eyrie::vm
