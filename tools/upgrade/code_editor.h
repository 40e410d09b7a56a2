// Writes the new code of one function from its old instructions.
//
// Branches keep their targets: a block's number is its offset in the old code,
// or a label for a block that the old code lacks.
// Tested by upgrade_test.cc.
#ifndef EYRIE_TOOLS_UPGRADE_CODE_EDITOR_H_
#define EYRIE_TOOLS_UPGRADE_CODE_EDITOR_H_

#include <algorithm>
#include <cstdint>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "vm/asm/instruction.h"
#include "vm/asm/module_plan.h"
#include "vm/module/module_def.h"

namespace eyrie::tools {

class CodeEditor {
 public:
  // `old` is the function before the change.
  explicit CodeEditor(const vm::FunctionDef& old);

  // Says that the next instructions replace the old one at this offset.
  // Branches to it and its source location lead to them.
  void BeginAt(uint32_t offset);
  void Add(const vm::Instruction& instruction);
  // Adds an instruction whose operands and results are single numbers:
  // registers, constants or ordinals.
  void Add(vm::Op op, std::vector<uint64_t> reads,
           std::vector<uint64_t> writes = {});

  // Makes the function have at least this many i32 registers.
  void ReserveI32(uint32_t count) {
    i32_registers_ = std::max(i32_registers_, count);
  }
  // Returns a register that the function does not use otherwise. NewI64 returns
  // the first of a pair.
  uint16_t NewI32();
  uint16_t NewI64();
  uint16_t NewRef();
  // Returns a register that is free until the next BeginAt.
  uint16_t ScratchI32() {
    return scratch_i32_.Next([&] { return NewI32(); });
  }
  uint16_t ScratchI64() {
    return scratch_i64_.Next([&] { return NewI64(); });
  }
  uint16_t ScratchRef() {
    return scratch_ref_.Next([&] { return NewRef(); });
  }

  // Returns the number of a new block. AddBlock begins it.
  uint32_t NewLabel();
  void AddBlock(uint32_t label);
  // Ends the block with moves of registers, as pairs of source and target, and
  // begins a new one.
  void AddMoves(std::vector<uint16_t> pairs);

  // Discards references, whose registers may have the move bit. Only for
  // bytecode that has discards. Adds nothing if there are none.
  void AddDiscards(std::vector<uint16_t> refs);

  // Makes a ref register null. Unlike const.ref.zero, this does not crash the
  // runtime of 3.3 if the register holds a reference, which it overwrites with
  // an alignment that registers do not have there.
  void AddNull(uint16_t reg);

  // Replaces the code, registers, blocks and locations of `function`.
  // RESOURCE_EXHAUSTED: the code is much longer than the old one, or needs more
  // registers or blocks than the format has.
  absl::Status Finish(vm::ModulePlan::Function& function);

 private:
  // Registers that are used again and again.
  struct Scratch {
    std::vector<uint16_t> all;
    size_t used = 0;

    template <typename Make>
    uint16_t Next(Make make) {
      if (used == all.size()) all.push_back(make());
      return all[used++];
    }
  };

  bool is_too_long() const;

  const size_t old_size_;
  std::vector<uint8_t> code_;
  std::vector<uint32_t> fields_;  // offsets of fields that name blocks
  absl::flat_hash_map<uint32_t, uint32_t> places_;  // new offsets, by number
  uint32_t labels_ = 0;
  uint32_t blocks_ = 0;
  uint32_t i32_registers_;
  uint32_t ref_registers_;
  uint16_t null_ = 0;  // a ref register that is never written; 0: none yet
  Scratch scratch_i32_;
  Scratch scratch_i64_;
  Scratch scratch_ref_;
};

}  // namespace eyrie::tools

#endif  // EYRIE_TOOLS_UPGRADE_CODE_EDITOR_H_
