// Watches dispatches: what they read before they run, and what they have
// written after that.
//
// The functions are called on the thread that submits the dispatch, in the
// order of the program. Commands of an observed submission run one after
// another, and the submission returns after the last of them
// (observed_commands.h).
// Tested by observed_commands_test.cc, tools/debug/debug_test.txt.
#ifndef EYRIE_HAL_DISPATCH_OBSERVER_H_
#define EYRIE_HAL_DISPATCH_OBSERVER_H_

#include <cstdint>
#include <set>
#include <span>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "base/ref.h"
#include "hal/buffer.h"
#include "hal/executable.h"
#include "hal/types.h"

namespace eyrie::hal {

// Returns the name of an export, or "#3" if it has none. `ordinal` must be
// valid.
inline std::string DispatchName(const Executable& executable,
                                uint32_t ordinal) {
  const absl::string_view name = executable.exports()[ordinal].name;
  return name.empty() ? absl::StrCat("#", ordinal) : std::string(name);
}

// Adds the names of all exports.
inline void AddDispatchNames(const Executable& executable,
                             std::set<std::string>& names) {
  for (uint32_t i = 0; i < executable.exports().size(); ++i) {
    names.insert(DispatchName(executable, i));
  }
}

// A dispatch. Borrowed for the call.
struct ObservedDispatch {
  const Executable& executable;
  uint32_t ordinal;
  uint32_t workgroup_count[3];
  std::span<const uint32_t> constants;
  // The ranges that the bindings name; Buffer::Read copies their bytes.
  std::span<const Ref<Buffer>> bindings;

  std::string name() const { return DispatchName(executable, ordinal); }
};

// Reports whether a dispatch may not write a binding.
inline bool IsReadOnly(const Buffer& binding) {
  return !binding.CheckAccess(memory_access::kWrite).ok();
}

// Must be thread-safe if several contexts have the same observer.
class DispatchObserver {
 public:
  virtual ~DispatchObserver() = default;

  // Called when a module has loaded an executable.
  virtual void Loaded(const Executable&) {}
  // Called when a module has allocated a buffer, whose bytes are not set yet.
  virtual absl::Status Allocated(Buffer&) { return absl::OkStatus(); }
  // Reports whether a dispatch is to be observed.
  virtual bool Wants(const Executable& executable, uint32_t ordinal) = 0;
  // An error of these fails the submission with it; after an error of Before,
  // the dispatch does not run. If the dispatch fails, After is not called.
  virtual absl::Status Before(const ObservedDispatch& dispatch) = 0;
  virtual absl::Status After(const ObservedDispatch& dispatch) = 0;
};

}  // namespace eyrie::hal

#endif  // EYRIE_HAL_DISPATCH_OBSERVER_H_
