// Tables of what instructions do, by family.
//
// Most rows are one instruction. Its operands are arguments, in order; its
// results are returned. If it has none, the row returns its refs as changed.
//   -5 0x7fc12345 1.5 nan   numbers; floats also as bits
//   buf:00ff ro:00ff null list:1,2 list   refs: a buffer, a read-only one,
//                           null, lists of i32. `!` after a ref moves it
//   [10 20]                 a list of operands
// Other operands (a type, an offset, text) are written as in code. A row with
// `code` is a whole function (module_builder.h).
#ifndef EYRIE_TESTS_VM_ROWS_H_
#define EYRIE_TESTS_VM_ROWS_H_

#include <cstdint>
#include <span>

namespace eyrie::tests {

// The bytecode majors of a row. kAll: every major that has its instructions.
enum class Majors : uint8_t { kAll, kOnly15, kFrom16 };

struct Row {
  const char* op;  // the instruction that the row tests
  const char* args;
  // Results: `~` allows rounding, and `nan` is any NaN. Or the error, "CODE:
  // sentence". Printed lines follow as " | line | line".
  const char* want;
  const char* convention = nullptr;
  const char* code = nullptr;
  Majors majors = Majors::kAll;
};

inline constexpr char kByZero[] =
    "INVALID_ARGUMENT: An integer is divided by zero";
inline constexpr char kNullBuffer[] =
    "INVALID_ARGUMENT: A vm.buffer operand is null";
inline constexpr char kNoBuffer[] =
    "INVALID_ARGUMENT: A vm.list operand is not a vm.buffer";
inline constexpr char kNullList[] =
    "INVALID_ARGUMENT: A vm.list operand is null";
inline constexpr char kNoList[] =
    "INVALID_ARGUMENT: A vm.buffer operand is not a vm.list";
inline constexpr char kReadOnly[] =
    "PERMISSION_DENIED: The buffer of 8 bytes is read-only and cannot be "
    "written";

std::span<const Row> I32Rows();
std::span<const Row> I64Rows();
std::span<const Row> F32Rows();
std::span<const Row> F64Rows();
std::span<const Row> MathF32Rows();
std::span<const Row> MathF64Rows();
std::span<const Row> ConvertRows();
std::span<const Row> CastRows();
std::span<const Row> ChoiceRows();
std::span<const Row> GlobalRows();
std::span<const Row> RefRows();
std::span<const Row> ListRows();
std::span<const Row> BufferRows();
std::span<const Row> ControlRows();
std::span<const Row> CallRows();

}  // namespace eyrie::tests

#endif  // EYRIE_TESTS_VM_ROWS_H_
