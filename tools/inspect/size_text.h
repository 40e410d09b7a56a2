// Numbers of bytes for readers.
//
// Tested by report_test.cc.
#ifndef EYRIE_TOOLS_INSPECT_SIZE_TEXT_H_
#define EYRIE_TOOLS_INSPECT_SIZE_TEXT_H_

#include <cstdint>
#include <string>

#include "absl/strings/string_view.h"

namespace eyrie::tools {

// "17 bytes", "1.5 KiB", "3.2 GiB"; powers of two.
std::string SizeText(uint64_t bytes);

// "1 key", "2 keys".
std::string CountText(uint64_t count, absl::string_view what);

}  // namespace eyrie::tools

#endif  // EYRIE_TOOLS_INSPECT_SIZE_TEXT_H_
