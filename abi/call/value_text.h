// Prints the values of calls as text.
//
// Tested by function_io_test.cc.
#ifndef EYRIE_ABI_CALL_VALUE_TEXT_H_
#define EYRIE_ABI_CALL_VALUE_TEXT_H_

#include <cstddef>
#include <span>
#include <string>

#include "abi/tensor/tensor_text.h"
#include "absl/strings/string_view.h"
#include "hal/buffer_view.h"
#include "vm/isa/value.h"

namespace eyrie::abi {

// The public tools print all rows of an empty tensor; Eyrie at most these.
inline constexpr size_t kMostEmptyRows = size_t{1} << 20;

struct PrintOptions {
  size_t max_elements = 1024;
  size_t max_empty_rows = 1024;  // brackets without elements
  FloatCase float_case = FloatCase::kUpper;
  bool bytes = true;  // print buffers' bytes; else "(no printer)"
};

// Appends a scalar as "i32=7", or a reference as its type's name, with its
// value on further lines: a tensor as its text, a list with one line per
// element. Bytes are a quoted string if they are UTF-8 text, else "0x…". Lists
// are cut off after about 16 MiB of text and below kMaxValueDepth, with a
// sentence that says so.
void AppendValue(const vm::Value& value, const PrintOptions& options,
                 std::string& out);

// Appends each value with its name, "result[0]: …", and a line feed.
void AppendValues(absl::string_view name, std::span<const vm::Value> values,
                  const PrintOptions& options, std::string& out);

// Appends "=== key ===", each tensor on a line, and an empty line.
void AppendTrace(absl::string_view key,
                 std::span<hal::BufferView* const> tensors,
                 const PrintOptions& options, std::string& out);

}  // namespace eyrie::abi

#endif  // EYRIE_ABI_CALL_VALUE_TEXT_H_
