// Calling conventions: the "0rIi_r" strings modules describe functions with.
//
//   convention := "" | '0' [arguments] ['_' [results]]
//   arguments  := 'v' | (value | span)*
//   span       := 'C' value value* 'D'     tuples, as many as the call says
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
  // One type; for a variadic span the tuple's, at least one.
  absl::InlinedVector<ValueType, 16> types;
  bool variadic = false;

  ValueType type() const { return types[0]; }  // of one that is not variadic
  friend bool operator==(const CallElement&, const CallElement&) = default;
};

// How arguments lie in a function's registers on entry; i64 and f64 take an
// even pair. Compilers 3.1 to 3.4 put a value into a gap left below a pair.
enum class ArgumentLayout : uint8_t { kInOrder, kFillsGaps };

// How many registers of each bank a value list takes when laid out from
// register 0.
struct RegisterCounts {
  uint32_t i32 = 0;
  uint32_t ref = 0;
  uint32_t gap = 0;  // register below a pair that is free; 0: none

  // Adds a value; returns its register's index in its bank.
  uint32_t Add(ValueType type,
               ArgumentLayout layout = ArgumentLayout::kInOrder);
};

// Immutable value.
class CallingConvention {
 public:
  CallingConvention() = default;  // takes and returns nothing

  // INVALID_ARGUMENT: not the grammar above. UNIMPLEMENTED: a version other
  // than '0'.
  static absl::StatusOr<CallingConvention> Parse(absl::string_view text);

  const std::vector<CallElement>& arguments() const { return arguments_; }
  const std::vector<CallElement>& results() const { return results_; }
  bool is_variadic() const { return variadic_; }

  // The same as plain types; arguments only where nothing is variadic.
  const std::vector<ValueType>& argument_types() const {
    return argument_types_;
  }
  const std::vector<ValueType>& result_types() const { return result_types_; }

  // Registers that hold the arguments on entry to a function that is not
  // variadic: each bank filled from 0, in order.
  RegisterCounts argument_registers() const { return argument_registers_; }
  // True if the two layouts differ.
  bool leaves_gaps() const { return leaves_gaps_; }

  // The canonical text: 'v' stands for nothing on either side.
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
