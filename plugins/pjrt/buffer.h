// Buffers: arrays in the memory of a device.
// Tested by pjrt_test.cc.
#ifndef EYRIE_PLUGINS_PJRT_BUFFER_H_
#define EYRIE_PLUGINS_PJRT_BUFFER_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "eyrie/c.h"
#include "plugins/pjrt/c_types.h"
#include "plugins/pjrt/client.h"
#include "plugins/pjrt/event.h"
#include "plugins/pjrt/owned.h"
#include "plugins/pjrt/shape.h"

namespace eyrie::pjrt {

using ValueHandle = Owned<eyrie_value_t, eyrie_value_free>;

// The array of a buffer, which executions keep while they use it. Thread-safe.
class Content {
 public:
  // The array exists already.
  explicit Content(ValueHandle array) { Define(std::move(array)); }
  // The array is set before `defined` is ready, unless that fails.
  explicit Content(SignalPtr defined) : defined_(std::move(defined)) {}

  const SignalPtr& defined() const { return defined_; }
  void Define(ValueHandle array);

  // Return a value that shares the elements, and the address of the elements.
  // defined() must be ready. They fail as that did.
  // Calls use the elements of the value in place, or, if they may write to
  // them, a copy of the elements.
  absl::StatusOr<ValueHandle> Share(bool may_write = false);
  absl::StatusOr<const std::byte*> Data();

  // Returns the array, for a call that may write to its elements; this content
  // has none any more. The call uses them in place if nothing else refers to
  // their memory, or a copy. Only for a content that nothing else refers to.
  // Fails as Share does.
  absl::StatusOr<ValueHandle> Give();
  bool is_given();

 private:
  absl::Status CheckDefined() const;

  const SignalPtr defined_;
  std::mutex mutex_;  // one thread at a time may use a value
  ValueHandle array_;
  ValueHandle lent_;  // the same elements, for calls that do not write to them
};

using ContentPtr = std::shared_ptr<Content>;

// A client's handle of an array. Thread-safe. Its elements never change.
class Buffer {
 public:
  Buffer(Device& device, Shape shape, ContentPtr content)
      : client_(device.client().shared_from_this()),
        device_(device),
        shape_(std::move(shape)),
        content_(std::move(content)) {}

  Device& device() const { return device_; }
  const Shape& shape() const { return shape_; }

  // Returns the array. FAILED_PRECONDITION: the buffer is deleted.
  absl::StatusOr<ContentPtr> content() const;
  bool is_deleted() const;
  void Delete();
  // Undoes Delete.
  void Restore(ContentPtr content);
  // Others may refer to the elements, which exist until all references are
  // dropped, even if the buffer is deleted. FAILED_PRECONDITION: the buffer is
  // deleted; there are no references.
  absl::Status AddReference();
  absl::Status DropReference();

 private:
  const std::shared_ptr<Client> client_;  // owns the device
  Device& device_;
  const Shape shape_;
  mutable std::mutex mutex_;
  ContentPtr content_;     // null: deleted
  ContentPtr referenced_;  // null: nobody refers to it
  int64_t references_ = 0;
};

// Returns a copy of elements of the host in the device's memory. Fails as
// eyrie_value_new_uploaded does.
absl::StatusOr<ValueHandle> CopyToDevice(const Device& device,
                                         const Shape& shape, const void* data,
                                         std::span<const int64_t> strides);

// Returns an array that uses row-major elements of the host. `release(user)` is
// called when nothing uses them, and also if this fails. Fails as
// eyrie_value_new_borrowed does.
absl::StatusOr<ValueHandle> BorrowHost(const Shape& shape, const void* data,
                                       void (*release)(void* user), void* user);

// Reports whether calls use elements at this address in place.
bool CanBorrow(const Device& device, const void* data);

// Copies row-major elements to places that are `strides` bytes apart.
void CopyElements(const Shape& shape, const std::byte* from, std::byte* to,
                  std::span<const int64_t> strides);

}  // namespace eyrie::pjrt

#endif  // EYRIE_PLUGINS_PJRT_BUFFER_H_
