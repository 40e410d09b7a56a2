#include "vm/jit/jit.h"

#include <sys/mman.h>

#include <atomic>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "asmjit/core.h"
#include "base/hash_map.h"
#include "base/status_macros.h"
#include "vm/jit/body.h"
#include "vm/jit/code_memory.h"
#include "vm/jit/emitter.h"
#include "vm/jit/errors.h"
#include "vm/jit/gdb.h"
#include "vm/jit/inlining.h"
#include "vm/jit/looks.h"
#include "vm/jit/machine_code.h"
#include "vm/jit/program.h"
#include "vm/jit/registers.h"
#include "vm/jit/thunks.h"
#include "vm/jit/treatment.h"
#include "vm/jit/views.h"
#include "vm/jit/webs.h"
#include "vm/run/bytecode_module.h"

namespace eyrie::vm::jit {
namespace {

// Longer functions are interpreted, since the caller waits for the compiler.
constexpr uint32_t kMaxFunctionBytes = uint32_t{1} << 20;
// Compiled code clears and drops every reference register. Registers that the
// bytecode never uses would make the code of a short function long.
constexpr uint32_t kFewRefs = 256;
// Limits for bytes of globals and for other objects found by their number:
// offsets in code are signed.
constexpr uint32_t kMaxGlobals = uint32_t{1} << 30;
constexpr size_t kMaxThings = size_t{1} << 24;

// Checks that there is enough memory to compile. Needed because neither asmjit
// nor the standard library can report that memory is exhausted. Thread-safe.
class MemoryProbe {
 public:
  // Reports whether there is memory to compile a function of this size. Asks
  // the system again only after several KiB of bytecode.
  bool Has(uint32_t bytecode) {
    if (left_.fetch_sub(bytecode) >= bytecode) return true;
    const size_t size = kLeast + bytecode * kPerByte;
    void* const memory = mmap(nullptr, size, PROT_READ | PROT_WRITE,
                              MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) return false;
    munmap(memory, size);
    left_ = kAskEvery;
    return true;
  }

 private:
  // Includes copies of short functions in a few nested callers.
  static constexpr size_t kLeast = size_t{2} << 20;
  static constexpr size_t kPerByte = 128;
  static constexpr int64_t kAskEvery = 4 << 10;  // kLeast has room for it

  std::atomic<int64_t> left_ = 0;
};

// The result of compiling a function.
struct MachineCode {
  asmjit::CodeHolder code;  // not yet at its final address
  Errors errors;
  Marks marks;
};

// Keeps all numbers in the frame; those that are not arguments start as zero.
void StayInFrame(Body& body) {
  auto& [program, webs, homes] = body;
  webs = Webs();
  homes.assign(1, Home());
  for (Access& access : program.accesses) access.web = 0;
  std::vector<bool> argument(program.slots);
  for (uint32_t i = 0; i < program.function->argument_count; ++i) {
    const ArgumentPlace place = program.function->arguments[i];
    if (place.type == ValueType::kRef) continue;
    argument[place.reg] = true;
    if (IsWide(place.type)) argument[place.reg + 1] = true;
  }
  for (uint32_t slot = 0; slot < program.slots; ++slot) {
    if (!argument[slot]) webs.zeroed.push_back(static_cast<uint16_t>(slot));
  }
}

// Calls `callee` with each function that loops call and that is not inlined.
void NameCallees(const Body& body, const Inlined& inlined,
                 absl::FunctionRef<void(uint32_t)> callee) {
  const std::vector<float>& frequency = body.webs.frequency;
  for (uint32_t n = 0; n < frequency.size(); ++n) {
    const Instruction& i = body.program.instructions[n];
    if (frequency[n] == 1 || !i.is(Lowered::kCallFunction)) continue;
    if (inlined.contains(n)) continue;
    callee(LoweredAt<LoweredCallFunction>(i.at).callee->ordinal);
  }
}

bool Assemble(const BytecodeModule& module, uint32_t function, bool inlines,
              absl::FunctionRef<void(uint32_t)> callee, Looks& looks,
              MachineCode& result) {
  Body body;
  auto& [program, webs, homes] = body;
  program = ReadProgram(module, function, looks);
  if (program.code.empty()) return false;
  std::vector<View> views;
  if (FindWebs(program, webs, looks)) {
    views = FindViews(program, webs, looks);
    homes = FindHomes(program, webs, looks);
    if (looks.stopped()) return false;
    std::erase_if(views, [&](const View& view) {
      return !homes[view.count_web].in_register() ||
             !homes[view.data_web].in_register();
    });
  } else {
    StayInFrame(body);
  }
  if (looks.stopped()) return false;
  Inlined inlined;
  if (inlines) inlined = FindInlined(program, looks);
  NameCallees(body, inlined, callee);
  asmjit::CodeHolder& code = result.code;
  if (code.init(asmjit::Environment::host()) != asmjit::kErrorOk) return false;
  code.setErrorHandler(&result.errors);
  result.marks = Emitter(std::move(body), std::move(inlined), std::move(views),
                         code, looks)
                     .Run();
  if (looks.stopped()) return false;
  return !result.errors.any() && code.flatten() == asmjit::kErrorOk &&
         code.resolveUnresolvedLinks() == asmjit::kErrorOk;
}

// The thunks and their memory; retained by all code that calls them.
struct ReadyThunks {
  ReadyThunks(std::shared_ptr<CodePool> pool, bool takes_breakpoints)
      : memory(std::move(pool), takes_breakpoints) {}

  CodeMemory memory;
  CompiledThunks thunks = {};
  std::unique_ptr<GdbEntry> gdb;
};

// Thread-safe: sites are looked up while other threads add code.
class ModuleCode final : public CompiledModule {
 public:
  ModuleCode(std::shared_ptr<const ReadyThunks> ready,
             std::shared_ptr<CodePool> pool, bool takes_breakpoints)
      : CompiledModule(ready->thunks),
        ready_(std::move(ready)),
        memory_(std::move(pool), takes_breakpoints) {}

  CompiledSite FindSite(const void* address) const override {
    const std::lock_guard<std::mutex> lock(mutex_);
    return sites_.at(address);
  }

  const void* FindTurn(uint32_t function, uint32_t offset) const override {
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto found = turns_.find(std::make_pair(function, offset));
    return found == turns_.end() ? nullptr : found->second;
  }

  // Adds a function's code. Returns no code if there is not enough memory.
  CompiledFunction Add(const FunctionCode& function, MachineCode& made,
                       const std::string* gdb_name) {
    const std::lock_guard<std::mutex> lock(mutex_);
    std::vector<uint8_t> bytes;
    const uint8_t* const place = Publish(made, bytes);
    if (place == nullptr) return {};
    auto at = [&](const asmjit::Label& label) {
      return place + made.code.labelOffset(label);
    };
    for (const Mark& mark : made.marks.calls) {
      sites_[at(mark.label)] = {&function, mark.offset};
    }
    for (const Mark& mark : made.marks.turns) {
      turns_[std::make_pair(function.ordinal, mark.offset)] = at(mark.label);
    }
    if (gdb_name != nullptr) {
      gdb_.push_back(std::make_unique<GdbEntry>(CreateObjectFile(
          reinterpret_cast<uint64_t>(place), bytes.size(),
          {{*gdb_name, 0, bytes.size()}}, made.marks.unwinding)));
    }
    return {place, at(made.marks.entry), made.marks.words, bytes.size()};
  }

 private:
  // Returns null if there is not enough memory.
  const uint8_t* Publish(MachineCode& made, std::vector<uint8_t>& bytes) {
    const auto place = memory_.Reserve(made.code.codeSize());
    if (!place.ok()) return nullptr;
    const auto base = reinterpret_cast<uint64_t>(*place);
    if (made.code.relocateToBase(base) != asmjit::kErrorOk) return nullptr;
    bytes.resize(made.code.codeSize());
    made.code.copyFlattenedData(bytes.data(), bytes.size());
    const auto published = memory_.Publish(bytes.data(), bytes.size());
    return published.ok() ? *published : nullptr;
  }

  const std::shared_ptr<const ReadyThunks> ready_;
  mutable std::mutex mutex_;
  CodeMemory memory_;  // guarded by mutex_, like the members below
  std::vector<std::unique_ptr<GdbEntry>> gdb_;
  HashMap<const void*, CompiledSite> sites_;
  std::map<std::pair<uint32_t, uint32_t>, const void*> turns_;
};

class JitOfThisMachine final : public Jit {
 public:
  JitOfThisMachine(Mode mode, Names names)
      : Jit(mode == Mode::kEager), names_(std::move(names)) {}

  // Creates the thunks; only the first call does.
  const absl::Status& Prepare() const {
    std::call_once(once_, [this] { prepared_ = CreateReady(); });
    return prepared_;
  }

  const CompiledThunks* thunks() const override {
    return Prepare().ok() ? &ready_->thunks : nullptr;
  }

  std::unique_ptr<CompiledModule> NewModule(
      const BytecodeModule& module) const override {
    return std::make_unique<ModuleCode>(ready_, pool_, names_.gdb);
  }

  CompiledFunction Compile(const BytecodeModule& module, uint32_t function,
                           CompiledModule& into,
                           absl::FunctionRef<void(uint32_t)> callee,
                           CompileStopped stopped) const override {
    const FunctionCode& code = module.function(function);
    if (code.code_size > kMaxFunctionBytes || code.code_size == 0 ||
        code.ref_count > kFewRefs + code.code_size / 2 ||
        code.result_count > kMaxCompiledResults ||
        module.def().global_bytes > kMaxGlobals ||
        module.def().global_refs > kMaxThings ||
        module.def().rodata.size() > kMaxThings ||
        module.def().imports.size() > kMaxThings ||
        !probe_.Has(code.code_size)) {
      return {};
    }
    Looks looks(stopped);
    MachineCode machine_code;
    // With gdb, functions must be called for breakpoints to work.
    const bool inlines = !names_.gdb;
    if (!Assemble(module, function, inlines, callee, looks, machine_code)) {
      return {.stopped = looks.stopped()};
    }
    std::string name;
    if (names_.gdb || names_.perf_map != nullptr) {
      name = NameOf(module, function);
    }
    const CompiledFunction compiled = static_cast<ModuleCode&>(into).Add(
        code, machine_code, names_.gdb ? &name : nullptr);
    if (names_.perf_map != nullptr && compiled.call != nullptr) {
      names_.perf_map
          ->Add({{{reinterpret_cast<uint64_t>(compiled.call), compiled.bytes,
                   name}}})
          .IgnoreError();
    }
    return compiled;
  }

  bool Pays(const BytecodeModule& module, uint32_t function,
            CompileStopped stopped) const override {
    if (!probe_.Has(module.function(function).code_size)) return false;
    Looks looks(stopped);
    const Program program = ReadProgram(module, function, looks);
    return looks.stopped() || PaysToCompile(program);
  }

 private:
  absl::Status CreateReady() const {
    if (const char* needed = MissingInstructions()) {
      return absl::UnimplementedError(
          absl::StrCat("Compiled code requires a processor with ", needed));
    }
    if (!probe_.Has(1)) {
      return absl::ResourceExhaustedError(
          "There is not enough memory to compile functions.");
    }
    auto ready = std::make_shared<ReadyThunks>(pool_, names_.gdb);
    ASSIGN_OR_RETURN(ThunkCode made, CreateThunks(ready->memory));
    ready->thunks = made.thunks;
    if (names_.gdb) {
      ready->gdb = std::make_unique<GdbEntry>(
          CreateObjectFile(reinterpret_cast<uint64_t>(made.code), made.size,
                           made.names, made.unwinding));
    }
    ready_ = std::move(ready);
    return absl::OkStatus();
  }

  static std::string NameOf(const BytecodeModule& module, uint32_t function) {
    return module.def().QualifiedName(function);
  }

  const Names names_;
  mutable MemoryProbe probe_;
  const std::shared_ptr<CodePool> pool_ = std::make_shared<CodePool>();
  // Written once, by Prepare.
  mutable std::once_flag once_;
  mutable absl::Status prepared_;
  mutable std::shared_ptr<const ReadyThunks> ready_;
};

}  // namespace

bool HasCompiler() { return true; }

absl::StatusOr<std::shared_ptr<const Jit>> Create(Mode mode, Names names) {
  auto jit = std::make_shared<JitOfThisMachine>(mode, std::move(names));
  if (mode == Mode::kEager) RETURN_IF_ERROR(jit->Prepare());
  return std::shared_ptr<const Jit>(std::move(jit));
}

}  // namespace eyrie::vm::jit
