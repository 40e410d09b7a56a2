// Functions compiled with the headers of apache-tvm-ffi, and linked with its
// library: parameters of each kind, tensors by their strides, and results.
// Run by jaxlib_test.py.
#include <tvm/ffi/tvm_ffi.h>

#include <cstdint>

namespace ffi = tvm::ffi;

namespace {

void RowSum(ffi::TensorView x, ffi::TensorView y) {
  const auto* from = static_cast<const float*>(x.data_ptr());
  auto* to = static_cast<float*>(y.data_ptr());
  for (int64_t i = 0; i < x.size(0); ++i) {
    to[i * y.stride(0)] = 0;
    for (int64_t j = 0; j < x.size(1); ++j) {
      to[i * y.stride(0)] += from[i * x.stride(0) + j * x.stride(1)];
    }
  }
}

// Writes the number of strides, then the strides.
template <typename T>
void Strides(T x, ffi::TensorView y) {
  auto* to = static_cast<int64_t*>(y.data_ptr());
  *to++ = static_cast<int64_t>(x.strides().size());
  for (const int64_t stride : x.strides()) *to++ = stride;
}

// Writes the size of dimension 0, or -1 for an argument that is not given.
template <typename T>
void Optional(ffi::Optional<T> x, ffi::Tensor y) {
  *static_cast<int64_t*>(y.data_ptr()) = x.has_value() ? x.value().size(0) : -1;
}

// Writes dimension 0 of each tensor that is not null.
void Raw(DLTensor* x, ffi::Any any, ffi::Tensor y) {
  auto* to = static_cast<int64_t*>(y.data_ptr());
  to[0] = x->shape[0];
  to[1] = any.cast<ffi::Tensor>().size(0);
}

void Keep(ffi::Tensor x, ffi::Tensor y) {
  static ffi::Optional<ffi::Tensor>& kept = *new ffi::Optional<ffi::Tensor>();
  kept = static_cast<float*>(x.data_ptr())[0] == 0 ? x : y;
}

ffi::Tensor Same(ffi::Tensor x) { return x; }

ffi::Tensor Transposed(ffi::Tensor x) {
  const int64_t shape[] = {x.size(1), x.size(0)};
  const int64_t strides[] = {x.stride(1), x.stride(0)};
  return x.as_strided(ffi::ShapeView(shape, 2), ffi::ShapeView(strides, 2));
}

void Fail(ffi::Tensor) { TVM_FFI_THROW(IndexError) << "one\ntwo"; }

ffi::Shape ShapeOf(ffi::Tensor x) { return ffi::Shape(x.shape()); }

}  // namespace

TVM_FFI_DLL_EXPORT_TYPED_FUNC(row_sum, RowSum);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(strides, Strides<ffi::TensorView>);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(own_strides, Strides<ffi::Tensor>);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(optional, Optional<ffi::Tensor>);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(raw, Raw);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(keep, Keep);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(same, Same);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(transposed, Transposed);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(fail, Fail);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(shape_of, ShapeOf);
