// Functions of the host, as an eyrie_linker_t defines them, the state that they
// have in a context, and a call of one.
// Tested by linker_test.cc, linker_hostile_test.cc.
#ifndef EYRIE_ABI_C_HOST_CALL_H_
#define EYRIE_ABI_C_HOST_CALL_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "abi/signature/host_signature.h"
#include "absl/status/status.h"
#include "base/ref.h"
#include "eyrie/c_linker.h"
#include "hal/device.h"
#include "hal/fence.h"
#include "vm/module/module.h"

namespace eyrie::abi {

// An object of the host. `type` tells which functions take it.
class HostObject final : public RefObject {
 public:
  static constexpr RefType kType{"host.object"};

  HostObject(std::string type, void* object, void (*free)(void*))
      : RefObject(kType),
        type_name_(std::move(type)),
        object_(object),
        free_(free) {}

  const std::string& type_name() const { return type_name_; }
  void* object() const { return object_; }

 private:
  ~HostObject() override {
    if (free_ != nullptr) free_(object_);
  }

  const std::string type_name_;
  void* const object_;
  void (*const free_)(void*);
};

// How a slot of eyrie_slot_t is passed.
enum class SlotKind : uint8_t {
  kNarrow,  // in 32 bits of which only some count: i1, i8, i16 …
  k32,
  k64,
  kArray,
  kBytes,
  kObject,
  kValue,
};

// A function as it was defined. Immutable; may be shared by threads.
struct HostFunction {
  std::string name;  // "host.scale"
  HostSignature signature;
  std::vector<SlotKind> arguments;
  std::vector<SlotKind> results;
  eyrie_host_function_t entry = nullptr;
  std::shared_ptr<void> user;

  // Sets `arguments` and `results` from the signature.
  void SetKinds();
};

// Frees the error of a function of the host, and returns it as a status.
[[gnu::cold]] absl::Status TakeHostError(eyrie_error_t* error);

// The objects that the functions of one context share.
struct HostServices {
  Ref<hal::Device> device;             // null: the context has none
  eyrie_context_t* context = nullptr;  // null until it is created
};

// The state of a module of host functions in one context.
class HostModuleState : public vm::ModuleState {
 public:
  explicit HostModuleState(std::shared_ptr<const HostServices> services)
      : services_(std::move(services)) {}
  ~HostModuleState() override;

  const HostServices& services() const { return *services_; }
  void* state() const { return state_; }
  void SetState(void* state, void (*free)(void*)) {
    state_ = state;
    free_ = free;
  }
  // Owns what imports are bound to.
  vm::ModuleState* Keep(std::shared_ptr<vm::ModuleState> import) {
    imports_.push_back(std::move(import));
    return imports_.back().get();
  }

 private:
  const std::shared_ptr<const HostServices> services_;
  void* state_ = nullptr;
  void (*free_)(void*) = nullptr;
  std::vector<std::shared_ptr<vm::ModuleState>> imports_;
};

}  // namespace eyrie::abi

// A call on the stack of the thunk that makes it.
struct eyrie_host_call_t {
  const eyrie::abi::HostFunction& function;
  eyrie::abi::HostModuleState& module;
  const uint8_t* frame;    // of the caller
  const uint32_t* places;  // of the arguments in it
  eyrie::hal::Fence* wait = nullptr;
  eyrie::hal::Fence* signal = nullptr;
  // Slots of the arguments, by HostArguments; null if all are numbers.
  const eyrie_slot_t* slots = nullptr;
  // The result of eyrie_host_call_info; owns the fences.
  std::optional<eyrie_host_call_info_t> info = std::nullopt;

  ~eyrie_host_call_t() {
    if (info) [[unlikely]]
      ReleaseInfo();
  }
  void ReleaseInfo();
};

#endif  // EYRIE_ABI_C_HOST_CALL_H_
