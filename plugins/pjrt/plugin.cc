// The one symbol of the plug-in, GetPjrtApi, and what concerns no client.
#include <cstring>

#include "absl/status/status.h"
#include "plugins/pjrt/c_types.h"
#include "plugins/pjrt/entry.h"
#include "plugins/pjrt/ffi.h"
#include "plugins/pjrt/functions.h"
#include "plugins/pjrt/layouts.h"

namespace eyrie::pjrt {
namespace {

// The versions of StableHLO that compilers since 3.9 read. A client writes
// programs for the older one of this version and its own.
constexpr int64_t kStableHlo[] = {1, 13, 7};
constexpr int64_t kOldestStableHlo[] = {0, 9, 0};

NamedValue Named(const char* name) {
  NamedValue value = {};
  value.struct_size = sizeof(value);
  value.name = name;
  value.name_size = std::strlen(name);
  value.value_size = 1;
  return value;
}

NamedValue VersionOf(const char* name, const int64_t (&version)[3]) {
  NamedValue value = Named(name);
  value.type = NamedType::kInt64List;
  value.int64_array_value = version;
  value.value_size = 3;
  return value;
}

NamedValue Number(const char* name, int64_t number) {
  NamedValue value = Named(name);
  value.type = NamedType::kInt64;
  value.int64_value = number;
  return value;
}

constexpr Version kApiVersion = {sizeof(Version), nullptr, kMajorVersion,
                                 kMinorVersion};

}  // namespace

absl::Status Plugin_Initialize(Plugin_Initialize_Args&) {
  return absl::OkStatus();
}

absl::Status Plugin_Attributes(Plugin_Attributes_Args& args) {
  static const NamedValue kAttributes[] = {
      Number("xla_version", 2),
      VersionOf("stablehlo_current_version", kStableHlo),
      VersionOf("stablehlo_minimum_version", kOldestStableHlo),
  };
  args.attributes = kAttributes;
  args.num_attributes = std::size(kAttributes);
  return absl::OkStatus();
}

extern "C" [[gnu::visibility("default")]] const Api* GetPjrtApi() {
  static const Api api = {
      sizeof(Api),
      FfiExtension(LayoutsExtension(nullptr)),
      kApiVersion,
#define FUNCTION(name, fields) &Entry<name##_Args, &name>,
#include "plugins/pjrt/api.def"
  };
  return &api;
}

}  // namespace eyrie::pjrt
