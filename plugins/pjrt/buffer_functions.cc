// The functions of buffers.
#include <algorithm>
#include <cstring>
#include <functional>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "plugins/pjrt/buffer.h"
#include "plugins/pjrt/error.h"
#include "plugins/pjrt/functions.h"
#include "plugins/pjrt/given.h"
#include "plugins/pjrt/shape.h"

namespace eyrie::pjrt {
namespace {

// Returns the device of a function's two optional arguments.
Device& DeviceOf(Client& client, Device* device, Memory* memory) {
  if (memory != nullptr) return memory->device();
  return device != nullptr ? *device : *client.devices()[0];
}

// Does work with a buffer's elements, now or when they exist. Returns the event
// of the end of the work; null if it has ended.
absl::StatusOr<SignalPtr> WithElements(
    const ContentPtr& content,
    std::function<absl::Status(const std::byte*)> work) {
  const auto run = [content, work = std::move(work)]() -> absl::Status {
    ASSIGN_OR_RETURN(const std::byte* data, content->Data());
    return work(data);
  };
  if (IsReady(content->defined())) {
    RETURN_IF_ERROR(run());
    return SignalPtr();
  }
  auto done = std::make_shared<Signal>();
  content->defined()->OnReady(
      [run, done](const absl::Status&) { done->SetNext(run()); });
  return done;
}

// Returns a buffer with a copy of another one's elements.
absl::StatusOr<Buffer*> CopyOf(const Buffer& buffer, Device& device) {
  ASSIGN_OR_RETURN(const ContentPtr from, buffer.content());
  auto defined = std::make_shared<Signal>();
  auto to = std::make_shared<Content>(defined);
  ASSIGN_OR_RETURN(const SignalPtr done,
                   WithElements(from,
                                [to, &device, shape = buffer.shape(),
                                 client = device.client().shared_from_this()](
                                    const std::byte* data) -> absl::Status {
                                  ASSIGN_OR_RETURN(
                                      ValueHandle copy,
                                      CopyToDevice(device, shape, data,
                                                   RowMajorStrides(shape)));
                                  to->Define(std::move(copy));
                                  return absl::OkStatus();
                                }));
  if (done == nullptr) {
    defined->Set(absl::OkStatus());
  } else {
    done->OnReady(
        [defined](const absl::Status& status) { defined->SetNext(status); });
  }
  return new Buffer(device, buffer.shape(), std::move(to));
}

absl::Status CheckRange(const Buffer& buffer, int64_t offset, int64_t size) {
  const auto bytes = static_cast<int64_t>(ByteSize(buffer.shape()));
  if (offset >= 0 && size >= 0 && offset <= bytes && size <= bytes - offset) {
    return absl::OkStatus();
  }
  return absl::OutOfRangeError(absl::StrCat("The range of ", size, " bytes at ",
                                            offset, " exceeds the buffer (",
                                            bytes, " bytes)."));
}

// Memory of the host that is used until it is released.
struct Lease {
  SignalPtr done;
  DeleteCallback callback = nullptr;
  void* data = nullptr;
  void* user = nullptr;

  static void Release(void* lease) {
    const std::unique_ptr<Lease> own(static_cast<Lease*>(lease));
    if (own->callback != nullptr) own->callback(own->data, own->user);
    if (own->done != nullptr) own->done->Set(absl::OkStatus());
  }
};

}  // namespace

absl::Status Client_BufferFromHostBuffer(
    Client_BufferFromHostBuffer_Args& args) {
  ASSIGN_OR_RETURN(Shape shape, ShapeOf(args.type, args.dims, args.num_dims));
  RETURN_IF_ERROR(CheckRowMajor(shape, args.device_layout));
  if (args.data == nullptr && ByteSize(shape) != 0) {
    return absl::InvalidArgumentError("The address of the elements is null.");
  }
  if (args.num_byte_strides != 0 &&
      args.num_byte_strides != shape.dims.size()) {
    return absl::InvalidArgumentError(
        absl::StrCat(args.num_byte_strides, " strides are given for ",
                     shape.dims.size(), " dimensions."));
  }
  RETURN_IF_ERROR(
      CheckList(args.byte_strides, args.num_byte_strides, "byte_strides"));
  Device& device = DeviceOf(*args.client, args.device, args.memory);
  const std::vector<int64_t> dense = RowMajorStrides(shape);
  const std::span<const int64_t> strides =
      args.num_byte_strides == 0
          ? std::span<const int64_t>(dense)
          : std::span(args.byte_strides, args.num_byte_strides);
  const bool may_borrow = args.host_buffer_semantics == kImmutableZeroCopy ||
                          args.host_buffer_semantics == kMutableZeroCopy;
  SignalPtr done;
  ValueHandle array;
  if (may_borrow && CanBorrow(device, args.data) &&
      std::equal(strides.begin(), strides.end(), dense.begin())) {
    done = std::make_shared<Signal>();
    ASSIGN_OR_RETURN(array, BorrowHost(shape, args.data, &Lease::Release,
                                       new Lease{.done = done}));
  } else {
    ASSIGN_OR_RETURN(array, CopyToDevice(device, shape, args.data, strides));
  }
  args.done_with_host_buffer = new Event(std::move(done));
  args.buffer = new Buffer(device, std::move(shape),
                           std::make_shared<Content>(std::move(array)));
  return absl::OkStatus();
}

absl::Status Client_CreateViewOfDeviceBuffer(
    Client_CreateViewOfDeviceBuffer_Args& args) {
  ASSIGN_OR_RETURN(Shape shape,
                   ShapeOf(args.element_type, args.dims, args.num_dims));
  RETURN_IF_ERROR(CheckRowMajor(shape, args.layout));
  if (args.device_buffer_ptr == nullptr && ByteSize(shape) != 0) {
    return absl::InvalidArgumentError("The address of the elements is null.");
  }
  Device& device = DeviceOf(*args.client, args.device, args.memory);
  if (!CanBorrow(device, args.device_buffer_ptr)) {
    return absl::UnimplementedError(
        device.is_cpu()
            ? "A view must be aligned to 64 bytes, or else be copied."
            : "Views are possible of the memory of CPU devices only.");
  }
  ASSIGN_OR_RETURN(ValueHandle array,
                   BorrowHost(shape, args.device_buffer_ptr, &Lease::Release,
                              new Lease{.done = nullptr,
                                        .callback = args.on_delete_callback,
                                        .data = args.device_buffer_ptr,
                                        .user = args.on_delete_callback_arg}));
  args.buffer = new Buffer(device, std::move(shape),
                           std::make_shared<Content>(std::move(array)));
  return absl::OkStatus();
}

absl::Status Client_CreateUninitializedBuffer(
    Client_CreateUninitializedBuffer_Args& args) {
  ASSIGN_OR_RETURN(Shape shape, ShapeOf(args.shape_element_type,
                                        args.shape_dims, args.shape_num_dims));
  RETURN_IF_ERROR(CheckRowMajor(shape, args.shape_layout));
  Device& device = DeviceOf(*args.client, args.device, args.memory);
  // Steps of 0 repeat one element.
  const uint64_t zero[2] = {};
  const std::vector<int64_t> strides(shape.dims.size(), 0);
  ASSIGN_OR_RETURN(ValueHandle array,
                   CopyToDevice(device, shape, zero, strides));
  args.buffer = new Buffer(device, std::move(shape),
                           std::make_shared<Content>(std::move(array)));
  return absl::OkStatus();
}

absl::Status Client_CreateErrorBuffer(Client_CreateErrorBuffer_Args& args) {
  ASSIGN_OR_RETURN(Shape shape, ShapeOf(args.shape_element_type,
                                        args.shape_dims, args.shape_num_dims));
  RETURN_IF_ERROR(CheckRowMajor(shape, args.shape_layout));
  RETURN_IF_ERROR(
      CheckList(args.error_message, args.error_message_size, "error_message"));
  auto defined = std::make_shared<Signal>();
  defined->Set(
      StatusOf(args.error_code, args.error_message, args.error_message_size));
  args.buffer =
      new Buffer(DeviceOf(*args.client, nullptr, args.memory), std::move(shape),
                 std::make_shared<Content>(std::move(defined)));
  return absl::OkStatus();
}

absl::Status Buffer_Destroy(Buffer_Destroy_Args& args) {
  delete args.buffer;
  return absl::OkStatus();
}

absl::Status Buffer_ElementType(Buffer_ElementType_Args& args) {
  args.type = args.buffer->shape().type;
  return absl::OkStatus();
}

absl::Status Buffer_Dimensions(Buffer_Dimensions_Args& args) {
  args.dims = args.buffer->shape().dims.data();
  args.num_dims = args.buffer->shape().dims.size();
  return absl::OkStatus();
}

absl::Status Buffer_UnpaddedDimensions(Buffer_UnpaddedDimensions_Args& args) {
  args.unpadded_dims = args.buffer->shape().dims.data();
  args.num_dims = args.buffer->shape().dims.size();
  return absl::OkStatus();
}

absl::Status Buffer_DynamicDimensionIndices(
    Buffer_DynamicDimensionIndices_Args& args) {
  args.dynamic_dim_indices = nullptr;
  args.num_dynamic_dims = 0;
  return absl::OkStatus();
}

absl::Status Buffer_GetMemoryLayout(Buffer_GetMemoryLayout_Args& args) {
  // The order of each rank: its last dimension is the fastest one.
  static const auto* const orders = [] {
    auto* const rows = new std::vector<int64_t>(1024);
    for (size_t i = 0; i < rows->size(); ++i) {
      (*rows)[i] = static_cast<int64_t>(rows->size() - 1 - i);
    }
    return rows;
  }();
  const size_t rank = args.buffer->shape().dims.size();
  args.layout = {};
  args.layout.struct_size = sizeof(args.layout);
  args.layout.type = Buffer_MemoryLayout::kTiled;
  args.layout.tiled.struct_size = sizeof(args.layout.tiled);
  args.layout.tiled.minor_to_major = orders->data() + orders->size() - rank;
  args.layout.tiled.minor_to_major_size = rank;
  return absl::OkStatus();
}

absl::Status Buffer_OnDeviceSizeInBytes(Buffer_OnDeviceSizeInBytes_Args& args) {
  args.on_device_size_in_bytes = ByteSize(args.buffer->shape());
  return absl::OkStatus();
}

absl::Status Buffer_Device(Buffer_Device_Args& args) {
  args.device = &args.buffer->device();
  return absl::OkStatus();
}

absl::Status Buffer_Memory(Buffer_Memory_Args& args) {
  args.memory = &args.buffer->device().memory();
  return absl::OkStatus();
}

absl::Status Buffer_Delete(Buffer_Delete_Args& args) {
  args.buffer->Delete();
  return absl::OkStatus();
}

absl::Status Buffer_IsDeleted(Buffer_IsDeleted_Args& args) {
  args.is_deleted = args.buffer->is_deleted();
  return absl::OkStatus();
}

absl::Status Buffer_CopyToDevice(Buffer_CopyToDevice_Args& args) {
  if (args.dst_device == nullptr) {
    return absl::InvalidArgumentError("The device to copy to is null.");
  }
  ASSIGN_OR_RETURN(args.dst_buffer, CopyOf(*args.buffer, *args.dst_device));
  return absl::OkStatus();
}

absl::Status Buffer_CopyToMemory(Buffer_CopyToMemory_Args& args) {
  if (args.dst_memory == nullptr) {
    return absl::InvalidArgumentError("The memory to copy to is null.");
  }
  ASSIGN_OR_RETURN(args.dst_buffer,
                   CopyOf(*args.buffer, args.dst_memory->device()));
  return absl::OkStatus();
}

absl::Status Buffer_ToHostBuffer(Buffer_ToHostBuffer_Args& args) {
  const Shape& shape = args.src->shape();
  if (args.dst == nullptr) {  // a question for the size
    args.dst_size = ByteSize(shape);
    return absl::OkStatus();
  }
  if (args.dst_size < ByteSize(shape)) {
    return absl::InvalidArgumentError(
        absl::StrCat("The memory of the host has ", args.dst_size,
                     " bytes; the buffer has ", ByteSize(shape), "."));
  }
  ASSIGN_OR_RETURN(const std::vector<int64_t> strides,
                   StridesOf(shape, args.host_layout));
  RETURN_IF_ERROR(CheckExtent(shape, strides, args.dst_size));
  ASSIGN_OR_RETURN(const ContentPtr content, args.src->content());
  ASSIGN_OR_RETURN(
      SignalPtr done, WithElements(content, [shape, strides, to = args.dst](
                                                const std::byte* from) {
        CopyElements(shape, from, static_cast<std::byte*>(to), strides);
        return absl::OkStatus();
      }));
  args.event = new Event(std::move(done));
  return absl::OkStatus();
}

absl::Status Buffer_CopyRawToHost(Buffer_CopyRawToHost_Args& args) {
  RETURN_IF_ERROR(CheckRange(*args.buffer, args.offset, args.transfer_size));
  if (args.dst == nullptr && args.transfer_size != 0) {
    return absl::InvalidArgumentError("The address to copy to is null.");
  }
  ASSIGN_OR_RETURN(const ContentPtr content, args.buffer->content());
  ASSIGN_OR_RETURN(
      SignalPtr done,
      WithElements(content, [to = args.dst, offset = args.offset,
                             size = args.transfer_size](const std::byte* from) {
        if (size != 0) {
          std::memcpy(to, from + offset, static_cast<size_t>(size));
        }
        return absl::OkStatus();
      }));
  args.event = new Event(std::move(done));
  return absl::OkStatus();
}

absl::Status Buffer_IsOnCpu(Buffer_IsOnCpu_Args& args) {
  args.is_on_cpu = args.buffer->device().is_cpu();
  return absl::OkStatus();
}

absl::Status Buffer_ReadyEvent(Buffer_ReadyEvent_Args& args) {
  ASSIGN_OR_RETURN(const ContentPtr content, args.buffer->content());
  args.event = new Event(content->defined());
  return absl::OkStatus();
}

absl::Status Buffer_UnsafePointer(Buffer_UnsafePointer_Args& args) {
  ASSIGN_OR_RETURN(const ContentPtr content, args.buffer->content());
  ASSIGN_OR_RETURN(const std::byte* data, content->Data());
  args.buffer_pointer = reinterpret_cast<uintptr_t>(data);
  return absl::OkStatus();
}

absl::Status Buffer_OpaqueDeviceMemoryDataPointer(
    Buffer_OpaqueDeviceMemoryDataPointer_Args& args) {
  ASSIGN_OR_RETURN(const ContentPtr content, args.buffer->content());
  ASSIGN_OR_RETURN(const std::byte* data, content->Data());
  args.device_memory_ptr = const_cast<std::byte*>(data);
  return absl::OkStatus();
}

absl::Status Buffer_IncreaseExternalReferenceCount(
    Buffer_IncreaseExternalReferenceCount_Args& args) {
  return args.buffer->AddReference();
}

absl::Status Buffer_DecreaseExternalReferenceCount(
    Buffer_DecreaseExternalReferenceCount_Args& args) {
  return args.buffer->DropReference();
}

}  // namespace eyrie::pjrt
