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

absl::Status HostArray::Rebind(std::shared_ptr<const HostArray>& array,
                               ElementType type, std::span<const int64_t> shape,
                               std::span<const int64_t> strides,
                               const uint8_t* data) {
  if (array == nullptr || array.use_count() != 1) {
    array = std::make_shared<HostArray>(Key());
  }
  // Nothing else refers to the array, which was created by HostArray.
  HostArray& only = const_cast<HostArray&>(*array);
  only.use_ = Use::kCopy;
  only.casts_ = only.read_only_ = false;
  only.owner_.reset();
  only.view_ = Ref<hal::BufferView>();
  delete only.imported_.made.exchange(nullptr);
  return only.SetAt(type, shape, strides, data);
}

absl::Status HostValue::SetBorrowed(ElementType type,
                                    std::span<const int64_t> shape,
                                    std::span<const int64_t> strides,
                                    const uint8_t* data) {
  if (!is(Kind::kArray)) value_ = ArrayPtr();
  absl::Status status =
      HostArray::Rebind(std::get<ArrayPtr>(value_), type, shape, strides, data);
  if (!status.ok()) value_ = std::monostate();
  return status;
}

}  // namespace eyrie::abi
