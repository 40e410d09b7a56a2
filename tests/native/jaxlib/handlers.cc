// Handlers that use XLA's own C++ headers, from jaxlib.
//
// Compiled and called by jaxlib_test.py, if jaxlib is installed.
#include <cstdint>
#include <memory>
#include <numeric>
#include <stdexcept>
#include <string>
#include <string_view>

#include "xla/ffi/api/ffi.h"

namespace {

namespace ffi = xla::ffi;

ffi::Error Scale(ffi::Buffer<ffi::F32> x, ffi::ResultBuffer<ffi::F32> y,
                 float by) {
  for (size_t i = 0; i < x.element_count(); ++i) {
    y->typed_data()[i] = x.typed_data()[i] * by;
  }
  return ffi::Error::Success();
}

ffi::Error Sum(ffi::RemainingArgs args, ffi::ResultBuffer<ffi::F32> y,
               std::string_view mode, ffi::Span<const int64_t> weights,
               ffi::Dictionary options) {
  const auto deep = options.get<bool>("deep");
  if (mode != "near" || !deep.has_value() || !*deep) {
    return ffi::Error::InvalidArgument("Sum is called with other attributes.");
  }
  for (size_t i = 0; i < y->element_count(); ++i) y->typed_data()[i] = 0;
  for (size_t a = 0; a < args.size(); ++a) {
    auto x = args.get<ffi::Buffer<ffi::F32>>(a);
    if (!x.has_value()) return x.error();
    for (size_t i = 0; i < y->element_count(); ++i) {
      y->typed_data()[i] += x->typed_data()[i] * weights[a];
    }
  }
  return ffi::Error::Success();
}

ffi::Error Scratch(ffi::ScratchAllocator scratch, ffi::AnyBuffer x,
                   ffi::ResultBuffer<ffi::S64> y) {
  const auto data = scratch.Allocate(x.size_bytes(), 128);
  if (!data.has_value()) return ffi::Error::Internal("There is no memory.");
  y->typed_data()[0] = reinterpret_cast<uintptr_t>(*data) % 128;
  y->typed_data()[1] = x.dimensions().size();
  return ffi::Error::Success();
}

ffi::Future Later(ffi::ThreadPool pool, ffi::Buffer<ffi::F32> x,
                  ffi::ResultBuffer<ffi::F32> y, bool fails) {
  ffi::Promise promise;
  ffi::Future future(promise);
  pool.Schedule([=]() mutable {
    for (size_t i = 0; i < x.element_count(); ++i) {
      y->typed_data()[i] = -x.typed_data()[i];
    }
    if (fails) {
      promise.SetError(ffi::Error(ffi::ErrorCode::kAborted, "It went wrong."));
    } else {
      promise.SetAvailable();
    }
  });
  return future;
}

ffi::Error Throw(ffi::AnyBuffer, ffi::Result<ffi::AnyBuffer>) {
  throw std::runtime_error("The handler gives up.");
}

struct Counter {
  static ffi::TypeId id;
  explicit Counter(int64_t start) : next(start) {}
  int64_t next;
};
ffi::TypeId Counter::id = {};

ffi::ErrorOr<std::unique_ptr<Counter>> NewCounter(int64_t start) {
  return std::make_unique<Counter>(start);
}

ffi::Error Count(Counter* counter, ffi::ResultBuffer<ffi::S64> y) {
  y->typed_data()[0] = counter->next++;
  return ffi::Error::Success();
}

constexpr auto kCounterInfo = ffi::MakeTypeInfo<Counter>();

}  // namespace

extern "C" XLA_FFI_TypeId* CounterId() { return &Counter::id; }
extern "C" const XLA_FFI_TypeInfo* CounterInfo() { return &kCounterInfo; }

XLA_FFI_DEFINE_HANDLER_SYMBOL(ScaleHandler, Scale,
                              ffi::Ffi::Bind()
                                  .Arg<ffi::Buffer<ffi::F32>>()
                                  .Ret<ffi::Buffer<ffi::F32>>()
                                  .Attr<float>("by"));
XLA_FFI_DEFINE_HANDLER_SYMBOL(SumHandler, Sum,
                              ffi::Ffi::Bind()
                                  .RemainingArgs()
                                  .Ret<ffi::Buffer<ffi::F32>>()
                                  .Attr<std::string_view>("mode")
                                  .Attr<ffi::Span<const int64_t>>("weights")
                                  .Attr<ffi::Dictionary>("options"));
XLA_FFI_DEFINE_HANDLER_SYMBOL(ScratchHandler, Scratch,
                              ffi::Ffi::Bind()
                                  .Ctx<ffi::ScratchAllocator>()
                                  .Arg<ffi::AnyBuffer>()
                                  .Ret<ffi::Buffer<ffi::S64>>());
XLA_FFI_DEFINE_HANDLER_SYMBOL(LaterHandler, Later,
                              ffi::Ffi::Bind()
                                  .Ctx<ffi::ThreadPool>()
                                  .Arg<ffi::Buffer<ffi::F32>>()
                                  .Ret<ffi::Buffer<ffi::F32>>()
                                  .Attr<bool>("fails"));
XLA_FFI_DEFINE_HANDLER_SYMBOL(
    ThrowHandler, Throw,
    ffi::Ffi::Bind().Arg<ffi::AnyBuffer>().Ret<ffi::AnyBuffer>());
XLA_FFI_DEFINE_HANDLER_SYMBOL(
    CounterInstantiate, NewCounter,
    ffi::Ffi::BindInstantiate().Attr<int64_t>("start"));
XLA_FFI_DEFINE_HANDLER_SYMBOL(
    CounterHandler, Count,
    ffi::Ffi::Bind().Ctx<ffi::State<Counter>>().Ret<ffi::Buffer<ffi::S64>>());
