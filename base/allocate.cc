// Error messages, and the functions for strings.
#include "base/allocate.h"

#include <atomic>
#include <cstdlib>

#include "absl/strings/str_cat.h"
#include "base/reserve_string.h"

namespace eyrie {
namespace {

// A reserve for error messages, since many small blocks may have used up the
// memory.
class Spare {
 public:
  Spare() : block_(std::malloc(kSmallBytes)) {}
  void LetGo() { std::free(block_.exchange(nullptr)); }
  void Take() { std::free(block_.exchange(std::malloc(kSmallBytes))); }

 private:
  std::atomic<void*> block_;
};

Spare spare;  // constructed when the program or library is loaded

}  // namespace

absl::Status CannotAllocate(uint64_t count, uint64_t size,
                            absl::string_view what) {
  spare.LetGo();
  const std::optional<uint64_t> bytes = CheckedMul(count, size);
  absl::Status status = absl::ResourceExhaustedError(
      bytes ? absl::StrCat("Cannot allocate ", *bytes, " bytes for ", what, ".")
            : absl::StrCat("Cannot allocate ", count, " times ", size,
                           " bytes for ", what, "."));
  spare.Take();
  return status;
}

absl::Status Reserve(std::string& text, size_t size, absl::string_view what) {
  if (allocate_internal::ReserveString(text, size)) return absl::OkStatus();
  return CannotAllocate(size, 1, what);
}

absl::Status Resize(std::string& text, size_t size, absl::string_view what) {
  absl::Status status = Reserve(text, size, what);
  if (status.ok()) text.resize(size);
  return status;
}

absl::Status Assign(std::string& text, absl::string_view source,
                    absl::string_view what) {
  absl::Status status = Reserve(text, source.size(), what);
  if (status.ok()) text.assign(source.data(), source.size());
  return status;
}

}  // namespace eyrie
