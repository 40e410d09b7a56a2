// Formats sizes and counts.
//
// Tested by tools/inspect/report_test.cc.
#ifndef EYRIE_ABI_NEEDS_SIZE_TEXT_H_
#define EYRIE_ABI_NEEDS_SIZE_TEXT_H_

#include <cstdint>
#include <string>

#include "absl/strings/string_view.h"

namespace eyrie::abi {

// Returns "17 bytes", "1.5 KiB" or "3.2 GiB"; units are powers of 1024.
std::string SizeText(uint64_t bytes);

// Returns "1 key" or "2 keys".
std::string CountText(uint64_t count, absl::string_view what);

}  // namespace eyrie::abi

#endif  // EYRIE_ABI_NEEDS_SIZE_TEXT_H_
