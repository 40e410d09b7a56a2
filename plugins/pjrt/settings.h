// The options of a client, which are in settings.def.
// Tested by pjrt_test.cc.
#ifndef EYRIE_PLUGINS_PJRT_SETTINGS_H_
#define EYRIE_PLUGINS_PJRT_SETTINGS_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "plugins/pjrt/c_types.h"

namespace eyrie::pjrt {

struct Settings {
  std::string device = "local-task";
  int64_t device_count = 1;
  bool isolate = false;
  int64_t timeout_ms = 0;
  std::string compiler;
  int64_t compile_timeout_ms = 0;
  std::string compile_flags;
  int64_t compile_workers = 0;
  std::string cache;
};

// Reads a list of options and the environment. INVALID_ARGUMENT: an unknown
// option, a value of the wrong type or out of range, or as StructsIn.
absl::StatusOr<Settings> ReadSettings(const NamedValue* list, size_t count);

// Returns the settings that a topology depends on, as text that
// ReadTopologySettings reads: "device_count=2 device=local-task".
std::string TopologyText(const Settings& settings);
absl::StatusOr<Settings> ReadTopologyText(absl::string_view text);

}  // namespace eyrie::pjrt

#endif  // EYRIE_PLUGINS_PJRT_SETTINGS_H_
