// What programs and libraries need not have of Debian's Abseil archives, anew.
//
// Where these functions are defined the linker leaves whole objects out: some
// cannot be part of a shared library, since their thread-local variables are
// addressed as a program's are, and all of them bring more with them than the
// rest of Abseil is. Nothing is sampled, as by default; the texts that statuses
// carry along are the 15 bytes of a Cord without memory of its own; there are
// no time zones. What would need more ends the process.
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>

#include "absl/base/internal/sysinfo.h"
#include "absl/base/internal/throw_delegate.h"
#include "absl/strings/cord.h"
#include "absl/strings/internal/cordz_functions.h"
#include "absl/strings/internal/cordz_info.h"
#include "absl/time/internal/cctz/include/cctz/time_zone.h"

namespace absl {
ABSL_NAMESPACE_BEGIN

namespace {

[[noreturn]] void Missing(const char* what) {
  std::fprintf(stderr, "eyrie: %s is called, which is left out.\n", what);
  std::abort();
}

}  // namespace

namespace base_internal {

int NumCPUs() {
  const unsigned count = std::thread::hardware_concurrency();
  return count == 0 ? 1 : static_cast<int>(count);
}

// Of the counter that samples' times would be taken from.
double NominalCPUFrequency() { return 1e9; }

pid_t GetTID() { return static_cast<pid_t>(syscall(SYS_gettid)); }
pid_t GetCachedTID() { return GetTID(); }

void ThrowStdOutOfRange(const char* what) {
  std::fprintf(stderr, "eyrie: %s is called beyond the end.\n", what);
  std::abort();
}
void ThrowStdLengthError(const char* what) {
  std::fprintf(stderr, "eyrie: %s is given too great a length.\n", what);
  std::abort();
}

}  // namespace base_internal

namespace cord_internal {

ABSL_CONST_INIT thread_local int64_t cordz_next_sample = INT64_MAX;

bool cordz_should_profile_slow() {
  cordz_next_sample = INT64_MAX;
  return false;
}
int32_t get_cordz_mean_interval() { return 0; }
void set_cordz_mean_interval(int32_t) {}
void cordz_set_next_sample_for_testing(int64_t) {}

void CordzInfo::MaybeTrackCordImpl(InlineData&, const InlineData&,
                                   CordzUpdateTracker::MethodIdentifier) {}

}  // namespace cord_internal

void Cord::DestroyCordSlow() { Missing("Cord::DestroyCordSlow"); }
void Cord::InlineRep::UnrefTree() {
  if (is_tree()) Missing("Cord::InlineRep::UnrefTree");
}
Cord::operator std::string() const {
  return std::string(contents_.data(), contents_.size());
}
bool Cord::EqualsImpl(const Cord& other, size_t size) const {
  return absl::string_view(contents_.data(), size) ==
         absl::string_view(other.contents_.data(), size);
}

namespace time_internal {
namespace cctz {

time_zone::absolute_lookup time_zone::lookup(const time_point<seconds>&) const {
  Missing("time_zone::lookup");
}
time_zone::civil_lookup time_zone::lookup(const civil_second&) const {
  Missing("time_zone::lookup");
}
bool time_zone::next_transition(const time_point<seconds>&,
                                civil_transition*) const {
  Missing("time_zone::next_transition");
}
bool time_zone::prev_transition(const time_point<seconds>&,
                                civil_transition*) const {
  Missing("time_zone::prev_transition");
}

}  // namespace cctz
}  // namespace time_internal
ABSL_NAMESPACE_END
}  // namespace absl
