// Arrays with the same elements that calls may use in another way.
//
// Tested by abi/call/invoker_test.cc, abi/c/lent_memory_test.cc.
#include <memory>
#include <utility>

#include "abi/value/host_value.h"
#include "hal/buffer.h"
#include "hal/buffer_view.h"

namespace eyrie::abi {

std::shared_ptr<const HostArray> HostArray::Casting() const {
  auto array = std::shared_ptr<HostArray>(new HostArray(*this));
  array->casts_ = true;
  return array;
}

std::shared_ptr<const HostArray> HostArray::Lent() const {
  auto array = std::shared_ptr<HostArray>(new HostArray(*this));
  array->use_ = Use::kLend;
  return array;
}

std::shared_ptr<const HostArray> HostArray::LentConst() const {
  auto array = std::shared_ptr<HostArray>(new HostArray(*this));
  array->use_ = Use::kLendConst;
  array->read_only_ = true;
  if (view_) {
    auto view = hal::BufferView::Create(hal::Buffer::ReadOnly(view_->buffer()),
                                        shape_, type_);
    if (view.ok()) array->view_ = *std::move(view);
    if (!view.ok()) array->use_ = Use::kCopy;
  }
  return array;
}

std::shared_ptr<const HostArray> HostArray::ReadOnly() const {
  auto array = std::shared_ptr<HostArray>(new HostArray(*this));
  array->read_only_ = true;
  return array;
}

}  // namespace eyrie::abi
