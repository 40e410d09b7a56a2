// Formats sizes.
//
// Tested by tools/inspect/report_test.cc.
#ifndef EYRIE_ABI_NEEDS_SIZE_TEXT_H_
#define EYRIE_ABI_NEEDS_SIZE_TEXT_H_

#include <cstdint>
#include <string>

namespace eyrie::abi {

// Returns "17 bytes", "1.5 KiB" or "3.2 GiB"; units are powers of 1024.
std::string SizeText(uint64_t bytes);

}  // namespace eyrie::abi

#endif  // EYRIE_ABI_NEEDS_SIZE_TEXT_H_
