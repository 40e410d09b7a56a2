// A table lists the relevant arguments of each import.
//
// Tested by module_facts_test.cc, inspect_test.txt.
#include "tools/inspect/module_facts.h"

#include <algorithm>
#include <map>
#include <utility>

#include "absl/strings/match.h"
#include "base/byte_reader.h"
#include "base/checked_math.h"
#include "base/file_growth.h"
#include "tools/inspect/value_flow.h"
#include "vm/asm/instruction.h"
#include "vm/isa/callconv.h"
#include "vm/isa/opcode.h"
#include "vm/isa/operand.h"

namespace eyrie::tools {
namespace {

using vm::Instruction;
using vm::Op;
using vm::OperandKind;
using Kind = KnownValue::Kind;

enum class What : uint8_t {
  kQuery,        // category, key
  kFormatQuery,  // format
  kCreate,       // format, data
  kLookup,       // executable, name
  kDispatch,     // executable, kernel, x, y, z, constants, bindings
  kIndirect,     // executable, kernel, constants, bindings
  kTransient,    // size
  kAllocation,   // size
  kParameters,   // scope, key table, key data, spans
};

// The roles of an import's arguments, by its name and calling convention. From
// the .def tables of hal/module, whose comments name the sources.
constexpr struct ImportRow {
  absl::string_view name;
  absl::string_view signature;
  What what;
  int8_t arguments[7];
} kRows[] = {
    {"hal.allocator.allocate", "0rIiiI_r", What::kAllocation, {4}},
    {"hal.command_buffer.dispatch",
     "0rrIiiiICiDCiirIID_v",
     What::kDispatch,
     {1, 2, 3, 4, 5, 7, 8}},
    {"hal.command_buffer.dispatch",
     "0rriiiiICiDCiirIID_v",
     What::kDispatch,
     {1, 2, 3, 4, 5, 7, 8}},
    {"hal.command_buffer.dispatch.indirect",
     "0rrIirIICiDCiirIID_v",
     What::kIndirect,
     {1, 2, 7, 8}},
    {"hal.command_buffer.dispatch.indirect",
     "0rriirIICiDCiirIID_v",
     What::kIndirect,
     {1, 2, 7, 8}},
    {"hal.device.query.i64", "0rrr_iI", What::kQuery, {1, 2}},
    {"hal.device.queue.alloca", "0rIrrIiiII_r", What::kTransient, {7}},
    {"hal.device.queue.alloca", "0rIrriiiI_r", What::kTransient, {7}},
    {"hal.executable.create", "0rIrrr_r", What::kCreate, {2, 3}},
    {"hal.executable.create", "0rrrr_r", What::kCreate, {1, 2}},
    {"hal.executable.lookup.function", "0rr_I", What::kLookup, {0, 1}},
    {"hal_inline.buffer.allocate", "0iI_rr", What::kTransient, {1}},
    {"hal_inline.device.query.i64", "0rr_iI", What::kQuery, {0, 1}},
    {"hal_loader.executable.dispatch",
     "0rIiiiCiDCrIID_v",
     What::kDispatch,
     {0, 1, 2, 3, 4, 5, 6}},
    {"hal_loader.executable.dispatch",
     "0riiiiCiDCrIID_v",
     What::kDispatch,
     {0, 1, 2, 3, 4, 5, 6}},
    {"hal_loader.executable.load", "0rrr_r", What::kCreate, {0, 1}},
    {"hal_loader.executable.lookup.function", "0rr_I", What::kLookup, {0, 1}},
    {"hal_loader.executable.query_support", "0r_i", What::kFormatQuery, {0}},
    {"io_parameters.gather", "0rIrrrrrrr_v", What::kParameters, {4, 6, 7, 8}},
    {"io_parameters.load", "0rIrrrIiirrr_r", What::kParameters, {4, 8, 9, 10}},
    {"io_parameters.scatter", "0rIrrrrrrr_v", What::kParameters, {5, 6, 7, 8}},
};

constexpr size_t kMaxTargetTexts = 16;
constexpr size_t kMaxName = 4096;  // bytes
// Keys read in total. Code may name the same table many times.
constexpr size_t kMaxKeys = size_t{1} << 20;

const ImportRow* FindRow(const vm::ImportDef& import) {
  for (const ImportRow& row : kRows) {
    if (row.name == import.full_name &&
        row.signature == import.calling_convention) {
      return &row;
    }
  }
  return nullptr;
}

// A call of an import. Finds arguments by their index in the calling convention
// and counts the tuples of variadic ones.
class ImportCall {
 public:
  ImportCall(const Instruction& instruction, const KnownRegisters& registers,
             const vm::CallingConvention& convention)
      : registers_(registers), convention_(convention) {
    for (int i = 0; i < instruction.op->reads.count; ++i) {
      const OperandKind kind = instruction.op->reads[i];
      if (kind == OperandKind::kSegments)
        segments_ = &instruction.reads[i].list;
      if (kind == OperandKind::kRegList) list_ = &instruction.reads[i].list;
    }
  }

  // Returns the value of an argument. It must precede the first variadic one.
  std::optional<KnownValue> Argument(int8_t index) const {
    const auto& arguments = convention_.arguments();
    const auto place = static_cast<size_t>(index);
    if (place >= arguments.size() || list_ == nullptr ||
        place >= list_->size()) {
      return std::nullopt;
    }
    return registers_.Get((*list_)[place]);
  }
  std::optional<int64_t> Integer(int8_t index) const {
    const auto value = Argument(index);
    if (!value.has_value() || value->kind != Kind::kInteger) {
      return std::nullopt;
    }
    return value->number;
  }
  std::optional<uint32_t> Rodata(int8_t index) const {
    const auto value = Argument(index);
    if (!value.has_value() || value->kind != Kind::kRodata) return std::nullopt;
    return static_cast<uint32_t>(value->number);
  }
  uint32_t Count(int8_t index) const {
    const auto place = static_cast<size_t>(index);
    if (segments_ == nullptr || place >= segments_->size()) return 0;
    return (*segments_)[place];
  }

 private:
  const KnownRegisters& registers_;
  const vm::CallingConvention& convention_;
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
      rows_.push_back(FindRow(import));
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
        const bool followed = VisitFunction(
            module_, i,
            [this](uint32_t offset, const Instruction& instruction,
                   const KnownRegisters& registers) {
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
             const KnownRegisters& registers);
  void VisitCall(CodePlace place, const Instruction& instruction,
                 const KnownRegisters& registers);
  void VisitImport(CodePlace place, const ImportRow& row,
                   const ImportCall& call);
  void Create(CodePlace place, const ImportRow& row, const ImportCall& call);
  void Dispatch(CodePlace place, const ImportRow& row, const ImportCall& call);
  void Parameters(const ImportRow& row, const ImportCall& call);

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
  std::optional<size_t> ExecutableOf(const std::optional<KnownValue>& value);

  const vm::VerifiedModule& module_;
  const vm::ModuleDef& def_;
  std::vector<const ImportRow*> rows_;  // by import
  bool collects_ = false;               // in the first pass; see Read()
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
    const std::optional<KnownValue>& value) {
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
                   const KnownRegisters& registers) {
  switch (instruction.op->op) {
    case Op::kConstRefRodata:
      facts_.rodata.insert(static_cast<uint32_t>(instruction.reads[0].number));
      return;
    case Op::kGlobalStoreRef: {
      if (!collects_) return;
      const auto value =
          registers.Get(static_cast<uint16_t>(instruction.reads[2].number));
      if (value == KnownValue{}) return;  // null: it is released
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
                       const KnownRegisters& registers) {
  const auto callee = static_cast<uint32_t>(instruction.reads[0].number);
  const bool import = (callee & vm::kImportBit) != 0;
  const uint32_t ordinal = callee & ~vm::kImportBit;
  if (!collects_) ++calls_[{place.function, import, ordinal}];
  if (!import || rows_[ordinal] == nullptr) return;
  VisitImport(
      place, *rows_[ordinal],
      ImportCall(instruction, registers, module_.import_signature(ordinal)));
}

void Reader::VisitImport(CodePlace place, const ImportRow& row,
                         const ImportCall& call) {
  if (row.what == What::kCreate) return Create(place, row, call);
  if (collects_) return;
  const auto text = [&](int index) {
    return Text(call.Rodata(row.arguments[index]));
  };
  switch (row.what) {
    case What::kQuery:
      facts_.queries.insert({text(0), text(1)});
      return;
    case What::kFormatQuery:
      facts_.queries.insert({std::string(kFormatCategory), text(0)});
      return;
    case What::kLookup:
      results_[place.offset].kernel = text(1);
      return;
    case What::kDispatch:
    case What::kIndirect:
      return Dispatch(place, row, call);
    case What::kTransient:
    case What::kAllocation:
      facts_.allocations.push_back({place, call.Integer(row.arguments[0]),
                                    row.what == What::kTransient});
      return;
    case What::kParameters:
      return Parameters(row, call);
    case What::kCreate:
      return;
  }
}

void Reader::Create(CodePlace place, const ImportRow& row,
                    const ImportCall& call) {
  if (collects_) {
    executables_[place] = facts_.executables.size();
    facts_.executables.push_back({place, Text(call.Rodata(row.arguments[0])),
                                  call.Rodata(row.arguments[1])});
  }
  results_[place.offset].executable = executables_[place];
}

void Reader::Dispatch(CodePlace place, const ImportRow& row,
                      const ImportCall& call) {
  DispatchUse use;
  use.place = place;
  use.executable = ExecutableOf(call.Argument(row.arguments[0]));
  const auto kernel = call.Argument(row.arguments[1]);
  if (kernel.has_value() && kernel->kind == Kind::kInteger) {
    use.ordinal = kernel->number;
  } else if (kernel.has_value() && kernel->kind == Kind::kResult) {
    use.kernel = results_[static_cast<uint32_t>(kernel->number)].kernel;
  }
  use.indirect = row.what == What::kIndirect;
  const int counts = use.indirect ? 2 : 5;
  for (int i = 0; i < 3 && !use.indirect; ++i) {
    use.workgroups[i] = call.Integer(row.arguments[2 + i]);
  }
  use.constants = call.Count(row.arguments[counts]);
  use.bindings = call.Count(row.arguments[counts + 1]);
  facts_.dispatches.push_back(std::move(use));
}

// Keys are pairs of uint32 (offset, length) into a text. Spans are triples of
// uint64 (offset in the parameter, offset in the buffer, length). See
// hal/module's parameter imports.
void Reader::Parameters(const ImportRow& row, const ImportCall& call) {
  const auto scope = call.Argument(row.arguments[0]);
  const auto table = call.Rodata(row.arguments[1]);
  const auto text = call.Rodata(row.arguments[2]);
  const auto spans = call.Rodata(row.arguments[3]);
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

}  // namespace eyrie::tools
