// Reads entries by their kind.
#include "vm/asm/debug_locations.h"

#include "base/optional_field.h"
#include "flatbuffers/flatbuffers.h"

namespace eyrie::vm {

fbs::Location KindOf(const fbs::DebugDatabase& debug, uint32_t location) {
  return location < debug.locations_type()->size()
             ? debug.locations_type()->GetEnum<fbs::Location>(location)
             : fbs::Location::NONE;
}

absl::string_view TextOf(const fbs::DebugDatabase& debug, uint32_t location) {
  const auto get = [&]<typename T>() -> const T& {
    return *debug.locations()->GetAs<T>(location);
  };
  switch (KindOf(debug, location)) {
    case fbs::Location::FileLocation:
      return View(get.operator()<fbs::FileLocation>().filename());
    case fbs::Location::NamedLocation:
      return View(get.operator()<fbs::NamedLocation>().name());
    case fbs::Location::FusedLocation:
      return View(get.operator()<fbs::FusedLocation>().metadata());
    default:
      return "";
  }
}

}  // namespace eyrie::vm
