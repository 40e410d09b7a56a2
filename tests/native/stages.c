/* Handlers that use their context: states of stages, memory, threads, futures,
 * identity.
 *
 * Run by native_test.sh, built for each version of the API. */
#include <pthread.h>
#include <stdlib.h>

#include "tests/native/handler.h"

/* --- States: instantiate creates a counter, and each call increments it. */

static eyrie_ffi_type_id_t counter_id;

static void DeleteCounter(void* counter) { free(counter); }
static const eyrie_ffi_type_info_t kCounterInfo = {
    EYRIE_FFI_SIZE(eyrie_ffi_type_info_t, deleter), NULL, DeleteCounter};

eyrie_ffi_type_id_t* CounterId(void) { return &counter_id; }
const eyrie_ffi_type_info_t* CounterInfo(void) { return &kCounterInfo; }

static eyrie_ffi_error_t* SetState(eyrie_ffi_call_frame_t* frame, int32_t stage,
                                   int64_t value) {
  int64_t* counter = malloc(sizeof(*counter));
  *counter = value;
#if EYRIE_FFI_MINOR == 1
  eyrie_ffi_state_1_t args = {EYRIE_FFI_SIZE(eyrie_ffi_state_1_t, deleter),
                              NULL,
                              frame->context,
                              &counter_id,
                              counter,
                              DeleteCounter};
  (void)stage;
#elif EYRIE_FFI_MINOR == 2
  eyrie_ffi_state_2_t args = {EYRIE_FFI_SIZE(eyrie_ffi_state_2_t, state), NULL,
                              frame->context, &counter_id, counter};
  (void)stage;
#else
  eyrie_ffi_state_3_t args = {EYRIE_FFI_SIZE(eyrie_ffi_state_3_t, state),
                              NULL,
                              frame->context,
                              stage,
                              &counter_id,
                              counter};
#endif
  eyrie_ffi_error_t* error = frame->api->state_set(&args);
  if (error != NULL) free(counter);
  return error;
}

static eyrie_ffi_error_t* GetState(eyrie_ffi_call_frame_t* frame, int32_t stage,
                                   int64_t** counter) {
#if EYRIE_FFI_MINOR <= 2
  eyrie_ffi_state_2_t args = {EYRIE_FFI_SIZE(eyrie_ffi_state_2_t, state), NULL,
                              frame->context, &counter_id, NULL};
  (void)stage;
#else
  eyrie_ffi_state_3_t args = {EYRIE_FFI_SIZE(eyrie_ffi_state_3_t, state),
                              NULL,
                              frame->context,
                              stage,
                              &counter_id,
                              NULL};
#endif
  eyrie_ffi_error_t* error = frame->api->state_get(&args);
  *counter = args.state;
  return error;
}

HANDLER(CounterInstantiate) {
#if EYRIE_FFI_MINOR >= 2
  if (frame->extension != NULL && counter_id.id == 0) {
    return Fail(frame, 9, "The counter's type is not registered.");
  }
#endif
  if (frame->extension != NULL) return Introduce(frame, counter_id.id);
  if (frame->stage != EYRIE_FFI_INSTANTIATE || frame->args.count != 0) {
    return Fail(frame, 13, "This is not how a handler is instantiated.");
  }
  const int64_t* start = FindScalar(frame, "start", EYRIE_FFI_S64);
  if (start == NULL) return Fail(frame, 3, "The counter lacks its start.");
  if (*start < 0) return Fail(frame, 11, "The start is negative.");
  return SetState(frame, EYRIE_FFI_INSTANTIATE, *start);
}

/* Versions before 0.3 have only one state. */
HANDLER(CounterPrepare) {
  BEGIN_HANDLER(frame);
#if EYRIE_FFI_MINOR >= 3
  return SetState(frame, EYRIE_FFI_PREPARE, 100);
#else
  return NULL;
#endif
}

HANDLER(CounterInitialize) {
  BEGIN_HANDLER(frame);
#if EYRIE_FFI_MINOR >= 3
  int64_t* prepared;
  eyrie_ffi_error_t* error = GetState(frame, EYRIE_FFI_PREPARE, &prepared);
  if (error != NULL) return error;
  return SetState(frame, EYRIE_FFI_INITIALIZE, *prepared + 100);
#else
  return NULL;
#endif
}

/* results: the count, and the state of the earlier stages (200). */
HANDLER(CounterExecute) {
  BEGIN_HANDLER(frame);
  int64_t* counter;
  eyrie_ffi_error_t* error = GetState(frame, EYRIE_FFI_INSTANTIATE, &counter);
  if (error != NULL) return error;
  int64_t* out = Result(frame, 0)->data;
  out[0] = (*counter)++;
  out[1] = 200;
#if EYRIE_FFI_MINOR >= 3
  int64_t* initialized;
  error = GetState(frame, EYRIE_FFI_INITIALIZE, &initialized);
  if (error != NULL) return error;
  out[1] = *initialized;
#endif
  return NULL;
}

/* --- Scratch memory. */

HANDLER(Scratch) {
  BEGIN_HANDLER(frame);
  const int64_t* align = FindScalar(frame, "align", EYRIE_FFI_S64);
  const int64_t* size = FindScalar(frame, "size", EYRIE_FFI_S64);
  if (align == NULL || size == NULL) return Fail(frame, 3, "No size, align.");
  eyrie_ffi_memory_allocate_t args = {
      EYRIE_FFI_SIZE(eyrie_ffi_memory_allocate_t, data),
      NULL,
      frame->context,
      (size_t)*size,
      (size_t)*align,
      NULL};
  eyrie_ffi_error_t* error = frame->api->memory_allocate(&args);
  if (error != NULL) return error;
  memset(args.data, 1, args.byte_count);
  int64_t* out = Result(frame, 0)->data;
  out[0] = (int64_t)((uintptr_t)args.data % (uintptr_t)*align);
  /* The first block is freed here, the second by the host. */
  eyrie_ffi_memory_free_t back = {EYRIE_FFI_SIZE(eyrie_ffi_memory_free_t, data),
                                  NULL, frame->context, args.byte_count,
                                  args.data};
  error = frame->api->memory_free(&back);
  if (error == NULL) error = frame->api->memory_allocate(&args);
  return error;
}

/* --- Threads: the sum over all tasks. */

enum { kTasks = 8 };
typedef struct Work {
  pthread_mutex_t mutex;
  pthread_cond_t done;
  int left;
  int64_t sum;
} Work;

static void Count(void* data) {
  Work* work = data;
  pthread_mutex_lock(&work->mutex);
  work->sum += work->left;
  if (--work->left == 0) pthread_cond_signal(&work->done);
  pthread_mutex_unlock(&work->mutex);
}

HANDLER(Threads) {
  BEGIN_HANDLER(frame);
  Work work = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, kTasks, 0};
  for (int i = 0; i < kTasks; ++i) {
    eyrie_ffi_schedule_t args = {EYRIE_FFI_SIZE(eyrie_ffi_schedule_t, data),
                                 NULL, frame->context, Count, &work};
    eyrie_ffi_error_t* error = frame->api->schedule(&args);
    if (error != NULL) return error;
  }
  pthread_mutex_lock(&work.mutex);
  while (work.left != 0) pthread_cond_wait(&work.done, &work.mutex);
  pthread_mutex_unlock(&work.mutex);
  int64_t threads = -1;
  eyrie_ffi_thread_count_t count = {
      EYRIE_FFI_SIZE(eyrie_ffi_thread_count_t, count), NULL, frame->context,
      &threads};
  eyrie_ffi_error_t* error = frame->api->thread_count(&count);
  int64_t* out = Result(frame, 0)->data;
  out[0] = work.sum;
  out[1] = threads > 0;
  return error;
}

/* --- Futures: the result is ready later, or never. */

typedef struct Later {
  const eyrie_ffi_api_t* api;
  eyrie_ffi_future_t* future;
  const float* in;
  float* out;
  int64_t count;
  int64_t fails;
} Later;

static void Finish(void* data) {
  Later* later = data;
  for (int64_t i = 0; i < later->count; ++i) later->out[i] = -later->in[i];
  eyrie_ffi_error_t* error = NULL;
  if (later->fails) {
    eyrie_ffi_error_create_t create = {
        EYRIE_FFI_SIZE(eyrie_ffi_error_create_t, code), NULL,
        later->fails == 1 ? "The work went wrong." : NULL, 10};
    eyrie_ffi_future_error_t args = {
        EYRIE_FFI_SIZE(eyrie_ffi_future_error_t, error), NULL, later->future,
        later->api->error_create(&create)};
    error = later->api->future_error(&args);
  } else {
    eyrie_ffi_future_available_t args = {
        EYRIE_FFI_SIZE(eyrie_ffi_future_available_t, future), NULL,
        later->future};
    error = later->api->future_available(&args);
  }
  if (error != NULL) {
    eyrie_ffi_error_destroy_t destroy = {
        EYRIE_FFI_SIZE(eyrie_ffi_error_destroy_t, error), NULL, error};
    later->api->error_destroy(&destroy);
  }
  free(later);
}

/* result = -argument. "early": completes before the handler returns. "fails":
 * 1 fails with a message, 2 without. */
HANDLER(Negate) {
  BEGIN_HANDLER(frame);
  const int32_t* fails = FindScalar(frame, "fails", EYRIE_FFI_S32);
  const int32_t* early = FindScalar(frame, "early", EYRIE_FFI_S32);
  eyrie_ffi_future_create_t create = {EYRIE_FFI_FUTURE_CREATE_SIZE, NULL, NULL};
  eyrie_ffi_error_t* error = frame->api->future_create(&create);
  if (error != NULL) return error;
  frame->future = create.future;
  Later* later = malloc(sizeof(*later));
  *later = (Later){frame->api,
                   create.future,
                   Arg(frame, 0)->data,
                   Result(frame, 0)->data,
                   CountOf(Arg(frame, 0)),
                   fails == NULL ? 0 : *fails};
  if (early != NULL && *early) {
    Finish(later);
    return NULL;
  }
  eyrie_ffi_schedule_t args = {EYRIE_FFI_SIZE(eyrie_ffi_schedule_t, data), NULL,
                               frame->context, Finish, later};
  return frame->api->schedule(&args);
}

/* Returns a future that is never completed. */
HANDLER(Forever) {
  BEGIN_HANDLER(frame);
  eyrie_ffi_future_create_t create = {EYRIE_FFI_FUTURE_CREATE_SIZE, NULL, NULL};
  eyrie_ffi_error_t* error = frame->api->future_create(&create);
  frame->future = create.future;
  return error;
}

/* --- Identity. */

HANDLER(Identity) {
  BEGIN_HANDLER(frame);
  /* Some handlers pass a size that is too large here. */
  eyrie_ffi_run_id_t run = {40, NULL, frame->context, 0};
  eyrie_ffi_device_ordinal_t device = {
      EYRIE_FFI_SIZE(eyrie_ffi_device_ordinal_t, ordinal), NULL, frame->context,
      -1};
  eyrie_ffi_error_t* error = frame->api->run_id(&run);
  if (error == NULL) error = frame->api->device_ordinal(&device);
  int64_t* out = Result(frame, 0)->data;
  out[0] = run.run_id;
  out[1] = device.ordinal;
  return error;
}

HANDLER(Stream) {
  BEGIN_HANDLER(frame);
  eyrie_ffi_stream_get_t args = {EYRIE_FFI_SIZE(eyrie_ffi_stream_get_t, stream),
                                 NULL, frame->context, NULL};
  return frame->api->stream_get(&args);
}

HANDLER(UserData) {
  BEGIN_HANDLER(frame);
  eyrie_ffi_context_get_t args = {EYRIE_FFI_SIZE(eyrie_ffi_context_get_t, data),
                                  NULL, frame->context, &counter_id, NULL};
  eyrie_ffi_error_t* error = frame->api->context_get(&args);
  if (error == NULL) *(int64_t*)Result(frame, 0)->data = *(int64_t*)args.data;
  return error;
}

/* Passes a struct with a size that no version has. */
HANDLER(WrongSize) {
  BEGIN_HANDLER(frame);
  eyrie_ffi_stream_get_t args = {8, NULL, frame->context, NULL};
  return frame->api->memory_allocate((void*)&args);
}
