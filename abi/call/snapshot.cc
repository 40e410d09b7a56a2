#include "abi/call/snapshot.h"

#include <cstring>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/allocate.h"
#include "base/plain_text.h"
#include "base/status_macros.h"

namespace eyrie::abi {
namespace {

constexpr char kSnapshot[] = "a snapshot";

RefObject* Pointer(RefObject* object) { return object; }
RefObject* Pointer(const Ref<RefObject>& object) { return object.get(); }

// Appends the copies of a program's objects.
template <typename Objects>
absl::Status CopyObjects(const vm::BytecodeModule& program,
                         const Objects& objects, ObjectCopier& copier,
                         std::vector<Ref<RefObject>>& copies) {
  RETURN_IF_ERROR(Reserve(copies, objects.size(), kSnapshot));
  for (size_t i = 0; i < objects.size(); ++i) {
    auto copy = copier.Copy(Pointer(objects[i]));
    if (!copy.ok()) {
      return Annotate(copy.status(),
                      absl::StrCat("(global reference ", i, " of module ",
                                   PlainName(program.name()), ")"));
    }
    copies.push_back(*std::move(copy));
  }
  return absl::OkStatus();
}

// Runs `body` as a call of the host, so that the limits of time apply.
template <typename Body>
absl::Status InCall(vm::Context& context, Body body) {
  if (context.in_call()) {
    return absl::FailedPreconditionError(
        "The globals cannot be copied while a call is running.");
  }
  vm::HostCall call(context);
  RETURN_IF_ERROR(call.status());
  return call.End(body());
}

}  // namespace

Snapshot::~Snapshot() {
  globals_.clear();
  lists_->DropRings();
}

absl::StatusOr<std::shared_ptr<const Snapshot>> Snapshot::Take(
    vm::Context& context, std::span<const Ref<hal::Device>> devices,
    ObjectCopier::Wait wait) {
  std::shared_ptr<Snapshot> snapshot(new Snapshot());
  snapshot->devices_.assign(devices.begin(), devices.end());
  RETURN_IF_ERROR(
      InCall(context, [&] { return snapshot->Fill(context, wait); }));
  return snapshot;
}

absl::Status Snapshot::Fill(const vm::Context& context,
                            ObjectCopier::Wait wait) {
  ObjectCopier copier(devices_, nullptr, lists_);
  for (const vm::BytecodeState* state : context.StatesOfPrograms()) {
    Globals& globals = globals_.emplace_back();
    globals.program = state->module;
    RETURN_IF_ERROR(Resize(globals.numbers, state->global_bytes, kSnapshot));
    if (state->global_bytes != 0) {
      std::memcpy(globals.numbers.data(), state->globals, state->global_bytes);
    }
    const std::span<RefObject* const> objects(state->global_refs,
                                              state->global_ref_count);
    RETURN_IF_ERROR(
        CopyObjects(*state->module, objects, copier, globals.objects));
  }
  return copier.Finish(wait);
}

absl::Status Snapshot::CheckSame(
    const vm::Context& context,
    std::span<const Ref<hal::Device>> devices) const {
  const std::vector<vm::BytecodeState*> states = context.StatesOfPrograms();
  bool same = states.size() == globals_.size();
  for (size_t i = 0; same && i < states.size(); ++i) {
    same = states[i]->module == globals_[i].program;
  }
  if (!same) {
    return absl::InvalidArgumentError(
        "The snapshot is of other modules than those of the context. Modules "
        "that are loaded again are other modules.");
  }
  same = devices.size() == devices_.size();
  for (size_t i = 0; same && i < devices_.size(); ++i) {
    same = devices[i] == devices_[i];
  }
  if (same) return absl::OkStatus();
  return absl::InvalidArgumentError(
      "The snapshot is of other devices than those of the context.");
}

absl::Status Snapshot::Restore(vm::Context& context,
                               std::span<const Ref<hal::Device>> devices,
                               ObjectCopier::Wait wait) const {
  RETURN_IF_ERROR(CheckSame(context, devices));
  return InCall(context, [&] { return RestoreIn(context, wait); });
}

absl::Status Snapshot::RestoreIn(vm::Context& context,
                                 ObjectCopier::Wait wait) const {
  ObjectCopier copier(devices_, context.memory(), context.nested_lists());
  std::vector<std::vector<Ref<RefObject>>> copies(globals_.size());
  for (size_t i = 0; i < globals_.size(); ++i) {
    RETURN_IF_ERROR(CopyObjects(*globals_[i].program, globals_[i].objects,
                                copier, copies[i]));
  }
  RETURN_IF_ERROR(copier.Finish(wait));
  // Nothing fails from here on.
  const std::vector<vm::BytecodeState*> states = context.StatesOfPrograms();
  for (size_t i = 0; i < globals_.size(); ++i) {
    const std::vector<uint8_t>& numbers = globals_[i].numbers;
    if (!numbers.empty()) {
      std::memcpy(states[i]->globals, numbers.data(), numbers.size());
    }
    for (size_t j = 0; j < copies[i].size(); ++j) {
      const Ref<RefObject> old = Ref<RefObject>::Adopt(
          std::exchange(states[i]->global_refs[j], copies[i][j].release()));
    }
  }
  return absl::OkStatus();
}

}  // namespace eyrie::abi
