#include "abi/call/describe_executable.h"

#include "abi/call/vendor_executable.h"
#include "absl/strings/str_cat.h"
#include "base/plain_text.h"
#include "hal/driver.h"
#include "hal/drivers/drivers.h"
#include "hal/vmvx/executable.h"

namespace eyrie::abi {

absl::StatusOr<hal::ExecutableFacts> DescribeExecutable(
    absl::string_view format, std::span<const uint8_t> data) {
  const auto loader = hal::vmvx::CreateLoader();
  if (format == loader->format()) return loader->Describe(data);
  for (const auto& driver : hal::AllDrivers()) {
    auto facts = driver->DescribeExecutable(format, data);
    if (facts.has_value()) return *std::move(facts);
  }
  if (auto facts = DescribeVendorExecutable(format, data)) {
    return *std::move(facts);
  }
  return absl::UnimplementedError(absl::StrCat(
      "Executables of the format '", PlainName(format), "' are not known."));
}

}  // namespace eyrie::abi
