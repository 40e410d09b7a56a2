// Converts the option structs of the C API to the library's own types.
//
// Each struct begins with its size. A caller that was compiled with an older
// header passes a smaller struct; the missing fields are 0.
// Tested by runtime_test.cc, runtime_host_test.cc, runtime_parameters_test.cc.
#ifndef EYRIE_ABI_C_C_OPTIONS_H_
#define EYRIE_ABI_C_C_OPTIONS_H_

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "base/mapped_file.h"
#include "base/status_macros.h"
#include "eyrie/c.h"
#include "hal/driver.h"
#include "hal/host_memory.h"
#include "vm/limits/call_limits.h"
#include "vm/run/compiled.h"

struct eyrie_allocator_t {
  std::atomic<uint32_t> references{1};
  // Also retained by devices and by values in its memory.
  std::shared_ptr<eyrie::hal::HostMemory> memory;
};

namespace eyrie::abi {

// Receives the lines of an embedder's log; empty if there is no log. LogOf
// frees `data` with `free_data`, which may be null, when the last copy of the
// function is destroyed.
using Log = std::function<void(eyrie_severity_t, absl::string_view)>;
Log LogOf(eyrie_log_t log, void* data, void (*free_data)(void*));

// Returns a pointer to an embedder's data, whose last copy frees the data.
// `free_data` may be null.
std::shared_ptr<void> ShareData(void* data, void (*free_data)(void*));

// Memory or a function that the host lends. Calls the host's `release`, which
// may be null, when it is destroyed. A function of the C API creates it first,
// so that it also releases what it was lent if it fails.
class Loan {
 public:
  Loan(void (*release)(void* user), void* user)
      : release_(release), user_(user) {}
  Loan(const Loan&) = delete;
  Loan& operator=(const Loan&) = delete;
  ~Loan() {
    if (release_ != nullptr) release_(user_);
  }

 private:
  void (*const release_)(void* user);
  void* const user_;
};

// INVALID_ARGUMENT: there is no such use of memory.
absl::Status CheckUse(eyrie_memory_use_t use);

// Maps `size` bytes of a descriptor's file; 0 means all bytes up to its end.
// Fails as MappedFile::OpenPart does.
absl::StatusOr<std::shared_ptr<const MappedFile>> MapDescriptor(int descriptor,
                                                                uint64_t offset,
                                                                uint64_t size);

// Returns a copy of a struct, with 0 in the members that the caller's does not
// have. `given` may be null. `sizes` are the struct's sizes in all versions,
// ascending; a size between two of them counts as the smaller one. `what` names
// the struct in messages: "the device options". INVALID_ARGUMENT: the size is
// less than the first one.
template <typename Struct>
absl::StatusOr<Struct> FullStruct(const Struct* given,
                                  std::span<const size_t> sizes,
                                  absl::string_view what) {
  Struct full = {};
  if (given == nullptr) return full;
  if (given->struct_size < sizes.front()) {
    return absl::InvalidArgumentError(absl::StrCat(
        "The struct_size of ", what, " (", given->struct_size,
        ") is below that of the first version (", sizes.front(), ")."));
  }
  const auto newer =
      std::upper_bound(sizes.begin(), sizes.end(), given->struct_size);
  std::memcpy(&full, given, *(newer - 1));
  return full;
}

// INVALID_ARGUMENT: a member of a newer header is set, that is, a byte after
// the last one that this library knows is not 0. `given` may be null. Must be
// called after the struct's data has an owner that frees it.
template <typename Struct>
absl::Status CheckNewer(const Struct* given, absl::string_view what) {
  if (given == nullptr) return absl::OkStatus();
  const auto* const bytes = reinterpret_cast<const uint8_t*>(given);
  for (size_t i = sizeof(Struct); i < given->struct_size; ++i) {
    if (bytes[i] == 0) continue;
    return absl::InvalidArgumentError(
        absl::StrCat("Byte ", i, " of ", what,
                     " is set, but this library, which is older than the "
                     "header, knows only ",
                     sizeof(Struct), " bytes."));
  }
  return absl::OkStatus();
}

// Returns the structs of an array, whose distance is the struct_size of the
// first one. `sizes` and `what` are as for FullStruct. INVALID_ARGUMENT: as for
// FullStruct and CheckNewer, or the sizes differ.
template <typename Struct>
absl::StatusOr<std::vector<Struct>> FullStructs(const Struct* first,
                                                size_t count,
                                                std::span<const size_t> sizes,
                                                absl::string_view what) {
  std::vector<Struct> all;
  const auto* place = reinterpret_cast<const uint8_t*>(first);
  for (size_t i = 0; i < count; ++i, place += first->struct_size) {
    const auto* const given = reinterpret_cast<const Struct*>(place);
    if (given->struct_size != first->struct_size) {
      return absl::InvalidArgumentError(absl::StrCat(
          "The struct_size of ", what, " is ", given->struct_size, " in entry ",
          i, " and ", first->struct_size, " in entry 0."));
    }
    ASSIGN_OR_RETURN(Struct full, FullStruct(given, sizes, what));
    RETURN_IF_ERROR(CheckNewer(given, what));
    all.push_back(full);
  }
  return all;
}

// Returns memory that functions of the host allocate and free. The result owns
// `data`.
std::shared_ptr<hal::HostMemory> NewHostMemory(eyrie_allocate_t allocate,
                                               eyrie_deallocate_t deallocate,
                                               std::shared_ptr<void> data);

// Returns the compiler for a value of eyrie_jit_t. All callers share one per
// mode. Null if the mode is off or this machine is not supported.
// INVALID_ARGUMENT: `mode` is not a value of eyrie_jit_t.
absl::StatusOr<std::shared_ptr<const vm::Jit>> JitOf(int mode);

// The options of a device.
struct DeviceSetup {
  hal::DriverOptions driver;
  // Also the log of each context that has this as its first device.
  Log log;
  std::shared_ptr<const vm::Jit> jit;  // null: bytecode is interpreted
};
// Reads the options; `given` may be null. INVALID_ARGUMENT: a value is unknown,
// or two options contradict each other.
absl::StatusOr<DeviceSetup> DeviceSetupOf(const eyrie_device_options_t* given);

// Reads the options; `given` may be null. INVALID_ARGUMENT: the size is less
// than that of the first version.
absl::StatusOr<eyrie_context_options_t> ContextOptionsOf(
    const eyrie_context_options_t* given);

// The options of a call. The fences are borrowed.
struct CallSetup {
  std::shared_ptr<vm::LimitedCall> limited;  // null: nothing is limited
  std::shared_ptr<hal::HostMemory> memory;   // of results; null: the device's
  eyrie_fence_t* wait = nullptr;
  eyrie_fence_t* signal = nullptr;
};
// Reads the options of a call. Its time starts now. INVALID_ARGUMENT: the size
// is less than that of the first version, an unknown field is set, or the
// timeout is negative; the fences are set unless the size is wrong.
absl::Status ReadCallOptions(const eyrie_call_options_t& given,
                             CallSetup& setup);

}  // namespace eyrie::abi

#endif  // EYRIE_ABI_C_C_OPTIONS_H_
