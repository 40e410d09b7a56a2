// The globals of a context's programs at one moment, to be restored later.
//
//   ASSIGN_OR_RETURN(auto snapshot, session->TakeSnapshot());
//   RETURN_IF_ERROR(session->Restore(*snapshot));
// SessionOptions::snapshot creates a session that begins with these globals
// instead of running the initializers. Constants are shared, so this is cheap.
// Tested by abi/c/state_test.cc.
#ifndef EYRIE_ABI_CALL_SNAPSHOT_H_
#define EYRIE_ABI_CALL_SNAPSHOT_H_

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "abi/call/object_copier.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/ref.h"
#include "hal/device.h"
#include "vm/object/nested_lists.h"
#include "vm/run/bytecode_module.h"
#include "vm/run/context.h"

namespace eyrie::abi {

// Immutable; threads may restore the same snapshot at the same time.
class Snapshot {
 public:
  // Copies the globals of a context with these devices. Calls `wait` with
  // fences that the globals hold, because devices may still work for them; the
  // results of all calls must be ready. The context's timeout limits the time.
  // The copies do not count as its memory.
  //
  // FAILED_PRECONDITION: a call is running, or the context has failed.
  // UNIMPLEMENTED: a global holds an object that cannot be copied, such as a
  // semaphore; the message names the global.
  static absl::StatusOr<std::shared_ptr<const Snapshot>> Take(
      vm::Context& context, std::span<const Ref<hal::Device>> devices,
      ObjectCopier::Wait wait);

  Snapshot(const Snapshot&) = delete;
  Snapshot& operator=(const Snapshot&) = delete;
  ~Snapshot();

  // Replaces the globals by copies of those of the snapshot. If it fails, the
  // globals are unchanged. INVALID_ARGUMENT: the context has other programs or
  // devices. FAILED_PRECONDITION: a call is running, or the context has failed.
  // RESOURCE_EXHAUSTED: no memory, or over the context's limit.
  absl::Status Restore(vm::Context& context,
                       std::span<const Ref<hal::Device>> devices,
                       ObjectCopier::Wait wait) const;

 private:
  // The globals of one program.
  struct Globals {
    std::shared_ptr<const vm::BytecodeModule> program;
    std::vector<uint8_t> numbers;
    std::vector<Ref<RefObject>> objects;
  };

  Snapshot() = default;
  absl::Status CheckSame(const vm::Context& context,
                         std::span<const Ref<hal::Device>> devices) const;
  absl::Status Fill(const vm::Context& context, ObjectCopier::Wait wait);
  absl::Status RestoreIn(vm::Context& context, ObjectCopier::Wait wait) const;

  std::vector<Globals> globals_;
  std::vector<Ref<hal::Device>> devices_;
  std::shared_ptr<vm::NestedLists> lists_ = std::make_shared<vm::NestedLists>();
};

}  // namespace eyrie::abi

#endif  // EYRIE_ABI_CALL_SNAPSHOT_H_
