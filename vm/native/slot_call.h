// Calls native functions with their arguments in consecutive slots, for tests
// that have no frame.
#ifndef EYRIE_VM_NATIVE_SLOT_CALL_H_
#define EYRIE_VM_NATIVE_SLOT_CALL_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/status/status.h"
#include "base/status_macros.h"
#include "vm/isa/callconv.h"
#include "vm/isa/value.h"
#include "vm/module/module.h"
#include "vm/native/native_binding.h"

namespace eyrie::vm {

// `slots` must match the convention. A span is one slot with its count,
// followed by its elements.
inline absl::Status CallWithSlots(const NativeImport& import,
                                  const CallingConvention& convention,
                                  const Slot* slots, Slot* results) {
  if (import.direct == nullptr) {
    return import.thunk(import.state, slots, results);
  }
  // Arguments and results, at places like those of a frame.
  std::vector<Slot> frame;
  std::vector<uint32_t> places;
  const auto add = [&](Slot slot) {
    places.push_back(static_cast<uint32_t>(frame.size() * sizeof(slot)));
    frame.push_back(slot);
  };
  for (const CallElement& element : convention.arguments()) {
    uint32_t values = 1;
    if (element.variadic) {
      const auto count = static_cast<uint32_t>((slots++)->i64);
      values = count * static_cast<uint32_t>(element.types.size());
      places.push_back(kPlaceCount | count);
    }
    for (; values > 0; --values) add(*slots++);
  }
  places.push_back(0);  // no references are moved
  const size_t arguments = frame.size();
  for (size_t i = 0; i < convention.result_types().size(); ++i) add({});
  RETURN_IF_ERROR(import.direct(
      import.state, reinterpret_cast<uint8_t*>(frame.data()), places.data()));
  std::copy(frame.begin() + static_cast<ptrdiff_t>(arguments), frame.end(),
            results);
  return absl::OkStatus();
}

// Calls a function of a native module's table.
inline absl::Status CallWithSlots(const NativeFunction& row, ModuleState* state,
                                  const Slot* slots, Slot* results) {
  return CallWithSlots({nullptr, row.thunk, state},
                       *CallingConvention::Parse(row.signature), slots,
                       results);
}

}  // namespace eyrie::vm

#endif  // EYRIE_VM_NATIVE_SLOT_CALL_H_
