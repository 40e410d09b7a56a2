/* Handlers for CUDA. Their kernels are functions that the stream runs. */
#include <stdlib.h>

#include "tests/native/cuda_driver.h"
#include "tests/native/handler.h"

static void* StreamOf(const eyrie_ffi_call_frame_t* frame) {
  eyrie_ffi_stream_get_t args = {EYRIE_FFI_SIZE(eyrie_ffi_stream_get_t, stream),
                                 NULL, frame->context, NULL};
  return frame->api->stream_get(&args) == NULL ? args.stream : NULL;
}

/* out[i] = a[i % period] + b[i]; without b, + 1. Then completes a future. */
typedef struct {
  float* out;
  const float* a;
  const float* b;
  int64_t period;
  int64_t count;
  const eyrie_ffi_api_t* api;
  eyrie_ffi_future_t* future;
} kernel_t;

static void Run(void* data) {
  kernel_t* const k = data;
  for (int64_t i = 0; i < k->count; ++i) {
    k->out[i] = k->a[i % k->period] + (k->b == NULL ? 1 : k->b[i]);
  }
  if (k->future != NULL) {
    eyrie_ffi_future_available_t done = {
        EYRIE_FFI_SIZE(eyrie_ffi_future_available_t, future), NULL, k->future};
    k->api->future_available(&done);
  }
  free(k);
}

static eyrie_ffi_error_t* Launch(const eyrie_ffi_call_frame_t* frame,
                                 kernel_t kernel) {
  kernel_t* const copy = malloc(sizeof(kernel));
  *copy = kernel;
  copy->out = Reach(kernel.out);
  copy->a = Reach(kernel.a);
  if (kernel.b != NULL) copy->b = Reach(kernel.b);
  copy->api = frame->api;
  if (cuLaunchHostFunc(StreamOf(frame), Run, copy) == 0) return NULL;
  free(copy);
  return Fail(frame, 13, "The kernel cannot be launched.");
}

/* The example of XLA's documentation: A[i] = B[i % 128] + C[i] */
HANDLER(Add) {
  BEGIN_HANDLER(frame);
  const eyrie_ffi_buffer_t* const b = Arg(frame, 0);
  const eyrie_ffi_buffer_t* const c = Arg(frame, 1);
  return Launch(frame, (kernel_t){.out = Result(frame, 0)->data,
                                  .a = b->data,
                                  .b = c->data,
                                  .period = CountOf(b),
                                  .count = CountOf(c)});
}

static kernel_t Increment(const eyrie_ffi_call_frame_t* frame) {
  const eyrie_ffi_buffer_t* const x = Arg(frame, 0);
  const int64_t count = CountOf(x);
  return (kernel_t){.out = Result(frame, 0)->data,
                    .a = x->data,
                    .period = count,
                    .count = count};
}

/* result = argument + 1 */
HANDLER(Next) {
  BEGIN_HANDLER(frame);
  return Launch(frame, Increment(frame));
}

/* The same, by way of scratch memory, which is freed before the stream uses
 * it, and of a temporary result. */
HANDLER(NextByScratch) {
  BEGIN_HANDLER(frame);
  kernel_t kernel = Increment(frame);
  const size_t bytes = (size_t)kernel.count * sizeof(float);
  eyrie_ffi_memory_allocate_t allocate = {
      EYRIE_FFI_SIZE(eyrie_ffi_memory_allocate_t, data),
      NULL,
      frame->context,
      bytes,
      256,
      NULL};
  eyrie_ffi_error_t* error = frame->api->memory_allocate(&allocate);
  if (error != NULL) return error;
  void* const stream = StreamOf(frame);
  cuMemcpyDtoDAsync_v2((uintptr_t)allocate.data, (uintptr_t)kernel.a, bytes,
                       stream);
  cuMemcpyDtoDAsync_v2((uintptr_t)Result(frame, 1)->data,
                       (uintptr_t)allocate.data, bytes, stream);
  kernel.a = Result(frame, 1)->data;
  error = Launch(frame, kernel);
  eyrie_ffi_memory_free_t release = {
      EYRIE_FFI_SIZE(eyrie_ffi_memory_free_t, data), NULL, frame->context,
      bytes, allocate.data};
  eyrie_ffi_error_t* const refused = frame->api->memory_free(&release);
  if (refused != NULL) return refused;
  /* The second time it must fail. */
  eyrie_ffi_error_t* const twice = frame->api->memory_free(&release);
  if (twice == NULL) return Fail(frame, 13, "Memory is freed twice.");
  eyrie_ffi_error_destroy_t destroy = {
      EYRIE_FFI_SIZE(eyrie_ffi_error_destroy_t, error), NULL, twice};
  frame->api->error_destroy(&destroy);
  return error;
}

/* The same, with a future that the stream completes. */
HANDLER(NextLater) {
  BEGIN_HANDLER(frame);
  eyrie_ffi_future_create_t create = {EYRIE_FFI_FUTURE_CREATE_SIZE, NULL, NULL};
  frame->api->future_create(&create);
  kernel_t kernel = Increment(frame);
  kernel.future = create.future;
  frame->future = create.future;
  return Launch(frame, kernel);
}

/* Fails while the stream works. */
HANDLER(FailAfter) {
  BEGIN_HANDLER(frame);
  Launch(frame, Increment(frame));
  return Fail(frame, 9, "The handler fails while its kernel runs.");
}

/* Never frees what it allocates itself, which the fake driver reports. */
HANDLER(Leak) {
  BEGIN_HANDLER(frame);
  uint64_t address;
  cuMemAlloc_v2(&address, 16);
  return NULL;
}

/* Each stage needs the context, and the ordinal and the stream of the others.
 */
static void* seen_stream;
static eyrie_ffi_error_t* Look(eyrie_ffi_call_frame_t* frame) {
  BEGIN_HANDLER(frame);
  void* context = NULL;
  cuCtxGetCurrent(&context);
  if (context == NULL) return Fail(frame, 13, "No context is current.");
  eyrie_ffi_device_ordinal_t ordinal = {
      EYRIE_FFI_SIZE(eyrie_ffi_device_ordinal_t, ordinal), NULL, frame->context,
      -1};
  frame->api->device_ordinal(&ordinal);
  if (ordinal.ordinal != 0) return Fail(frame, 13, "The ordinal is not 0.");
  void* const stream = StreamOf(frame);
  if (seen_stream == NULL) seen_stream = stream;
  if (stream == NULL || stream != seen_stream) {
    return Fail(frame, 13, "The stream is another one.");
  }
  return NULL;
}
HANDLER(LookFirst) { return Look(frame); }
HANDLER(LookPrepare) { return Look(frame); }
HANDLER(LookInitialize) { return Look(frame); }
HANDLER(LookExecute) {
  eyrie_ffi_error_t* const error = Look(frame);
  return error != NULL || frame->extension != NULL
             ? error
             : Launch(frame, Increment(frame));
}
