// Parses a call's arguments from texts, as `--input` does.
#ifndef EYRIE_TESTS_SUPPORT_CALL_INPUTS_H_
#define EYRIE_TESTS_SUPPORT_CALL_INPUTS_H_

#include <string>
#include <utility>
#include <vector>

#include "abi/call/invoker.h"
#include "abi/call/session.h"
#include "abi/call/value_reader.h"
#include "absl/status/statusor.h"
#include "base/ref.h"
#include "base/status_macros.h"
#include "hal/device.h"
#include "vm/isa/value.h"

namespace eyrie {

// Returns the arguments, with buffers on the device. Fails as
// abi::ValueReader::Read and abi::Invoker::EncodeRegisters do.
inline absl::StatusOr<std::vector<vm::Value>> ReadArguments(
    const abi::Callable& callable, Ref<hal::Device> device,
    const std::vector<std::string>& inputs) {
  abi::ValueReader reader(device, "--input");
  ASSIGN_OR_RETURN(std::vector<abi::ParsedValue> parsed,
                   reader.Read(inputs, ArgumentSlots(callable)));
  return abi::Invoker::EncodeRegisters(callable, std::move(device),
                                       abi::ValuesOf(std::move(parsed)));
}

}  // namespace eyrie

#endif  // EYRIE_TESTS_SUPPORT_CALL_INPUTS_H_
