// What every instruction does, as tables of operands and results.
#include <cmath>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/escaping.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "gtest/gtest.h"
#include "tests/support/module_builder.h"
#include "vm/backtrace.h"
#include "vm/context.h"
#include "vm/interpreter_test_code.h"
#include "vm/interpreter_test_ops.h"
#include "vm/native_module.h"
#include "vm/opcode.h"

namespace eyrie::vm {
namespace {

using tests::ModuleBuilder;

// "3", "-1.5", "nan"; refs: "null", "buf:00ff", "ro:00ff" (read-only),
// "list", "list:1,2" (of i32).
Value ParseRef(absl::string_view text) {
  std::pair<absl::string_view, absl::string_view> parts =
      absl::StrSplit(text, absl::MaxSplits(':', 1));
  if (parts.first == "list") {
    Ref<List> list = *List::Create({ElementType::Kind::kI32});
    for (absl::string_view item :
         absl::StrSplit(parts.second, ',', absl::SkipEmpty())) {
      int32_t number = 0;
      EXPECT_TRUE(absl::SimpleAtoi(item, &number)) << text;
      EXPECT_TRUE(list->Append(Value(number)).ok());
    }
    return Value(Ref<RefObject>(std::move(list)));
  }
  if (parts.first == "null") return Value(Ref<RefObject>());
  const std::string bytes = absl::HexStringToBytes(parts.second);
  Ref<Buffer> buffer = *Buffer::CopyText(bytes);
  if (parts.first == "ro") {
    auto owner = std::make_shared<std::string>(bytes);
    buffer = Buffer::Borrow(
        {reinterpret_cast<const uint8_t*>(owner->data()), owner->size()},
        owner);
  }
  return Value(Ref<RefObject>(std::move(buffer)));
}

Value ParseValue(ValueType type, absl::string_view text) {
  if (type == ValueType::kRef) return ParseRef(text);
  if (type == ValueType::kI32 || type == ValueType::kI64) {
    int64_t number = 0;
    EXPECT_TRUE(absl::SimpleAtoi(text, &number)) << text;
    return type == ValueType::kI64 ? Value(number)
                                   : Value(static_cast<int32_t>(number));
  }
  double number = 0;
  EXPECT_TRUE(absl::SimpleAtod(text, &number)) << text;
  return type == ValueType::kF64 ? Value(number)
                                 : Value(static_cast<float>(number));
}

std::string Text(const Value& value);

std::string RefText(RefObject* object) {
  if (object == nullptr) return "null";
  if (Buffer* buffer = RefCast<Buffer>(object)) {
    return absl::StrCat("buf:", absl::BytesToHexString(buffer->text()));
  }
  if (List* list = RefCast<List>(object)) {
    std::vector<std::string> items;
    for (uint64_t i = 0; i < list->size(); ++i) {
      items.push_back(Text(*list->Get(i)));
    }
    return absl::StrCat("list:", absl::StrJoin(items, ","));
  }
  return object->type().name;
}

std::string Text(const Value& value) {
  switch (value.type()) {
    case ValueType::kI32:
      return absl::StrCat(value.i32());
    case ValueType::kI64:
      return absl::StrCat(value.i64());
    case ValueType::kF32:
      return std::isnan(value.f32()) ? "nan"
                                     : absl::StrFormat("%.7g", value.f32());
    case ValueType::kF64:
      return std::isnan(value.f64()) ? "nan"
                                     : absl::StrFormat("%.13g", value.f64());
    case ValueType::kRef:
      return RefText(value.ref());
  }
  return "?";
}

// The error without its backtrace: "CODE: sentence".
std::string ErrorText(const absl::Status& status) {
  const std::string text = status.ToString();
  return std::string(absl::StripSuffix(WithoutBacktrace(text), "."));
}

struct TestState : ModuleState {
  int pending = 0;
};
absl::StatusOr<int32_t> NativeAdd(TestState&, int32_t a, int32_t b) {
  return a + b;
}
absl::StatusOr<std::tuple<int64_t, Ref<RefObject>, float>> NativeMany(
    TestState&, int64_t a, RefObject* object, float b) {
  return std::tuple(a * 2, Ref<RefObject>::Share(object), b * 2);
}
absl::StatusOr<int64_t> NativeSum(TestState&, int32_t scale,
                                  Spread<int32_t, int64_t> pairs) {
  int64_t sum = 0;
  for (size_t i = 0; i < pairs.size(); ++i) {
    sum += pairs.get<0>(i) * pairs.get<1>(i);
  }
  return sum * scale;
}
absl::Status NativeFail(TestState&) {
  return absl::DataLossError("The native function gives up.");
}
// Pending twice, then done.
absl::StatusOr<int32_t> NativeSlow(TestState& state, int32_t a) {
  if (state.pending++ < 2) return Pending();
  state.pending = 0;
  return a + 100;
}
constexpr NativeFunction kNative[] = {
    Bind<NativeAdd>("add", "0ii_i"),    Bind<NativeMany>("many", "0Irf_Irf"),
    Bind<NativeSum>("sum", "0iCiID_I"), Bind<NativeFail>("fail", "0v_v"),
    Bind<NativeSlow>("slow", "0i_i"),
};

std::string PrintLog(const std::vector<std::string>& lines) {
  return absl::StrJoin(lines, " | ");
}

// Functions that rows may call, by ordinal: 0 is the row's own.
void AddHelpers(ModuleBuilder& module) {
  module.AddFunction("twice", "0i_i", "entry: add.i32 i0 i0 i1 return [i1]");
  module.AddFunction("mixed", "0iIrFr_FrI",  // i0, i2, r0, i4, r1
                     "entry: return [i4 r1! i2]");
  module.AddFunction("swap", "0rr_rr", "entry: return [r1! r0!]");
  module.AddFunction("forever", "0v_v", "entry: call 4 [] [] return []");
  module.AddFunction("count", "0i_i",  // yields once for each count
                     "entry: const.i32 1 i1 br ^loop [] "
                     "loop: add.i32 i2 i1 i2 cmp.lt.i32.s i2 i0 i3 "
                     "cond_br i3 ^more [] ^done [] "
                     "more: yield ^loop [] done: return [i2]");
}

ModuleBuilder MakeModule(const std::string& convention,
                         absl::string_view code) {
  ModuleBuilder module;
  module.types = {
      "i8", "i16",        "i32",           "i64",           "f32",       "f64",
      "?",  "!vm.buffer", "!vm.list<i32>", "!test.unknown", "!vm.ref<?>"};
  module.requirements = 0xF;
  module.dependencies = {{"native", 1, false}};
  module.AddImport("native.add", "0ii_i");
  module.AddImport("native.many", "0Irf_Irf");
  module.AddImport("native.sum", "0iCiID_I");
  module.AddImport("native.fail", "0v_v");
  module.AddImport("native.slow", "0i_i");
  module.AddImport("native.none", "0v_v", /*optional=*/true);
  module.AddRodata({0, 1, 2, 3, 4, 5, 6, 7});
  module.AddFunction("f", convention, code).requirements = 0xF;
  AddHelpers(module);
  for (ModuleBuilder::Function& function : module.functions) {
    function.i32_registers = 32;
    function.requirements = 0xF;
  }
  return module;
}

// Runs the code as function f and prints its results, or its error.
std::string RunCode(const std::string& convention, absl::string_view code,
                    absl::string_view args, uint16_t major = 17) {
  ModuleBuilder builder = MakeModule(convention, code);
  builder.bytecode_version = uint32_t{major} << 16;
  if (major < 16) {
    builder.requirements = 3;
    for (auto& function : builder.functions) function.requirements = 3;
    builder.functions.pop_back();  // count yields
  }
  absl::StatusOr<std::shared_ptr<const VerifiedModule>> verified =
      LoadModule(builder.Build(), "test");
  if (!verified.ok()) return verified.status().ToString();
  auto native = NativeModule::Create(
      "native", 1, kNative,
      []() -> absl::StatusOr<std::unique_ptr<ModuleState>> {
        return std::make_unique<TestState>();
      });
  std::vector<std::string> printed;
  ContextOptions options;
  options.print = [&](absl::string_view line) { printed.emplace_back(line); };
  auto context = Context::Create(
      {*native, *BytecodeModule::Create(*std::move(verified))}, options);
  if (!context.ok()) return context.status().ToString();
  Function function = *(*context)->Lookup("f");
  const std::vector<ValueType>& types = function.signature().argument_types();
  std::vector<std::string> words = absl::StrSplit(args, ' ', absl::SkipEmpty());
  EXPECT_EQ(words.size(), types.size()) << code;
  std::vector<Value> values;
  for (size_t i = 0; i < types.size() && i < words.size(); ++i) {
    values.push_back(ParseValue(types[i], words[i]));
  }
  auto results = (*context)->Call(function, values);
  if (!results.ok()) return ErrorText(results.status());
  std::string text =
      absl::StrJoin(*results, " ", [](std::string* out, const Value& value) {
        absl::StrAppend(out, Text(value));
      });
  if (!printed.empty()) absl::StrAppend(&text, " | ", PrintLog(printed));
  return text;
}

char LetterOfKind(OperandKind kind) {
  switch (kind) {
    case OperandKind::kI32:
      return 'i';
    case OperandKind::kI64:
      return 'I';
    case OperandKind::kF32:
      return 'f';
    case OperandKind::kF64:
      return 'F';
    default:
      return 'r';
  }
}

// A function of one instruction: operands from arguments, results returned.
std::string RunOp(const char* text, absl::string_view args) {
  const OpInfo* op = FindOp(absl::string_view(text));
  if (op == nullptr) return absl::StrCat("no such instruction: ", text);
  RegisterCounts next;
  std::string convention = "0", words = text, returned;
  for (OperandKind kind : op->reads) {
    const char letter = LetterOfKind(kind);
    convention += letter;
    absl::StrAppend(&words, letter == 'r' ? " r" : " i",
                    next.Add(*ValueTypeOf(letter)));
  }
  convention += '_';
  next.i32 = 16;  // results lie above the arguments
  next.ref = 4;
  for (OperandKind kind : op->writes) {
    const char letter = LetterOfKind(kind);
    convention += letter;
    const std::string reg = absl::StrCat(letter == 'r' ? " r" : " i",
                                         next.Add(*ValueTypeOf(letter)));
    words += reg;
    returned += reg;
  }
  if (op->reads.count == 0) convention.insert(1, "v");
  if (op->writes.count == 0) convention += 'v';
  return RunCode(convention,
                 absl::StrCat("entry: ", words, " return [", returned, "]"),
                 args);
}

TEST(Interpreter, SimpleInstructions) {
  for (const OpRow& row : kOpRows) {
    EXPECT_EQ(RunOp(row.op, row.args), row.want) << row.op << " " << row.args;
  }
}

TEST(Interpreter, Code) {
  for (const CodeRow& row : kCodeRows) {
    EXPECT_EQ(RunCode(row.convention, row.code, row.args), row.want)
        << row.code << "\n  of " << row.args;
  }
}

// The move bit of a single operand counts from major 16 on only.
TEST(Interpreter, OlderMajorsKeepMovedOperands) {
  const char* const kMoved = "entry: global.store.ref 0 7 r0! return [r0]";
  EXPECT_EQ(RunCode("0r_r", kMoved, "buf:01", 15), "buf:01");
  EXPECT_EQ(RunCode("0r_r", kMoved, "buf:01", 16), "null");
  EXPECT_EQ(RunCode("0r_r", kMoved, "buf:01", 17), "null");
}

TEST(Interpreter, EveryInstructionHasARow) {
  std::set<std::string> tested;
  for (const OpRow& row : kOpRows) tested.insert(row.op);
  for (const CodeRow& row : kCodeRows) {
    for (absl::string_view word :
         absl::StrSplit(row.code, absl::ByAnyChar(" []{}"))) {
      tested.insert(std::string(word));
    }
  }
  tested.insert("block");  // written as a label
  for (const OpInfo& op : kOps) {
    EXPECT_EQ(tested.count(op.text), 1u) << op.text;
  }
}

}  // namespace
}  // namespace eyrie::vm
