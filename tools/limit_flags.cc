#include "tools/limit_flags.h"

#include <cmath>
#include <memory>
#include <string>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "absl/time/time.h"
#include "base/status_macros.h"
#include "tools/usage_error.h"

namespace eyrie::tools {
namespace {

constexpr uint64_t kLeastStack = 4096;
constexpr uint64_t kMaxStack = uint64_t{1} << 40;

constexpr Flag kLimitFlags[] = {
    Heading("Limits"),
    {"fuel", FlagKind::kInt, "-1",
     "Fuel of each call: a backward branch, a call, and each KiB allocated or\n"
     "copied use 1 each. The device gets the same amount. -1: no limit."},
    {"timeout", FlagKind::kString, "",
     "Time limit of each call, such as 2s or 500ms; a number alone is "
     "seconds.\n"
     "Machine code is not interrupted."},
    {"max_memory", FlagKind::kString, "",
     "Limit of the host and device memory that a module holds at a time, such\n"
     "as 64M or 2GiB."},
    {"max_stack", FlagKind::kString, "4MiB",
     "Limit of the stack that the functions of one call use."},
};

struct Unit {
  const char* name;
  double bytes;
};
// As in `ulimit` and systemd, a letter alone is a power of 1024.
constexpr Unit kUnits[] = {
    {"KiB", 0x1p10}, {"MiB", 0x1p20}, {"GiB", 0x1p30}, {"TiB", 0x1p40},
    {"KB", 1e3},     {"MB", 1e6},     {"GB", 1e9},     {"TB", 1e12},
    {"K", 0x1p10},   {"M", 0x1p20},   {"G", 0x1p30},   {"T", 0x1p40},
    {"B", 1},  // last: a suffix of the others
};

absl::Status NoSize(absl::string_view text) {
  return absl::InvalidArgumentError(
      absl::StrCat("'", text,
                   "' is not a size; expected a number of bytes such as 4096, "
                   "64M or 2GiB"));
}

}  // namespace

std::span<const Flag> LimitFlags() { return kLimitFlags; }

absl::StatusOr<uint64_t> ParseBytes(absl::string_view text) {
  absl::string_view number = text;
  double unit = 1;
  for (const Unit& row : kUnits) {
    if (absl::ConsumeSuffix(&number, row.name)) {
      unit = row.bytes;
      break;
    }
  }
  double count;
  // Sizes must be below 2^63; the product is exact below 2^53.
  if (!absl::SimpleAtod(number, &count) || !(count >= 0) ||
      !(count * unit < 0x1p63)) {
    return NoSize(text);
  }
  return static_cast<uint64_t>(count * unit);
}

absl::Status ReadSize(const Arguments& arguments, const char* name,
                      uint64_t& bytes) {
  const std::string& text = arguments.GetString(name);
  absl::StatusOr<uint64_t> parsed = ParseBytes(text);
  if (parsed.ok()) {
    bytes = *parsed;
    return absl::OkStatus();
  }
  return UsageError(
      absl::StrCat("--", name, "=", parsed.status().message(), "."));
}

absl::Status ReadDuration(const Arguments& arguments, const char* name,
                          absl::Duration unit, absl::Duration& duration) {
  const std::string& text = arguments.GetString(name);
  double number;
  if (absl::SimpleAtod(text, &number) && std::isfinite(number)) {
    duration = number * unit;
  } else if (!absl::ParseDuration(text, &duration)) {
    duration = -absl::InfiniteDuration();
  }
  if (duration >= absl::ZeroDuration()) return absl::OkStatus();
  return UsageError(
      absl::StrCat("--", name, "='", text,
                   "' is not a duration; expected one such as 2s or 500ms."));
}

std::shared_ptr<MemoryMeter> MeterOf(
    const std::shared_ptr<MemoryMeter>& memory) {
  return memory != nullptr ? memory : std::make_shared<MemoryMeter>(kMaxMade);
}

absl::Status HintAtMaxMemory(const Arguments& arguments,
                             const absl::Status& status) {
  if (!absl::IsResourceExhausted(status) || arguments.IsSet("max_memory") ||
      !absl::StrContains(status.message(), absl::StrCat(kMaxMade))) {
    return status;  // another limit, or the machine's memory
  }
  return Annotate(
      status, absl::StrCat("Without --max_memory, values may have ", kMaxMade,
                           " bytes at most; "
                           "--max_memory=SIZE allows more."));
}

absl::StatusOr<vm::Limits> LimitsOf(const Arguments& arguments) {
  vm::Limits limits;
  const int64_t fuel = arguments.GetInt("fuel");
  if (fuel < -1) {
    return UsageError(
        absl::StrCat("--fuel=", fuel,
                     " is negative; expected 0 or more, or -1 for no "
                     "limit."));
  }
  if (fuel >= 0) limits.fuel = static_cast<uint64_t>(fuel);
  if (arguments.IsSet("timeout")) {
    RETURN_IF_ERROR(
        ReadDuration(arguments, "timeout", absl::Seconds(1), limits.timeout));
  }
  if (arguments.IsSet("max_memory")) {
    RETURN_IF_ERROR(ReadSize(arguments, "max_memory", limits.max_memory));
  }
  uint64_t stack = limits.max_stack;
  RETURN_IF_ERROR(ReadSize(arguments, "max_stack", stack));
  if (stack < kLeastStack || stack > kMaxStack) {
    return UsageError(absl::StrCat(
        "--max_stack=", arguments.GetString("max_stack"), " is not between ",
        kLeastStack, " bytes and ", kMaxStack >> 40, "TiB."));
  }
  limits.max_stack = stack;
  return limits;
}

}  // namespace eyrie::tools
