// Attacks with instructions of opcodes.def.
#include <array>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "tests/fuzz/limits/attack_module.h"
#include "tests/fuzz/limits/attacks.h"
#include "tests/support/module_builder.h"
#include "vm/isa/opcode.h"
#include "vm/isa/operand.h"

namespace eyrie::tests {
namespace {

using vm::OperandKind;

// Creates objects: r0 is a buffer, r1 a list of numbers, r2 a list of many
// lists, r3 nested lists, r4 null. r5 to r7 are for results.
std::string Objects(Random& random) {
  const uint32_t lists = random.OneIn(2) ? 20000 : 100;
  return absl::StrCat(
      "buffer.alloc i14 i5 r0 list.alloc ", int{random.OneIn(2) ? kI32 : kAny},
      " i2 r1 list.resize r1 i3 list.alloc ", int{kAny}, " i1 r2 const.i32 ",
      lists, " i30 list.resize r2 i30 list.alloc ", int{kAny},
      " i1 r3 const.i32 0 i31 br ^nest [] "
      "nest: list.alloc ",
      int{kAny},
      " i1 r5 list.resize r5 i1 "
      "list.set.ref r2 i31 r5 list.set.ref r5 i0 r3! assign.ref r5! r3 "
      "add.i32 i31 i1 i31 cmp.lt.i32.u i31 i30 i32 "
      "cond_br i32 ^nest [] ^loop [] ");
}

// Reports whether an instruction's work may grow with its operands.
bool IsHeavy(const vm::OpInfo& op) {
  const absl::string_view text = op.text;
  return (absl::StartsWith(text, "list.") && !absl::StrContains(text, "et.")) ||
         absl::StartsWith(text, "buffer.alloc") ||
         absl::StartsWith(text, "buffer.c") ||
         absl::StartsWith(text, "buffer.fill") || text == "buffer.hash" ||
         text == "list.set.ref" || text == "list.get.ref" ||
         text == "discard.refs" || text == "assign.ref" ||
         text == "global.store.ref" || text == "trace" || text == "print";
}

const vm::OpInfo& ChooseOp(Random& random) {
  const bool heavy = !random.OneIn(4);
  for (;;) {
    const vm::OpInfo& op = vm::kOps[random.Below(vm::kOpCount)];
    if (vm::IsTerminator(op.op) || op.op == vm::Op::kBlock) continue;
    if (absl::StartsWith(op.text, "call")) continue;
    if (!heavy || IsHeavy(op)) return op;
  }
}

// Writes instructions. If `careful`, operands are in range, so that code may
// repeat them a thousand times without failing.
class Writer {
 public:
  Writer(Random& random, bool careful) : random_(random), careful_(careful) {}

  std::string Instruction(const vm::OpInfo& op) {
    std::string words = absl::StrCat(op.text, " ");
    int place = 0;
    for (OperandKind kind : op.reads) {
      absl::StrAppend(&words, Read(op, kind, place++), " ");
    }
    for (OperandKind kind : op.writes) {
      absl::StrAppend(&words, Write(kind), " ");
    }
    return words;
  }

 private:
  std::string Ref(const vm::OpInfo& op) {
    if (!careful_ && random_.OneIn(10)) {
      return absl::StrCat("r", random_.Below(8));
    }
    if (absl::StartsWith(op.text, "buffer.")) return "r0";
    return absl::StrCat("r", 1 + random_.Below(2));
  }

  absl::string_view I32(const vm::OpInfo& op) {
    if (absl::StartsWith(op.text, "buffer.")) return "i5";
    if (absl::StrContains(op.text, "et.")) {
      return careful_ ? "i0" : random_.Of(kIndices);
    }
    constexpr absl::string_view kSmall[] = {"i1", "i3", "i5"};
    return careful_ ? random_.Of(kSmall) : random_.Of(kCounts);
  }

  absl::string_view I64(const vm::OpInfo& op, int place) {
    const bool offset = place <= 1 && op.op != vm::Op::kBufferAlloc;
    if (careful_) return offset || place == 3 ? "i10" : "i22";
    return offset ? random_.Of(kOffsets) : random_.Of(kLengths);
  }

  // Returns the text of one operand that is read.
  std::string Read(const vm::OpInfo& op, OperandKind kind, int place) {
    switch (kind) {
      case OperandKind::kI32:
      case OperandKind::kF32:
        return std::string(I32(op));
      case OperandKind::kI64:
      case OperandKind::kF64:
        return std::string(I64(op, place));
      case OperandKind::kRef:
        return Ref(op);
      case OperandKind::kRefMove:
        return absl::StrCat(Ref(op), !careful_ && random_.OneIn(2) ? "!" : "");
      case OperandKind::kRefList:
        return careful_ || random_.OneIn(2) ? "[r5 r6! r7]" : "[r1! r2! r3!]";
      case OperandKind::kRegList:
        return random_.OneIn(2) ? "[]" : "[i0 r1 r2 r3]";
      case OperandKind::kI32List:
      case OperandKind::kF32List:
        return "[i0 i1 i2]";
      case OperandKind::kI64List:
      case OperandKind::kF64List:
        return "[i10 i12]";
      case OperandKind::kString:
        return absl::StrCat(
            "\"", std::string(!careful_ && random_.OneIn(2) ? 60000 : 1, 'x'),
            "\"");
      case OperandKind::kImport:
        return "#0";
      case OperandKind::kType:
        return absl::StrCat(careful_ ? int{kAny} : int(random_.Below(4)));
      default:
        return "0";
    }
  }

  std::string Write(OperandKind kind) {
    switch (kind) {
      case OperandKind::kI64:
      case OperandKind::kF64:
        return "i26";
      case OperandKind::kRef:
      case OperandKind::kRefMove:
        return absl::StrCat("r", !careful_ && random_.OneIn(3)
                                     ? 1 + random_.Below(3)
                                     : 5 + random_.Below(3));
      default:
        return "i24";
    }
  }

  Random& random_;
  bool careful_;
};

}  // namespace

// Some attacks repeat the loop's body, so that much code runs before a branch.
Attack InstructionAttack(Random& random) {
  ModuleBuilder module = NewAttackModule();
  module.AddImport("absent.function", "0v_v", /*optional=*/true);
  const uint32_t times = random.Of(std::array{1u, 1u, 100u, 4000u});
  Writer writer(random, /*careful=*/times > 1 || random.OneIn(2));
  std::string name = absl::StrCat("instructions times ", times), body, loop;
  const vm::OpInfo* op = &ChooseOp(random);
  for (uint32_t left = 1 + random.Below(4); left > 0; --left) {
    absl::StrAppend(&name, " ", op->text);
    absl::StrAppend(&body, writer.Instruction(*op));
    if (random.OneIn(2)) op = &ChooseOp(random);
  }
  for (uint32_t left = times; left > 0; --left) loop += body;
  AddAttack(module, absl::StrCat("entry: ", Constants(), Objects(random),
                                 "loop: ", loop, "br ^loop []"));
  return {name, module.Build(), RunArguments(random)};
}

}  // namespace eyrie::tests
