// The roles of arguments in hal/module/imports.def say what a call does.
#include "abi/needs/module_facts.h"

#include <algorithm>
#include <map>
#include <utility>

#include "abi/call/host_imports.h"
#include "absl/algorithm/container.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "base/byte_reader.h"
#include "base/checked_math.h"
#include "base/file_growth.h"
#include "vm/asm/instruction.h"
#include "vm/flow/value_flow.h"
#include "vm/isa/opcode.h"
#include "vm/isa/operand.h"

namespace eyrie::abi {
namespace {

using vm::Instruction;
using vm::Op;
using vm::OperandKind;
using Kind = vm::KnownValue::Kind;

constexpr size_t kMaxTargetTexts = 16;
constexpr size_t kMaxName = 4096;  // bytes
// Keys read in total. Code may name the same table many times.
constexpr size_t kMaxKeys = size_t{1} << 20;

// The roles of an import's arguments, in their order; empty if none has one.
using Roles = std::vector<absl::string_view>;

Roles ReadRoles(const vm::ImportDef& import) {
  return absl::StrSplit(RolesOf(import.full_name, import.calling_convention),
                        ' ', absl::SkipEmpty());
}

// The fields of a binding: reserved, slot, buffer, offset, length.
constexpr size_t kBindingFields = 5;

// Returns "slot 2", "global 1", "call 1a" or "".
std::string BufferName(const std::optional<vm::KnownValue>& buffer,
                       std::optional<int64_t> slot) {
  if (!buffer.has_value()) return "";
  switch (buffer->kind) {
    case Kind::kInteger:  // null: the slot decides
      return slot.has_value() ? absl::StrCat("slot ", *slot) : "";
    case Kind::kGlobal:
      return absl::StrCat("global ", buffer->number);
    case Kind::kResult:
      return absl::StrCat("call ", absl::Hex(buffer->number));
    case Kind::kArgument:
      return absl::StrCat("argument ", buffer->number);
    case Kind::kRodata:
      return "";
  }
  return "";
}

// A call of an import. Finds arguments by their roles, and counts the tuples of
// variadic ones.
class ImportCall {
 public:
  ImportCall(const Instruction& instruction,
             const vm::KnownRegisters& registers, const Roles& roles)
      : registers_(registers), roles_(roles) {
    for (int i = 0; i < instruction.op->reads.count; ++i) {
      const OperandKind kind = instruction.op->reads[i];
      if (kind == OperandKind::kSegments)
        segments_ = &instruction.reads[i].list;
      if (kind == OperandKind::kRegList) list_ = &instruction.reads[i].list;
    }
  }

  bool Has(absl::string_view role) const { return Place(role) < roles_.size(); }
  // Returns the value of an argument. It must precede the first variadic one.
  std::optional<vm::KnownValue> Argument(absl::string_view role) const {
    const size_t place = Place(role);
    if (place >= roles_.size() || list_ == nullptr || place >= list_->size()) {
      return std::nullopt;
    }
    return registers_.Get((*list_)[place]);
  }
  std::optional<int64_t> Integer(absl::string_view role) const {
    const auto value = Argument(role);
    if (!value.has_value() || value->kind != Kind::kInteger) {
      return std::nullopt;
    }
    return value->number;
  }
  std::optional<uint32_t> Rodata(absl::string_view role) const {
    const auto value = Argument(role);
    if (!value.has_value() || value->kind != Kind::kRodata) return std::nullopt;
    return static_cast<uint32_t>(value->number);
  }
  // Returns the bindings of a dispatch, which are its last arguments.
  std::vector<BindingUse> Bindings() const {
    const size_t count = Count("bindings");
    if (list_ == nullptr || count > list_->size() / kBindingFields) return {};
    std::vector<BindingUse> bindings;
    for (size_t i = list_->size() - count * kBindingFields; i < list_->size();
         i += kBindingFields) {
      const auto slot = registers_.Get((*list_)[i + 1]);
      const auto buffer = registers_.Get((*list_)[i + 2]);
      const auto bytes = vm::IntegerOf(registers_.Get((*list_)[i + 4]));
      bindings.push_back({BufferName(buffer, vm::IntegerOf(slot)), bytes});
      if (bytes.value_or(0) < 0)
        bindings.back().bytes.reset();  // the rest of the buffer
    }
    return bindings;
  }
  uint32_t Count(absl::string_view role) const {
    const size_t place = Place(role);
    if (segments_ == nullptr || place >= segments_->size()) return 0;
    return (*segments_)[place];
  }

 private:
  size_t Place(absl::string_view role) const {
    return absl::c_find(roles_, role) - roles_.begin();
  }

  const vm::KnownRegisters& registers_;
  const Roles& roles_;
  const std::vector<uint16_t>* segments_ = nullptr;
  const std::vector<uint16_t>* list_ = nullptr;
};

class Reader {
 public:
  explicit Reader(const vm::VerifiedModule& module)
      : module_(module),
        def_(module.def()),
        budget_(def_.archive().bytes().size()) {
    for (const vm::ImportDef& import : def_.imports) {
      roles_.push_back(ReadRoles(import));
    }
  }

  ModuleFacts Read() {
    // The first pass collects executables and globals, because initializers,
    // which store globals, may come last. The second pass collects their uses.
    for (const bool collects : {true, false}) {
      collects_ = collects;
      for (uint32_t i = 0; i < def_.functions.size(); ++i) {
        function_ = i;
        results_.clear();
        const bool followed = vm::VisitFunction(
            module_, i,
            [this](uint32_t offset, const Instruction& instruction,
                   const vm::KnownRegisters& registers) {
              Visit({function_, offset}, instruction, registers);
            });
        if (!collects && !followed) ++facts_.unfollowed;
      }
    }
    for (const auto& [key, count] : calls_) {
      const auto& [caller, import, callee] = key;
      facts_.calls.push_back({caller, callee, import, count});
    }
    for (const auto& [name, bytes] : parameters_) {
      facts_.parameters.push_back({name.first, name.second, bytes});
    }
    return std::move(facts_);
  }

 private:
  // The result of a call that later instructions of the function may use.
  struct Made {
    std::optional<size_t> executable;
    std::string kernel;
  };

  void Visit(CodePlace place, const Instruction& instruction,
             const vm::KnownRegisters& registers);
  void VisitCall(CodePlace place, const Instruction& instruction,
                 const vm::KnownRegisters& registers);
  void VisitImport(CodePlace place, const ImportCall& call);
  void Create(CodePlace place, const ImportCall& call);
  void Dispatch(CodePlace place, const ImportCall& call);
  void Parameters(const ImportCall& call);

  absl::string_view View(uint32_t rodata) const {
    const auto bytes = def_.rodata[rodata].bytes;
    return absl::string_view(reinterpret_cast<const char*>(bytes.data()),
                             bytes.size());
  }
  // Returns a name. Returns "" if the name is unknown or longer than kMaxName,
  // or if the names' budget is spent.
  std::string Text(std::optional<uint32_t> rodata) {
    if (!rodata.has_value()) return "";
    const absl::string_view text = View(*rodata);
    if (text.size() > kMaxName ||
        !budget_.TakeBytes(text.size(), "Its names").ok()) {
      return "";
    }
    return std::string(text);
  }
  std::optional<size_t> ExecutableOf(
      const std::optional<vm::KnownValue>& value);

  const vm::VerifiedModule& module_;
  const vm::ModuleDef& def_;
  std::vector<Roles> roles_;  // by import
  bool collects_ = false;     // in the first pass; see Read()
  uint32_t function_ = 0;
  std::map<uint32_t, Made> results_;  // of the function's calls, by offset
  std::map<CodePlace, size_t> executables_;
  // The executable in each global; nullopt if it varies or is not known.
  std::map<int64_t, std::optional<size_t>> globals_;
  std::map<std::tuple<uint32_t, bool, uint32_t>, uint32_t> calls_;
  std::map<std::pair<std::string, std::string>, uint64_t> parameters_;
  size_t keys_ = 0;
  DecodingBudget budget_;  // of names
  ModuleFacts facts_;
};

std::optional<size_t> Reader::ExecutableOf(
    const std::optional<vm::KnownValue>& value) {
  if (value.has_value() && value->kind == Kind::kGlobal) {
    const auto found = globals_.find(value->number);
    if (found != globals_.end() && found->second.has_value()) {
      return found->second;
    }
  }
  if (value.has_value() && value->kind == Kind::kResult) {
    const auto found = results_.find(static_cast<uint32_t>(value->number));
    if (found != results_.end() && found->second.executable.has_value()) {
      return found->second.executable;
    }
  }
  // If only one executable exists, it must be this one.
  if (facts_.executables.size() == 1) return 0;
  return std::nullopt;
}

void Reader::Visit(CodePlace place, const Instruction& instruction,
                   const vm::KnownRegisters& registers) {
  switch (instruction.op->op) {
    case Op::kConstRefRodata:
      facts_.rodata.insert(static_cast<uint32_t>(instruction.reads[0].number));
      return;
    case Op::kGlobalStoreRef: {
      if (!collects_) return;
      const auto value =
          registers.Get(static_cast<uint16_t>(instruction.reads[2].number));
      if (value == vm::KnownValue{}) return;  // null: it is released
      std::optional<size_t> made;
      if (value.has_value() && value->kind == Kind::kResult) {
        const auto found = results_.find(static_cast<uint32_t>(value->number));
        if (found != results_.end()) made = found->second.executable;
      }
      const auto global = static_cast<int64_t>(instruction.reads[0].number);
      const auto [known, is_new] = globals_.try_emplace(global, made);
      if (!is_new && known->second != made) known->second = std::nullopt;
      return;
    }
    case Op::kFail: {
      const std::string& text = instruction.reads[1].text;
      if (!collects_ && facts_.target_texts.size() < kMaxTargetTexts &&
          absl::StrContains(text, "#hal.device.target")) {
        facts_.target_texts.push_back(text);
      }
      return;
    }
    case Op::kCall:
    case Op::kCallVariadic:
    case Op::kCallYieldable:
    case Op::kCallVariadicYieldable:
      return VisitCall(place, instruction, registers);
    default:
      return;
  }
}

void Reader::VisitCall(CodePlace place, const Instruction& instruction,
                       const vm::KnownRegisters& registers) {
  const auto callee = static_cast<uint32_t>(instruction.reads[0].number);
  const bool import = (callee & vm::kImportBit) != 0;
  const uint32_t ordinal = callee & ~vm::kImportBit;
  if (!collects_) ++calls_[{place.function, import, ordinal}];
  if (!import || roles_[ordinal].empty()) return;
  VisitImport(place, ImportCall(instruction, registers, roles_[ordinal]));
}

void Reader::VisitImport(CodePlace place, const ImportCall& call) {
  const auto text = [&](absl::string_view role) {
    return Text(call.Rodata(role));
  };
  if (call.Has("data")) {
    Create(place, call);
  } else if (collects_) {
    return;
  } else if (call.Has("key")) {
    facts_.queries.insert({text("category"), text("key")});
  } else if (call.Has("format")) {
    facts_.queries.insert({std::string(kFormatCategory), text("format")});
  } else if (call.Has("name")) {
    results_[place.offset].kernel = text("name");
  } else if (call.Has("kernel")) {
    Dispatch(place, call);
  } else if (call.Has("spans")) {
    Parameters(call);
  } else {
    const bool transient = call.Has("transient");
    facts_.allocations.push_back(
        {place, call.Integer(transient ? "transient" : "size"), transient});
  }
}

void Reader::Create(CodePlace place, const ImportCall& call) {
  if (collects_) {
    executables_[place] = facts_.executables.size();
    facts_.executables.push_back(
        {place, Text(call.Rodata("format")), call.Rodata("data")});
  }
  results_[place.offset].executable = executables_[place];
}

void Reader::Dispatch(CodePlace place, const ImportCall& call) {
  DispatchUse use;
  use.place = place;
  use.executable = ExecutableOf(call.Argument("executable"));
  const auto kernel = call.Argument("kernel");
  if (kernel.has_value() && kernel->kind == Kind::kInteger) {
    use.ordinal = kernel->number;
  } else if (kernel.has_value() && kernel->kind == Kind::kResult) {
    use.kernel = results_[static_cast<uint32_t>(kernel->number)].kernel;
  }
  use.indirect = !call.Has("x");
  use.workgroups[0] = call.Integer("x");
  use.workgroups[1] = call.Integer("y");
  use.workgroups[2] = call.Integer("z");
  use.constants = call.Count("constants");
  use.bindings = call.Count("bindings");
  use.buffers = call.Bindings();
  facts_.dispatches.push_back(std::move(use));
}

// Keys are pairs of uint32 (offset, length) into a text. Spans are triples of
// uint64 (offset in the parameter, offset in the buffer, length). See
// hal/module's parameter imports.
void Reader::Parameters(const ImportCall& call) {
  const auto scope = call.Argument("scope");
  const auto table = call.Rodata("keys");
  const auto text = call.Rodata("text");
  const auto spans = call.Rodata("spans");
  if (!scope.has_value() || !table.has_value() || !text.has_value() ||
      !spans.has_value()) {
    ++facts_.unknown_parameters;
    return;
  }
  std::string scope_name;
  if (scope->kind == Kind::kRodata) {
    scope_name = Text(static_cast<uint32_t>(scope->number));
  }
  const absl::string_view keys = View(*text);
  ByteReader pairs(def_.rodata[*table].bytes);
  ByteReader triples(def_.rodata[*spans].bytes);
  while (pairs.remaining() > 0) {
    const auto offset = pairs.Read<uint32_t>();
    const auto length = pairs.Read<uint32_t>();
    const auto from = triples.Read<uint64_t>();
    const auto to = triples.Read<uint64_t>();
    const auto size = triples.Read<uint64_t>();
    if (!offset.ok() || !length.ok() || !from.ok() || !to.ok() || !size.ok() ||
        !RangeFits(*offset, *length, keys.size()) || *length > kMaxName ||
        ++keys_ > kMaxKeys || !budget_.TakeBytes(*length, "Its keys").ok()) {
      ++facts_.unknown_parameters;
      return;
    }
    uint64_t& bytes =
        parameters_[{scope_name, std::string(keys.substr(*offset, *length))}];
    bytes = std::max(bytes, CheckedAdd(*from, *size).value_or(UINT64_MAX));
  }
}

}  // namespace

ModuleFacts ReadModuleFacts(const vm::VerifiedModule& module) {
  return Reader(module).Read();
}

}  // namespace eyrie::abi
