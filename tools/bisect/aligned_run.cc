#include "tools/bisect/aligned_run.h"

#include <algorithm>
#include <utility>

#include "base/status_macros.h"
#include "tools/bisect/element_guess.h"

namespace eyrie::tools {

AlignedRun::AlignedRun(const std::atomic<bool>& stop, double tolerance,
                       const Recording& good, const Recording& bad)
    : meeting_(stop),
      tolerance_(tolerance),
      good_recording_(good),
      bad_recording_(bad),
      pairs_(Align(good, bad)) {
  comparison_.good_dispatches = good.size();
  comparison_.bad_dispatches = bad.size();
  comparison_.bad_equal.assign(bad.size(), false);
  for (const RecordedDispatch& row : bad) {
    comparison_.bad_kernels.push_back(row.kernel);
  }
}

absl::Status AlignedRun::Observer::After(
    const hal::ObservedDispatch& dispatch) {
  const size_t number = number_++;
  if (next_pair_ == run_.pairs_.size()) return absl::OkStatus();
  const AlignedPair& pair = run_.pairs_[next_pair_];
  if (number != (side_ == SideOf::kGood ? pair.good : pair.bad)) {
    return absl::OkStatus();
  }
  ++next_pair_;
  return run_.meeting_.Meet(side_, dispatch,
                            [&](const auto& good, const auto& bad) {
                              return run_.Compare(pair, good, bad);
                            });
}

absl::Status AlignedRun::Compare(const AlignedPair& pair,
                                 const hal::ObservedDispatch& good,
                                 const hal::ObservedDispatch& bad) {
  if (good.name() != good_recording_[pair.good].kernel ||
      bad.name() != bad_recording_[pair.bad].kernel) {
    return absl::FailedPreconditionError(
        "The dispatches of a run are not those of the run before it, so the "
        "runs cannot be compared.");
  }
  comparison_.bad_equal[pair.bad] = true;
  ++comparison_.compared;
  for (size_t i = 0; i < bad_recording_[pair.bad].writes.size(); ++i) {
    RETURN_IF_ERROR(CompareTensor(pair, i, good, bad));
  }
  if (comparison_.bad_equal[pair.bad]) ConfirmLast(comparison_);
  return absl::OkStatus();
}

Comparison AlignedRun::Finish(bool agree) {
  if (agree) ConfirmLast(comparison_);
  KeepConfirmed(comparison_);
  // If none counts, the last results differ, and nothing before is certain.
  Finding all;
  AddSuspects(bad_recording_.size(), all);
  comparison_.unknown = std::move(all.suspects);
  comparison_.equal_before_unknown = std::move(all.equal_bad);
  return std::move(comparison_);
}

absl::Status AlignedRun::CompareTensor(const AlignedPair& pair, size_t index,
                                       const hal::ObservedDispatch& good,
                                       const hal::ObservedDispatch& bad) {
  const WrittenTensor& a = good_recording_[pair.good].writes[index];
  const WrittenTensor& b = bad_recording_[pair.bad].writes[index];
  hal::Buffer& bad_buffer = *bad.bindings[b.binding];
  std::vector<uint8_t> good_copy;
  std::vector<uint8_t> bad_copy;
  ASSIGN_OR_RETURN(Bytes want, Look(*good.bindings[a.binding], good_copy));
  ASSIGN_OR_RETURN(Bytes have, Look(bad_buffer, bad_copy));
  const uint64_t size = std::min(a.range.size(), b.range.size());
  if (a.range.begin + size > want.size() ||
      b.range.begin + size > have.size()) {
    return absl::OutOfRangeError(
        "A dispatch has smaller bindings than before.");
  }
  want = want.subspan(a.range.begin, size);
  have = have.subspan(b.range.begin, size);
  if (std::equal(want.begin(), want.end(), have.begin())) {
    return absl::OkStatus();
  }
  Difference difference =
      tools::Compare(GuessElement(bad.name(), want), want, have, tolerance_);
  if (difference.differing != 0) {
    comparison_.bad_equal[pair.bad] = false;
    AddFinding(pair, b, std::move(difference));
  } else {
    NoteEqual(bad.name(), difference, comparison_);
  }
  return bad_buffer.Write(b.range.begin, want);
}

DispatchPlace AlignedRun::PlaceOf(const Recording& recording,
                                  size_t number) const {
  DispatchPlace place;
  place.number = number;
  place.kernel = recording[number].kernel;
  place.ordinal = recording[number].ordinal;
  for (size_t i = 0; i < number; ++i) {
    place.round += recording[i].kernel == place.kernel;
  }
  return place;
}

void AlignedRun::AddFinding(const AlignedPair& pair,
                            const WrittenTensor& tensor,
                            Difference difference) {
  auto& findings = comparison_.findings;
  const bool is_known =
      !findings.empty() && findings.back().bad.number == pair.bad;
  if (is_known || findings.size() == kMaxFindings) return;
  Finding& finding = findings.emplace_back();
  finding.good = PlaceOf(good_recording_, pair.good);
  finding.bad = PlaceOf(bad_recording_, pair.bad);
  finding.binding = tensor.binding;
  finding.offset = tensor.range.begin;
  finding.shape =
      GuessShape(finding.bad.kernel, difference.count, difference.type);
  finding.difference = std::move(difference);
  AddSuspects(pair.bad, finding);
}

void AlignedRun::AddSuspects(size_t bad, Finding& finding) const {
  const std::vector<size_t> suspects =
      Suspects(bad_recording_, comparison_.bad_equal, bad);
  if (suspects.empty()) return;
  for (const size_t number : suspects) {
    finding.suspects.push_back(PlaceOf(bad_recording_, number));
  }
  for (const AlignedPair& earlier : pairs_) {
    if (earlier.bad >= suspects.front()) break;
    if (!comparison_.bad_equal[earlier.bad]) continue;
    finding.equal_good = PlaceOf(good_recording_, earlier.good);
    finding.equal_bad = PlaceOf(bad_recording_, earlier.bad);
  }
}

}  // namespace eyrie::tools
