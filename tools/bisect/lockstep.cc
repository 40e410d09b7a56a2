#include "tools/bisect/lockstep.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/plain_text.h"
#include "base/status_macros.h"
#include "tools/bisect/element_guess.h"
#include "tools/bisect/kernel_name.h"

namespace eyrie::tools {
namespace {

// Bytes that are kept for a reproducer, at most.
constexpr uint64_t kMaxKept = uint64_t{1} << 30;

bool AreEqual(Bytes a, Bytes b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size()) == 0;
}

DispatchPlace PlaceOf(const hal::ObservedDispatch& dispatch, size_t number,
                      size_t round) {
  DispatchPlace place;
  place.number = number;
  place.round = round;
  place.kernel = dispatch.name();
  place.ordinal = dispatch.ordinal;
  return place;
}

// Returns the first and the last byte that two runs changed.
ByteRange Hull(const std::vector<ByteRange>& ranges) {
  if (ranges.empty()) return {};
  return {ranges.front().begin, ranges.back().end};
}

// Returns the union of ranges of both runs.
std::vector<ByteRange> Union(std::vector<ByteRange> all,
                             const std::vector<ByteRange>& others) {
  all.insert(all.end(), others.begin(), others.end());
  std::sort(all.begin(), all.end(), [](const ByteRange& a, const ByteRange& b) {
    return a.begin < b.begin;
  });
  std::vector<ByteRange> united;
  for (const ByteRange& range : all) {
    if (!united.empty() && range.begin <= united.back().end) {
      united.back().end = std::max(united.back().end, range.end);
    } else {
      united.push_back(range);
    }
  }
  return united;
}

}  // namespace

absl::Status Lockstep::Observer::Before(const hal::ObservedDispatch& dispatch) {
  return lockstep_.meeting_.Meet(side_, dispatch,
                                 [this](const auto& good, const auto& bad) {
                                   return lockstep_.Before(good, bad);
                                 });
}

absl::Status Lockstep::Observer::After(const hal::ObservedDispatch& dispatch) {
  return lockstep_.meeting_.Meet(side_, dispatch,
                                 [this](const auto& good, const auto& bad) {
                                   return lockstep_.After(good, bad);
                                 });
}

absl::Status Lockstep::Mismatch(std::string reason) {
  mismatch_ = std::move(reason);
  return absl::AbortedError(mismatch_);
}

absl::Status Lockstep::CheckLayout(const hal::ObservedDispatch& good,
                                   const hal::ObservedDispatch& bad) {
  const size_t number = comparison_.good_dispatches;
  const auto differ = [&](absl::string_view what) {
    return Mismatch(absl::StrCat("dispatch ", number, " is '",
                                 PlainName(good.name()), "' and '",
                                 PlainName(bad.name()), "', with ", what));
  };
  if (good.name() != bad.name() && !IsUnnamed(good.name()) &&
      !IsUnnamed(bad.name())) {
    return differ("other names");
  }
  if (good.bindings.size() != bad.bindings.size()) {
    return differ("other numbers of bindings");
  }
  if (!std::equal(good.constants.begin(), good.constants.end(),
                  bad.constants.begin(), bad.constants.end())) {
    return differ("other constants");
  }
  for (size_t i = 0; i < good.bindings.size(); ++i) {
    if (good.bindings[i]->byte_length() != bad.bindings[i]->byte_length()) {
      return differ(absl::StrCat("other sizes of binding ", i));
    }
  }
  if (DistinctBindings(good) != DistinctBindings(bad)) {
    return differ("bindings that share memory differently");
  }
  return absl::OkStatus();
}

absl::Status Lockstep::CompareInput(const hal::ObservedDispatch& good,
                                    const hal::ObservedDispatch& bad,
                                    size_t binding) {
  hal::Buffer& good_buffer = *good.bindings[binding];
  hal::Buffer& bad_buffer = *bad.bindings[binding];
  const bool is_constant = hal::IsReadOnly(bad_buffer);
  std::vector<uint8_t> good_copy;
  std::vector<uint8_t> bad_copy;
  ASSIGN_OR_RETURN(const Bytes from, Look(good_buffer, good_copy));
  ASSIGN_OR_RETURN(const Bytes to, Look(bad_buffer, bad_copy));
  if (!AreEqual(from, to)) {
    const ByteRange range =
        WholeElements(bad.name(), ChangedRanges(from, to).front(), from.size());
    const Bytes a = from.subspan(range.begin, range.size());
    const Bytes b = to.subspan(range.begin, range.size());
    const std::string text = absl::StrCat(
        "binding ", binding, " at byte ", range.begin, ": ",
        ToText(Compare(GuessElement(bad.name(), a), a, b, tolerance_)));
    if (is_constant) {
      constants_ = text;
    } else if (comparison_.inputs.empty()) {
      comparison_.inputs =
          absl::StrCat("before dispatch ", comparison_.bad_dispatches, ", '",
                       PlainName(bad.name()), "', ", text);
    }
    if (!is_constant) RETURN_IF_ERROR(bad_buffer.Write(0, from));
  }
  if (is_constant) return absl::OkStatus();
  bindings_.push_back(binding);
  before_.emplace_back(from.begin(), from.end());
  return absl::OkStatus();
}

absl::Status Lockstep::Before(const hal::ObservedDispatch& good,
                              const hal::ObservedDispatch& bad) {
  RETURN_IF_ERROR(CheckLayout(good, bad));
  comparison_.running = bad.name();
  bindings_.clear();
  before_.clear();
  constants_.clear();
  for (const size_t binding : DistinctBindings(bad)) {
    const hal::Buffer& a = *good.bindings[binding];
    const hal::Buffer& b = *bad.bindings[binding];
    const bool is_constant = hal::IsReadOnly(a) && hal::IsReadOnly(b);
    const auto key = std::tuple<const void*, const void*, uint64_t>(
        &a.allocation(), &b.allocation(), a.byte_offset());
    if (const auto known = known_.find(key);
        is_constant && known != known_.end()) {
      if (!known->second.empty()) constants_ = known->second;
      continue;
    }
    const std::string before = std::exchange(constants_, "");
    RETURN_IF_ERROR(CompareInput(good, bad, binding));
    if (is_constant) known_[key] = constants_;
    if (constants_.empty()) constants_ = before;
  }
  return absl::OkStatus();
}

absl::Status Lockstep::After(const hal::ObservedDispatch& good,
                             const hal::ObservedDispatch& bad) {
  comparison_.running.clear();
  comparison_.bad_equal.push_back(true);
  comparison_.bad_kernels.push_back(bad.name());
  for (size_t i = 0; i < bindings_.size(); ++i) {
    RETURN_IF_ERROR(CompareResult(good, bad, i));
  }
  if (comparison_.bad_equal.back()) ConfirmLast(comparison_);
  ++comparison_.compared;
  ++comparison_.good_dispatches;
  ++comparison_.bad_dispatches;
  ++rounds_[bad.name()];
  return absl::OkStatus();
}

absl::Status Lockstep::CompareResult(const hal::ObservedDispatch& good,
                                     const hal::ObservedDispatch& bad,
                                     size_t index) {
  const size_t binding = bindings_[index];
  std::vector<uint8_t> good_copy;
  std::vector<uint8_t> bad_copy;
  ASSIGN_OR_RETURN(const Bytes from, Look(*good.bindings[binding], good_copy));
  ASSIGN_OR_RETURN(const Bytes to, Look(*bad.bindings[binding], bad_copy));
  if (AreEqual(from, to)) return absl::OkStatus();
  const Bytes before = before_[index];
  const auto good_ranges = ChangedRanges(before, from);
  const auto bad_ranges = ChangedRanges(before, to);
  const ByteRange good_hull = Hull(good_ranges);
  const ByteRange bad_hull = Hull(bad_ranges);
  if (good_hull.size() != 0 && bad_hull.size() != 0) {
    const uint64_t size = std::min(good_hull.size(), bad_hull.size());
    const bool moved = good_hull.begin != bad_hull.begin &&
                       (!good_hull.Overlaps(bad_hull) ||
                        AreEqual(from.subspan(good_hull.begin, size),
                                 to.subspan(bad_hull.begin, size)));
    if (moved) {
      return Mismatch(absl::StrCat(
          "dispatch ", comparison_.bad_dispatches, ", '", PlainName(bad.name()),
          "', writes to other places of binding ", binding));
    }
  }
  for (const ByteRange& changed : Union(good_ranges, bad_ranges)) {
    const ByteRange range = WholeElements(bad.name(), changed, from.size());
    const Bytes a = from.subspan(range.begin, range.size());
    const Bytes b = to.subspan(range.begin, range.size());
    if (AreEqual(a, b)) continue;
    Difference difference =
        Compare(GuessElement(bad.name(), a), a, b, tolerance_);
    if (difference.differing != 0) {
      comparison_.bad_equal.back() = false;
      RETURN_IF_ERROR(
          AddFinding(good, bad, index, range, std::move(difference)));
    } else {
      NoteEqual(bad.name(), difference, comparison_);
    }
  }
  return bad.bindings[binding]->Write(0, from);
}

std::optional<Comparison> Lockstep::Finish(bool agree) {
  auto& findings = comparison_.findings;
  if (agree) ConfirmLast(comparison_);
  if (findings.empty()) return std::move(comparison_);
  // An earlier one that is not confirmed may be the reason of the first.
  if (!findings.front().is_confirmed) {
    mismatch_ = absl::StrCat("dispatch ", findings.front().bad.number, ", '",
                             PlainName(findings.front().bad.kernel),
                             "', may be another part of the program");
    return std::nullopt;
  }
  KeepConfirmed(comparison_);
  return std::move(comparison_);
}

absl::Status Lockstep::AddFinding(const hal::ObservedDispatch& good,
                                  const hal::ObservedDispatch& bad,
                                  size_t index, const ByteRange& range,
                                  Difference difference) {
  if (comparison_.findings.size() == kMaxFindings) return absl::OkStatus();
  if (comparison_.findings.empty()) {
    RETURN_IF_ERROR(Keep(good, comparison_.good_memory));
    RETURN_IF_ERROR(Keep(bad, comparison_.bad_memory));
    std::vector<uint8_t> copy;
    for (const auto& [dispatch, memory] :
         {std::pair(&good, &comparison_.good_memory),
          std::pair(&bad, &comparison_.bad_memory)}) {
      ASSIGN_OR_RETURN(const Bytes bytes,
                       Look(*dispatch->bindings[bindings_[index]], copy));
      memory->after.assign(bytes.begin(), bytes.end());
    }
  } else if (comparison_.findings.back().bad.number ==
             comparison_.bad_dispatches) {
    return absl::OkStatus();  // another tensor of the same dispatch
  }
  Finding& finding = comparison_.findings.emplace_back();
  const size_t round = rounds_[bad.name()];
  finding.good = PlaceOf(good, comparison_.good_dispatches, round);
  finding.bad = PlaceOf(bad, comparison_.bad_dispatches, round);
  finding.binding = bindings_[index];
  finding.offset = range.begin;
  finding.shape = GuessShape(bad.name(), difference.count, difference.type);
  finding.difference = std::move(difference);
  finding.constants = constants_;
  finding.is_confirmed = good.name() == bad.name() && !IsUnnamed(good.name());
  return absl::OkStatus();
}

// Copies the memory before the dispatch, unless that is too much.
absl::Status Lockstep::Keep(const hal::ObservedDispatch& dispatch,
                            DispatchMemory& memory) {
  uint64_t total = 0;
  for (const Ref<hal::Buffer>& buffer : dispatch.bindings) {
    total += buffer->byte_length();
  }
  if (total > kMaxKept) return absl::OkStatus();
  std::copy(std::begin(dispatch.workgroup_count),
            std::end(dispatch.workgroup_count), memory.workgroups);
  memory.constants.assign(dispatch.constants.begin(), dispatch.constants.end());
  std::vector<uint8_t> copy;
  for (size_t i = 0; i < dispatch.bindings.size(); ++i) {
    hal::Buffer& buffer = *dispatch.bindings[i];
    ASSIGN_OR_RETURN(const Bytes bytes, Look(buffer, copy));
    memory.before.emplace_back(bytes.begin(), bytes.end());
    memory.read_only.push_back(hal::IsReadOnly(buffer));
    size_t first = 0;
    while (!IsSameRange(*dispatch.bindings[first], buffer)) ++first;
    memory.same_as.push_back(first);
  }
  // Those that the dispatch may write have been written by now.
  for (size_t i = 0; i < bindings_.size(); ++i) {
    for (size_t k = 0; k < dispatch.bindings.size(); ++k) {
      if (IsSameRange(*dispatch.bindings[bindings_[i]],
                      *dispatch.bindings[k])) {
        memory.before[k] = before_[i];
      }
    }
  }
  return absl::OkStatus();
}

}  // namespace eyrie::tools
