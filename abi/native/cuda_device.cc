#include "abi/native/cuda_device.h"

#include <dlfcn.h>

#include <cstdlib>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/folders.h"
#include "base/foreign_function.h"
#include "base/plain_text.h"
#include "base/status_macros.h"

namespace eyrie::native {

struct CudaFunctions {
#define CUDA_FUNCTION(member, symbol, parameters) \
  int(*member) parameters = nullptr;
#include "abi/native/cuda_functions.def"
#undef CUDA_FUNCTION
};

namespace {

constexpr char kVariable[] = "EYRIE_CUDA_LIBRARY";
constexpr char kLibrary[] = "libcuda.so.1";
constexpr unsigned kNonBlocking = 1;  // a stream without implicit waits
constexpr size_t kMaxShown = 200;     // bytes of a text of the driver

// The driver's results that have codes of their own.
constexpr int kNoMemory = 2;
constexpr int kNoDevice = 100;

absl::StatusOr<CudaFunctions> LoadDriver() {
  const char* const variable = std::getenv(kVariable);
  const bool is_given = variable != nullptr && *variable != '\0';
  const std::string path = is_given ? ExplicitPath(variable) : kLibrary;
  void* const library = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    const char* const why = ::dlerror();
    return absl::UnavailableError(absl::StrCat(
        "CUDA's driver cannot be loaded: ",
        PlainText(why == nullptr ? "no reason is given" : why, kMaxShown),
        ". Install NVIDIA's driver, or name its library in ", kVariable, "."));
  }
  CudaFunctions driver;
  const char* missing = nullptr;
#define CUDA_FUNCTION(member, symbol, parameters)                    \
  driver.member =                                                    \
      reinterpret_cast<int(*) parameters>(::dlsym(library, symbol)); \
  if (driver.member == nullptr && missing == nullptr) missing = symbol;
#include "abi/native/cuda_functions.def"
#undef CUDA_FUNCTION
  if (missing == nullptr) return driver;
  return absl::UnavailableError(
      absl::StrCat("'", PlainName(path),
                   "' is not CUDA's driver: it lacks the "
                   "function ",
                   missing, "."));
}

// Opened once in a process; if this fails, the next call tries again.
absl::StatusOr<const CudaFunctions*> Driver() {
  static std::mutex mutex;
  static const CudaFunctions* driver = nullptr;
  const std::lock_guard lock(mutex);
  if (driver == nullptr) {
    ASSIGN_OR_RETURN(const CudaFunctions loaded, LoadDriver());
    driver = new CudaFunctions(loaded);
  }
  return driver;
}

template <typename... Parameters, typename... Arguments>
EYRIE_CALLS_FOREIGN_CODE int Call(int (*function)(Parameters...),
                                  Arguments... arguments) {
  return function(arguments...);
}

uint64_t AddressOf(const void* memory) {
  return reinterpret_cast<uintptr_t>(memory);
}

}  // namespace

absl::Status CudaDevice::Check(int result, const char* function) const {
  if (result == 0) [[likely]]
    return absl::OkStatus();
  absl::StatusCode code = absl::StatusCode::kInternal;
  if (result == kNoMemory) code = absl::StatusCode::kResourceExhausted;
  if (result == kNoDevice) code = absl::StatusCode::kUnavailable;
  const char* name = nullptr;
  const char* text = nullptr;
  Call(driver_.error_name, result, &name);
  Call(driver_.error_text, result, &text);
  return absl::Status(
      code,
      absl::StrCat(
          "CUDA's function ", function, " returned ",
          PlainText(name == nullptr ? "an unknown error" : name, kMaxShown),
          " (", result, ")", text == nullptr ? "" : ": ",
          PlainText(text == nullptr ? "" : text, kMaxShown), "."));
}

absl::Status CudaDevice::Current::status() const {
  if (device_ == nullptr) return absl::OkStatus();
  return device_->Check(result_, "cuCtxPushCurrent");
}

absl::StatusOr<std::shared_ptr<const CudaDevice>> CudaDevice::Open() {
  ASSIGN_OR_RETURN(const CudaFunctions* const opened, Driver());
  const CudaFunctions& driver = *opened;
  std::shared_ptr<CudaDevice> made(new CudaDevice(driver));
  RETURN_IF_ERROR(made->Check(Call(driver.init, 0u), "cuInit"));
  int count = 0;
  RETURN_IF_ERROR(
      made->Check(Call(driver.device_count, &count), "cuDeviceGetCount"));
  if (count <= made->ordinal()) {
    return absl::UnavailableError("CUDA's driver finds no device.");
  }
  RETURN_IF_ERROR(made->Check(
      Call(driver.device, &made->device_, made->ordinal()), "cuDeviceGet"));
  RETURN_IF_ERROR(
      made->Check(Call(driver.retain_context, &made->context_, made->device_),
                  "cuDevicePrimaryCtxRetain"));
  const Current current(made.get());
  RETURN_IF_ERROR(current.status());
  RETURN_IF_ERROR(
      made->Check(Call(driver.create_stream, &made->stream_, kNonBlocking),
                  "cuStreamCreate"));
  return made;
}

CudaDevice::~CudaDevice() {
  if (context_ == nullptr) return;
  if (stream_ != nullptr) {
    const Current current(this);
    Await().IgnoreError();
    Call(driver_.destroy_stream, stream_);
  }
  Call(driver_.release_context, device_);
}

int CudaDevice::Push() const { return Call(driver_.push_context, context_); }

void CudaDevice::Pop() const {
  void* popped = nullptr;
  Call(driver_.pop_context, &popped);
}

absl::StatusOr<void*> CudaDevice::Allocate(size_t bytes) const {
  const Current current(this);
  uint64_t address = 0;
  RETURN_IF_ERROR(Check(Call(driver_.allocate, &address, bytes), "cuMemAlloc"));
  return reinterpret_cast<void*>(address);
}

void CudaDevice::Free(void* memory) const {
  const Current current(this);
  Call(driver_.free, AddressOf(memory));
}

absl::Status CudaDevice::CopyIn(void* to, const void* from,
                                size_t bytes) const {
  const Current current(this);
  return Check(Call(driver_.copy_in, AddressOf(to), from, bytes, stream_),
               "cuMemcpyHtoDAsync");
}

absl::Status CudaDevice::CopyOut(void* to, const void* from,
                                 size_t bytes) const {
  const Current current(this);
  return Check(Call(driver_.copy_out, to, AddressOf(from), bytes, stream_),
               "cuMemcpyDtoHAsync");
}

absl::Status CudaDevice::Await() const {
  const Current current(this);
  return Check(Call(driver_.synchronize, stream_), "cuStreamSynchronize");
}

absl::StatusOr<std::shared_ptr<const CudaDevice>> SharedCudaDevice::Get() {
  const std::lock_guard lock(mutex_);
  if (device_ == nullptr) {
    RETURN_IF_ERROR(calls_.StartThread());
    ASSIGN_OR_RETURN(device_, CudaDevice::Open());
  }
  return device_;
}

}  // namespace eyrie::native
