#include "vm/run/bytecode_module.h"

#include <algorithm>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "base/allocate.h"
#include "base/fork_gate.h"
#include "base/plain_text.h"
#include "base/status_macros.h"
#include "vm/isa/operand.h"
#include "vm/lower/frame.h"
#include "vm/module/archive.h"
#include "vm/native/native_module.h"

namespace eyrie::vm {
namespace {

constexpr char kFunctions[] = "the functions of a module";
constexpr char kState[] = "the globals of a module";

constexpr uint32_t AlignTo16(uint32_t bytes) { return (bytes + 15) & ~15u; }

// Finds value types and the untyped ref by their names in modules.
bool FindPlainType(absl::string_view name, ElementType& type) {
  using Kind = ElementType::Kind;
  static constexpr std::pair<const char*, Kind> kPlain[] = {
      {"i8", Kind::kI8},
      {"i16", Kind::kI16},
      {"i32", Kind::kI32},
      {"i64", Kind::kI64},
      {"f32", Kind::kF32},
      {"f64", Kind::kF64},
      {"!vm.opaque", Kind::kVariant},
      {"?", Kind::kVariant},
      {"!vm.ref<?>", Kind::kRef},
  };
  for (const auto& [text, kind] : kPlain) {
    if (name == text) {
      type = {kind, nullptr};
      return true;
    }
  }
  return false;
}

}  // namespace

absl::StatusOr<std::shared_ptr<const BytecodeModule>> BytecodeModule::Create(
    const Handlers& handlers, std::shared_ptr<const VerifiedModule> verified,
    const RefTypes& types, bool pauses) {
  std::shared_ptr<BytecodeModule> module(
      new BytecodeModule(handlers, std::move(verified), pauses));
  RETURN_IF_ERROR(module->ResolveTypes(types));
  RETURN_IF_ERROR(module->LayOutFunctions());
  return std::shared_ptr<const BytecodeModule>(std::move(module));
}

absl::Status BytecodeModule::ResolveTypes(const RefTypes& types) {
  RETURN_IF_ERROR(Reserve(types_, def().types.size(), "a module's types"));
  for (absl::string_view name : def().types) {
    ElementType type;
    if (!FindPlainType(name, type)) {
      absl::string_view ref_name = absl::StripPrefix(name, "!");
      // All lists have one type here; each list checks its elements itself.
      if (absl::StartsWith(ref_name, "vm.list")) ref_name = "vm.list";
      type = {ElementType::Kind::kRef, types.Find(ref_name)};
      if (type.ref == nullptr) {
        // Names are strings of the FlatBuffer, which end with a NUL.
        RETURN_IF_ERROR(PushBack(
            unknown_types_, std::make_unique<RefType>(RefType{ref_name.data()}),
            "a module's types"));
        type.ref = unknown_types_.back().get();
      }
    }
    types_.push_back(type);
  }
  return absl::OkStatus();
}

absl::Status BytecodeModule::LayOutFunctions() {
  const std::vector<FunctionDef>& defs = def().functions;
  functions_ = NewArray<FunctionCode>(defs.size());
  if (functions_ == nullptr) {
    return CannotAllocate(defs.size(), sizeof(FunctionCode), kFunctions);
  }
  RETURN_IF_ERROR(Reserve(argument_places_, defs.size(), kFunctions));
  RETURN_IF_ERROR(Resize(lowered_, defs.size(), kFunctions));
  RETURN_IF_ERROR(Resize(attempts_, defs.size(), kFunctions));
  for (uint32_t i = 0; i < defs.size(); ++i) {
    const CallingConvention& signature = verified_->signature(i);
    std::vector<ArgumentPlace>& places = argument_places_.emplace_back();
    RETURN_IF_ERROR(
        Reserve(places, signature.argument_types().size(), kFunctions));
    RegisterCounts next;
    const ArgumentLayout layout = verified_->argument_layout(i);
    for (ValueType type : signature.argument_types()) {
      places.push_back({static_cast<uint16_t>(next.Add(type, layout)), type});
    }
    if (defs[i].bytecode.size() > kMaxFunctionBytes) {
      return absl::ResourceExhaustedError(absl::StrCat(
          "Function ", PlainName(name()), ".", PlainName(def().FunctionName(i)),
          " has ", defs[i].bytecode.size(), " bytes of code, more than ",
          kMaxFunctionBytes, "."));
    }
    FunctionCode& code = functions_[i];
    code.entry = handlers_.unlowered[0];
    code.traced_entry = handlers_.unlowered[1];
    code.code = defs[i].bytecode.data();
    code.code_size = static_cast<uint32_t>(defs[i].bytecode.size());
    code.ordinal = i;
    code.ref_count = defs[i].ref_register_count;
    code.ref_bytes =
        AlignTo16(code.ref_count * static_cast<uint32_t>(sizeof(RefObject*)));
    // One extra register, since a native call copies 8 bytes of every i32.
    code.frame_bytes = static_cast<uint32_t>(sizeof(Frame)) + code.ref_bytes +
                       AlignTo16((defs[i].i32_register_count + 1u) * 4u);
    code.argument_count = static_cast<uint32_t>(places.size());
    code.arguments = places.data();
    code.result_count = static_cast<uint32_t>(signature.result_types().size());
    code.results = signature.result_types().data();
  }
  return absl::OkStatus();
}

BytecodeModule::Traced& BytecodeModule::traced() const {
  std::call_once(traced_once_,
                 [this] { traced_ = std::make_unique<Traced>(def()); });
  return *traced_;
}

void BytecodeModule::TraceFunction(uint32_t ordinal) const {
  trace::Begin(trace::Category::kFunction, traced().functions[ordinal],
               [&] { return def().QualifiedName(ordinal); });
}

void BytecodeModule::TraceImport(uint32_t ordinal) const {
  trace::Begin(trace::Category::kImport, traced().imports[ordinal], [&] {
    constexpr size_t kMax = 1024;
    return std::string(def().imports[ordinal].full_name.substr(0, kMax));
  });
}

const uint8_t* BytecodeModule::LowerFunction(uint32_t ordinal,
                                             bool traced) const {
  const std::lock_guard<std::mutex> gate(ForkGate());
  const std::lock_guard<std::mutex> lock(lowering_);
  if (!traced) return LowerLocked(ordinal);
  LoweredCode& code = this->traced().lowered[ordinal];
  if (code.empty()) code = LowerOnce(ordinal, /*traced=*/true);
  if (code.empty()) return nullptr;
  const auto* entry = reinterpret_cast<const uint8_t*>(code.data());
  functions_[ordinal].traced_entry.store(entry, std::memory_order_release);
  return entry;
}

LoweredCode BytecodeModule::LowerOnce(uint32_t ordinal, bool traced,
                                      LoweredPlaces* places) const {
  return Lower(*verified_, functions(), ordinal, pauses_,
               handlers_.find[traced], places);
}

const uint8_t* BytecodeModule::LowerLocked(uint32_t ordinal) const {
  LoweredCode& code = lowered_[ordinal];
  FunctionCode& function = functions_[ordinal];
  if (code.empty()) {
    code = LowerOnce(ordinal, /*traced=*/false);
    if (code.empty()) return nullptr;
    const auto* entry = reinterpret_cast<const uint8_t*>(code.data());
    function.lowered.store(entry, std::memory_order_release);
    function.entry.store(entry, std::memory_order_release);
  }
  return function.Lowered();
}

const void* BytecodeModule::CompileFunction(const Jit& jit, uint32_t ordinal,
                                            CompileStopped stopped) const {
  const std::lock_guard<std::mutex> gate(ForkGate());
  const std::lock_guard<std::mutex> lock(lowering_);
  return CompileLocked(jit, ordinal, stopped);
}

const void* BytecodeModule::CompileHot(const Jit& jit, uint32_t ordinal,
                                       CompileStopped stopped) const {
  // Does not wait while another thread compiles: the function remains hot and
  // will be tried again.
  const std::unique_lock<std::mutex> gate(ForkGate(), std::try_to_lock);
  if (!gate.owns_lock()) return nullptr;
  const std::lock_guard<std::mutex> lock(lowering_);
  Attempt& attempt = attempts_[ordinal];
  if (attempt == Attempt::kNone && !jit.Pays(*this, ordinal, stopped)) {
    attempt = Attempt::kDoesNotPay;
  }
  if (attempt == Attempt::kDoesNotPay) return nullptr;
  return CompileLocked(jit, ordinal, stopped);
}

// Compiling a function also compiles the functions that its loops call,
// recursively up to these limits of depth and bytes of bytecode, because the
// caller waits meanwhile.
struct BytecodeModule::Callees {
  int deep = 8;
  uint32_t bytes = 64 << 10;
  CompileStopped stopped;
};

const void* BytecodeModule::CompileLocked(const Jit& jit, uint32_t ordinal,
                                          CompileStopped stopped) const {
  Callees callees = {.stopped = stopped};
  return CompileWith(jit, ordinal, callees);
}

const void* BytecodeModule::CompileWith(const Jit& jit, uint32_t ordinal,
                                        Callees& callees) const {
  const uint8_t* lowered = LowerLocked(ordinal);
  const CompiledThunks* thunks = jit.thunks();
  if (lowered == nullptr || thunks == nullptr || pauses_) return nullptr;
  if (compiled_ == nullptr) {
    compiled_ = jit.NewModule(*this);
    for (size_t i = 0; i < attempts_.size(); ++i) {
      functions_[i].compiled = thunks->uncompiled;
    }
  }
  FunctionCode& function = functions_[ordinal];
  if (std::exchange(attempts_[ordinal], Attempt::kMade) != Attempt::kMade) {
    const auto callee = [&](uint32_t other) {
      const uint32_t size = functions_[other].code_size;
      if (attempts_[other] == Attempt::kMade || callees.deep == 0 ||
          size > callees.bytes) {
        return;
      }
      callees.bytes -= size;
      --callees.deep;
      CompileWith(jit, other, callees);
      ++callees.deep;
    };
    const CompiledFunction code =
        jit.Compile(*this, ordinal, *compiled_, callee, callees.stopped);
    if (code.stopped) attempts_[ordinal] = Attempt::kNone;
    if (code.call == nullptr) return nullptr;
    function.compiled_words.store(code.words, std::memory_order_relaxed);
    function.compiled_entry.store(code.entry, std::memory_order_release);
    function.compiled.store(code.call, std::memory_order_release);
    function.entry.store(handlers_.enter, std::memory_order_release);
  }
  return function.compiled_entry.load(std::memory_order_relaxed);
}

LoweredFunctionPlaces BytecodeModule::PlacesOf(uint32_t ordinal) const {
  LoweredFunctionPlaces found;
  const LoweredCode code = LowerOnce(ordinal, /*traced=*/false, &found.places);
  found.bytes = code.size() * sizeof(code[0]);
  return found;
}

uint32_t BytecodeModule::BytecodeOffset(
    uint32_t ordinal, const uint8_t* lowered,
    const LoweredFunctionPlaces& found) const {
  // Lowered code has the same layout whether it is traced or not.
  uint32_t offset = 0;
  for (const bool traced : {false, true}) {
    const FunctionCode& function = functions_[ordinal];
    const uint8_t* entry = traced ? function.Entry(true) : function.Lowered();
    const uint8_t* unlowered = handlers_.unlowered[traced];
    if (lowered == unlowered || lowered == handlers_.enter) return 0;
    if (entry != nullptr && entry != unlowered && lowered >= entry &&
        lowered < entry + found.bytes) {
      offset = static_cast<uint32_t>(lowered - entry);
    }
  }
  const auto& places = found.places;
  const auto place = std::upper_bound(
      places.begin(), places.end(), std::make_pair(offset, kMaxFunctionBytes));
  return place == places.begin() ? 0 : (place - 1)->second;
}

absl::StatusOr<const ExportDef*> BytecodeModule::FindExport(
    absl::string_view name) const {
  const ExportDef* const found = def().FindExport(name);
  if (found != nullptr) return found;
  return absl::NotFoundError(absl::StrCat("Module ", PlainName(this->name()),
                                          " exports no function ",
                                          PlainName(name), "."));
}

absl::StatusOr<uint32_t> BytecodeModule::ResolveImport(
    absl::string_view name, absl::string_view signature) const {
  ASSIGN_OR_RETURN(const ExportDef* found, FindExport(name));
  const std::string has = verified_->signature(found->function).ToString();
  if (has != signature) {
    return absl::UnimplementedError(absl::StrCat(
        "Function ", PlainName(this->name()), ".", PlainName(name),
        " has no signature ", signature, "; the nearest known is ", has, "."));
  }
  return found->function;
}

absl::StatusOr<std::unique_ptr<ModuleState>> BytecodeModule::CreateState()
    const {
  BytecodeState::Storage storage;
  const size_t words = (size_t{def().global_bytes} + 7) / 8;
  RETURN_IF_ERROR(Resize(storage.globals, words, kState));
  RETURN_IF_ERROR(Resize(storage.refs, def().global_refs, kState));
  RETURN_IF_ERROR(Resize(storage.rodata, def().rodata.size(), kState));
  RETURN_IF_ERROR(Resize(storage.imports, def().imports.size(), kState));
  return std::unique_ptr<ModuleState>(
      std::make_unique<BytecodeState>(shared_from_this(), std::move(storage)));
}

Ref<Buffer> BorrowRodata(const ModuleDef& def, uint32_t ordinal) {
  const auto check = [](const void* archive, std::span<const uint8_t> bytes) {
    return static_cast<const Archive*>(archive)->CheckMemberOf(bytes);
  };
  const std::shared_ptr<const Archive>& archive = def.shared_archive();
  return Buffer::Borrow(def.rodata[ordinal].bytes, archive, archive->file(),
                        check);
}

BytecodeState::BytecodeState(std::shared_ptr<const BytecodeModule> owner,
                             Storage storage)
    : module(std::move(owner)),
      types(module->types().data()),
      global_bytes(module->def().global_bytes),
      global_ref_count(module->def().global_refs),
      storage_(std::move(storage)),
      globals(reinterpret_cast<uint8_t*>(storage_.globals.data())),
      global_refs(storage_.refs.data()),
      imports(std::move(storage_.imports)) {}

BytecodeState::~BytecodeState() {
  for (RefObject* object : storage_.refs) {
    if (object != nullptr) object->DropRef();
  }
}

Buffer* BytecodeState::Rodata(uint32_t ordinal) {
  Ref<Buffer>& buffer = storage_.rodata[ordinal];
  if (!buffer) {
    buffer = BorrowRodata(module->def(), ordinal);
  }
  return buffer.get();
}

}  // namespace eyrie::vm
