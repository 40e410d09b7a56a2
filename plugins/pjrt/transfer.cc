// Transfers to buffers that exist before their elements do.
#include <cstring>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "base/allocate.h"
#include "base/status_macros.h"
#include "plugins/pjrt/buffer.h"
#include "plugins/pjrt/error.h"
#include "plugins/pjrt/functions.h"
#include "plugins/pjrt/given.h"

namespace eyrie::pjrt {

// Thread-safe.
class AsyncHostToDeviceTransferManager {
 public:
  AsyncHostToDeviceTransferManager(Device& device, std::vector<Shape> shapes)
      : client_(device.client().shared_from_this()),
        device_(device),
        slots_(shapes.size()) {
    for (size_t i = 0; i < shapes.size(); ++i) {
      slots_[i].shape = std::move(shapes[i]);
      slots_[i].defined = std::make_shared<Signal>();
      slots_[i].content = std::make_shared<Content>(slots_[i].defined);
    }
  }
  ~AsyncHostToDeviceTransferManager() {
    for (Slot& slot : slots_) {
      slot.defined->Set(absl::CancelledError(
          "The transfer manager was destroyed before the last transfer."));
    }
  }

  Device& device() const { return device_; }
  size_t size() const { return slots_.size(); }

  absl::StatusOr<size_t> ByteSizeOf(int index) const {
    RETURN_IF_ERROR(CheckIndex(index));
    return ByteSize(slots_[static_cast<size_t>(index)].shape);
  }

  // Returns a buffer; each may be taken once.
  absl::StatusOr<Buffer*> Retrieve(int index) {
    RETURN_IF_ERROR(CheckIndex(index));
    const std::lock_guard<std::mutex> lock(mutex_);
    Slot& slot = slots_[static_cast<size_t>(index)];
    if (slot.is_retrieved) {
      return absl::FailedPreconditionError(
          absl::StrCat("Buffer ", index, " has been retrieved before."));
    }
    slot.is_retrieved = true;
    return new Buffer(device_, slot.shape, slot.content);
  }

  absl::Status Fail(int index, absl::Status status) {
    RETURN_IF_ERROR(CheckIndex(index));
    // A callback may destroy the manager.
    const SignalPtr defined = slots_[static_cast<size_t>(index)].defined;
    defined->Set(std::move(status));
    return absl::OkStatus();
  }

  // Copies bytes. With the last ones, the buffer becomes ready.
  absl::Status Transfer(int index, const void* data, int64_t offset,
                        int64_t size, bool is_last) {
    RETURN_IF_ERROR(CheckIndex(index));
    Slot& slot = slots_[static_cast<size_t>(index)];
    std::vector<std::byte> bytes;
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      RETURN_IF_ERROR(CheckTransfer(slot, index, data, offset, size));
      RETURN_IF_ERROR(
          Resize(slot.bytes, ByteSize(slot.shape), "a buffer's elements"));
      if (size != 0) {
        std::memcpy(slot.bytes.data() + offset, data,
                    static_cast<size_t>(size));
      }
      if (!is_last) return absl::OkStatus();
      slot.is_complete = true;
      bytes.swap(slot.bytes);
    }
    absl::StatusOr<ValueHandle> array = CopyToDevice(
        device_, slot.shape, bytes.data(), RowMajorStrides(slot.shape));
    if (array.ok()) slot.content->Define(*std::move(array));
    // A callback may destroy the manager.
    const SignalPtr defined = slot.defined;
    defined->Set(array.status());
    return array.status();
  }

 private:
  struct Slot {
    Shape shape;
    SignalPtr defined;
    ContentPtr content;
    std::vector<std::byte> bytes;  // that have been transferred
    bool is_complete = false;      // there was a last transfer
    bool is_retrieved = false;
  };

  absl::Status CheckIndex(int index) const {
    if (index >= 0 && static_cast<size_t>(index) < slots_.size()) {
      return absl::OkStatus();
    }
    return absl::OutOfRangeError(absl::StrCat("There is no buffer ", index,
                                              "; the transfer manager has ",
                                              slots_.size(), "."));
  }

  static absl::Status CheckTransfer(const Slot& slot, int index,
                                    const void* data, int64_t offset,
                                    int64_t size) {
    if (slot.is_complete || slot.defined->IsReady()) {
      return absl::FailedPreconditionError(
          absl::StrCat("Buffer ", index, " has had its last transfer."));
    }
    const auto bytes = static_cast<int64_t>(ByteSize(slot.shape));
    if (offset < 0 || size < 0 || offset > bytes || size > bytes - offset ||
        (data == nullptr && size != 0)) {
      return absl::OutOfRangeError(
          absl::StrCat("The transfer of ", size, " bytes to offset ", offset,
                       " exceeds buffer ", index, " (", bytes, " bytes)."));
    }
    return absl::OkStatus();
  }

  const std::shared_ptr<Client> client_;  // owns the device
  Device& device_;
  std::vector<Slot> slots_;
  std::mutex mutex_;
};

absl::Status Client_CreateBuffersForAsyncHostToDevice(
    Client_CreateBuffersForAsyncHostToDevice_Args& args) {
  std::vector<Shape> shapes;
  constexpr size_t kLeast =
      offsetof(ShapeSpec, element_type) + sizeof(ShapeSpec::element_type);
  ASSIGN_OR_RETURN(
      const std::vector<ShapeSpec> specs,
      StructsIn(args.shape_specs, args.num_shape_specs, kLeast, "ShapeSpec"));
  RETURN_IF_ERROR(CheckList(args.device_layouts, args.num_device_layouts,
                            "device_layouts"));
  if (args.num_device_layouts != 0 && args.num_device_layouts != specs.size()) {
    return absl::InvalidArgumentError(absl::StrCat(args.num_device_layouts,
                                                   " layouts are given for ",
                                                   specs.size(), " shapes."));
  }
  for (const ShapeSpec& spec : specs) {
    ASSIGN_OR_RETURN(Shape shape,
                     ShapeOf(spec.element_type, spec.dims, spec.num_dims));
    if (args.num_device_layouts != 0) {
      RETURN_IF_ERROR(CheckRowMajor(shape, args.device_layouts[shapes.size()]));
    }
    shapes.push_back(std::move(shape));
  }
  Device& device = args.memory != nullptr ? args.memory->device()
                                          : *args.client->devices()[0];
  args.transfer_manager =
      new AsyncHostToDeviceTransferManager(device, std::move(shapes));
  return absl::OkStatus();
}

absl::Status AsyncHostToDeviceTransferManager_Destroy(
    AsyncHostToDeviceTransferManager_Destroy_Args& args) {
  delete args.transfer_manager;
  return absl::OkStatus();
}

absl::Status AsyncHostToDeviceTransferManager_TransferData(
    AsyncHostToDeviceTransferManager_TransferData_Args& args) {
  RETURN_IF_ERROR(args.transfer_manager->Transfer(
      args.buffer_index, args.data, args.offset, args.transfer_size,
      args.is_last_transfer != 0));
  args.done_with_h2d_transfer = new Event(nullptr);
  return absl::OkStatus();
}

absl::Status AsyncHostToDeviceTransferManager_TransferLiteral(
    AsyncHostToDeviceTransferManager_TransferLiteral_Args& args) {
  ASSIGN_OR_RETURN(
      const Shape shape,
      ShapeOf(args.shape_element_type, args.shape_dims, args.shape_num_dims));
  RETURN_IF_ERROR(CheckRowMajor(shape, args.shape_layout));
  ASSIGN_OR_RETURN(const size_t size,
                   args.transfer_manager->ByteSizeOf(args.buffer_index));
  if (ByteSize(shape) != size) {
    return absl::InvalidArgumentError(
        absl::StrCat("The literal, ", ToText(shape), ", has ", ByteSize(shape),
                     " bytes; buffer ", args.buffer_index, " has ", size, "."));
  }
  RETURN_IF_ERROR(args.transfer_manager->Transfer(
      args.buffer_index, args.data, 0, static_cast<int64_t>(size), true));
  args.done_with_h2d_transfer = new Event(nullptr);
  return absl::OkStatus();
}

absl::Status AsyncHostToDeviceTransferManager_RetrieveBuffer(
    AsyncHostToDeviceTransferManager_RetrieveBuffer_Args& args) {
  ASSIGN_OR_RETURN(args.buffer_out,
                   args.transfer_manager->Retrieve(args.buffer_index));
  return absl::OkStatus();
}

absl::Status AsyncHostToDeviceTransferManager_Device(
    AsyncHostToDeviceTransferManager_Device_Args& args) {
  args.device_out = &args.transfer_manager->device();
  return absl::OkStatus();
}

absl::Status AsyncHostToDeviceTransferManager_BufferCount(
    AsyncHostToDeviceTransferManager_BufferCount_Args& args) {
  args.buffer_count = args.transfer_manager->size();
  return absl::OkStatus();
}

absl::Status AsyncHostToDeviceTransferManager_BufferSize(
    AsyncHostToDeviceTransferManager_BufferSize_Args& args) {
  ASSIGN_OR_RETURN(args.buffer_size,
                   args.transfer_manager->ByteSizeOf(args.buffer_index));
  return absl::OkStatus();
}

absl::Status AsyncHostToDeviceTransferManager_SetBufferError(
    AsyncHostToDeviceTransferManager_SetBufferError_Args& args) {
  RETURN_IF_ERROR(
      CheckList(args.error_message, args.error_message_size, "error_message"));
  return args.transfer_manager->Fail(
      args.buffer_index,
      StatusOf(args.error_code, args.error_message, args.error_message_size));
}

absl::Status AsyncHostToDeviceTransferManager_AddMetadata(
    AsyncHostToDeviceTransferManager_AddMetadata_Args&) {
  return absl::OkStatus();  // a remark for profilers
}

}  // namespace eyrie::pjrt
