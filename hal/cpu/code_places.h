// Finds the kernel that contains an address of the running program, for reports
// of faults.
//
// Tested by executable_test.cc, tools/fault_report_test.txt.
#ifndef EYRIE_HAL_CPU_CODE_PLACES_H_
#define EYRIE_HAL_CPU_CODE_PLACES_H_

#include <atomic>
#include <cstdint>
#include <optional>
#include <span>

#include "absl/strings/string_view.h"
#include "hal/cpu/image.h"
#include "hal/cpu/kernel_executable.h"
#include "hal/executable.h"

namespace eyrie::hal::cpu {

// A place in the code of a loaded executable.
struct CodePlace {
  absl::string_view kernel;  // not checked for printing; "" if unknown
  uint64_t address;          // in the executable's file

  friend bool operator==(const CodePlace&, const CodePlace&) = default;
};

// Returns the place of an address, or nullopt if it is in no loaded executable,
// or in one that was loaded while kMostPlaces others were. May be called in a
// signal handler: does not lock or allocate. The name is valid while the
// executable is loaded.
std::optional<CodePlace> FindCodePlace(uint64_t address);

inline constexpr int kMostPlaces = 256;

// Makes an executable's code known to FindCodePlace while it exists.
// Thread-safe.
class KnownCode {
 public:
  KnownCode() = default;
  KnownCode(const KnownCode&) = delete;
  KnownCode& operator=(const KnownCode&) = delete;
  ~KnownCode();

  // Borrows its arguments. `kernels` and `exports` must have one element for
  // each export. At most once.
  void Add(const Image& image, std::span<const Kernel> kernels,
           std::span<const ExportInfo> exports);
  // Returns the place of an address in this code, or nullopt.
  std::optional<CodePlace> Find(uint64_t address) const;

 private:
  const Image* image_ = nullptr;
  std::span<const Kernel> kernels_;
  std::span<const ExportInfo> exports_;
  std::atomic<const KnownCode*>* slot_ = nullptr;
};

}  // namespace eyrie::hal::cpu

#endif  // EYRIE_HAL_CPU_CODE_PLACES_H_
