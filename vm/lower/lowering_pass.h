// The pass over a function's bytecode that lowers it, see lowering.cc.
//
// Tested by lowering_test.cc, vm/run/no_memory_test.cc.
#ifndef EYRIE_VM_LOWER_LOWERING_PASS_H_
#define EYRIE_VM_LOWER_LOWERING_PASS_H_

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include "base/allocate.h"
#include "vm/lower/code_walk.h"
#include "vm/lower/function_code.h"
#include "vm/lower/lowered.h"
#include "vm/lower/redirect.h"
#include "vm/lower/register_list.h"
#include "vm/module/verifier.h"

namespace eyrie::vm {

// Lowers one function; Run may be called only once.
class Lowering {
 public:
  Lowering(const VerifiedModule& module,
           std::span<const FunctionCode> functions, uint32_t ordinal,
           bool pauses, FindHandler handler, LoweredPlaces* places)
      : module_(module),
        functions_(functions),
        function_(functions[ordinal]),
        pauses_(pauses),
        handler_(handler),
        places_(places),
        moves_(module.def().bytecode_version->operand_moves),
        redirects_(
            pauses || !module.has_loop(ordinal)
                ? std::vector<Redirect>()
                : FindRedirects(
                      {function_.code, function_.code_size},
                      module.def().functions[ordinal].i32_register_count)) {}

  LoweredCode Run();

 private:
  // Reads the bytecode at pc_.
  template <typename T>
  T Take() {
    return LoadFrom<T>(function_.code, pc_);
  }
  const uint8_t* TakeList(uint32_t words_per_item) {
    return ReadList(function_.code, pc_, words_per_item);
  }
  Edge TakeEdge() { return ReadEdge(function_.code, pc_); }

  // Access to the lowered code, by offsets in bytes.
  uint32_t size() const { return static_cast<uint32_t>(code_.size() * 8); }
  uint8_t* AddressOf(uint32_t offset) {
    return reinterpret_cast<uint8_t*>(code_.data()) + offset;
  }
  template <typename T>
  void Put(uint32_t offset, T value) {
    if (!failed_) std::memcpy(AddressOf(offset), &value, sizeof(T));
  }
  // Appends space for an instruction and returns its offset. If there is no
  // memory, sets failed_; nothing is written from then on.
  uint32_t Begin(Handler handler, uint32_t bytes);
  template <typename T>
  bool HasRoom(std::vector<T>& vector, size_t more) {
    failed_ |= !ReserveMore(vector, more, "lowered code").ok();
    return !failed_;
  }
  // Appends an instruction that begins with `head`, as Begin does; sets its
  // handler.
  template <typename T>
  uint32_t BeginWith(Lowered instruction, T head, uint32_t more_bytes = 0) {
    head.handler = HandlerOf(instruction);
    const uint32_t at = Begin(head.handler, sizeof(T) + more_bytes);
    Put(at, head);
    return at;
  }
  Handler HandlerOf(Lowered instruction) const {
    return handler_(Form::kLowered, static_cast<size_t>(instruction));
  }

  void LowerPause();
  void LowerInstruction();
  void LowerOperands(const OpInfo& op);
  void LowerOperand(OperandKind kind, uint32_t to, bool written);
  uint16_t Redirected(uint16_t reg, bool written) const;
  void LowerBranchOn(const OpInfo& comparison, uint32_t at);
  void LowerCondBranch();
  void LowerBranchTable();
  void LowerYield();
  void LowerReturn();
  void LowerCall(bool variadic, bool yieldable);
  void LowerCallFunction(uint32_t callee, RegisterList args,
                         RegisterList results);
  void LowerCallImport(uint32_t import, RegisterList segments,
                       RegisterList args, RegisterList results, bool yieldable);
  void PutResults(uint32_t call, uint32_t at, RegisterList results);
  uint32_t PlaceOf(ValueType type, uint16_t reg) const;

  // Emits the edge's moves and a jump to its block.
  void LowerEdge(const Edge& edge);
  // Fills in the jump at offset `field` of the lowered code, in the instruction
  // at `from`. If the edge is not direct, emits it here, as LowerEdge does.
  bool IsDirect(const Edge& edge) const {
    return edge.moves.size() == 0 && !IsBack(edge);
  }
  bool IsBack(const Edge& edge) const { return edge.block <= start_; }
  void LinkEdge(uint32_t from, uint32_t field, const Edge& edge);
  void LowerCopy(uint32_t block, bool charges);
  void DropRedirected(std::vector<LoweredMove>& moves);
  void AddJump(uint32_t from, uint32_t field, uint32_t block) {
    if (HasRoom(jumps_, 1)) jumps_.push_back({from, field, block});
  }
  void ResolveJumps();

  const VerifiedModule& module_;
  const std::span<const FunctionCode> functions_;
  const FunctionCode& function_;
  const bool pauses_;
  const FindHandler handler_;
  LoweredPlaces* places_;
  const bool moves_;  // the move bit of single operands counts

  uint32_t pc_ = 0;
  uint32_t start_ = 0;  // of the current instruction
  bool copying_ = false;
  bool charging_ = false;  // the current copy takes fuel
  bool failed_ = false;    // not enough memory for the code
  const std::vector<Redirect> redirects_;
  size_t next_redirect_ = 0;  // of the current or a later block
  LoweredCode code_;
  struct Block {
    uint32_t from;
    uint32_t to;
  };
  std::vector<Block> blocks_;  // ascending
  struct Jump {
    uint32_t from;   // offset of the instruction
    uint32_t field;  // offset of its int32_t field
    uint32_t block;
  };
  std::vector<Jump> jumps_;
  // For the current call: moves of narrow values, wide ones and references; the
  // places of its arguments, and of those that it moves.
  std::vector<LoweredMove> groups_[3];
  std::vector<uint32_t> words_;
  std::vector<uint32_t> moved_;
};

}  // namespace eyrie::vm

#endif  // EYRIE_VM_LOWER_LOWERING_PASS_H_
