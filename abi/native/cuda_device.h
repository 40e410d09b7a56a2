// A CUDA device as the handlers of one context use it: its primary context and
// a stream.
//
// The driver's library is opened when a handler needs it first, and never
// closed. It is libcuda.so.1, or the file that the environment variable
// EYRIE_CUDA_LIBRARY names. cuda_functions.def declares its functions anew,
// from the reference of the driver API. Thread-safe.
// Tested by cuda_device_test.cc, and by tools/native_test.sh with the fake
// library of tests/native.
#ifndef EYRIE_ABI_NATIVE_CUDA_DEVICE_H_
#define EYRIE_ABI_NATIVE_CUDA_DEVICE_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>

#include "abi/native/task_pool.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace eyrie::native {

struct CudaFunctions;

class CudaDevice {
 public:
  // The alignment of allocated memory, in bytes.
  static constexpr size_t kAlignment = 256;

  // Opens the first device that CUDA_VISIBLE_DEVICES leaves. UNAVAILABLE: there
  // is no driver or no device. Otherwise returns the driver's error.
  static absl::StatusOr<std::shared_ptr<const CudaDevice>> Open();

  CudaDevice(const CudaDevice&) = delete;
  CudaDevice& operator=(const CudaDevice&) = delete;
  // No call may be running. Work in the stream is waited for.
  ~CudaDevice();

  int32_t ordinal() const { return 0; }
  void* stream() const { return stream_; }

  // While an object lives, the primary context is current on its thread.
  class Current {
   public:
    // Does nothing if `device` is null.
    explicit Current(const CudaDevice* device) : device_(device) {
      if (device_ != nullptr) [[unlikely]]
        result_ = device_->Push();
    }
    Current(const Current&) = delete;
    Current& operator=(const Current&) = delete;
    ~Current() {
      if (device_ != nullptr && result_ == 0) [[unlikely]]
        device_->Pop();
    }

    // Returns the driver's error if the context could not be made current.
    absl::Status status() const;

   private:
    const CudaDevice* const device_;
    int result_ = 0;  // of the driver
  };

  // Allocates memory of the device. RESOURCE_EXHAUSTED: it has no more.
  absl::StatusOr<void*> Allocate(size_t bytes) const;
  void Free(void* memory) const;
  // Copy bytes in the order of the stream. The host's memory must be kept until
  // Await has returned.
  absl::Status CopyIn(void* to, const void* from, size_t bytes) const;
  absl::Status CopyOut(void* to, const void* from, size_t bytes) const;
  // Waits for all work in the stream. Returns its errors, too.
  absl::Status Await() const;

 private:
  explicit CudaDevice(const CudaFunctions& driver) : driver_(driver) {}

  int Push() const;
  void Pop() const;
  absl::Status Check(int result, const char* function) const;

  const CudaFunctions& driver_;
  int device_ = 0;
  void* context_ = nullptr;  // null: not retained
  void* stream_ = nullptr;
};

// The device of all native functions of a session, opened on demand.
class SharedCudaDevice {
 public:
  // Fails as CudaDevice::Open does, or if calls() cannot have a thread; the
  // next call tries again.
  absl::StatusOr<std::shared_ptr<const CudaDevice>> Get();
  // For work that waits for the device, which the device's own threads must not
  // do. The threads are not those of the handlers' tasks, because a handler may
  // wait for these. After Get(), tasks run on other threads than the caller's.
  TaskPool& calls() { return calls_; }

 private:
  TaskPool calls_;
  std::mutex mutex_;
  std::shared_ptr<const CudaDevice> device_;  // guarded by mutex_
};

}  // namespace eyrie::native

#endif  // EYRIE_ABI_NATIVE_CUDA_DEVICE_H_
