// Every row holds in each of its majors, on the interpreter and the oracle.
// Every instruction has a row of values, and one of a fault if it can fail.
#include "tests/vm/rows.h"

#include <algorithm>
#include <cstdio>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "gtest/gtest.h"
#include "hal/cpu/machine/float_state.h"
#include "tests/oracle/engine.h"
#include "tests/oracle/oracle.h"
#include "tests/vm/row_module.h"
#include "tests/vm/row_values.h"
#include "vm/isa/callconv.h"
#include "vm/isa/opcode.h"
#include "vm/run/bytecode_module.h"

namespace eyrie::tests {
namespace {

using vm::OperandKind;
using vm::Value;

struct Family {
  const char* name;
  std::span<const Row> rows;
};

std::vector<Family> Families() {
  return {{"i32", I32Rows()},          {"i64", I64Rows()},
          {"f32", F32Rows()},          {"f64", F64Rows()},
          {"math f32", MathF32Rows()}, {"math f64", MathF64Rows()},
          {"convert", ConvertRows()},  {"cast", CastRows()},
          {"choice", ChoiceRows()},    {"globals", GlobalRows()},
          {"refs", RefRows()},         {"lists", ListRows()},
          {"buffers", BufferRows()},   {"control", ControlRows()},
          {"calls", CallRows()}};
}

// Reports whether the text is "CODE: sentence".
bool IsError(absl::string_view want) {
  const size_t colon = want.find(": ");
  return colon != absl::string_view::npos &&
         want.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZ_") == colon;
}

// Returns the error without its backtrace and full stop.
std::string ErrorText(const absl::Status& status) {
  const std::string text = status.ToString();
  const absl::string_view sentence = absl::string_view(text).substr(
      0, std::min(text.find("; at "), text.find("\n")));
  return std::string(absl::StripSuffix(sentence, "."));
}

std::string ValuesText(std::span<const Value> values) {
  return absl::StrJoin(values, " ", [](std::string* out, const Value& value) {
    absl::StrAppend(out, TextOf(value));
  });
}

// Returns what is wrong with an outcome, or "". If `exact`, the engine must
// also return the error's sentence.
std::string Judge(const Row& row, const absl::StatusOr<std::vector<Value>>& got,
                  const std::vector<std::string>& printed, bool exact) {
  const std::vector<std::string> parts = absl::StrSplit(row.want, " | ");
  if (IsError(row.want)) {
    const std::string code = parts[0].substr(0, parts[0].find(':'));
    if (got.ok()) return absl::StrCat("gives ", ValuesText(*got));
    if (exact) {
      return ErrorText(got.status()) == parts[0] ? "" : got.status().ToString();
    }
    return absl::StatusCodeToString(got.status().code()) == code
               ? ""
               : got.status().ToString();
  }
  if (!got.ok()) return got.status().ToString();
  const std::vector<std::string> words =
      absl::StrSplit(parts[0], ' ', absl::SkipEmpty());
  bool same = words.size() == got->size();
  for (size_t i = 0; same && i < words.size(); ++i) {
    same = Matches((*got)[i], words[i]);
  }
  const std::vector<std::string> lines(parts.begin() + 1, parts.end());
  if (!same) return absl::StrCat("gives ", ValuesText(*got));
  return lines == printed
             ? ""
             : absl::StrCat("prints ", absl::StrJoin(printed, " | "));
}

// Runs a row in a bytecode major. Returns what is wrong, or "". If `compiles`,
// the engine must compile the row's function: it would be interpreted if one of
// its instructions had the trait `compiled`, but no machine code.
std::string RunRow(const Row& row, uint16_t major, Engine& engine, bool exact,
                   bool compiles = false) {
  const RowFunction function = FunctionOf(row);
  const auto modules = ModulesOf(function, major);
  if (!modules.ok()) return modules.status().ToString();
  std::vector<std::string> printed;
  auto instance = engine.Load(
      *modules, [&](absl::string_view line) { printed.emplace_back(line); });
  if (!instance.ok()) return instance.status().ToString();
  const auto& types =
      modules->back()->AsBytecode()->verified().signature(0).argument_types();
  if (types.size() != function.args.size()) return "other arguments";
  std::vector<Value> args;
  for (size_t i = 0; i < types.size(); ++i) {
    args.push_back(ParseValue(types[i], function.args[i]));
  }
  const auto results = (*instance)->Call("f", args);
  const vm::FunctionCode& code = modules->back()->AsBytecode()->function(0);
  if (compiles && code.compiled_entry.load() == nullptr) return "not compiled";
  return Judge(row, results, printed, exact);
}

std::vector<uint16_t> MajorsOf(const Row& row) {
  const uint16_t first = FirstMajorOf(FunctionOf(row));
  std::vector<uint16_t> majors;
  for (const vm::BytecodeVersion& version : vm::kBytecodeVersions) {
    const bool wanted =
        row.majors == Majors::kAll ||
        (row.majors == Majors::kOnly15) == (version.major == 15);
    if (wanted && version.major >= first) majors.push_back(version.major);
  }
  return majors;
}

// Reports whether an instruction can fail, by its operands. Objects may be null
// or of another type, refs of another type, indirect offsets past the end,
// divisors zero, floats out of range, sizes too large; callees may fail.
bool CanFail(const vm::OpInfo& op) {
  const absl::string_view text = op.text;
  if (op.has(vm::kCompares)) return false;
  for (OperandKind kind : op.reads) {
    if (kind == OperandKind::kRef || kind == OperandKind::kType ||
        kind == OperandKind::kFunc) {
      return true;
    }
  }
  const bool to_integer =
      op.writes.count == 1 &&
      (op.writes[0] == OperandKind::kI32 || op.writes[0] == OperandKind::kI64);
  return absl::StrContains(text, ".indirect.") || op.has(vm::kDivides) ||
         (absl::StartsWith(text, "cast.f") && to_integer) ||
         absl::EndsWith(text, ".alloc") || op.op == vm::Op::kFail;
}

TEST(Rows, HoldOnEveryEngineInEveryMajor) {
  InterpreterEngine interpreter;
  OracleEngine oracle;
  const auto jit = EagerJit();
  ASSERT_TRUE(jit.ok()) << jit.status();
  InterpreterEngine compiled(InterpreterEngine::Resumes::kAtOnce, {}, *jit);
  int runs = 0;
  for (const Family& family : Families()) {
    for (const Row& row : family.rows) {
      const std::string what = absl::StrCat(
          family.name, ": ", row.op, " ", row.args, " → ", row.want,
          row.code == nullptr ? "" : "\n  ", row.code ? row.code : "");
      const std::vector<uint16_t> majors = MajorsOf(row);
      EXPECT_FALSE(majors.empty()) << what;
      for (uint16_t major : majors) {
        EXPECT_EQ(RunRow(row, major, interpreter, /*exact=*/true), "")
            << what << "\n  in major " << major;
        EXPECT_EQ(RunRow(row, major, oracle, /*exact=*/false), "")
            << what << "\n  in major " << major << ", by the oracle";
        EXPECT_EQ(RunRow(row, major, compiled, /*exact=*/true,
                         /*compiles=*/*jit != nullptr),
                  "")
            << what << "\n  in major " << major << ", compiled";
        ++runs;
      }
    }
  }
  std::printf("%d runs on each engine\n", runs);
}

// Kernels flush subnormals to zero, which has the logarithm -inf.
TEST(Rows, HoldWhereSubnormalsAreFlushed) {
  const Row kRows[] = {
      {"log.f32", "0x00000001", "-inf"},
      {"log2.f32", "0x00000001", "-inf"},
      {"log10.f32", "0x80000001", "-inf"},
      {"log10.f32", "0x00800000", "~-37.92977945"},  // the least normal one
      {"log.f64", "0x0000000000000001", "-inf"},
      {"log2.f64", "0x000FFFFFFFFFFFFF", "-inf"},
      {"log10.f64", "0x8000000000000001", "-inf"},
      {"log2.f64", "0x0010000000000000", "-1022"},
  };
  if (!hal::cpu::CanFlushDenormals()) {
    GTEST_SKIP() << "This machine computes with denormal numbers.";
  }
  InterpreterEngine interpreter;
  const auto jit = EagerJit();
  ASSERT_TRUE(jit.ok()) << jit.status();
  InterpreterEngine compiled(InterpreterEngine::Resumes::kAtOnce, {}, *jit);
  const hal::cpu::FlushDenormals flush;
  for (const Row& row : kRows) {
    const uint16_t major = MajorsOf(row).back();
    EXPECT_EQ(RunRow(row, major, interpreter, /*exact=*/true), "")
        << row.op << " " << row.args;
    EXPECT_EQ(RunRow(row, major, compiled, /*exact=*/true), "")
        << row.op << " " << row.args << ", compiled";
  }
}

TEST(Rows, CoverEveryInstruction) {
  std::set<absl::string_view> values;
  std::set<absl::string_view> faults;
  size_t rows = 0;
  for (const Family& family : Families()) {
    for (const Row& row : family.rows) {
      ASSERT_NE(vm::FindOp(absl::string_view(row.op)), nullptr) << row.op;
      (IsError(row.want) ? faults : values).insert(row.op);
      ++rows;
      // The row's code must contain its instruction. A block is written as a
      // label.
      const std::string code = FunctionOf(row).code;
      const std::vector<absl::string_view> words = absl::StrSplit(code, ' ');
      EXPECT_TRUE(absl::string_view(row.op) == "block" ||
                  std::find(words.begin(), words.end(),
                            absl::string_view(row.op)) != words.end())
          << row.op << ": " << code;
    }
  }
  size_t can_fail = 0;
  for (const vm::OpInfo& op : vm::kOps) {
    // `fail` has no values.
    EXPECT_TRUE(values.count(op.text) != 0 || op.op == vm::Op::kFail)
        << op.text << " has no row of values";
    EXPECT_EQ(faults.count(op.text) != 0, CanFail(op))
        << op.text
        << (CanFail(op) ? " has no row of a fault" : " is not known to fail");
    can_fail += CanFail(op);
  }
  std::printf("%zu instructions, %zu of which can fail; %zu rows\n",
              vm::kOpCount, can_fail, rows);
}

}  // namespace
}  // namespace eyrie::tests
