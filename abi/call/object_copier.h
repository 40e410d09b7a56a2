// Copies objects that programs hold, for snapshots of their globals.
//
//   ObjectCopier copier(devices, memory, lists);
//   ASSIGN_OR_RETURN(Ref<RefObject> copy, copier.Copy(object));
//   RETURN_IF_ERROR(copier.Finish(wait));
// Objects that never change are shared with the copy: constants, executables,
// devices, fences that are reached. Two references to an object become two
// references to its copy.
// Tested by abi/c/state_test.cc.
#ifndef EYRIE_ABI_CALL_OBJECT_COPIER_H_
#define EYRIE_ABI_CALL_OBJECT_COPIER_H_

#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/memory_meter.h"
#include "base/ref.h"
#include "hal/buffer.h"
#include "hal/buffer_view.h"
#include "hal/command_buffer.h"
#include "hal/device.h"
#include "hal/fence.h"
#include "vm/object/buffer.h"
#include "vm/object/list.h"
#include "vm/object/nested_lists.h"

namespace eyrie::abi {

// Thread-compatible. The objects must exist, and must not change, until Finish
// returns.
class ObjectCopier {
 public:
  // `devices` own the buffers, and must outlive the copier. `memory` counts the
  // copies and may be null. Copies of lists join `lists`.
  ObjectCopier(std::span<const Ref<hal::Device>> devices,
               std::shared_ptr<MemoryMeter> memory,
               std::shared_ptr<vm::NestedLists> lists);

  // Returns the copy of an object, which may be null. Its content is complete
  // after Finish. UNIMPLEMENTED: objects of this type cannot be copied.
  // RESOURCE_EXHAUSTED: no memory, or over its limit. FAILED_PRECONDITION: no
  // device can use the buffer.
  absl::StatusOr<Ref<RefObject>> Copy(RefObject* object);

  // Copies the contents of lists and buffers. First calls `wait` with fences
  // that are not known to be reached, because work of devices may still write
  // to the buffers. Fails as Copy and `wait` do, or with the error of a device.
  using Wait = absl::FunctionRef<absl::Status(const hal::Fence&)>;
  absl::Status Finish(Wait wait);

 private:
  struct BufferPair {
    Ref<hal::Buffer> from;
    Ref<hal::Buffer> to;
    hal::Device* device;
  };

  absl::StatusOr<Ref<RefObject>> CopyNew(RefObject& object);
  absl::StatusOr<Ref<RefObject>> CopyBytes(vm::Buffer& buffer);
  absl::StatusOr<Ref<RefObject>> CopyList(vm::List& list);
  absl::StatusOr<Ref<RefObject>> CopyBuffer(hal::Buffer& buffer);
  absl::StatusOr<Ref<RefObject>> CopyAllocation(hal::Buffer& buffer);
  absl::StatusOr<Ref<RefObject>> CopyView(hal::BufferView& view);
  absl::StatusOr<Ref<RefObject>> CopyCommands(hal::CommandBuffer& commands);
  absl::Status FillList(const vm::List& from, vm::List& to);
  absl::Status FillBuffer(const BufferPair& pair,
                          std::vector<Ref<hal::Fence>>& copied);

  const std::span<const Ref<hal::Device>> devices_;
  const std::shared_ptr<MemoryMeter> memory_;
  const std::shared_ptr<vm::NestedLists> lists_;
  absl::flat_hash_map<RefObject*, Ref<RefObject>> copies_;
  // The contents that Finish copies.
  std::vector<std::pair<vm::List*, Ref<vm::List>>> new_lists_;
  std::vector<BufferPair> new_buffers_;
  std::vector<Ref<hal::Fence>> fences_;
};

}  // namespace eyrie::abi

#endif  // EYRIE_ABI_CALL_OBJECT_COPIER_H_
