// The program that has every command and loads shared libraries.
#include "tools/command.h"

namespace eyrie::tools {

absl::Status HandOver(const char*, std::span<const char* const>) {
  return absl::OkStatus();
}

}  // namespace eyrie::tools
