#include "abi/c/host_call.h"

#include "abi/c/c_handles.h"
#include "hal/element_type.h"
#include "vm/isa/value.h"

namespace eyrie::abi {
namespace {

SlotKind KindOf(const HostParameter& parameter, bool is_result) {
  const Type& type = parameter.parameter.type;
  if (type.is(Type::Kind::kScalar)) {
    if (vm::IsWide(parameter.parameter.carrier)) return SlotKind::k64;
    return hal::BitCount(type.element) < 32 ? SlotKind::kNarrow : SlotKind::k32;
  }
  if (is_result) return SlotKind::kValue;
  if (!parameter.object.empty()) return SlotKind::kObject;
  if (type.is(Type::Kind::kArray)) return SlotKind::kArray;
  return type.is(Type::Kind::kBytes) ? SlotKind::kBytes : SlotKind::kValue;
}

}  // namespace

absl::Status TakeHostError(eyrie_error_t* error) {
  absl::Status status(static_cast<absl::StatusCode>(error->code),
                      error->message);
  eyrie_error_free(error);
  return status;
}

HostModuleState::~HostModuleState() {
  imports_.clear();
  if (free_ != nullptr) free_(state_);
}

void HostFunction::SetKinds() {
  for (const HostParameter& row : signature.arguments) {
    arguments.push_back(KindOf(row, /*is_result=*/false));
  }
  for (const HostParameter& row : signature.results) {
    results.push_back(KindOf(row, /*is_result=*/true));
  }
}

}  // namespace eyrie::abi
