/* A stand-in for CUDA's driver library: memory is that of the host, and a
 * stream is a thread.
 *
 * Addresses of the device cannot be used by the host. Work in a stream takes a
 * few milliseconds, so that a caller that does not wait is wrong. All functions
 * but the first few need a current context. If FAKE_CUDA is "cuMemAlloc=2",
 * that function returns 2; with "devices=0" there is none. When the process
 * ends, whatever is left is printed. */
#include "tests/native/cuda_driver.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
  kInvalidValue = 1,
  kNoMemory = 2,
  kInvalidContext = 201,
  kInvalidHandle = 400,
  kDevice = 5, /* the number of device 0 */
  kMostAllocations = 64,
};
/* Makes addresses that no process can have. */
static const uint64_t kOffset = UINT64_C(1) << 62;

typedef struct work {
  struct work* next;
  void (*function)(void* data); /* null: copies */
  void* data;                   /* or the target of a copy */
  const void* from;
  size_t bytes;
} work_t;

typedef struct {
  pthread_t thread;
  pthread_mutex_t mutex;
  pthread_cond_t changed;
  work_t* first; /* stays in the list while it runs */
  int ends;
} stream_t;

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static uint64_t memory[kMostAllocations]; /* addresses of the device */
static int streams, retained, early_frees;
static int busy; /* works of all streams */
static int context;
static __thread int depth; /* of current contexts */

static int Failure(const char* function) {
  const char* const asked = getenv("FAKE_CUDA");
  const size_t size = strlen(function);
  if (asked == NULL || strncmp(asked, function, size) != 0 ||
      asked[size] != '=') {
    return 0;
  }
  return atoi(asked + size + 1);
}
#define MAY_FAIL(function)              \
  do {                                  \
    const int code = Failure(function); \
    if (code != 0) return code;         \
  } while (0)
#define NEEDS_CONTEXT(function)             \
  do {                                      \
    MAY_FAIL(function);                     \
    if (depth == 0) return kInvalidContext; \
  } while (0)

__attribute__((destructor)) static void Report(void) {
  int left = 0;
  for (size_t i = 0; i < kMostAllocations; ++i) left += memory[i] != 0;
  if (left + streams + retained + early_frees == 0) return;
  fprintf(stderr,
          "The fake CUDA has %d allocations, %d streams and %d contexts left, "
          "and %d were freed too early.\n",
          left, streams, retained, early_frees);
}

void* Reach(const void* address) {
  return (void*)((uintptr_t)address - kOffset);
}

int cuInit(unsigned flags) {
  (void)flags;
  return Failure("cuInit");
}

int cuGetErrorName(int result, const char** name) {
  *name = result == 2     ? "CUDA_ERROR_OUT_OF_MEMORY"
          : result == 100 ? "CUDA_ERROR_NO_DEVICE"
          : result == 700 ? "CUDA_ERROR_ILLEGAL_ADDRESS"
                          : NULL;
  return *name == NULL ? kInvalidValue : 0;
}

int cuGetErrorString(int result, const char** text) {
  *text = result == 2 ? "out of memory" : NULL;
  return *text == NULL ? kInvalidValue : 0;
}

int cuDeviceGetCount(int* count) {
  MAY_FAIL("cuDeviceGetCount");
  const char* const asked = getenv("FAKE_CUDA");
  *count = asked != NULL && strcmp(asked, "devices=0") == 0 ? 0 : 1;
  return 0;
}

int cuDeviceGet(int* device, int ordinal) {
  MAY_FAIL("cuDeviceGet");
  *device = kDevice;
  return ordinal == 0 ? 0 : kInvalidValue;
}

int cuDevicePrimaryCtxRetain(void** made, int device) {
  MAY_FAIL("cuDevicePrimaryCtxRetain");
  if (device != kDevice) return kInvalidValue;
  __atomic_add_fetch(&retained, 1, __ATOMIC_SEQ_CST);
  *made = &context;
  return 0;
}

int cuDevicePrimaryCtxRelease_v2(int device) {
  if (device != kDevice) return kInvalidValue;
  __atomic_sub_fetch(&retained, 1, __ATOMIC_SEQ_CST);
  return 0;
}

int cuCtxPushCurrent_v2(void* pushed) {
  MAY_FAIL("cuCtxPushCurrent");
  if (pushed != &context) return kInvalidValue;
  ++depth;
  return 0;
}

int cuCtxPopCurrent_v2(void** popped) {
  NEEDS_CONTEXT("cuCtxPopCurrent");
  --depth;
  *popped = &context;
  return 0;
}

int cuCtxGetCurrent(void** current) {
  *current = depth == 0 ? NULL : &context;
  return 0;
}

static void* RunStream(void* data) {
  stream_t* const stream = data;
  pthread_mutex_lock(&stream->mutex);
  while (1) {
    while (stream->first == NULL && !stream->ends) {
      pthread_cond_wait(&stream->changed, &stream->mutex);
    }
    work_t* const work = stream->first;
    if (work == NULL) break;
    pthread_mutex_unlock(&stream->mutex);
    usleep(3000);
    if (work->function != NULL) {
      work->function(work->data);
    } else {
      memcpy(work->data, work->from, work->bytes);
    }
    __atomic_sub_fetch(&busy, 1, __ATOMIC_SEQ_CST);
    pthread_mutex_lock(&stream->mutex);
    stream->first = work->next;
    free(work);
    pthread_cond_broadcast(&stream->changed);
  }
  pthread_mutex_unlock(&stream->mutex);
  return NULL;
}

int cuStreamCreate(void** made, unsigned flags) {
  NEEDS_CONTEXT("cuStreamCreate");
  (void)flags;
  stream_t* const stream = calloc(1, sizeof(*stream));
  pthread_mutex_init(&stream->mutex, NULL);
  pthread_cond_init(&stream->changed, NULL);
  pthread_create(&stream->thread, NULL, RunStream, stream);
  __atomic_add_fetch(&streams, 1, __ATOMIC_SEQ_CST);
  *made = stream;
  return 0;
}

int cuStreamDestroy_v2(void* destroyed) {
  NEEDS_CONTEXT("cuStreamDestroy");
  stream_t* const stream = destroyed;
  pthread_mutex_lock(&stream->mutex);
  stream->ends = 1;
  pthread_cond_broadcast(&stream->changed);
  pthread_mutex_unlock(&stream->mutex);
  pthread_join(stream->thread, NULL);
  pthread_cond_destroy(&stream->changed);
  pthread_mutex_destroy(&stream->mutex);
  free(stream);
  __atomic_sub_fetch(&streams, 1, __ATOMIC_SEQ_CST);
  return 0;
}

int cuStreamSynchronize(void* awaited) {
  if (depth == 0) return kInvalidContext;
  stream_t* const stream = awaited;
  pthread_mutex_lock(&stream->mutex);
  while (stream->first != NULL) {
    pthread_cond_wait(&stream->changed, &stream->mutex);
  }
  pthread_mutex_unlock(&stream->mutex);
  return Failure("cuStreamSynchronize");
}

static int Add(void* to, const void* from, size_t bytes,
               void (*function)(void*), void* data, void* target) {
  stream_t* const stream = target;
  if (stream == NULL) return kInvalidHandle;
  work_t* const work = calloc(1, sizeof(*work));
  work->function = function;
  work->data = function == NULL ? to : data;
  work->from = from;
  work->bytes = bytes;
  __atomic_add_fetch(&busy, 1, __ATOMIC_SEQ_CST);
  pthread_mutex_lock(&stream->mutex);
  work_t** last = &stream->first;
  while (*last != NULL) last = &(*last)->next;
  *last = work;
  pthread_cond_broadcast(&stream->changed);
  pthread_mutex_unlock(&stream->mutex);
  return 0;
}

int cuMemAlloc_v2(uint64_t* address, size_t bytes) {
  NEEDS_CONTEXT("cuMemAlloc");
  void* const made = malloc(bytes);
  if (made == NULL) return kNoMemory;
  *address = (uintptr_t)made + kOffset;
  pthread_mutex_lock(&mutex);
  size_t i = 0;
  while (i < kMostAllocations && memory[i] != 0) ++i;
  if (i < kMostAllocations) memory[i] = *address;
  pthread_mutex_unlock(&mutex);
  if (i < kMostAllocations) return 0;
  free(made);
  return kNoMemory;
}

int cuMemFree_v2(uint64_t address) {
  NEEDS_CONTEXT("cuMemFree");
  if (__atomic_load_n(&busy, __ATOMIC_SEQ_CST) != 0) {
    __atomic_add_fetch(&early_frees, 1, __ATOMIC_SEQ_CST);
  }
  pthread_mutex_lock(&mutex);
  size_t i = 0;
  while (i < kMostAllocations && memory[i] != address) ++i;
  if (i < kMostAllocations) memory[i] = 0;
  pthread_mutex_unlock(&mutex);
  if (i == kMostAllocations) return kInvalidValue;
  free(Reach((void*)address));
  return 0;
}

int cuMemcpyHtoDAsync_v2(uint64_t to, const void* from, size_t bytes,
                         void* stream) {
  NEEDS_CONTEXT("cuMemcpyHtoDAsync");
  return Add(Reach((void*)to), from, bytes, NULL, NULL, stream);
}

int cuMemcpyDtoHAsync_v2(void* to, uint64_t from, size_t bytes, void* stream) {
  NEEDS_CONTEXT("cuMemcpyDtoHAsync");
  return Add(to, Reach((void*)from), bytes, NULL, NULL, stream);
}

int cuMemcpyDtoDAsync_v2(uint64_t to, uint64_t from, size_t bytes,
                         void* stream) {
  NEEDS_CONTEXT("cuMemcpyDtoDAsync");
  return Add(Reach((void*)to), Reach((void*)from), bytes, NULL, NULL, stream);
}

int cuLaunchHostFunc(void* stream, void (*function)(void*), void* data) {
  NEEDS_CONTEXT("cuLaunchHostFunc");
  return Add(NULL, NULL, 0, function, data, stream);
}
