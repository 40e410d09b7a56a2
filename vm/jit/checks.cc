#include "vm/jit/checks.h"

#include <algorithm>
#include <span>
#include <utility>

#include "vm/jit/treatment.h"

namespace eyrie::vm::jit {
namespace {

// Limit for the code that is emitted twice: instructions times guards.
constexpr uint64_t kMaxAgain = 96;
constexpr size_t kMaxGuards = 16;  // at the same time

// An index of a view. A check of a constant covers smaller constants; a check
// of a web covers only that web.
struct Index {
  const View* view;
  bool constant;
  uint64_t value;  // the constant, or the number of the web

  bool Covers(const Index& other) const {
    if (view != other.view || constant != other.constant) return false;
    return constant ? value >= other.value : value == other.value;
  }
};

class CheckFinder {
 public:
  CheckFinder(const Program& program, const Webs& webs,
              const std::vector<View>& views, Looks& looks)
      : p_(program), w_(webs), views_(views), looks_(looks) {}

  Checks Run() {
    if (views_.empty()) return {};
    found_.spared.resize(p_.instructions.size());
    for (uint32_t b = 0; b < p_.blocks.size(); ++b) LookThrough(b);
    return std::move(found_);
  }

 private:
  struct Guarding {
    Index index;
    uint32_t guard;
    std::vector<uint32_t> relying;  // the instructions that rely on it

    uint32_t last() const { return relying.back(); }
  };

  void LookThrough(uint32_t block);
  void LookAt(uint32_t n, const View& view);
  void Forget(const Access& written);
  void EndRuns(uint32_t block);
  void CreateRun(uint32_t block, std::span<const Guarding> guards);

  const Program& p_;
  const Webs& w_;
  const std::vector<View>& views_;
  Looks& looks_;
  Checks found_;
  std::vector<Guarding> in_force_;
  std::vector<Guarding> past_;  // earlier guards in this block
};

void CheckFinder::LookThrough(uint32_t block) {
  const Block& at = p_.blocks[block];
  for (uint32_t n = at.first; n < at.end; ++n) {
    const Instruction& i = p_.instructions[n];
    if (looks_.Stop(2)) return;
    if (i.form != Form::kOp || TreatmentOf(i) != Treatment::kInline) {
      EndRuns(block);  // it may read the views again
      continue;
    }
    const View* view = ViewOf(views_, ElementOf(i), block);
    if (view != nullptr) LookAt(n, *view);
    for (const Access& access : p_.AccessesOf(i)) {
      if (access.written) Forget(access);
    }
  }
  EndRuns(block);
}

void CheckFinder::LookAt(uint32_t n, const View& view) {
  const Access& access = p_.AccessesOf(p_.instructions[n])[0];
  const Web& web = w_.webs[access.web];
  if (web.in_frame) return;  // half of it may be written separately
  const Index index = {&view, web.constant,
                       web.constant ? web.bits : access.web};
  for (Guarding& guarding : in_force_) {
    if (guarding.index.Covers(index)) return guarding.relying.push_back(n);
  }
  if (in_force_.size() < kMaxGuards) in_force_.push_back({index, n, {}});
}

void CheckFinder::Forget(const Access& written) {
  std::erase_if(in_force_, [&](Guarding& guarding) {
    const Index& index = guarding.index;
    if (index.constant || index.value != written.web) return false;
    past_.push_back(std::move(guarding));
    return true;
  });
}

// Guards whose ranges overlap share one copy of the code.
void CheckFinder::EndRuns(uint32_t block) {
  past_.insert(past_.end(), in_force_.begin(), in_force_.end());
  in_force_.clear();
  std::erase_if(past_, [](auto& guarding) { return guarding.relying.empty(); });
  std::sort(past_.begin(), past_.end(),
            [](auto& a, auto& b) { return a.guard < b.guard; });
  for (size_t first = 0; first < past_.size();) {
    size_t end = first;
    uint32_t last = past_[first].last();
    while (end < past_.size() && past_[end].guard < last) {
      last = std::max(last, past_[end++].last());
    }
    CreateRun(block, {&past_[first], end - first});
    first = end;
  }
  past_.clear();
}

void CheckFinder::CreateRun(uint32_t block, std::span<const Guarding> guards) {
  uint32_t last = 0;
  for (const Guarding& guarding : guards) {
    last = std::max(last, guarding.last());
  }
  const uint64_t length = last - guards.front().guard;
  if (length * guards.size() > kMaxAgain) return;
  for (const Guarding& guarding : guards) {
    found_.guards[guarding.guard] = {block, last};
    for (const uint32_t n : guarding.relying) found_.spared[n] = true;
  }
}

}  // namespace

Checks FindChecks(const Program& program, const Webs& webs,
                  const std::vector<View>& views, Looks& looks) {
  return CheckFinder(program, webs, views, looks).Run();
}

}  // namespace eyrie::vm::jit
