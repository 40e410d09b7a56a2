#include "tests/vm/row_module.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "base/status_macros.h"
#include "tests/support/module_builder.h"
#include "vm/isa/callconv.h"
#include "vm/isa/opcode.h"
#include "vm/module/verifier.h"
#include "vm/native/native_module.h"
#include "vm/run/bytecode_module.h"
#include "vm/run/interpreter.h"

namespace eyrie::tests {
namespace {

using vm::Bind;
using vm::OperandKind;

struct State : vm::ModuleState {
  int pending = 0;
};

absl::StatusOr<int32_t> Add(State&, int32_t a, int32_t b) { return a + b; }
absl::StatusOr<std::tuple<int64_t, Ref<RefObject>, float>> Many(
    State&, int64_t a, RefObject* object, float b) {
  return std::tuple(a * 2, Ref<RefObject>::Share(object), b * 2);
}
absl::StatusOr<int64_t> Sum(State&, int32_t scale,
                            vm::Spread<int32_t, int64_t> pairs) {
  int64_t sum = 0;
  for (size_t i = 0; i < pairs.size(); ++i) {
    sum += pairs.get<0>(i) * pairs.get<1>(i);
  }
  return sum * scale;
}
absl::Status Fail(State&) {
  return absl::DataLossError("The native function gives up.");
}
// Returns Pending twice, then the sum.
absl::StatusOr<int32_t> Slow(State& state, int32_t a) {
  if (state.pending++ < 2) return vm::Pending();
  state.pending = 0;
  return a + 100;
}
constexpr vm::NativeFunction kNative[] = {
    Bind<Add>("add", "0ii_i"),    Bind<Many>("many", "0Irf_Irf"),
    Bind<Sum>("sum", "0iCiID_I"), Bind<Fail>("fail", "0v_v"),
    Bind<Slow>("slow", "0i_i"),
};

char LetterOf(OperandKind kind) {
  switch (kind) {
    case OperandKind::kI64:
    case OperandKind::kI64List:
      return 'I';
    case OperandKind::kF32:
    case OperandKind::kF32List:
      return 'f';
    case OperandKind::kF64:
    case OperandKind::kF64List:
      return 'F';
    case OperandKind::kRef:
    case OperandKind::kRefMove:
    case OperandKind::kRefList:
      return 'r';
    default:
      return 'i';
  }
}

// Builds a function with one instruction, operand by operand.
class OneInstruction {
 public:
  explicit OneInstruction(const Row& row) : op_(*vm::FindOp(row.op)) {
    const std::string spaced =
        absl::StrReplaceAll(row.args, {{"[", " [ "}, {"]", " ] "}});
    words_ = absl::StrSplit(spaced, ' ', absl::SkipEmpty());
    function_.code = absl::StrCat("entry: ", row.op);
  }

  RowFunction Create() {
    for (OperandKind kind : op_.reads) Operand(kind);
    std::string results;
    std::string returned;
    next_ = {16, 4, 0};  // above the arguments
    for (OperandKind kind : op_.writes) {
      results += LetterOf(kind);
      absl::StrAppend(&returned, " ", Register(LetterOf(kind)));
    }
    absl::StrAppend(&function_.code, returned);
    if (op_.writes.count == 0) {
      results = refs_;
      returned = ref_registers_;
    }
    absl::StrAppend(&function_.code, " return [", returned, "]");
    function_.convention = absl::StrCat("0", letters_.empty() ? "v" : letters_,
                                        "_", results.empty() ? "v" : results);
    return std::move(function_);
  }

 private:
  std::string Word() {
    return at_ < words_.size() ? words_[at_++] : std::string("<none>");
  }
  std::string Register(char letter) {
    return absl::StrCat(letter == 'r' ? "r" : "i",
                        next_.Add(*vm::ValueTypeOf(letter)));
  }
  // Adds an argument and returns its register.
  std::string Argument(char letter) {
    std::string word = Word();
    const bool moved = absl::EndsWith(word, "!");
    if (moved) word.pop_back();
    function_.args.push_back(word);
    letters_ += letter;
    const std::string reg = Register(letter);
    if (letter == 'r') {
      refs_ += 'r';
      absl::StrAppend(&ref_registers_, " ", reg);
    }
    return absl::StrCat(" ", reg, moved ? "!" : "");
  }
  void Operand(OperandKind kind) {
    if (vm::IsRegister(kind)) {
      function_.code += Argument(LetterOf(kind));
    } else if (vm::IsRegisterList(kind)) {
      Word();  // the bracket
      function_.code += " [";
      while (at_ < words_.size() && words_[at_] != "]") {
        function_.code += Argument(LetterOf(kind));
      }
      Word();
      function_.code += "]";
    } else {
      absl::StrAppend(&function_.code, " ", Word());
    }
  }

  const vm::OpInfo& op_;
  std::vector<std::string> words_;
  size_t at_ = 0;
  RowFunction function_;
  std::string letters_;
  vm::RegisterCounts next_;
  std::string refs_;  // letters of the ref arguments
  std::string ref_registers_;
};

// Adds the functions that rows may call after the row's own function.
void AddHelpers(ModuleBuilder& module, uint16_t major) {
  module.AddFunction("twice", "0i_i", "entry: add.i32 i0 i0 i1 return [i1]");
  module.AddFunction("mixed", "0iIrFr_FrI",  // i0, i2, r0, i4, r1
                     "entry: return [i4 r1! i2]");
  module.AddFunction("swap", "0rr_rr", "entry: return [r1! r0!]");
  module.AddFunction("forever", "0v_v", "entry: call 4 [] [] return []");
  module.AddFunction("fails", "0v_v",
                     "entry: const.i32 10 i0 fail i0 \"inner\"");
  if (major < 17) return;
  module.AddFunction("count", "0i_i",  // yields once for each count
                     "entry: const.i32 1 i1 br ^loop [] "
                     "loop: add.i32 i2 i1 i2 cmp.lt.i32.s i2 i0 i3 "
                     "cond_br i3 ^more [] ^done [] "
                     "more: yield ^loop [] done: return [i2]");
}

}  // namespace

RowFunction FunctionOf(const Row& row) {
  if (row.code == nullptr) return OneInstruction(row).Create();
  return {row.convention, row.code,
          absl::StrSplit(row.args, ' ', absl::SkipEmpty())};
}

uint16_t FirstMajorOf(const RowFunction& function) {
  uint16_t major = 15;
  for (absl::string_view word : absl::StrSplit(function.code, ' ')) {
    const vm::OpInfo* op = vm::FindOp(word);
    if (op != nullptr) major = std::max(major, op->major);
  }
  return major;
}

absl::StatusOr<std::vector<std::shared_ptr<const vm::Module>>> ModulesOf(
    const RowFunction& function, uint16_t major) {
  ModuleBuilder module;
  module.bytecode_version = uint32_t{major} << 16;
  module.requirements = major < 17 ? 3 : 0xF;
  module.types = {
      "i8", "i16",        "i32",           "i64",           "f32",       "f64",
      "?",  "!vm.buffer", "!vm.list<i32>", "!test.unknown", "!vm.ref<?>"};
  module.dependencies = {{"native", 1, false}};
  for (const vm::NativeFunction& native : kNative) {
    module.AddImport(absl::StrCat("native.", native.name), native.signature);
  }
  module.AddImport("native.none", "0v_v", /*optional=*/true);
  module.AddRodata({0, 1, 2, 3, 4, 5, 6, 7});
  module.AddRodata({});
  module.AddFunction("f", function.convention, function.code);
  AddHelpers(module, major);
  for (ModuleBuilder::Function& each : module.functions) {
    each.i32_registers = 32;
    each.requirements = module.requirements;
  }
  ASSIGN_OR_RETURN(auto verified, vm::LoadModule(module.Build(), "row"));
  ASSIGN_OR_RETURN(auto bytecode,
                   vm::BytecodeModule::Create(vm::InterpreterHandlers(),
                                              std::move(verified)));
  ASSIGN_OR_RETURN(
      auto native,
      vm::NativeModule::Create(
          "native", 1, kNative,
          []() -> absl::StatusOr<std::unique_ptr<vm::ModuleState>> {
            return std::make_unique<State>();
          }));
  return std::vector<std::shared_ptr<const vm::Module>>{std::move(native),
                                                        std::move(bytecode)};
}

}  // namespace eyrie::tests
