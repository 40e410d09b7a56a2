// Random signatures and calls, the module around the functions, shrinking.
#include "tests/oracle/program.h"

#include <bit>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "tests/oracle/generator.h"
#include "tests/oracle/random.h"
#include "tests/oracle/test_module.h"
#include "vm/isa/opcode.h"
#include "vm/object/buffer.h"
#include "vm/object/list.h"

namespace eyrie::tests {
namespace {

using vm::Op;
using vm::Value;
using vm::ValueType;

constexpr ValueType kValueTypes[] = {ValueType::kI32, ValueType::kI64,
                                     ValueType::kF32, ValueType::kF64,
                                     ValueType::kRef};

// Uses at most as many refs as there are registers of role `any`.
std::vector<ValueType> RandomTypes(Random& random, uint32_t limit) {
  std::vector<ValueType> types;
  uint32_t refs = 0;
  for (uint32_t i = random.Below(limit + 1); i > 0; --i) {
    const ValueType type = random.Of(kValueTypes);
    if (type == ValueType::kRef && ++refs > kBuffers) continue;
    types.push_back(type);
  }
  return types;
}

std::string ConventionOf(const RandomFunction& function) {
  std::string text = "0";
  for (ValueType type : function.arguments) text += vm::LetterOf(type);
  if (function.arguments.empty()) text += 'v';
  text += '_';
  for (ValueType type : function.results) text += vm::LetterOf(type);
  if (function.results.empty()) text += 'v';
  return text;
}

RandomFunction ShortFunction(Random& random) {
  RandomFunction function;
  function.is_short = true;
  function.arguments = RandomTypes(random, 5);
  std::erase(function.arguments, ValueType::kRef);
  do {
    function.results = {random.Of(kValueTypes)};
  } while (function.results[0] == ValueType::kRef);
  function.convention = ConventionOf(function);
  return function;
}

PlannedValue RandomValue(Random& random, ValueType type) {
  static constexpr uint64_t kBits[] = {
      0, 1, 2, 100, 0x3F800000, 0x7FC00000, 0x3FF0000000000000, ~uint64_t{0}};
  PlannedValue value;
  value.type = type;
  value.bits = random.OneIn(2) ? random.Of(kBits) : random.Bits();
  if (type == ValueType::kI32 || type == ValueType::kF32) {
    value.bits &= 0xFFFFFFFF;
  }
  value.object = static_cast<PlannedValue::Object>(random.Below(3));
  return value;
}

Value CreateValue(const PlannedValue& planned) {
  if (planned.type != ValueType::kRef) {
    vm::Slot slot;
    slot.i64 = static_cast<int64_t>(planned.bits);
    return Value::Adopt(planned.type, slot);
  }
  Ref<RefObject> object;
  if (planned.object == PlannedValue::Object::kBuffer) {
    object = *vm::Buffer::CopyText(
        absl::string_view(reinterpret_cast<const char*>(&planned.bits), 8));
  } else if (planned.object == PlannedValue::Object::kList) {
    Ref<vm::List> list = *vm::List::Create({});
    list->Append(Value(static_cast<int64_t>(planned.bits))).IgnoreError();
    list->Append(Value(1.5f)).IgnoreError();
    object = std::move(list);
  }
  return Value(std::move(object));
}

// Creates a function that returns all globals, eight bytes at a time.
Blocks StateFunction() {
  Blocks blocks(1);
  Operand results = {vm::OperandKind::kRegList, 0, {}, {}, {}};
  auto load = [&](Op op, std::vector<Operand> operands) {
    results.list.push_back(operands.back().reg());
    Instruction in;
    in.info = &vm::InfoOf(op);
    in.operands = std::move(operands);
    blocks[0].push_back(std::move(in));
  };
  for (uint64_t i = 0; i < kGlobalBytes / 8; ++i) {
    load(Op::kGlobalLoadI64, {{vm::OperandKind::kGlobalI64, 8 * i, {}, {}, {}},
                              {vm::OperandKind::kI64, 2 * i, {}, {}, {}}});
  }
  for (uint64_t i = 0; i < kGlobalRefs; ++i) {
    load(Op::kGlobalLoadRef,
         {{vm::OperandKind::kGlobalRef, i, {}, {}, {}},
          {vm::OperandKind::kType, kTypeVariant, {}, {}, {}},
          {vm::OperandKind::kRefMove, i | vm::kRefBit, {}, {}, {}}});
  }
  Instruction done;
  done.info = &vm::InfoOf(Op::kReturn);
  done.operands.push_back(std::move(results));
  blocks[0].push_back(std::move(done));
  return blocks;
}

void AddFunction(ModuleBuilder& module, std::string name,
                 std::string convention, const Blocks& blocks) {
  ModuleBuilder::Function function;
  function.name = std::move(name);
  function.convention = std::move(convention);
  function.code = Encode(blocks);
  function.blocks = static_cast<uint16_t>(blocks.size());
  function.i32_registers = kNumberCount + kNumberCount % 2;
  function.ref_registers = kRefCount;
  function.requirements = module.requirements;
  module.functions.push_back(std::move(function));
}

}  // namespace

Program CreateProgram(uint64_t seed) {
  Random random(seed);
  Program program;
  program.seed = seed;
  static constexpr uint16_t kMajors[] = {15, 15, 16, 17, 17, 17};
  program.major = random.Of(kMajors);
  program.functions.resize(1 + random.Below(4));
  for (RandomFunction& function : program.functions) {
    function.arguments = RandomTypes(random, 5);
    function.results = RandomTypes(random, 4);
    function.convention = ConventionOf(function);
  }
  // Short functions come last, because functions call later ones only.
  for (uint32_t i = random.Below(3); i > 0; --i) {
    program.functions.push_back(ShortFunction(random));
  }
  for (uint32_t i = 0; i < program.functions.size(); ++i) {
    FunctionGenerator generator(random, program, i);
    RandomFunction& function = program.functions[i];
    function.blocks =
        function.is_short ? generator.CreateShort() : generator.Create();
  }
  program.calls.resize(1 + random.Below(2));
  for (PlannedCall& call : program.calls) {
    const auto functions = static_cast<uint32_t>(program.functions.size());
    call.function = random.OneIn(2) ? 0 : random.Below(functions);
    for (ValueType type : program.functions[call.function].arguments) {
      call.arguments.push_back(RandomValue(random, type));
    }
  }
  return program;
}

ModuleBuilder ToModule(const Program& program) {
  ModuleBuilder module;
  module.bytecode_version = uint32_t{program.major} << 16;
  module.requirements = program.major < 17 ? 3 : 0xF;
  module.debug_database = false;
  module.types.assign(std::begin(kTypes), std::end(kTypes));
  module.global_bytes = kGlobalBytes;
  module.global_refs = kGlobalRefs;
  for (const ImportedFunction& function : ImportedFunctions()) {
    module.AddImport(function.full_name, function.signature);
  }
  module.AddImport("native.nobody_has_it", "0v_v", /*optional=*/true);
  module.AddRodata({});
  module.AddRodata({1, 2, 3, 4, 5, 6, 7, 8, 9});
  std::vector<uint8_t> ramp(64);
  for (size_t i = 0; i < ramp.size(); ++i)
    ramp[i] = static_cast<uint8_t>(i * 37 + 200);
  module.AddRodata(std::move(ramp));
  for (size_t i = 0; i < program.functions.size(); ++i) {
    AddFunction(module, absl::StrCat("f", i), program.functions[i].convention,
                program.functions[i].blocks);
  }
  AddFunction(module, "state", "0v_IIIIIIIIrrrr", StateFunction());
  return module;
}

std::vector<Value> CreateArguments(const PlannedCall& call) {
  std::vector<Value> values;
  for (const PlannedValue& planned : call.arguments) {
    values.push_back(CreateValue(planned));
  }
  return values;
}

std::string ToText(const Program& program) {
  std::string text =
      absl::StrCat("seed ", program.seed, ", major ", program.major, "\n");
  for (size_t i = 0; i < program.functions.size(); ++i) {
    absl::StrAppend(&text, "f", i, " ", program.functions[i].convention, "\n",
                    ToText(program.functions[i].blocks));
  }
  for (const PlannedCall& call : program.calls) {
    absl::StrAppend(&text, "call f", call.function);
    for (const PlannedValue& value : call.arguments) {
      absl::StrAppendFormat(&text, " %c:%x", vm::LetterOf(value.type),
                            value.type == ValueType::kRef
                                ? static_cast<uint64_t>(value.object)
                                : value.bits);
    }
    text += "\n";
  }
  return text;
}

Program Shrink(Program program,
               const std::function<bool(const Program&)>& fails) {
  for (size_t i = program.calls.size(); i-- > 0 && program.calls.size() > 1;) {
    Program smaller = program;
    smaller.calls.erase(smaller.calls.begin() + static_cast<long>(i));
    if (fails(smaller)) program = std::move(smaller);
  }
  // Constants stay, because they bound loops and sizes.
  for (size_t f = 0; f < program.functions.size(); ++f) {
    for (size_t b = 0; b < program.functions[f].blocks.size(); ++b) {
      for (size_t i = program.functions[f].blocks[b].size(); i-- > 0;) {
        const vm::OpInfo& info = *program.functions[f].blocks[b][i].info;
        const bool constant =
            absl::string_view(info.text).substr(0, 6) == "const.";
        if (constant || vm::IsTerminator(info.op)) continue;
        Program smaller = program;
        auto& block = smaller.functions[f].blocks[b];
        block.erase(block.begin() + static_cast<long>(i));
        if (fails(smaller)) program = std::move(smaller);
      }
    }
  }
  return program;
}

}  // namespace eyrie::tests
