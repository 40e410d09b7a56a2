// Decodes code from its first byte to its last. Compilers put no data between
// instructions, so an instruction begins where the previous one ends.
#include "hal/cpu/code_scan.h"

#include <algorithm>
#include <utility>

#include "base/allocate.h"
#include "base/status_macros.h"
#include "hal/cpu/machine/instruction.h"
#include "hal/cpu/machine/instruction_set.h"

namespace eyrie::hal::cpu {
namespace {

// Functions begin at multiples of it, in bytes. Code is not decoded to check
// that, since decoding takes longer than the rest of a load.
constexpr uint64_t kUsualAlignment = 16;

// Reports whether the next instruction need not run after this one.
bool Leaves(Flow flow) {
  return flow == Flow::kStop || flow == Flow::kSwitch || flow == Flow::kJump;
}

// A call may end a function, because it may never return.
bool MayEndAfter(Flow flow) { return Leaves(flow) || flow == Flow::kCall; }

bool IsPadding(Flow flow) {
  return flow == Flow::kPadding || flow == Flow::kTrap;
}

// Calls visit(address, instruction) for each instruction in [begin, end) of
// the region, and once, with length 0, for each byte that begins none.
template <typename Visit>
void VisitInstructions(const InstructionSet& set, const CodeRegion& region,
                       uint64_t begin, uint64_t end, Visit visit) {
  uint64_t address = begin;
  while (address < end) {
    const Instruction instruction =
        set.decode(region.bytes.subspan(address - region.address), address);
    visit(address, instruction);
    address += std::max<uint64_t>(instruction.length, 1);
  }
}

uint64_t End(const CodeRegion& region) {
  return region.address + region.bytes.size();
}

uint64_t Target(uint64_t address, const Instruction& instruction) {
  return address + instruction.length +
         static_cast<uint64_t>(static_cast<int64_t>(instruction.target));
}

// Adds an element if `status` is OK. Sets `status` if memory runs out.
template <typename T>
void Keep(std::vector<T>& elements, const T& element, absl::Status& status) {
  if (status.ok()) status = PushBack(elements, element, "a scan of code");
}

void SortUnique(std::vector<uint64_t>& values) {
  std::sort(values.begin(), values.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());
}

}  // namespace

FeatureSet CodeScan::all() const {
  FeatureSet all;
  for (const CodeRegion& region : regions_) {
    VisitInstructions(set_, region, region.address, End(region),
                      [&](uint64_t, const Instruction& instruction) {
                        all = all | instruction.needs;
                      });
  }
  return all;
}

absl::Status CodeScan::FindOpenings() {
  absl::Status status;
  std::vector<uint64_t> openings;
  for (const CodeRegion& region : regions_) {
    bool after_end = true;  // after other code, and padding after it
    VisitInstructions(
        set_, region, region.address, End(region),
        [&](uint64_t address, const Instruction& instruction) {
          const Flow flow = instruction.flow;
          const bool is_aligned = address % set_.function_alignment == 0;
          if ((is_aligned || after_end) && flow != Flow::kTrap) {
            Keep(openings, address, status);
          }
          after_end = MayEndAfter(flow) || (after_end && IsPadding(flow));
        });
  }
  RETURN_IF_ERROR(status);
  openings_ = std::move(openings);
  return absl::OkStatus();
}

const CodeRegion* CodeScan::Find(uint64_t address) const {
  for (const CodeRegion& region : regions_) {
    if (address >= region.address && address < End(region)) return &region;
  }
  return nullptr;
}

absl::StatusOr<bool> CodeScan::MayBegin(uint64_t address) {
  if (Find(address) == nullptr) return false;
  if (address % kUsualAlignment == 0) return true;
  if (!openings_) RETURN_IF_ERROR(FindOpenings());
  return std::binary_search(openings_->begin(), openings_->end(), address);
}

bool CodeScan::MayEnd(uint64_t begin, uint64_t end) const {
  const CodeRegion* const region = Find(begin);
  if (region == nullptr || end > End(*region)) return false;
  uint64_t last_end = begin;
  Flow last = Flow::kNext;
  VisitInstructions(set_, *region, begin, end,
                    [&](uint64_t address, const Instruction& instruction) {
                      last_end = address + instruction.length;
                      last = instruction.flow;
                    });
  return last_end == end && MayEndAfter(last);
}

// The search of CodeScan::Reachable. It assumes that a function extends to the
// beginning of the next one, which covers the targets of its jump tables.
class ReachableSearch {
 public:
  ReachableSearch(const CodeScan& scan, std::vector<uint64_t> starts)
      : scan_(scan), starts_(std::move(starts)) {}

  absl::StatusOr<FeatureSet> Run(std::span<const uint64_t> roots);

 private:
  // A direct jump.
  struct Jump {
    uint64_t from;
    uint64_t to;
  };

  class StartFinder;

  void FindStarts();
  size_t FunctionAt(uint64_t address) const {
    return std::upper_bound(starts_.begin(), starts_.end(), address) -
           starts_.begin() - 1;
  }
  void Enqueue(uint64_t address);
  void Scan(size_t function);

  const CodeScan& scan_;
  std::vector<uint64_t> starts_;  // of functions, ascending
  std::vector<uint8_t> reached_;  // by function; nonzero: reached
  std::vector<size_t> queue_;
  FeatureSet needs_;
  absl::Status status_;
};

// Finds what begins functions in one region, and its direct jumps.
class ReachableSearch::StartFinder {
 public:
  StartFinder(ReachableSearch& search, std::vector<Jump>& jumps)
      : search_(search), jumps_(jumps) {}

  void Visit(uint64_t address, const Instruction& instruction) {
    if (instruction.has_target) Add(address, instruction);
    // A jump table may be relative to the address.
    if (instruction.flow == Flow::kSwitch) formed_.clear();
    if (Leaves(instruction.flow)) Finish();
  }
  // Takes the addresses that were formed, and not for a jump table.
  void Finish() {
    for (const uint64_t target : formed_) {
      Keep(search_.starts_, target, search_.status_);
    }
    formed_.clear();
  }

 private:
  void Add(uint64_t address, const Instruction& instruction) {
    const uint64_t target = Target(address, instruction);
    if (search_.scan_.Find(target) == nullptr) return;
    if (instruction.flow == Flow::kBranch || instruction.flow == Flow::kJump) {
      Keep(jumps_, Jump{address, target}, search_.status_);
    } else if (instruction.flow == Flow::kCall) {
      Keep(search_.starts_, target, search_.status_);
    } else {
      Keep(formed_, target, search_.status_);
    }
  }

  ReachableSearch& search_;
  std::vector<Jump>& jumps_;
  std::vector<uint64_t> formed_;  // since control last left
};

void ReachableSearch::FindStarts() {
  std::vector<Jump> jumps;
  for (const CodeRegion& region : scan_.regions_) {
    Keep(starts_, region.address, status_);
    StartFinder finder(*this, jumps);
    VisitInstructions(scan_.set_, region, region.address, End(region),
                      [&](uint64_t address, const Instruction& instruction) {
                        finder.Visit(address, instruction);
                      });
    finder.Finish();
  }
  SortUnique(starts_);
  // A jump out of its function is a tail call, so a function begins there.
  std::vector<uint64_t> tails;
  for (const Jump& jump : jumps) {
    if (FunctionAt(jump.from) != FunctionAt(jump.to)) {
      Keep(tails, jump.to, status_);
    }
  }
  for (const uint64_t tail : tails) Keep(starts_, tail, status_);
  SortUnique(starts_);
}

void ReachableSearch::Enqueue(uint64_t address) {
  if (scan_.Find(address) == nullptr) return;
  const size_t function = FunctionAt(address);
  if (reached_[function]) return;
  reached_[function] = 1;
  Keep(queue_, function, status_);
}

void ReachableSearch::Scan(size_t function) {
  const uint64_t begin = starts_[function];
  const CodeRegion& region = *scan_.Find(begin);
  const bool is_last = function + 1 == starts_.size();
  const uint64_t end =
      is_last ? End(region) : std::min(End(region), starts_[function + 1]);
  bool falls_through = false;
  Flow before_padding = Flow::kStop;
  VisitInstructions(scan_.set_, region, begin, end,
                    [&](uint64_t address, const Instruction& instruction) {
                      needs_ = needs_ | instruction.needs;
                      const Flow flow = instruction.flow;
                      if (instruction.has_target && flow != Flow::kNext) {
                        Enqueue(Target(address, instruction));
                      }
                      // Padding after a call shows that it does not return.
                      falls_through = IsPadding(flow)
                                          ? before_padding == Flow::kNext ||
                                                before_padding == Flow::kBranch
                                          : !Leaves(flow);
                      if (!IsPadding(flow)) before_padding = flow;
                    });
  if (falls_through && end < End(region)) Enqueue(end);
}

absl::StatusOr<FeatureSet> ReachableSearch::Run(
    std::span<const uint64_t> roots) {
  FindStarts();
  RETURN_IF_ERROR(status_);
  RETURN_IF_ERROR(Resize(reached_, starts_.size(), "a scan of code"));
  for (const uint64_t root : roots) Enqueue(root);
  while (!queue_.empty()) {
    const size_t function = queue_.back();
    queue_.pop_back();
    Scan(function);
  }
  RETURN_IF_ERROR(status_);
  return needs_;
}

absl::StatusOr<FeatureSet> CodeScan::Reachable(
    std::span<const uint64_t> roots, std::span<const uint64_t> starts) const {
  std::vector<uint64_t> known;
  absl::Status status;
  for (const uint64_t address : roots) {
    if (Find(address) != nullptr) Keep(known, address, status);
  }
  for (const uint64_t address : starts) {
    if (Find(address) != nullptr) Keep(known, address, status);
  }
  RETURN_IF_ERROR(status);
  return ReachableSearch(*this, std::move(known)).Run(roots);
}

}  // namespace eyrie::hal::cpu
