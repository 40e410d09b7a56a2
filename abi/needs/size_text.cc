#include "abi/needs/size_text.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

namespace eyrie::abi {

std::string SizeText(uint64_t bytes) {
  if (bytes < 1024) {
    return absl::StrCat(bytes, bytes == 1 ? " byte" : " bytes");
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

std::string CountText(uint64_t count, absl::string_view what) {
  return absl::StrCat(count, " ", what, count == 1 ? "" : "s");
}

}  // namespace eyrie::abi
