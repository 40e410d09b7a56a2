// Loads executables, and passes ranges of workgroups to workers.
#include "hal/vmvx/executable.h"

#include <algorithm>
#include <string>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "base/allocate.h"
#include "base/plain_text.h"
#include "base/status_macros.h"
#include "hal/cpu/dispatch_abi.h"
#include "hal/vmvx/module.h"
#include "vm/module/lifecycle.h"
#include "vm/module/module_def.h"
#include "vm/module/verifier.h"
#include "vm/run/interpreter.h"

namespace eyrie::hal::vmvx {
namespace {

// The limit of local memory, in bytes: the same as for native executables.
constexpr uint64_t kMaxLocalMemory = 0xFFFF * cpu::kLocalMemoryPageSize;

// For the sentence "Cannot allocate N bytes for ...".
constexpr absl::string_view kExports = "an executable's functions";

// Returns the number in a function's attribute, or 0 without that attribute.
// INVALID_ARGUMENT: it is not a number from 0 to `limit`.
absl::StatusOr<uint32_t> ReadCount(const vm::FunctionDef& function,
                                   absl::string_view function_name,
                                   absl::string_view key, uint64_t limit) {
  const auto text = vm::FindAttribute(function.attributes, key);
  if (!text) return 0;
  uint64_t value;
  if (absl::SimpleAtoi(*text, &value) && value <= limit) {
    return static_cast<uint32_t>(value);
  }
  return absl::InvalidArgumentError(
      absl::StrCat("The attribute ", key, " of the executable's function '",
                   PlainName(function_name), "' is '", text->substr(0, 40),
                   "'; expected a number from 0 to ", limit, "."));
}

// The most bytes of memory per byte of the file while it is decoded and
// verified. The worst case is a letter of a calling convention, which becomes
// an element of a growing vector.
constexpr uint64_t kMaxBytesPerByte = 72;
// Bytes of lowered code per byte of bytecode. A kernel is lowered at its first
// run.
constexpr uint64_t kLoweredBytesPerByte = 8;

// Returns the approximate size of a verified executable and its file, in bytes.
uint64_t MemoryOf(const vm::ModuleDef& def, uint64_t file_bytes) {
  uint64_t bytes = file_bytes + def.bytecode.size() * kLoweredBytesPerByte;
  uint64_t letters = 0;
  for (const vm::FunctionDef& function : def.functions) {
    letters += function.calling_convention.size();
    bytes += function.attributes.size() * sizeof(vm::Attribute);
  }
  for (const vm::ImportDef& import : def.imports) {
    letters += import.calling_convention.size();
    bytes += import.attributes.size() * sizeof(vm::Attribute);
  }
  bytes += letters * 2 * sizeof(vm::CallElement);
  bytes += def.functions.size() *
           (sizeof(vm::FunctionDef) + sizeof(vm::FunctionCode) +
            sizeof(vm::CallingConvention) + sizeof(vm::LoweredCode));
  bytes += def.imports.size() *
           (sizeof(vm::ImportDef) + sizeof(vm::CallingConvention));
  bytes += def.exports.size() *
           (sizeof(vm::ExportDef) + sizeof(ExportInfo) + 2 * sizeof(uint32_t));
  bytes += def.types.size() * (sizeof(vm::ElementType) + sizeof(RefType) +
                               2 * sizeof(absl::string_view));
  bytes += def.dependencies.size() * sizeof(vm::DependencyDef);
  return bytes + def.rodata.size() * sizeof(vm::RodataDef);
}

// Reports whether an export is a kernel and so has an ordinal: all exports
// except those that the loader or the context calls. Compares whole names,
// because the compiler also creates kernels like "__builtin_splat_i64".
bool IsKernel(absl::string_view name) {
  return !vm::IsLifecycleExport(name) && name != kSetConstantsExport;
}

class Loader final : public ExecutableLoader {
 public:
  explicit Loader(std::shared_ptr<const vm::Jit> jit) : jit_(std::move(jit)) {}

  absl::string_view format() const override { return kFormat; }
  absl::StatusOr<Ref<hal::Executable>> Load(
      const ExecutableParams& params) const override {
    absl::StatusOr<Ref<hal::Executable>> loaded =
        Executable::Load(params, module_, jit_);
    if (loaded.ok()) return loaded;
    return Annotate(loaded.status(), "(in a VMVX executable)");
  }

  absl::StatusOr<ExecutableFacts> Describe(
      std::span<const uint8_t> data) const override {
    return Executable::Describe(data);
  }

 private:
  const std::shared_ptr<const vm::Module> module_ = CreateModule();
  const std::shared_ptr<const vm::Jit> jit_;
};

}  // namespace

std::shared_ptr<const ExecutableLoader> CreateLoader(
    std::shared_ptr<const vm::Jit> jit) {
  return std::make_shared<Loader>(std::move(jit));
}

absl::StatusOr<Ref<hal::Executable>> Executable::Load(
    const ExecutableParams& params, std::shared_ptr<const vm::Module> vmvx,
    std::shared_ptr<const vm::Jit> jit) {
  // Charge for the worst case before decoding, then for the actual size.
  const uint64_t worst = params.data.size() * kMaxBytesPerByte;
  ASSIGN_OR_RETURN(
      MemoryCharge charge,
      MemoryCharge::Take(params.memory, worst, "decoding an executable"));
  // LoadModule copies the data, which need not outlive this call.
  ASSIGN_OR_RETURN(auto verified,
                   vm::LoadModule(params.data, "The executable"));
  Ref<Executable> executable = Ref<Executable>::Adopt(new Executable());
  executable->params_.vmvx = std::move(vmvx);
  executable->params_.jit = std::move(jit);
  ASSIGN_OR_RETURN(executable->params_.program,
                   vm::BytecodeModule::Create(vm::InterpreterHandlers(),
                                              std::move(verified)));
  RETURN_IF_ERROR(
      Assign(executable->params_.constants, params.constants, "constants"));
  executable->params_.work = params.work;
  executable->params_.memory = params.memory;
  RETURN_IF_ERROR(executable->AddExports());
  charge.Sub(worst -
             std::min(worst, MemoryOf(executable->params_.program->def(),
                                      params.data.size())));
  executable->charge_ = std::move(charge);
  ASSIGN_OR_RETURN(std::unique_ptr<Worker> worker,
                   Worker::Create(executable->params_));
  executable->free_.push_back(std::move(worker));
  return Ref<hal::Executable>(std::move(executable));
}

absl::StatusOr<ExecutableFacts> Executable::Describe(
    std::span<const uint8_t> data) {
  ASSIGN_OR_RETURN(auto verified, vm::LoadModule(data, "The executable"));
  Ref<Executable> executable = Ref<Executable>::Adopt(new Executable());
  ASSIGN_OR_RETURN(executable->params_.program,
                   vm::BytecodeModule::Create(vm::InterpreterHandlers(),
                                              std::move(verified)));
  RETURN_IF_ERROR(executable->AddExports());
  ExecutableFacts facts;
  facts.name = std::string(executable->params_.program->name());
  RETURN_IF_ERROR(
      Reserve(facts.kernels, executable->exports_.size(), kExports));
  for (size_t i = 0; i < executable->exports_.size(); ++i) {
    const ExportInfo& info = executable->exports_[i];
    facts.kernels.push_back(
        {.name = std::string(info.name),
         .constant_count = ExportInfo::Declared(info.constant_count),
         .binding_count = ExportInfo::Declared(info.binding_count),
         .workgroup_size = {info.workgroup_size[0], info.workgroup_size[1],
                            info.workgroup_size[2]},
         .local_memory = executable->local_memory_sizes_[i],
         .source = ""});
  }
  return facts;
}

absl::Status Executable::AddExports() {
  const vm::ModuleDef& def = params_.program->def();
  const size_t count = def.exports.size();
  RETURN_IF_ERROR(Reserve(params_.kernels, count, kExports));
  RETURN_IF_ERROR(Reserve(exports_, count, kExports));
  RETURN_IF_ERROR(Reserve(local_memory_sizes_, count, kExports));
  for (uint32_t i = 0; i < def.exports.size(); ++i) {
    const vm::ExportDef& entry = def.exports[i];
    if (!IsKernel(entry.name)) continue;
    const vm::FunctionDef& function = def.functions[entry.function];
    const std::string convention =
        params_.program->verified().signature(entry.function).ToString();
    if (convention != kEntryConvention) {
      return absl::InvalidArgumentError(
          absl::StrCat("The executable's function '", PlainName(entry.name),
                       "' has the convention ", PlainName(convention), "; ",
                       kEntryConvention, " is required."));
    }
    ExportInfo info;
    info.name = entry.name;
    ASSIGN_OR_RETURN(info.constant_count,
                     ReadCount(function, entry.name, "constant_count",
                               cpu::kMaxDispatchConstants));
    ASSIGN_OR_RETURN(info.binding_count,
                     ReadCount(function, entry.name, "binding_count",
                               cpu::kMaxDispatchBindings));
    // Releases before 20240828 do not declare them.
    if (!vm::FindAttribute(function.attributes, "constant_count") &&
        !vm::FindAttribute(function.attributes, "binding_count")) {
      info.constant_count = info.binding_count = ExportInfo::kUndeclared;
    }
    ASSIGN_OR_RETURN(
        const uint32_t local_memory,
        ReadCount(function, entry.name, "local_memory", kMaxLocalMemory));
    params_.binding_capacity = std::max(params_.binding_capacity,
                                        ExportInfo::MaxOf(info.binding_count));
    params_.kernels.push_back(i);
    exports_.push_back(info);
    local_memory_sizes_.push_back(local_memory);
  }
  return absl::OkStatus();
}

absl::StatusOr<std::unique_ptr<Worker>> Executable::TakeWorker() const {
  {
    std::lock_guard<std::mutex> lock(mutex_);
    if (!free_.empty()) {
      std::unique_ptr<Worker> worker = std::move(free_.back());
      free_.pop_back();
      return worker;
    }
  }
  return Worker::Create(params_);
}

absl::Status Executable::RunGuarded(uint32_t ordinal,
                                    const cpu::DispatchState& state,
                                    cpu::WorkgroupRange range,
                                    std::span<uint8_t> local_memory,
                                    uint64_t read_only,
                                    WorkBudget* work) const {
  ASSIGN_OR_RETURN(std::unique_ptr<Worker> worker, TakeWorker());
  absl::Status status =
      worker->Run(ordinal, state, range, local_memory, read_only, work);
  RETURN_IF_ERROR(status);
  std::lock_guard<std::mutex> lock(mutex_);
  free_.push_back(std::move(worker));
  return absl::OkStatus();
}

}  // namespace eyrie::hal::vmvx
