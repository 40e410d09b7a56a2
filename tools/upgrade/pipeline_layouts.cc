#include "tools/upgrade/pipeline_layouts.h"

#include <algorithm>

#include "absl/strings/string_view.h"
#include "hal/cpu/dispatch_abi.h"
#include "tools/upgrade/import_call.h"
#include "vm/isa/opcode.h"
#include "vm/isa/operand.h"

namespace eyrie::tools {

using abi::CodePlace;
using vm::Instruction;
using vm::KnownRegisters;
using vm::KnownValue;
using vm::Op;

namespace {

constexpr char kSetLayout[] = "hal.descriptor_set_layout.create";
constexpr char kPipelineLayout[] = "hal.pipeline_layout.create";
constexpr char kExecutable[] = "hal.executable.create";
// The convention of kExecutable that takes layouts.
constexpr char kWithLayouts[] = "0rrrrCrD_r";
// Limits of what one file can make this program remember.
constexpr size_t kMaxLayouts = 1 << 16;

// LayoutValues at the instruction that is given.
using LayoutValues = std::vector<std::optional<vm::KnownValue>>;

// Returns an integer of at most `most`; nullopt if it is another or unknown.
std::optional<uint32_t> IntegerUpTo(
    uint32_t most, const std::optional<vm::KnownValue>& value) {
  const auto number = vm::IntegerOf(value);
  if (!number.has_value() || *number < 0 || *number > int64_t{most}) {
    return std::nullopt;
  }
  return static_cast<uint32_t>(*number);
}

}  // namespace

class LayoutReader {
 public:
  explicit LayoutReader(const vm::VerifiedModule& module) : module_(module) {}

  PipelineLayouts Read() {
    for (uint32_t i = 0; i < module_.def().functions.size(); ++i) {
      vm::VisitFunction(module_, i,
                        [&](uint32_t offset, const Instruction& instruction,
                            const vm::KnownRegisters& registers) {
                          Visit({i, offset}, instruction, registers);
                        });
    }
    for (const auto& [place, layouts] : executable_layouts_) {
      AddExecutable(place, layouts);
    }
    return std::move(result_);
  }

 private:
  void Visit(const CodePlace& place, const Instruction& instruction,
             const vm::KnownRegisters& registers);
  void AddExecutable(const CodePlace& place, const LayoutValues& layouts);
  bool AddSets(const CodePlace& pipeline, KernelLayout& layout) const;

  // Returns the call that made a value of a function; nullopt if unknown.
  std::optional<CodePlace> PlaceOf(
      uint32_t function, const std::optional<vm::KnownValue>& value) const {
    if (!value.has_value()) return std::nullopt;
    if (value->kind == vm::KnownValue::Kind::kResult) {
      return CodePlace{function, static_cast<uint32_t>(value->number)};
    }
    if (value->kind != vm::KnownValue::Kind::kGlobal) return std::nullopt;
    const auto global = result_.globals_.find(value->number);
    return global == result_.globals_.end() ? std::nullopt : global->second;
  }

  const vm::VerifiedModule& module_;
  PipelineLayouts result_;
  size_t kernels_ = 0;  // of the executables added so far
  std::map<CodePlace, std::vector<uint32_t>> sets_;  // bindings, ascending
  std::map<CodePlace, std::pair<uint32_t, LayoutValues>> pipelines_;
  std::map<CodePlace, LayoutValues> executable_layouts_;
};

void LayoutReader::Visit(const CodePlace& place, const Instruction& instruction,
                         const vm::KnownRegisters& registers) {
  if (instruction.op->op == Op::kGlobalStoreRef) {
    const auto value =
        registers.Get(static_cast<uint16_t>(instruction.reads[2].number));
    if (value == vm::KnownValue{}) return;  // null: it is released
    const std::optional<CodePlace> stored = PlaceOf(place.function, value);
    const auto [known, is_new] = result_.globals_.try_emplace(
        static_cast<int64_t>(instruction.reads[0].number), stored);
    if (!is_new && known->second != stored) known->second = std::nullopt;
    return;
  }
  const auto import = CalledImport(instruction);
  if (!import.has_value() || sets_.size() >= kMaxLayouts ||
      pipelines_.size() >= kMaxLayouts ||
      executable_layouts_.size() >= kMaxLayouts) {
    return;
  }
  const vm::ImportDef& def = module_.def().imports[*import];
  if (def.full_name != kSetLayout && def.full_name != kPipelineLayout &&
      (def.full_name != kExecutable ||
       def.calling_convention != kWithLayouts)) {
    return;
  }
  const ImportCall call =
      ReadImportCall(instruction, module_.import_signature(*import));
  LayoutValues values;
  for (const uint16_t reg : call.arguments.back()) {
    values.push_back(registers.Get(reg));
  }
  if (def.full_name == kSetLayout) {
    // Triples of binding, type and flags.
    std::vector<uint32_t> bindings;
    for (size_t i = 0; i < values.size(); i += 3) {
      const auto binding = IntegerUpTo(INT32_MAX, values[i]);
      if (!binding.has_value()) return;
      bindings.push_back(*binding);
    }
    std::sort(bindings.begin(), bindings.end());
    sets_[place] = std::move(bindings);
  } else if (def.full_name == kPipelineLayout) {
    const auto constants = IntegerUpTo(hal::cpu::kMaxDispatchConstants,
                                       registers.Get(call.arguments[1][0]));
    if (!constants.has_value()) return;
    pipelines_[place] = {*constants, std::move(values)};
  } else {
    executable_layouts_[place] = std::move(values);
  }
}

bool LayoutReader::AddSets(const CodePlace& pipeline,
                           KernelLayout& layout) const {
  const auto known = pipelines_.find(pipeline);
  if (known == pipelines_.end()) return false;
  layout.constants = known->second.first;
  const LayoutValues& sets = known->second.second;
  for (uint32_t i = 0; i < sets.size(); ++i) {
    const auto place = PlaceOf(pipeline.function, sets[i]);
    const auto set = place.has_value() ? sets_.find(*place) : sets_.end();
    if (set == sets_.end()) return false;
    for (const uint32_t binding : set->second) {
      if (layout.bindings.size() == hal::cpu::kMaxDispatchBindings)
        return false;
      layout.bindings.emplace_back(i, binding);
    }
  }
  return true;
}

void LayoutReader::AddExecutable(const CodePlace& place,
                                 const LayoutValues& layouts) {
  kernels_ += layouts.size();
  if (kernels_ > kMaxLayouts) return;
  std::vector<KernelLayout> kernels;
  for (const std::optional<vm::KnownValue>& value : layouts) {
    const auto pipeline = PlaceOf(place.function, value);
    if (!pipeline.has_value() || !AddSets(*pipeline, kernels.emplace_back())) {
      return;
    }
  }
  result_.executables_[place] = std::move(kernels);
}

PipelineLayouts PipelineLayouts::Read(const vm::VerifiedModule& module) {
  return LayoutReader(module).Read();
}

const std::vector<KernelLayout>* PipelineLayouts::Find(
    const CodePlace& place) const {
  const auto known = executables_.find(place);
  return known == executables_.end() ? nullptr : &known->second;
}

const std::vector<KernelLayout>* PipelineLayouts::Find(
    uint32_t function, const std::optional<vm::KnownValue>& value) const {
  if (value.has_value() && value->kind == vm::KnownValue::Kind::kResult) {
    return Find(CodePlace{function, static_cast<uint32_t>(value->number)});
  }
  if (value.has_value() && value->kind == vm::KnownValue::Kind::kGlobal) {
    const auto global = globals_.find(value->number);
    if (global != globals_.end() && global->second.has_value()) {
      return Find(*global->second);
    }
  }
  return executables_.size() == 1 ? &executables_.begin()->second : nullptr;
}

}  // namespace eyrie::tools
