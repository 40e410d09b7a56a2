// Sets arrays in place, for hosts whose arguments change from call to call.
//
// Tested by abi/c/c_value_test.cc.
#include <cstdint>
#include <memory>
#include <span>
#include <variant>

#include "abi/value/host_value.h"
#include "absl/status/status.h"
#include "base/ref.h"
#include "hal/buffer_view.h"
#include "hal/element_type.h"

namespace eyrie::abi {

using hal::ElementType;

HostArray& HostArray::Unbind(std::shared_ptr<const HostArray>& array) {
  if (!IsOnly(array)) array = std::make_shared<HostArray>(Key());
  HostArray& only = const_cast<HostArray&>(*array);  // not created const
  only.use_ = Use::kCopy;
  only.casts_ = only.read_only_ = false;
  only.owner_.reset();
  only.view_ = Ref<hal::BufferView>();
  delete only.imported_.made.exchange(nullptr);
  return only;
}

absl::Status HostArray::Rebind(std::shared_ptr<const HostArray>& array,
                               ElementType type, std::span<const int64_t> shape,
                               std::span<const int64_t> strides,
                               const uint8_t* data) {
  return Unbind(array).SetAt(type, shape, strides, data);
}

absl::Status HostArray::Rebind(std::shared_ptr<const HostArray>& array,
                               ElementType type, std::span<const int64_t> shape,
                               std::span<const uint8_t> bytes) {
  return Unbind(array).Set(type, shape, {}, bytes, 0);
}

template <typename... Elements>
absl::Status HostValue::Rebind(Elements... elements) {
  if (!is(Kind::kArray)) value_ = ArrayPtr();
  absl::Status status =
      HostArray::Rebind(std::get<ArrayPtr>(value_), elements...);
  if (!status.ok()) value_ = std::monostate();
  return status;
}

absl::Status HostValue::SetBorrowed(ElementType type,
                                    std::span<const int64_t> shape,
                                    std::span<const int64_t> strides,
                                    const uint8_t* data) {
  return Rebind(type, shape, strides, data);
}

absl::Status HostValue::SetBorrowed(ElementType type,
                                    std::span<const int64_t> shape,
                                    std::span<const uint8_t> bytes) {
  return Rebind(type, shape, bytes);
}

}  // namespace eyrie::abi
