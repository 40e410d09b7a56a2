#include "vm/native/native_module.h"

#include <algorithm>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/strings/cord.h"
#include "absl/strings/str_cat.h"
#include "base/plain_text.h"
#include "base/status_macros.h"
#include "base/suggest.h"

namespace eyrie::vm {
namespace {

// The payload URL of Pending(), which no other status has.
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

namespace {

RefObject* TakeRef(uint8_t* frame, uint32_t place) {
  return std::exchange(*reinterpret_cast<RefObject**>(frame + place), nullptr);
}

// A separate function, so that the loop that calls it needs no callee-saved
// registers.
[[gnu::noinline]] const uint32_t* GiveUpLast(const RefObject* object,
                                             uint8_t* frame,
                                             const uint32_t* next,
                                             uint32_t left) {
  object->DropLast();
  for (; left > 0; --left) {
    if (RefObject* const other = TakeRef(frame, *next++)) other->DropRef();
  }
  return next;
}

}  // namespace

const uint32_t* GiveUpSome(uint8_t* frame, const uint32_t* next) {
  for (uint32_t left = *next++; left > 0; --left) {
    RefObject* const object = TakeRef(frame, *next++);
    if (object != nullptr && object->DropsLast()) {
      return GiveUpLast(object, frame, next, left - 1);
    }
  }
  return next;
}

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

namespace {

absl::Status CheckRows(absl::string_view name,
                       std::span<const NativeFunction> rows) {
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
  return absl::OkStatus();
}

// Returns the row with the most similar signature. There must be a row.
const NativeFunction& NearestOf(std::span<const NativeFunction> rows,
                                absl::string_view signature) {
  return *std::min_element(rows.begin(), rows.end(),
                           [&](const auto& a, const auto& b) {
                             return EditDistance(signature, a.signature) <
                                    EditDistance(signature, b.signature);
                           });
}

}  // namespace

absl::StatusOr<std::shared_ptr<const NativeModule>> NativeModule::Create(
    std::string name, uint32_t version, std::span<const NativeFunction> rows,
    NativeStateFactory create_state) {
  const bool ascend = RowsAscend(rows);
  if (!ascend) RETURN_IF_ERROR(CheckRows(name, rows));
  return std::shared_ptr<const NativeModule>(new NativeModule(
      std::move(name), version, rows, ascend, std::move(create_state)));
}

absl::StatusOr<uint32_t> NativeModule::ResolveImport(
    absl::string_view name, absl::string_view signature) const {
  auto row = rows_.begin();
  if (ascend_) {
    row = std::partition_point(
        rows_.begin(), rows_.end(),
        [&](const NativeFunction& before) { return before.name < name; });
  }
  std::vector<NativeFunction> others;  // rows with this name
  for (; row != rows_.end(); ++row) {
    if (row->name != name) {
      if (ascend_) break;
      continue;
    }
    if (row->signature == signature)
      return static_cast<uint32_t>(row - rows_.begin());
    others.push_back(*row);
  }
  if (others.empty()) {
    return absl::NotFoundError(absl::StrCat("Module ", name_, " version ",
                                            version_, " has no function ",
                                            PlainName(name), "."));
  }
  return absl::UnimplementedError(absl::StrCat(
      "Function ", name_, ".", PlainName(name), " has no signature ", signature,
      "; the nearest known is ", NearestOf(others, signature).signature, "."));
}

absl::StatusOr<NativeImport> NativeModule::BindImport(
    ModuleState& state, absl::string_view name,
    const CallingConvention& signature) const {
  ASSIGN_OR_RETURN(const uint32_t ordinal,
                   ResolveImport(name, signature.ToString()));
  const NativeFunction& row = rows_[ordinal];
  return NativeImport{nullptr, row.thunk, &state, row.quick};
}

}  // namespace eyrie::vm
