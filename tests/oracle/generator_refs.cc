// Chooses the refs that instructions read and write, by register roles.
//
// A buffer or list register holds an object created for it, or one that passed
// a type check. Only `any` registers hold any object. A list that may contain
// lists is never stored, so that no list can reach itself.
// Tested by random_programs_test.cc.
#include <utility>

#include "absl/strings/match.h"
#include "tests/oracle/generator.h"

namespace eyrie::tests {

using vm::Op;
using vm::OperandKind;

namespace {

bool IsRef(const Operand& operand) {
  return operand.kind == OperandKind::kRef ||
         operand.kind == OperandKind::kRefMove;
}

uint16_t RefOf(RefRole role) {
  return static_cast<uint16_t>(role | vm::kRefBit);
}

}  // namespace

// Replaces the refs that RandomOperand chose.
void FunctionGenerator::ChooseRefs(Instruction& in) {
  const vm::OpInfo& info = *in.info;
  if (StartsWith(info, "list.")) {
    ChooseListRefs(in);
  } else if (StartsWith(info, "buffer.")) {
    for (size_t i = 0; i < in.operands.size(); ++i) {
      if (!IsRef(in.operands[i])) continue;
      const bool result = i >= in.read_count();
      const bool odd = random_.OneIn(result ? 4 : 32);
      in.operands[i].bits = result ? Role(odd ? kAny : kBuffers)
                            : odd  ? AnyRef()
                                   : Role(kBuffers);
    }
  } else {
    ChooseTypedRefs(in);
    ChoosePlainRefs(in);
  }
  for (Operand& operand : in.operands) {
    // Since major 16 the move bit has an effect, and is valid only here.
    const bool allowed =
        operand.kind == OperandKind::kRefMove || program_.major < 16;
    if (IsRef(operand) && allowed) {
      operand.bits = MaybeMove(static_cast<uint16_t>(operand.bits));
    }
  }
}

void FunctionGenerator::ChooseListRefs(Instruction& in) {
  const Op op = in.info->op;
  Operand& list = in.operands[0];
  if (op == Op::kListAlloc) {
    // Any type, but a list that may contain lists goes to its own register.
    uint32_t type = random_.Below(kTypeCount);
    const bool of_lists = type == kTypeList || type == kTypeAnyRef;
    in.operands[0].bits = of_lists ? uint32_t{kTypeList} : type;
    in.operands.back().bits =
        of_lists ? RefOf(kListOfLists) : Role(random_.OneIn(2) ? kLists : kAny);
    return;
  }
  const bool of_refs = op == Op::kListGetRef || op == Op::kListSetRef;
  if (random_.OneIn(32)) {
    list.bits = AnyRef();
  } else if (!of_refs && op != Op::kListReserve && op != Op::kListResize &&
             op != Op::kListSize) {
    list.bits = RefOf(random_.OneIn(8) ? kVariantList : kNumberList);
  } else if (of_refs) {
    list.bits = RefOf(random_.OneIn(4)   ? kListOfLists
                      : random_.OneIn(3) ? kVariantList
                                         : kBufferList);
  } else {
    list.bits = Role(kLists);
  }
  const bool lists = vm::RefIndex(list.reg()) == kListOfLists;
  if (op == Op::kListSetRef) {
    in.operands[2].bits = lists ? Role(kLists) : Role(kBuffers);
  } else if (op == Op::kListGetRef) {
    const bool typed = random_.OneIn(2);
    const uint32_t type = lists ? kTypeList : kTypeBuffer;
    in.operands[2].bits = typed ? type : random_.Below(kTypeCount);
    // Only a result with a checked type is known not to contain a list.
    in.result();
    in.operands.back().bits =
        !typed ? Role(kAny) : Role(lists ? kAny : kBuffers);
  }
}

// Instructions with a type: globals, casts, select and switch. The type matches
// the roles of the registers that are read and written.
void FunctionGenerator::ChooseTypedRefs(Instruction& in) {
  Operand* type = nullptr;
  Operand* global = nullptr;
  for (Operand& operand : in.operands) {
    if (operand.kind == OperandKind::kType) type = &operand;
    if (operand.kind == OperandKind::kGlobalRef) global = &operand;
  }
  if (type == nullptr) return;
  const bool stores = StartsWith(*in.info, "global.store");
  const bool loads = StartsWith(*in.info, "global.load");
  RefRole role = random_.OneIn(3) ? kAny : random_.OneIn(2) ? kLists : kBuffers;
  if (loads && global == nullptr) role = kAny;
  if (loads && role == kLists) role = kBuffers;
  if (stores && role == kAny) role = random_.OneIn(2) ? kLists : kBuffers;
  if (global != nullptr && role != kAny) {
    global->bits = role == kBuffers ? random_.Below(2) : 2;
  }
  const uint32_t own = role == kBuffers   ? kTypeBuffer
                       : role == kLists   ? kTypeList
                       : random_.OneIn(2) ? kTypeVariant
                                          : kTypeAnyRef;
  type->bits = random_.OneIn(48) ? random_.Below(kTypeCount) : own;
  for (size_t i = 0; i < in.operands.size(); ++i) {
    Operand& operand = in.operands[i];
    const bool result = i >= in.read_count();
    if (IsRef(operand)) {
      // A result of another type than its role's must go to an `any` register.
      operand.bits = Role(result && type->bits != own ? kAny : role);
    } else if (operand.kind == OperandKind::kRefList) {
      for (uint16_t& reg : operand.list) reg = MaybeMove(Role(role));
    }
  }
}

void FunctionGenerator::ChoosePlainRefs(Instruction& in) {
  switch (in.info->op) {
    case Op::kConstRefZero:
      in.operands[0].bits = random_.OneIn(12) ? Role(kBuffers) : Role(kAny);
      break;
    case Op::kConstRefRodata:
      in.operands[1].bits = random_.OneIn(6) ? Role(kBuffers) : Role(kAny);
      break;
    case Op::kAssignRef: {
      const RefRole role = random_.OneIn(2)   ? kAny
                           : random_.OneIn(2) ? kLists
                                              : kBuffers;
      in.operands[0].bits = role == kAny ? AnyRef() : Role(role);
      in.operands[1].bits = Role(role);
      break;
    }
    default:
      break;
  }
}

}  // namespace eyrie::tests
