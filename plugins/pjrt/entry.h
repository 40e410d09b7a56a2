// The entry of each function from C: checks the size of the caller's struct.
// Tested by pjrt_test.cc.
#ifndef EYRIE_PLUGINS_PJRT_ENTRY_H_
#define EYRIE_PLUGINS_PJRT_ENTRY_H_

#include <algorithm>
#include <cstring>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "plugins/pjrt/c_types.h"
#include "plugins/pjrt/error.h"

namespace eyrie::pjrt {

// Returns INVALID_ARGUMENT if a handle in the arguments is null.
#define IN(type, name)
#define HANDLE(type, name)                                               \
  if (args.name == nullptr) {                                            \
    return absl::InvalidArgumentError(                                   \
        absl::StrCat(LeastSize<Args>::kName, ": `" #name "` is null.")); \
  }
#define FUNCTION(name, fields)                                \
  inline absl::Status CheckHandles(const name##_Args& args) { \
    using Args [[maybe_unused]] = name##_Args;                \
    fields return absl::OkStatus();                           \
  }
#include "plugins/pjrt/api.def"

// Calls a function with a copy of the caller's struct, and returns its results.
// Of a struct that is larger than Args, only the fields of Args are used.
template <typename Args, absl::Status (*kFunction)(Args&)>
Error* Entry(Args* given) {
  using Least = LeastSize<Args>;
  if (given == nullptr || given->struct_size < Least::kBytes) [[unlikely]] {
    return NewError(absl::InvalidArgumentError(
        absl::StrCat(Least::kName, ": struct_size is ",
                     given == nullptr ? 0 : given->struct_size, "; at least ",
                     Least::kBytes, " is required.")));
  }
  const size_t size = std::min(given->struct_size, sizeof(Args));
  Args args = {};
  std::memcpy(static_cast<void*>(&args), given, size);
  absl::Status status = CheckHandles(args);
  if (status.ok()) status = kFunction(args);
  if (!status.ok()) [[unlikely]]
    return NewError(std::move(status));
  std::memcpy(static_cast<void*>(given), &args, size);
  return nullptr;
}

}  // namespace eyrie::pjrt

#endif  // EYRIE_PLUGINS_PJRT_ENTRY_H_
