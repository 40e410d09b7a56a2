#include "abi/c/host_module.h"

#include <algorithm>
#include <array>
#include <utility>

#include "abi/c/host_values.h"
#include "abi/native/native_call.h"
#include "abi/native/task_pool.h"
#include "absl/strings/str_cat.h"
#include "base/plain_text.h"
#include "base/status_macros.h"
#include "base/suggest.h"
#include "vm/native/native_binding.h"

namespace eyrie::abi {
namespace {

using vm::binding_internal::GiveUp;

// Functions with at most so many numbers take the fast path.
constexpr size_t kFewArguments = 8;
constexpr size_t kFewResults = 4;

// A host function that is bound to an import.
class HostImport final : public vm::ModuleState {
 public:
  HostImport(std::shared_ptr<const HostFunction> function,
             HostModuleState& module)
      : function_(std::move(function)),
        module_(module),
        entry_(function_->entry),
        user_(function_->user.get()),
        arguments_(static_cast<uint32_t>(function_->arguments.size())),
        results_(static_cast<uint32_t>(function_->results.size())) {}

  // Reports whether CallNumbers can be used.
  bool is_plain() const {
    const auto are_numbers = [](const std::vector<SlotKind>& kinds) {
      for (const SlotKind kind : kinds) {
        if (kind > SlotKind::k64) return false;
      }
      return true;
    };
    return are_numbers(function_->arguments) &&
           are_numbers(function_->results) && arguments_ <= kFewArguments &&
           results_ <= kFewResults;
  }

  static absl::Status CallNumbers(vm::ModuleState* state, uint8_t* frame,
                                  const uint32_t* places);
  static absl::Status CallAny(vm::ModuleState* state, uint8_t* frame,
                              const uint32_t* places) {
    const auto& self = static_cast<const HostImport&>(*state);
    eyrie_host_call_t call = {*self.function_, self.module_, frame, places};
    return self.Run(call, frame, places + self.arguments_);
  }
  static absl::Status CallBetweenFences(vm::ModuleState* state, uint8_t* frame,
                                        const uint32_t* places);

 private:
  absl::Status Run(eyrie_host_call_t& call, uint8_t* frame,
                   const uint32_t* next) const;

  const std::shared_ptr<const HostFunction> function_;
  HostModuleState& module_;
  const eyrie_host_function_t entry_;
  void* const user_;
  const uint32_t arguments_;
  const uint32_t results_;
};

absl::Status HostImport::CallNumbers(vm::ModuleState* state, uint8_t* frame,
                                     const uint32_t* places) {
  const auto& self = static_cast<const HostImport&>(*state);
  const HostFunction& function = *self.function_;
  // Not initialized as a whole: only the slots that the function has are set.
  std::array<eyrie_slot_t, kFewArguments> arguments;
  std::array<eyrie_slot_t, kFewResults> results;
  for (uint32_t i = 0; i < self.arguments_; ++i) {
    ReadNumber(function.arguments[i], function.signature.arguments[i], frame,
               places[i], arguments[i]);
  }
  for (uint32_t i = 0; i < self.results_; ++i) results[i].i64 = 0;
  eyrie_host_call_t call = {function, self.module_, frame, places};
  eyrie_error_t* const error =
      self.entry_(&call, arguments.data(), results.data(), self.user_);
  if (error != nullptr) [[unlikely]]
    return TakeHostError(error);
  const uint32_t* const next = GiveUp(frame, places + self.arguments_);
  for (uint32_t i = 0; i < self.results_; ++i) {
    WriteNumber(function.results[i], function.signature.results[i], results[i],
                frame, next[i]);
  }
  return absl::OkStatus();
}

absl::Status HostImport::Run(eyrie_host_call_t& call, uint8_t* frame,
                             const uint32_t* next) const {
  HostArguments arguments;
  RETURN_IF_ERROR(arguments.Read(call));
  call.slots = arguments.slots();
  HostResults results(*function_);
  eyrie_error_t* const error =
      entry_(&call, arguments.slots(), results.slots(), user_);
  if (error != nullptr) [[unlikely]]
    return TakeHostError(error);
  RETURN_IF_ERROR(results.Encode(call));
  // Nothing can fail from here on.
  results.Store(frame, GiveUp(frame, next));
  return absl::OkStatus();
}

absl::Status HostImport::CallBetweenFences(vm::ModuleState* state,
                                           uint8_t* frame,
                                           const uint32_t* places) {
  const auto& self = static_cast<const HostImport&>(*state);
  const uint32_t* const next = places + self.arguments_;
  std::array<vm::Slot, 2> slots;
  slots[0].ref = RefAt(frame, next[0]);
  slots[1].ref = RefAt(frame, next[1]);
  ASSIGN_OR_RETURN(const native::CallFences fences,
                   native::ReadFences(slots.data()));
  const bool is_async = self.function_->signature.is_async;
  // The frame's references may be given up before the fence is signalled.
  const auto signal = Ref<hal::Fence>::Share(fences.signal);
  eyrie_host_call_t call = {*self.function_,
                            self.module_,
                            frame,
                            places,
                            is_async ? fences.wait : nullptr,
                            is_async ? fences.signal : nullptr};
  absl::Status status;
  if (!is_async && fences.wait != nullptr) {
    status = native::WaitWithinLimits(*fences.wait, self.module_);
  }
  if (status.ok()) status = self.Run(call, frame, next + 2);
  if (!is_async || !status.ok()) native::EndFence(*signal, status);
  return status;
}

// Binds the function to an import. UNIMPLEMENTED: the import has another
// calling convention; the message has both.
absl::StatusOr<vm::NativeImport> BindHostFunction(
    std::shared_ptr<const HostFunction> function,
    const vm::CallingConvention& convention, HostModuleState& module) {
  const HostSignature& signature = function->signature;
  const std::string given = convention.ToString();
  const bool fences = given == signature.Convention(/*fences=*/true);
  const bool same = given == signature.Convention(/*fences=*/false);
  if (signature.is_async ? !fences : !fences && !same) {
    return absl::UnimplementedError(absl::StrCat(
        "The host function ", function->name, " is ", signature.ToString(),
        ", with the calling convention ",
        signature.Convention(signature.is_async),
        ", and is imported with the calling convention ", given, "."));
  }
  auto import = std::make_shared<HostImport>(std::move(function), module);
  const bool plain = import->is_plain();
  vm::ModuleState* const state = module.Keep(std::move(import));
  return vm::NativeImport{nullptr,
                          fences  ? HostImport::CallBetweenFences
                          : plain ? HostImport::CallNumbers
                                  : HostImport::CallAny,
                          state};
}

// The objects that the native functions of a context share; null if there are
// none.
using NativeServicesPtr = std::shared_ptr<const native::NativeServices>;

// The state of a module with native functions, whose memory has an owner.
class NativeHostState final : public HostModuleState {
 public:
  NativeHostState(std::shared_ptr<const HostServices> services, uint64_t owner)
      : HostModuleState(std::move(services)), owner_(owner) {}

  uint64_t owner() const { return owner_; }

 private:
  const uint64_t owner_;
};

class HostModule final : public vm::Module {
 public:
  HostModule(std::string name, std::shared_ptr<const HostTable> table,
             std::shared_ptr<const HostServices> services,
             NativeServicesPtr natives)
      : name_(std::move(name)),
        table_(std::move(table)),
        services_(std::move(services)),
        natives_(std::move(natives)) {}

  absl::string_view name() const override { return name_; }
  uint32_t version() const override { return 0; }
  absl::StatusOr<std::unique_ptr<vm::ModuleState>> CreateState() const override;
  absl::StatusOr<vm::NativeImport> BindImport(
      vm::ModuleState& state, absl::string_view name,
      const vm::CallingConvention& signature) const override;

 private:
  absl::StatusOr<vm::NativeImport> BindNative(
      const native::NativeFunction& function, NativeHostState& state,
      absl::string_view name, absl::string_view attributes,
      const vm::CallingConvention& signature) const;
  absl::Status NoFunction(absl::string_view name) const;

  const std::string name_;
  const std::shared_ptr<const HostTable> table_;
  const std::shared_ptr<const HostServices> services_;
  const NativeServicesPtr natives_;
};

absl::StatusOr<std::unique_ptr<vm::ModuleState>> HostModule::CreateState()
    const {
  const uint64_t owner =
      natives_ ? natives_->device->allocator().NewOwner() : 0;
  auto state = std::make_unique<NativeHostState>(services_, owner);
  const HostState& wanted = table_->state;
  if (wanted.create != nullptr) {
    void* own = nullptr;
    eyrie_error_t* const error = wanted.create(wanted.user.get(), &own);
    if (error != nullptr) {
      return Annotate(TakeHostError(error),
                      absl::StrCat("(the state of the module ", name_, ")"));
    }
    state->SetState(own, wanted.free);
  }
  return state;
}

absl::Status HostModule::NoFunction(absl::string_view name) const {
  constexpr size_t kMaxListed = 20;
  std::vector<std::string> names;
  std::string list;
  for (const auto& row : table_->functions) {
    if (names.size() < kMaxListed) {
      absl::StrAppend(&list, list.empty() ? "" : ", ", row.first);
    }
    names.push_back(row.first);
  }
  return absl::NotFoundError(absl::StrCat(
      "The linker defines no function ", name_, ".", PlainName(name), ".",
      DidYouMean(std::string(name), names), " It defines in this module: ",
      list, names.size() > kMaxListed ? ", …" : "", "."));
}

absl::StatusOr<vm::NativeImport> HostModule::BindNative(
    const native::NativeFunction& function, NativeHostState& state,
    absl::string_view name, absl::string_view attributes,
    const vm::CallingConvention& signature) const {
  const std::string full_name = absl::StrCat(name_, ".", name);
  absl::StatusOr<std::shared_ptr<native::BoundFunction>> bound =
      function.Bind({.name = full_name,
                     .attributes = attributes,
                     .signature = signature,
                     .services = natives_,
                     .state = state,
                     .owner = state.owner()});
  if (!bound.ok()) {
    return Annotate(bound.status(), absl::StrCat("(native function ",
                                                 PlainName(full_name), ")"));
  }
  return vm::NativeImport{native::BoundFunction::Call, nullptr,
                          state.Keep(*std::move(bound))};
}

absl::StatusOr<vm::NativeImport> HostModule::BindImport(
    vm::ModuleState& state, absl::string_view name,
    const vm::CallingConvention& signature) const {
  auto& own = static_cast<NativeHostState&>(state);
  const size_t mark = std::min(name.find('?'), name.size());
  const auto found = table_->functions.find(name.substr(0, mark));
  if (found == table_->functions.end()) return NoFunction(name);
  if (const auto* function =
          std::get_if<std::shared_ptr<const HostFunction>>(&found->second)) {
    if (mark == name.size()) return BindHostFunction(*function, signature, own);
    return absl::InvalidArgumentError(
        absl::StrCat("The import ", name_, ".", PlainName(name),
                     " has attributes; host functions have none."));
  }
  return BindNative(
      *std::get<std::shared_ptr<const native::NativeFunction>>(found->second),
      own, name, name.substr(std::min(mark + 1, name.size())), signature);
}

}  // namespace

bool HostTable::has_native() const {
  return std::any_of(functions.begin(), functions.end(),
                     [](const auto& row) { return row.second.index() == 1; });
}

}  // namespace eyrie::abi

namespace abi = eyrie::abi;

abi::HostTable& eyrie_linker_t::TableOf(absl::string_view module) {
  std::shared_ptr<abi::HostTable>& table = tables[std::string(module)];
  if (table == nullptr) {
    table = std::make_shared<abi::HostTable>();
  } else if (table.use_count() > 1) {
    table = std::make_shared<abi::HostTable>(*table);
  }
  return *table;
}

absl::Status eyrie_linker_t::Add(absl::string_view name, abi::HostRow row) {
  const size_t dot = name.find('.');
  if (dot == name.npos || dot == 0 || dot + 1 == name.size()) {
    return absl::InvalidArgumentError(
        absl::StrCat("The name of a host function is '", eyrie::PlainName(name),
                     "'; expected 'module.function'."));
  }
  const absl::string_view local = name.substr(dot + 1);
  abi::HostTable& table = TableOf(name.substr(0, dot));
  if (!table.functions.emplace(std::string(local), std::move(row)).second) {
    return absl::AlreadyExistsError(absl::StrCat(
        "The linker already has a function ", eyrie::PlainName(name), "."));
  }
  std::string full(name);
  names.insert(std::upper_bound(names.begin(), names.end(), full), full);
  return absl::OkStatus();
}

absl::StatusOr<abi::HostModuleSet> eyrie_linker_t::CreateModules(
    const std::vector<eyrie::Ref<eyrie::hal::Device>>& devices,
    std::map<std::string, void*> native_data) const {
  abi::HostModuleSet set;
  set.services = std::make_shared<abi::HostServices>();
  if (!devices.empty()) set.services->device = devices[0];
  abi::NativeServicesPtr natives;
  for (const auto& row : tables) {
    if (natives != nullptr || !row.second->has_native()) continue;
    if (devices.empty()) {
      return absl::InvalidArgumentError(
          "The linker has native functions, and there is no device for their "
          "results.");
    }
    natives = std::make_shared<const eyrie::native::NativeServices>(
        eyrie::native::NativeServices{
            devices[0], std::make_shared<eyrie::native::TaskPool>(),
            std::move(native_data)});
  }
  for (const auto& device : devices) {
    if (!has_library ||
        device->Query(eyrie::hal::kNativeLibrariesQuery, "").value_or(1) != 0) {
      continue;
    }
    return absl::PermissionDeniedError(
        absl::StrCat("The linker has functions of a native library, and ",
                     device->id(), " does not allow native code."));
  }
  for (const auto& [name, table] : tables) {
    set.modules.push_back(std::make_shared<const abi::HostModule>(
        name, table, set.services, natives));
  }
  return set;
}
