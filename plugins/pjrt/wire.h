// The wire format of protocol buffers, as far as PJRT's messages need it.
//
//   ForEachField(bytes, [&](const WireField& field) { ... });
// Source: protobuf.dev/programming-guides/encoding.
// Tested by compile_options_test.cc, testing/formats_fuzz.cc.
#ifndef EYRIE_PLUGINS_PJRT_WIRE_H_
#define EYRIE_PLUGINS_PJRT_WIRE_H_

#include <cstdint>
#include <string>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace eyrie::pjrt {

// A field of a message.
struct WireField {
  uint64_t number = 0;
  uint64_t value = 0;       // of a varint, or of fixed bits
  absl::string_view bytes;  // of a string, a message or packed numbers
  bool is_bytes = false;
};

// Calls `visit` with each field until it returns an error. INVALID_ARGUMENT:
// the bytes are no message.
absl::Status ForEachField(
    absl::string_view message,
    absl::FunctionRef<absl::Status(const WireField&)> visit);

// Calls `visit` with each number of a repeated field, which may be packed.
absl::Status ForEachNumber(const WireField& field,
                           absl::FunctionRef<void(uint64_t)> visit);

// Append fields to a message.
void AppendVarint(uint64_t value, std::string& out);
void AppendNumber(uint64_t number, uint64_t value, std::string& out);
void AppendBytes(uint64_t number, absl::string_view bytes, std::string& out);

}  // namespace eyrie::pjrt

#endif  // EYRIE_PLUGINS_PJRT_WIRE_H_
