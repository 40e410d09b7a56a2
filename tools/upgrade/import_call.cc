#include "tools/upgrade/import_call.h"

#include "vm/asm/frame_needs.h"
#include "vm/isa/operand.h"

namespace eyrie::tools {
namespace {

using vm::Op;

// The segment of an argument that is not variadic, as compilers write it.
constexpr uint16_t kNotVariadic = 0xFFFF;

Op OpOf(bool variadic, bool yields) {
  if (yields) return variadic ? Op::kCallVariadicYieldable : Op::kCallYieldable;
  return variadic ? Op::kCallVariadic : Op::kCall;
}

}  // namespace

std::optional<uint32_t> CalledImport(const vm::Instruction& instruction) {
  if (!vm::IsCall(*instruction.op)) return std::nullopt;
  const auto callee = static_cast<uint32_t>(instruction.reads[0].number);
  if ((callee & vm::kImportBit) == 0) return std::nullopt;
  return callee ^ vm::kImportBit;
}

ImportCall ReadImportCall(const vm::Instruction& instruction,
                          const vm::CallingConvention& convention) {
  ImportCall call;
  const std::vector<uint16_t>* segments = nullptr;
  const std::vector<uint16_t>* registers = nullptr;
  for (size_t i = 0; i < instruction.reads.size(); ++i) {
    switch (instruction.op->reads[static_cast<int>(i)]) {
      case vm::OperandKind::kSegments:
        segments = &instruction.reads[i].list;
        break;
      case vm::OperandKind::kRegList:
        registers = &instruction.reads[i].list;
        break;
      case vm::OperandKind::kBlock:
        call.next = static_cast<uint32_t>(instruction.reads[i].number);
        break;
      default:
        break;
    }
  }
  auto at = registers->begin();
  for (size_t i = 0; i < convention.arguments().size(); ++i) {
    const vm::CallElement& element = convention.arguments()[i];
    const size_t count =
        element.variadic ? (*segments)[i] * element.types.size() : 1;
    call.arguments.emplace_back(at, at + static_cast<ptrdiff_t>(count));
    at += static_cast<ptrdiff_t>(count);
  }
  call.results = instruction.writes[0].list;
  return call;
}

vm::Instruction MakeImportCall(const ImportCall& call, uint32_t import,
                               const vm::CallingConvention& convention) {
  const bool variadic = convention.is_variadic();
  vm::Instruction made = vm::Instruction::Create(
      vm::InfoOf(OpOf(variadic, call.next.has_value())));
  made.reads[0].number = vm::kImportBit | import;
  std::vector<uint16_t>& registers = made.reads[variadic ? 2 : 1].list;
  for (size_t i = 0; i < call.arguments.size(); ++i) {
    const vm::CallElement& element = convention.arguments()[i];
    const std::vector<uint16_t>& from = call.arguments[i];
    registers.insert(registers.end(), from.begin(), from.end());
    if (!variadic) continue;
    made.reads[1].list.push_back(
        element.variadic
            ? static_cast<uint16_t>(from.size() / element.types.size())
            : kNotVariadic);
  }
  made.writes[0].list = call.results;
  if (call.next.has_value()) made.reads.back().number = *call.next;
  return made;
}

}  // namespace eyrie::tools
