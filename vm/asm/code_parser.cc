// Parses each line by the pattern of its instruction.
#include "vm/asm/code_parser.h"

#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "base/suggest.h"
#include "vm/asm/syntax.h"

namespace eyrie::vm {
namespace {

constexpr uint64_t kMaxCode = 0x7FFFFFFF;

// Returns the mnemonics that are most similar to an unknown one.
std::string NearestOps(absl::string_view text) {
  std::vector<std::string> names;
  for (const OpInfo& op : kOps) names.push_back(op.text);
  return DidYouMean(text, names);
}

// Returns an error if another block would be too many.
absl::Status CheckBlocks(const FrameNeeds& needs, const TextCursor& in,
                         size_t at) {
  if (needs.blocks < kMaxBlocks) return absl::OkStatus();
  return in.ErrorAt(
      at, absl::StrCat("The function has more than ", kMaxBlocks, " blocks."));
}

bool IsBracket(char c) { return c == '[' || c == ']' || c == '(' || c == ')'; }

// Removes the first words of a pattern up to a blank, a place or a bracket.
absl::string_view TakeLiteral(absl::string_view& pattern) {
  size_t end = 1;
  while (end < pattern.size() && pattern[end] != ' ' && pattern[end] != '$' &&
         !IsBracket(pattern[end]) && !IsBracket(pattern[end - 1])) {
    ++end;
  }
  const absl::string_view literal = pattern.substr(0, end);
  pattern.remove_prefix(end);
  return literal;
}

}  // namespace

absl::Status CodeParser::ParseLine(const SourceLine& line, TextCursor& in) {
  line_ = line;
  callee_name_.clear();
  if (code_.size() > kMaxCode) {
    return in.Error("The function exceeds 2 GiB of bytecode.");
  }
  return in.Peek() == '^' ? ParseLabel(in) : ParseInstruction(in);
}

uint32_t CodeParser::LabelId(absl::string_view name, const SourcePlace& place) {
  const auto [it, added] = label_ids_.try_emplace(
      std::string(name), static_cast<uint32_t>(labels_.size()));
  if (added) labels_.push_back({std::string(name), place});
  return it->second;
}

absl::Status CodeParser::ParseLabel(TextCursor& in) {
  in.SkipBlanks();
  const size_t at = in.position();
  RETURN_IF_ERROR(in.Expect("^"));
  const absl::string_view name = in.TakeName();
  if (name.empty()) return in.Error("Expected a block's label.");
  RETURN_IF_ERROR(in.Expect(":"));
  RETURN_IF_ERROR(in.ExpectEnd());
  Label& label = labels_[LabelId(name, {line_, at})];
  if (label.defined) {
    return in.ErrorAt(at,
                      absl::StrCat("Label ^", name, " is already defined."));
  }
  if (!ended_) {
    return in.ErrorAt(at, absl::StrCat("The block above has no end; ",
                                       last_op_->text, " cannot end a block."));
  }
  RETURN_IF_ERROR(CheckBlocks(needs_, in, at));
  label.defined = true;
  label.offset = static_cast<uint32_t>(code_.size());
  Emit(Instruction::Create(InfoOf(Op::kBlock)), {line_, at});
  return absl::OkStatus();
}

absl::StatusOr<const OpInfo*> CodeParser::TakeOp(TextCursor& in) {
  in.SkipBlanks();
  const size_t at = in.position();
  absl::string_view name = in.TakeName();
  if (name.empty()) return in.Error("Expected an instruction.");
  const absl::string_view text =
      absl::StartsWith(name, "vm.") ? name.substr(3) : name;
  const OpInfo* op = FindOp(text);
  if (op == nullptr) {
    return in.ErrorAt(at, absl::StrCat("Instruction '", name,
                                       "' does not exist.", NearestOps(text)));
  }
  if (op->major > scope_.version->major) {
    return in.ErrorAt(
        at, absl::StrCat(op->text, " requires bytecode ", op->major,
                         "; the module has ", scope_.version->major, "."));
  }
  return op;
}

absl::Status CodeParser::ParseInstruction(TextCursor& in) {
  in.SkipBlanks();
  const SourcePlace place = {line_, in.position()};
  TextCursor results = in;
  const bool has_results = in.Peek() == '%';
  if (has_results) {
    const size_t equals = in.Find('=');
    if (equals == absl::string_view::npos) {
      return in.Error("Expected '=' after the results.");
    }
    results = TextCursor(line_, in.position(), equals);
    in.set_position(equals + 1);
  }
  const size_t op_at = in.position();
  ASSIGN_OR_RETURN(const OpInfo* op, TakeOp(in));
  Instruction instruction = Instruction::Create(*op);
  RETURN_IF_ERROR(ParseOperands(in, instruction));
  const bool placed = PlacesResults(PatternsOf(*op)[0]);
  if (has_results) {
    if (op->writes.count == 0 || placed) {
      return results.Error(
          absl::StrCat("vm.", op->text, " has no results before '='."));
    }
    RETURN_IF_ERROR(
        ParseOperand(results, op->writes[0], instruction.writes[0]));
    RETURN_IF_ERROR(results.ExpectEnd());
  } else if (op->writes.count != 0 && !placed &&
             !IsRegisterList(op->writes[0])) {
    return in.ErrorAt(op_at, absl::StrCat("vm.", op->text,
                                          " has a result; expected "
                                          "'%… = vm.",
                                          op->text, "'."));
  }
  if (ended_ && !code_.empty() && op->op != Op::kBlock) {
    return place.Error(
        absl::StrCat("Expected a block's label after ", last_op_->text, "."));
  }
  if (op->op == Op::kBlock) {
    RETURN_IF_ERROR(CheckBlocks(needs_, in, place.at));
  } else if (code_.empty()) {
    Emit(Instruction::Create(InfoOf(Op::kBlock)), place);
  }
  SettleNames(instruction);
  Emit(instruction, place);
  return absl::OkStatus();
}

void CodeParser::SettleNames(Instruction& instruction) {
  const OpInfo& op = *instruction.op;
  for (int i = 0; i < op.reads.count; ++i) {
    if (op.reads[i] != OperandKind::kType) continue;
    instruction.reads[i].number = scope_.TypeOrdinal(instruction.reads[i].text);
  }
}

void CodeParser::Emit(const Instruction& instruction,
                      const SourcePlace& place) {
  const OpInfo& op = *instruction.op;
  last_offset_ = static_cast<uint32_t>(code_.size());
  scope_.code_places[ordinal_].push_back({last_offset_, place});
  needs_.AddInstruction(instruction);
  Encode(instruction, code_, &block_fields_);
  const uint32_t field = last_offset_ + 1;  // after an opcode of one byte
  if (!callee_name_.empty() && op.op != Op::kBlock) {
    scope_.calls.push_back(
        {{line_, callee_at_}, std::move(callee_name_), ordinal_, field});
    callee_name_.clear();
  }
  if (IsCall(op) || op.op == Op::kReturn) {
    scope_.values.push_back({instruction, ordinal_, field});
  }
  ended_ = IsTerminator(op.op);
  last_op_ = instruction.op;
}

absl::Status CodeParser::ParseOperands(TextCursor& in,
                                       Instruction& instruction) {
  const size_t begin = in.position();
  absl::Status failure;
  size_t farthest = 0;
  for (const std::string& pattern : PatternsOf(*instruction.op)) {
    in.set_position(begin);
    Instruction attempt = Instruction::Create(*instruction.op);
    absl::Status status = ParsePattern(in, pattern, attempt);
    if (status.ok()) {
      // A ',' after the last operand is allowed.
      const size_t end = in.position();
      if (in.AcceptNext()) in.set_position(end);
      status = in.ExpectEnd();
    }
    if (status.ok()) {
      instruction = std::move(attempt);
      return status;
    }
    if (failure.ok() || in.position() > farthest) {
      failure = std::move(status);
      farthest = in.position();
    }
  }
  return failure;
}

absl::Status CodeParser::ParsePattern(TextCursor& in, absl::string_view pattern,
                                      Instruction& instruction) {
  const OpInfo& op = *instruction.op;
  bool after_target = false;  // of a branch, where a ',' is optional
  while (!pattern.empty()) {
    if (pattern[0] == ' ') {
      pattern.remove_prefix(1);
    } else if (absl::StartsWith(pattern, "$$")) {
      RETURN_IF_ERROR(ParseOperand(in, op.writes[0], instruction.writes[0]));
      pattern.remove_prefix(2);
    } else if (pattern[0] == '$') {
      const int index = pattern[1] - '0';
      RETURN_IF_ERROR(
          ParseOperand(in, op.reads[index], instruction.reads[index]));
      after_target = op.reads[index] == OperandKind::kRemap;
      pattern.remove_prefix(2);
    } else if (pattern[0] == '{' && pattern.size() > 1 && pattern[1] != ' ') {
      const size_t end = pattern.find('}');
      if (pattern[1] == '$' || in.Peek() == pattern[1]) {
        RETURN_IF_ERROR(
            ParsePattern(in, pattern.substr(1, end - 1), instruction));
      }
      pattern.remove_prefix(end + 1);
    } else {
      const absl::string_view literal = TakeLiteral(pattern);
      if (literal == "!vm.ref<?>") {  // any type: it decides nothing
        RETURN_IF_ERROR(in.TakeType().status());
      } else if (literal != "," || !after_target || in.Peek() != '^') {
        RETURN_IF_ERROR(in.Expect(literal));
      }
    }
  }
  return absl::OkStatus();
}

absl::Status CodeParser::Finish(const SourceLine& line, size_t at) {
  if (code_.empty()) {
    return line.Error(at, "The function has no instructions.");
  }
  if (!ended_) {
    return line.Error(at, absl::StrCat("The function's last block has no end; ",
                                       last_op_->text, " cannot end a block."));
  }
  for (const Label& label : labels_) {
    if (label.defined) continue;
    return label.first_use.Error(
        absl::StrCat("Block ^", label.name, " does not exist."));
  }
  for (uint32_t field : block_fields_) {
    uint32_t id = 0;
    for (int i = 3; i >= 0; --i) id = id << 8 | code_[field + i];
    for (int i = 0; i < 4; ++i) {
      code_[field + i] = static_cast<uint8_t>(labels_[id].offset >> (8 * i));
    }
  }
  scope_.plan.functions[ordinal_].code = std::move(code_);
  return absl::OkStatus();
}

}  // namespace eyrie::vm
