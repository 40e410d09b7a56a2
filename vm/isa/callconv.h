// Calling conventions: strings such as "0rIi_r", which describe functions.
//
//   convention := "" | '0' [arguments] ['_' [results]]
//   arguments  := 'v' | (value | span)*
//   span       := 'C' value value* 'D'     tuples; each call states how many
//   results    := 'v' | value*
//   value      := 'i' | 'I' | 'f' | 'F' | 'r'
// Tested by callconv_test.cc.
#ifndef EYRIE_VM_ISA_CALLCONV_H_
#define EYRIE_VM_ISA_CALLCONV_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "vm/isa/value.h"

namespace eyrie::vm {

// One argument or result.
struct CallElement {
  // One type, or for a variadic span the types of its tuple. Never empty.
  absl::InlinedVector<ValueType, 16> types;
  bool variadic = false;

  ValueType type() const { return types[0]; }  // only if it is not variadic
  friend bool operator==(const CallElement&, const CallElement&) = default;
};

// How arguments are placed in a function's registers on entry. An i64 or f64
// takes an even-numbered register and the next one, which may leave a gap
// below. Compilers 3.1 to 3.4 put a later narrow value into that gap.
enum class ArgumentLayout : uint8_t { kInOrder, kFillsGaps };

// How many registers of each bank a list of values needs, starting at register
// 0.
struct RegisterCounts {
  uint32_t i32 = 0;
  uint32_t ref = 0;
  uint32_t gap = 0;  // free register below a pair; 0 if none

  // Adds a value. Returns the index of its register in its bank.
  uint32_t Add(ValueType type,
               ArgumentLayout layout = ArgumentLayout::kInOrder);
};

// Immutable value.
class CallingConvention {
 public:
  CallingConvention() = default;  // takes and returns nothing

  // Returns INVALID_ARGUMENT if the text does not match the grammar above, and
  // UNIMPLEMENTED if its version is not '0'.
  static absl::StatusOr<CallingConvention> Parse(absl::string_view text);

  const std::vector<CallElement>& arguments() const { return arguments_; }
  const std::vector<CallElement>& results() const { return results_; }
  bool is_variadic() const { return variadic_; }

  // Return the arguments and results as plain types. argument_types() is empty
  // if anything is variadic.
  const std::vector<ValueType>& argument_types() const {
    return argument_types_;
  }
  const std::vector<ValueType>& result_types() const { return result_types_; }

  // The registers that hold the arguments on entry: each bank in order, from 0.
  // Not for variadic functions.
  RegisterCounts argument_registers() const { return argument_registers_; }
  // Reports whether the two layouts of arguments differ.
  bool leaves_gaps() const { return leaves_gaps_; }

  // Returns the canonical text, with 'v' for an empty list.
  std::string ToString() const;

  friend bool operator==(const CallingConvention& a,
                         const CallingConvention& b) {
    return a.arguments_ == b.arguments_ && a.results_ == b.results_;
  }

 private:
  std::vector<CallElement> arguments_;
  std::vector<CallElement> results_;
  std::vector<ValueType> argument_types_;
  std::vector<ValueType> result_types_;
  RegisterCounts argument_registers_;
  bool leaves_gaps_ = false;
  bool variadic_ = false;
};

}  // namespace eyrie::vm

#endif  // EYRIE_VM_ISA_CALLCONV_H_
