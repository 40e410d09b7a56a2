// The findings of a comparison of two runs.
//
// Tested by bisect_test.txt.
#ifndef EYRIE_TOOLS_BISECT_FINDING_H_
#define EYRIE_TOOLS_BISECT_FINDING_H_

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tools/bisect/difference.h"

namespace eyrie::tools {

// A dispatch of a run.
struct DispatchPlace {
  size_t number = 0;  // of all dispatches of the run, from 0
  size_t round = 0;   // how often this kernel has run before
  std::string kernel;
  uint32_t ordinal = 0;  // of the export in its executable
  std::string site;      // "module.predict+0x16e"; "" if it is unknown
  std::string source;    // "model.mlir:12:3"; "" if it is unknown
};

// The memory of a dispatch on one side, for a reproducer.
struct DispatchMemory {
  std::vector<std::vector<uint8_t>> before;  // of each binding
  // For each binding, the first one that is the same range of memory.
  std::vector<size_t> same_as;
  std::vector<uint8_t> after;  // of the one that differs
  std::vector<bool> read_only;
  std::vector<uint32_t> constants;
  uint32_t workgroups[3] = {};
};

struct Finding {
  DispatchPlace good;
  DispatchPlace bad;
  // If not empty, one of these dispatches of the bad side, or `bad` itself,
  // computes something else; the last dispatches before them whose results are
  // equal are `equal_good` and `equal_bad`.
  std::vector<DispatchPlace> suspects;
  std::optional<DispatchPlace> equal_good;
  std::optional<DispatchPlace> equal_bad;
  size_t binding = 0;     // of `bad`, whose bytes differ
  uint64_t offset = 0;    // of the tensor in the binding
  std::string shape;      // "4x8xf32"
  Difference difference;  // of the tensor
  // A constant that the dispatches read differs, too; "" if none does.
  std::string constants;
  // The dispatches are a pair: they have the same name, or the bad side
  // computes equal results from what the good one wrote.
  bool is_confirmed = false;
};

// A tensor that dispatches of both sides wrote within the tolerance.
struct Closest {
  std::string kernel;
  Difference difference;
};

inline constexpr size_t kMaxFindings = 100;

struct Comparison {
  std::vector<Finding> findings;  // in the order of the bad run
  size_t good_dispatches = 0;
  size_t bad_dispatches = 0;
  size_t compared = 0;          // pairs of dispatches
  std::vector<bool> bad_equal;  // of each dispatch of the bad run: its results
  std::vector<std::string> bad_kernels;  // of the same
  std::optional<Closest> closest;        // with the largest difference of these
  // The first kernel that wrote 0 instead of -0, or the reverse; "": none.
  std::string signed_zeros;
  // Whether the inputs of each dispatch were compared, too.
  bool has_inputs = false;
  // Without findings: the dispatches of the bad side that are not known to be
  // equal, and the last one before them that is.
  std::vector<DispatchPlace> unknown;
  std::optional<DispatchPlace> equal_before_unknown;
  // Memory that no dispatch wrote differed before a dispatch; "" if none did.
  std::string inputs;
  // The dispatch that both sides run now, or ran when a side failed; "" between
  // two.
  std::string running;
  DispatchMemory good_memory;  // of the first finding, if it names a dispatch
  DispatchMemory bad_memory;
};

// Notes a difference within the tolerance.
inline void NoteEqual(const std::string& kernel, const Difference& difference,
                      Comparison& comparison) {
  if (difference.signed_zeros > 0 && comparison.signed_zeros.empty()) {
    comparison.signed_zeros = kernel;
  }
  if (difference.error == 0) return;
  if (!comparison.closest ||
      comparison.closest->difference.ulps < difference.ulps) {
    comparison.closest = {kernel, difference};
  }
}

// Confirms the last finding, because a later result is equal.
inline void ConfirmLast(Comparison& comparison) {
  if (!comparison.findings.empty()) {
    comparison.findings.back().is_confirmed = true;
  }
}

// Drops findings that are not confirmed.
inline void KeepConfirmed(Comparison& comparison) {
  std::erase_if(comparison.findings,
                [](const Finding& finding) { return !finding.is_confirmed; });
}

}  // namespace eyrie::tools

#endif  // EYRIE_TOOLS_BISECT_FINDING_H_
