/* Functions of TVM-FFI, and the few functions of its library that callers need:
 * a stand-in for libtvm_ffi.so. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
  uint64_t counts;
  int32_t type;
  uint32_t unused;
  void (*deleter)(void* self, int flags);
} object_t;
typedef struct {
  const char* data;
  size_t size;
} bytes_t;
typedef struct {
  int32_t type; /* 0 nothing, 1 integer, 2 bool, 3 float, 7 tensor, 8 text */
  uint32_t unused;
  union {
    int64_t integer;
    double number;
    void* pointer;
    const char* text;
  };
} any_t;
typedef struct {
  void* data;
  int32_t device, device_id, rank;
  uint8_t code, bits;
  uint16_t lanes;
  int64_t* shape;
  int64_t* strides;
  uint64_t offset;
} tensor_t;
typedef int function_t(void* handle, const any_t* arguments, int32_t count,
                       any_t* result);

typedef struct {
  object_t object;
  bytes_t kind;
  bytes_t message;
} error_t;
static _Thread_local error_t* raised;
static int dropped;

static int Raise(const char* kind, const char* message) {
  raised = calloc(1, sizeof(*raised));
  raised->kind = (bytes_t){kind, strlen(kind)};
  raised->message = (bytes_t){message, strlen(message)};
  return -1;
}

void TVMFFIErrorMoveFromRaised(object_t** error) {
  *error = &raised->object;
  raised = NULL;
}

int TVMFFIObjectDecRef(object_t* object) {
  ++dropped;
  free(object);
  return 0;
}

/* y = x * by, for float32. */
int __tvm_ffi_scale(void* handle, const any_t* arguments, int32_t count,
                    any_t* result) {
  (void)handle;
  (void)result;
  if (count != 3 || arguments[0].type != 7 || arguments[1].type != 3 ||
      arguments[2].type != 7) {
    return Raise("TypeError", "Expected a tensor, a float and a tensor.");
  }
  const tensor_t* x = arguments[0].pointer;
  const tensor_t* y = arguments[2].pointer;
  if (x->code != 2 || x->bits != 32) {
    return Raise("TypeError", "Expected float32.");
  }
  int64_t size = 1;
  for (int32_t i = 0; i < x->rank; ++i) size *= x->shape[i];
  for (int64_t i = 0; i < size; ++i) {
    ((float*)y->data)[i] = ((float*)x->data)[i] * (float)arguments[1].number;
  }
  return 0;
}

/* y = the strides of x. */
int __tvm_ffi_strides(void* handle, const any_t* arguments, int32_t count,
                      any_t* result) {
  (void)handle;
  (void)count;
  (void)result;
  const tensor_t* x = arguments[0].pointer;
  const tensor_t* y = arguments[1].pointer;
  for (int32_t i = 0; i < x->rank; ++i) {
    ((int64_t*)y->data)[i] = x->strides[i];
  }
  return 0;
}

/* Returns the sum of its numbers and the lengths of its strings. */
int __tvm_ffi_sum(void* handle, const any_t* arguments, int32_t count,
                  any_t* result) {
  int64_t sum = handle == NULL ? 0 : 1000;
  for (int32_t i = 0; i < count; ++i) {
    const any_t* each = &arguments[i];
    sum += each->type == 3   ? (int64_t)each->number
           : each->type == 8 ? (int64_t)strlen(each->text)
                             : each->integer;
  }
  if (sum < 0) return Raise("IndexError", "The sum is negative,\nlike -1.");
  result->type = 1;
  result->integer = sum;
  return 0;
}

typedef struct {
  object_t object;
  tensor_t tensor;
  int64_t shape[2];
  int64_t strides[2];
  float data[2];
} result_t;

/* Returns a new tensor of two numbers. */
int __tvm_ffi_pair(void* handle, const any_t* arguments, int32_t count,
                   any_t* result) {
  (void)handle;
  (void)arguments;
  (void)count;
  result_t* made = calloc(1, sizeof(*made));
  made->shape[0] = 2;
  made->data[0] = 1;
  made->data[1] = (float)dropped;
  made->tensor =
      (tensor_t){made->data, 1, 0, 1, 2, 32, 1, made->shape, NULL, 0};
  result->type = 70;
  result->pointer = made;
  return 0;
}

/* Returns a new tensor of 2x0 numbers, with strides that do not follow from its
 * shape. */
int __tvm_ffi_none(void* handle, const any_t* arguments, int32_t count,
                   any_t* result) {
  (void)handle;
  (void)arguments;
  (void)count;
  result_t* made = calloc(1, sizeof(*made));
  made->shape[0] = 2;
  made->strides[0] = made->strides[1] = 1;
  made->tensor =
      (tensor_t){NULL, 1, 0, 2, 2, 32, 1, made->shape, made->strides, 0};
  result->type = 70;
  result->pointer = made;
  return 0;
}

typedef struct {
  object_t object;
  function_t* call;
} global_t;
int TVMFFIFunctionGetGlobal(const bytes_t* name, object_t** function) {
  static global_t sum = {{1, 68, 0, NULL}, &__tvm_ffi_sum};
  *function = name->size == 8 && memcmp(name->data, "test.sum", 8) == 0
                  ? &sum.object
                  : NULL;
  return 0;
}
