#include "abi/needs/size_text.h"

#include "absl/strings/str_format.h"
#include "base/counted.h"

namespace eyrie::abi {

std::string SizeText(uint64_t bytes) {
  if (bytes < 1024) {
    return Counted(bytes, "byte");
  }
  double value = static_cast<double>(bytes);
  const char* unit = "";
  for (const char* const larger : {"KiB", "MiB", "GiB", "TiB", "PiB", "EiB"}) {
    if (value < 1023.95) break;  // what would print as 1024.0
    value /= 1024;
    unit = larger;
  }
  return absl::StrFormat("%.1f %s", value, unit);
}

}  // namespace eyrie::abi
