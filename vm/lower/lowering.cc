// One pass over the bytecode; jumps are filled in at the end.
#include "vm/lower/lowering.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "vm/lower/code_walk.h"
#include "vm/lower/frame.h"
#include "vm/lower/function_code.h"
#include "vm/lower/lowering_pass.h"
#include "vm/lower/register_list.h"
#include "vm/lower/remap.h"
#include "vm/module/module.h"

namespace eyrie::vm {
namespace {

// Upper bound for the words that a branch adds to a comparison.
constexpr size_t kBranchWords = 8;

}  // namespace

LoweredCode Lowering::Run() {
  // Reserves 8 bytes for each byte of bytecode.
  if (!HasRoom(code_, function_.code_size)) return {};
  while (pc_ < function_.code_size) {
    start_ = pc_;
    if (pauses_) LowerPause();
    LowerInstruction();
    if (failed_) return {};
  }
  ResolveJumps();
  LoweredCode fitting;
  if (!Assign(fitting, code_, "lowered code").ok()) return {};
  return fitting;
}

uint32_t Lowering::Begin(Handler handler, uint32_t bytes) {
  const uint32_t at = size();
  const size_t words = (bytes + 7) / 8;
  if (!HasRoom(code_, words + kBranchWords)) return at;
  if (places_ != nullptr && !HasRoom(*places_, 1)) return at;
  if (places_ != nullptr) places_->push_back({at, start_});
  code_.resize(code_.size() + words);
  Put(at, handler);
  return at;
}

// A block's mark is not an instruction, so it does not pause.
void Lowering::LowerPause() {
  uint32_t pc = pc_;
  if (ReadOp(function_.code, pc).op == Op::kBlock) return;
  LoweredPause head = {};
  head.offset = start_;
  BeginWith(Lowered::kPause, head);
}

void Lowering::LowerInstruction() {
  const OpInfo& op = ReadOp(function_.code, pc_);
  switch (op.op) {
    case Op::kBlock:
      if (HasRoom(blocks_, 1)) blocks_.push_back({start_, size()});
      return;
    case Op::kBreak:
    case Op::kBranch:
      return LowerEdge(TakeEdge());
    case Op::kCondBreak:
      // Breaks into a debugger upstream. Without one, both targets are the
      // same.
      Take<uint16_t>();
      return LowerEdge(TakeEdge());
    case Op::kCondBranch:
      return LowerCondBranch();
    case Op::kBranchTable:
      return LowerBranchTable();
    case Op::kYield:
      return LowerYield();
    case Op::kReturn:
      return LowerReturn();
    case Op::kCall:
      return LowerCall(/*variadic=*/false, /*yieldable=*/false);
    case Op::kCallVariadic:
      return LowerCall(/*variadic=*/true, /*yieldable=*/false);
    case Op::kCallYieldable:
      return LowerCall(/*variadic=*/false, /*yieldable=*/true);
    case Op::kCallVariadicYieldable:
      return LowerCall(/*variadic=*/true, /*yieldable=*/true);
    default:
      return LowerOperands(op);
  }
}

// Returns the register to use instead of `reg` in the current instruction.
uint16_t Lowering::Redirected(uint16_t reg, bool written) const {
  for (size_t i = next_redirect_; i < redirects_.size(); ++i) {
    const Redirect& redirect = redirects_[i];
    if (redirect.branch != redirects_[next_redirect_].branch) break;
    const bool here =
        written ? start_ == redirect.made : start_ > redirect.made;
    if (redirect.from == reg && here) return redirect.to;
  }
  return reg;
}

void Lowering::LowerOperands(const OpInfo& op) {
  const size_t row = RowOf(op);
  const LoweredLayout& layout = kLoweredLayouts[row];
  const uint32_t at = Begin(handler_(Form::kOp, row), layout.size());
  int next = 0;
  for (OperandKind kind : op.reads) {
    LowerOperand(kind, at + layout.at[next++], /*written=*/false);
  }
  for (OperandKind kind : op.writes) {
    LowerOperand(kind, at + layout.at[next++], /*written=*/true);
  }
  if (op.has(kCompares) && !pauses_) LowerBranchOn(op, at);
}

void Lowering::LowerOperand(OperandKind kind, uint32_t to, bool written) {
  if (IsRegister(kind)) {
    uint16_t reg = Take<uint16_t>();
    if (kind == OperandKind::kRefMove && moves_) {
      reg &= kMoveBit | kRefMask;
    } else if (kind == OperandKind::kRefMove || kind == OperandKind::kRef) {
      reg &= kRefMask;
    } else {
      reg = Redirected(reg, written);
    }
    return Put(to, reg);
  }
  if (IsAlignedList(kind)) return Put(to, TakeList(1));
  if (kind == OperandKind::kString) {
    Put(to, function_.code + pc_);
    const auto length = Take<uint16_t>();
    pc_ += length;
    return;
  }
  std::memcpy(AddressOf(to), function_.code + pc_, FixedSize(kind));
  pc_ += FixedSize(kind);
}

// Combines the comparison at `at` with the next instruction if that is a
// cond_br on its result.
void Lowering::LowerBranchOn(const OpInfo& comparison, uint32_t at) {
  if (failed_) return;
  const size_t row = RowOf(comparison);
  const LoweredLayout& layout = kLoweredLayouts[row];
  uint16_t result;
  std::memcpy(&result, AddressOf(at + layout.at[comparison.reads.count]), 2);
  if (!BranchesOn(function_.code, result, pc_)) return;
  pc_ += 1 + FixedSize(OperandKind::kI32);
  code_.resize((at + layout.branch_size()) / 8);
  Put(at, handler_(charging_ ? Form::kTurn : Form::kBranch, row));
  const Edge taken = TakeEdge();
  const Edge other = TakeEdge();
  LinkEdge(at, at + layout.branch_at(), taken);
  LinkEdge(at, at + layout.branch_at() + 4, other);
}

void Lowering::LowerCondBranch() {
  const auto condition = Take<uint16_t>();
  const size_t row = RowOf(InfoOf(Op::kCondBranch));
  const uint32_t at =
      Begin(handler_(Form::kOp, row), sizeof(LoweredCondBranch));
  Put(at + offsetof(LoweredCondBranch, condition), uint32_t{condition});
  const Edge taken = TakeEdge();
  const Edge other = TakeEdge();
  LinkEdge(at, at + offsetof(LoweredCondBranch, target), taken);
  LinkEdge(at, at + offsetof(LoweredCondBranch, otherwise), other);
}

void Lowering::LowerBranchTable() {
  const auto index = Take<uint16_t>();
  const Edge otherwise = TakeEdge();
  const auto count = Take<uint16_t>();
  const size_t row = RowOf(InfoOf(Op::kBranchTable));
  const uint32_t at =
      Begin(handler_(Form::kOp, row),
            sizeof(LoweredBranchTable) + (count + size_t{1}) * 4);
  Put(at + offsetof(LoweredBranchTable, index), uint32_t{index});
  Put(at + offsetof(LoweredBranchTable, count), uint32_t{count});
  const auto field = static_cast<uint32_t>(at + sizeof(LoweredBranchTable));
  for (uint32_t i = 0; i < count; ++i) LinkEdge(at, field + i * 4, TakeEdge());
  LinkEdge(at, field + count * 4u, otherwise);
}

// Execution resumes at the next instruction, where the edge begins.
void Lowering::LowerYield() {
  const size_t row = RowOf(InfoOf(Op::kYield));
  Begin(handler_(Form::kOp, row), sizeof(LoweredYield));
  LowerEdge(TakeEdge());
}

void Lowering::LowerReturn() {
  const RegisterList values(TakeList(1));
  Lowered row = Lowered::kReturnMany;
  if (values.size() == 0) row = Lowered::kReturnNothing;
  if (values.size() == 1 && function_.results[0] != ValueType::kRef) {
    row =
        IsWide(function_.results[0]) ? Lowered::kReturn64 : Lowered::kReturn32;
  }
  LoweredReturn head = {};
  head.count = values.size();
  const uint32_t at = BeginWith(row, head, values.size() * 2);
  for (uint32_t i = 0; i < values.size(); ++i) {
    Put(static_cast<uint32_t>(at + sizeof(head) + size_t{2} * i), values[i]);
  }
}

void Lowering::LowerCall(bool variadic, bool yieldable) {
  const auto callee = Take<uint32_t>();
  const RegisterList segments(variadic ? TakeList(1) : nullptr);
  const RegisterList args(TakeList(1));
  uint32_t next_block = 0;
  if (yieldable) next_block = Take<uint32_t>();
  const RegisterList results(TakeList(1));
  if ((callee & kImportBit) != 0) {
    LowerCallImport(callee & ~kImportBit, segments, args, results, yieldable);
  } else {
    LowerCallFunction(callee, args, results);
  }
  if (yieldable) LowerEdge(PlainEdge(next_block));
}

void Lowering::PutResults(uint32_t call, uint32_t at, RegisterList results) {
  Put(call + offsetof(LoweredCall, size), size() - call);
  Put(call + offsetof(LoweredCall, results_at), at - call);
  for (uint32_t i = 0; i < results.size(); ++i) {
    Put(at + i * 2, results[i]);
  }
}

void Lowering::LowerCallFunction(uint32_t ordinal, RegisterList args,
                                 RegisterList results) {
  const FunctionCode& callee = functions_[ordinal];
  for (std::vector<LoweredMove>& group : groups_) {
    group.clear();
    if (!HasRoom(group, callee.argument_count)) return;
  }
  for (uint32_t i = 0; i < callee.argument_count; ++i) {
    const ArgumentPlace place = callee.arguments[i];
    const bool is_ref = place.type == ValueType::kRef;
    groups_[is_ref ? 2 : IsWide(place.type)].push_back({args[i], place.reg});
  }
  LoweredCallFunction head = {};
  head.call.handler = HandlerOf(Lowered::kCallFunction);
  head.callee = &callee;
  head.numbers = static_cast<uint16_t>(groups_[0].size());
  head.wides = static_cast<uint16_t>(groups_[1].size());
  head.refs = static_cast<uint16_t>(groups_[2].size());
  const uint32_t move_bytes =
      callee.argument_count * static_cast<uint32_t>(sizeof(LoweredMove));
  const uint32_t at = Begin(head.call.handler,
                            static_cast<uint32_t>(sizeof(head) + move_bytes +
                                                  size_t{2} * results.size()));
  Put(at, head);
  auto to = static_cast<uint32_t>(at + sizeof(head));
  for (const std::vector<LoweredMove>& group : groups_) {
    for (LoweredMove move : group) {
      Put(to, move);
      to += sizeof(move);
    }
  }
  PutResults(at, to, results);
}

void Lowering::LowerCallImport(uint32_t import, RegisterList segments,
                               RegisterList args, RegisterList results,
                               bool yieldable) {
  const CallingConvention& callee = module_.import_signature(import);
  words_.clear();
  moved_.clear();
  uint32_t next = 0;
  const std::vector<CallElement>& elements = callee.arguments();
  // Each argument may be moved, and each element may have a count.
  if (!HasRoom(words_, size_t{2} * args.size() + elements.size() +
                           results.size() + 1) ||
      !HasRoom(moved_, args.size())) {
    return;
  }
  for (uint32_t i = 0; i < elements.size(); ++i) {
    const uint32_t tuples = elements[i].variadic ? segments[i] : 1;
    if (elements[i].variadic) words_.push_back(kPlaceCount | tuples);
    for (uint32_t tuple = 0; tuple < tuples; ++tuple) {
      for (ValueType type : elements[i].types) {
        const uint16_t reg = args[next++];
        words_.push_back(PlaceOf(type, reg));
        const bool is_moved = type == ValueType::kRef && IsMove(reg);
        if (is_moved) moved_.push_back(words_.back());
      }
    }
  }
  LoweredCallImport head = {};
  head.call.handler = HandlerOf(Lowered::kCallImport);
  head.import = import;
  head.slots = static_cast<uint32_t>(words_.size());
  head.yieldable = yieldable;
  head.arguments = args.data();
  words_.push_back(static_cast<uint32_t>(moved_.size()));
  words_.insert(words_.end(), moved_.begin(), moved_.end());
  for (uint32_t i = 0; i < results.size(); ++i) {
    words_.push_back(PlaceOf(callee.result_types()[i], results[i]));
  }
  const uint32_t at =
      Begin(head.call.handler,
            static_cast<uint32_t>(sizeof(head) + words_.size() * 4 +
                                  size_t{2} * results.size()));
  Put(at, head);
  auto to = static_cast<uint32_t>(at + sizeof(head));
  for (uint32_t word : words_) {
    Put(to, word);
    to += sizeof(word);
  }
  PutResults(at, to, results);
}

uint32_t Lowering::PlaceOf(ValueType type, uint16_t reg) const {
  return type == ValueType::kRef ? Frame::PlaceOfRef(RefIndex(reg))
                                 : Frame::PlaceOfNumber(function_, reg);
}

// Lowers a loop's condition again: after the moves of a backward jump, or in
// place of a jump without moves, and then it charges the meter.
void Lowering::LowerCopy(uint32_t block, bool charges) {
  const uint32_t pc = std::exchange(pc_, block + kBlockMarkSize);
  const uint32_t start = std::exchange(start_, pc_);
  const size_t place = places_ != nullptr ? places_->size() : 0;
  copying_ = true;
  charging_ = charges;
  LowerInstruction();
  copying_ = false;
  charging_ = false;
  pc_ = pc;
  start_ = start;
  if (places_ != nullptr && charges && !failed_) {
    (*places_)[place].second = start;
  }
}

// Removes the moves that redirected instructions have made unnecessary.
void Lowering::DropRedirected(std::vector<LoweredMove>& moves) {
  for (; next_redirect_ < redirects_.size(); ++next_redirect_) {
    const Redirect& redirect = redirects_[next_redirect_];
    if (redirect.branch != start_) return;
    std::erase_if(moves,
                  [&](LoweredMove move) { return move.from == redirect.from; });
  }
}

void Lowering::LowerEdge(const Edge& edge) {
  std::vector<LoweredMove> moves;
  if (!HasRoom(moves, edge.moves.size())) return;
  Merge(edge.moves, moves);
  DropRedirected(moves);
  const bool back = IsBack(edge);
  if (moves.empty() && !back && edge.block == pc_) return;  // it is next
  Lowered row = JumpRow(moves, back);
  const bool falls = back && row != Lowered::kJumpBackMoves && !copying_ &&
                     !pauses_ && IsCondition(function_.code, edge.block);
  if (falls && moves.empty()) return LowerCopy(edge.block, /*charges=*/true);
  if (falls) row = FallRow(row);
  LoweredJump head = {};
  head.move_count = static_cast<uint32_t>(moves.size());
  const uint32_t at = BeginWith(
      row, head, static_cast<uint32_t>(moves.size() * sizeof(LoweredMove)));
  if (row != Lowered::kJumpMoves && row != Lowered::kJumpBackMoves) {
    for (LoweredMove& move : moves) move.to &= ~LoweredMove::kWide;
  }
  for (size_t i = 0; i < moves.size(); ++i) {
    Put(static_cast<uint32_t>(at + sizeof(head) + i * sizeof(LoweredMove)),
        moves[i]);
  }
  if (falls) return LowerCopy(edge.block, /*charges=*/false);
  AddJump(at, at + static_cast<uint32_t>(offsetof(LoweredJump, target)),
          edge.block);
}

void Lowering::LinkEdge(uint32_t from, uint32_t field, const Edge& edge) {
  if (IsDirect(edge)) {
    AddJump(from, field, edge.block);
    return;
  }
  Put(field, static_cast<int32_t>(size() - from));
  LowerEdge(edge);
}

void Lowering::ResolveJumps() {
  for (const Jump& jump : jumps_) {
    const auto block = std::lower_bound(
        blocks_.begin(), blocks_.end(), jump.block,
        [](const Block& b, uint32_t offset) { return b.from < offset; });
    Put(jump.field, static_cast<int32_t>(block->to - jump.from));
  }
}

LoweredCode Lower(const VerifiedModule& module,
                  std::span<const FunctionCode> functions, uint32_t ordinal,
                  bool pauses, FindHandler handler, LoweredPlaces* places) {
  return Lowering(module, functions, ordinal, pauses, handler, places).Run();
}

}  // namespace eyrie::vm
