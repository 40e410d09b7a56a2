#include "vm/jit/registers.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "vm/jit/treatment.h"

namespace eyrie::vm::jit {
namespace {

constexpr float kViewing = 3;  // cost of reading one web of a view again
constexpr float kKeeping = 2;  // cost of saving and restoring a register

class Scan {
 public:
  Scan(const Program& program, Webs& webs, Looks& looks)
      : p_(program), w_(webs), looks_(looks), homes_(webs.webs.size()) {}

  std::vector<Home> Run() {
    FindConstants();
    FindCalls();
    std::vector<uint32_t> order;
    for (uint32_t web = 0; web < w_.webs.size() && !looks_.Stop(); ++web) {
      Place(web, order);
    }
    if (looks_.stopped()) return {};
    std::sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) {
      return w_.webs[a].begin < w_.webs[b].begin;
    });
    for (uint32_t web : order) {
      if (looks_.Stop()) return {};
      Assign(web);
    }
    return std::move(homes_);
  }

 private:
  struct Call {
    uint32_t position;
    float cost;  // of all calls up to this one
  };
  struct Bank {
    uint32_t free;
    std::vector<uint32_t> active;  // webs that are in registers
  };

  void FindConstants();
  void FindCalls();
  void Share(uint32_t web, uint32_t position) {
    homes_[web].shared = true;
    homes_[web].last_look = std::max(homes_[web].last_look, position);
  }
  void Place(uint32_t web, std::vector<uint32_t>& order);
  void Assign(uint32_t web);
  // Returns the calls during the web's lifetime, as a range of calls_.
  std::pair<size_t, size_t> CallsIn(const Web& web) const;
  // Return what a caller-saved and a callee-saved register would gain.
  float GainOf(const Web& web) const;
  float GainOfKept(const Web& web, uint32_t free) const;
  int Choose(const Web& web, uint32_t free) const;
  uint32_t Suitable(const Web& web, uint32_t free) const;

  const Program& p_;
  Webs& w_;
  Looks& looks_;
  std::vector<Home> homes_;
  std::vector<Call> calls_;
  Bank banks_[2] = {{kMachineRegisters.integers, {}},
                    {kMachineRegisters.floats, {}}};
  const uint32_t all_kept_ = kMachineRegisters.kept;
  uint32_t kept_ = 0;  // callee-saved registers in use
};

void Scan::FindConstants() {
  for (const Instruction& i : p_.instructions) {
    if (looks_.Stop()) return;
    if (i.form != Form::kOp || i.access_count != 1) continue;
    const Op op = i.op().op;
    Web& web = w_.webs[p_.accesses[i.first_access].web];
    const bool zero = op == Op::kConstI32Zero || op == Op::kConstI64Zero ||
                      op == Op::kConstF32Zero || op == Op::kConstF64Zero;
    const bool narrow = op == Op::kConstI32 || op == Op::kConstF32;
    const bool wide = op == Op::kConstI64 || op == Op::kConstF64;
    if (!zero && !narrow && !wide) continue;
    if (web.writes != 1 || web.entry || web.in_frame) continue;
    web.constant = true;
    const uint8_t* at = i.at + LayOut(i.op()).at[0];
    if (!zero) std::memcpy(&web.bits, at, narrow ? 4 : 8);
  }
}

void Scan::FindCalls() {
  float cost = 0;
  for (uint32_t n = 0; n < p_.instructions.size(); ++n) {
    const Instruction& i = p_.instructions[n];
    if (looks_.Stop(1 + i.access_count)) return;
    const Treatment treatment = TreatmentOf(i);
    if (treatment == Treatment::kInline) continue;
    cost += w_.frequency[n];
    calls_.push_back({PositionOf(n), cost});
    if (treatment != Treatment::kStep) continue;
    for (const Access& access : p_.AccessesOf(i)) {
      if (!access.written) Share(access.web, PositionOf(n));
    }
  }
}

std::pair<size_t, size_t> Scan::CallsIn(const Web& web) const {
  auto first = [&](uint32_t position) {
    return static_cast<size_t>(
        std::lower_bound(
            calls_.begin(), calls_.end(), position,
            [](const Call& call, uint32_t at) { return call.position < at; }) -
        calls_.begin());
  };
  return {first(web.begin), first(web.end)};
}

float Scan::GainOf(const Web& web) const {
  const auto [first, last] = CallsIn(web);
  if (first == last) return web.weight;
  const float before = first == 0 ? 0 : calls_[first - 1].cost;
  const float crossing = calls_[last - 1].cost - before;
  return web.weight - (web.view ? crossing * kViewing : crossing);
}

void Scan::Place(uint32_t number, std::vector<uint32_t>& order) {
  const Web& web = w_.webs[number];
  Home& home = homes_[number];
  const auto [first, last] = CallsIn(web);
  if (first != last) Share(number, calls_[last - 1].position);
  if (web.in_frame) return;
  if (!web.read) {
    home.kind = Home::Kind::kNowhere;
  } else if (web.constant) {
    home.kind = Home::Kind::kConstant;
  } else if (GainOf(web) > 0 || web.weight > kKeeping) {
    order.push_back(number);
  }
}

float Scan::GainOfKept(const Web& web, uint32_t free) const {
  if (web.bank == jit::Bank::kFloat || web.view || (free & all_kept_) == 0) {
    return 0;
  }
  return web.weight - ((free & kept_) != 0 ? 0 : kKeeping);
}

// Returns those free registers that gain most.
uint32_t Scan::Suitable(const Web& web, uint32_t free) const {
  if (web.bank == jit::Bank::kFloat) return GainOf(web) > 0 ? free : 0;
  const float gain = GainOf(web);
  const float kept = GainOfKept(web, free);
  if ((free & ~all_kept_) != 0 && gain > 0 && gain >= kept)
    return free & ~all_kept_;
  if (kept <= 0) return 0;
  return (free & kept_) != 0 ? free & kept_ : free & all_kept_;
}

// Returns the register of the web that this one is moved from, if possible.
int Scan::Choose(const Web& web, uint32_t free) const {
  if (web.moved_from != Web::kNever) {
    const Home& from = homes_[web.moved_from];
    const bool same =
        (from.kind == Home::Kind::kFloat) == (web.bank == jit::Bank::kFloat);
    if (from.in_register() && same && ((free >> from.reg) & 1) != 0) {
      return from.reg;
    }
  }
  return std::countr_zero(free);
}

void Scan::Assign(uint32_t number) {
  const Web& web = w_.webs[number];
  const bool real = web.bank == jit::Bank::kFloat;
  Bank& bank = banks_[real ? 1 : 0];
  std::erase_if(bank.active, [&](uint32_t other) {
    if (w_.webs[other].end >= web.begin) return false;
    bank.free |= 1u << homes_[other].reg;
    return true;
  });
  const auto kind = real ? Home::Kind::kFloat : Home::Kind::kInteger;
  uint32_t suitable = Suitable(web, bank.free);
  if (suitable == 0) {
    if (GainOf(web) <= 0 || bank.active.empty()) return;
    if (looks_.Stop(2 * bank.active.size())) return;
    auto least = std::min_element(
        bank.active.begin(), bank.active.end(), [&](uint32_t a, uint32_t b) {
          return GainOf(w_.webs[a]) < GainOf(w_.webs[b]);
        });
    if (GainOf(w_.webs[*least]) >= GainOf(web)) return;
    homes_[*least].kind = Home::Kind::kFrame;
    suitable = 1u << homes_[*least].reg;
    bank.free |= suitable;
    bank.active.erase(least);
  }
  const int reg = Choose(web, suitable);
  bank.free &= ~(1u << reg);
  if (!real) kept_ |= (1u << reg) & all_kept_;
  homes_[number].kind = kind;
  homes_[number].reg = static_cast<uint8_t>(reg);
  bank.active.push_back(number);
}

}  // namespace

std::vector<Home> FindHomes(const Program& program, Webs& webs, Looks& looks) {
  return Scan(program, webs, looks).Run();
}

}  // namespace eyrie::vm::jit
