// Tested by tests/vm/rows_test.cc, tests/oracle.
#include "vm/jit/registers.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <numeric>

#include "vm/jit/treatment.h"

namespace eyrie::vm::jit {
namespace {

// All but those with a purpose (emitter.h): rax, rcx, rdx, rbx, rsp, rbp, r15,
// xmm0, xmm1. Those that C++ keeps come last.
constexpr uint32_t kIntegers = 0x7FC0;  // rsi, rdi, r8 to r14
constexpr uint32_t kFloats = 0xFFFC;    // xmm2 to xmm15

class Scan {
 public:
  Scan(const Program& program, Webs& webs)
      : p_(program), w_(webs), homes_(webs.webs.size()) {}

  std::vector<Home> Run() {
    FindConstants();
    FindCalls();
    std::vector<uint32_t> order;
    for (uint32_t web = 0; web < w_.webs.size(); ++web) {
      Place(web, order);
    }
    std::sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) {
      return w_.webs[a].begin < w_.webs[b].begin;
    });
    for (uint32_t web : order) Assign(web);
    return std::move(homes_);
  }

 private:
  struct Call {
    uint32_t position;
    float cost;  // of all calls up to and with this
    bool keeps;  // the registers that C++ keeps
  };
  struct Bank {
    uint32_t free;
    std::vector<uint32_t> active;  // webs
  };

  void FindConstants();
  void FindCalls();
  void Place(uint32_t web, std::vector<uint32_t>& order);
  void Assign(uint32_t web);
  bool CrossesStep(const Web& web) const;
  // Calls at which it is in use, as a range of calls_.
  std::pair<size_t, size_t> CallsIn(const Web& web) const;
  float GainOf(const Web& web) const;
  int Choose(const Web& web, uint32_t free) const;

  const Program& p_;
  Webs& w_;
  std::vector<Home> homes_;
  std::vector<Call> calls_;
  Bank banks_[2] = {{kIntegers, {}}, {kFloats, {}}};
};

void Scan::FindConstants() {
  for (const Instruction& i : p_.instructions) {
    if (i.kind != Instruction::Kind::kOp || i.access_count != 1) continue;
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
    const Treatment treatment = TreatmentOf(i);
    if (treatment == Treatment::kInline) continue;
    cost += w_.frequency[n];
    calls_.push_back({PositionOf(n), cost, treatment == Treatment::kStep});
    if (treatment != Treatment::kStep) continue;
    for (const Access& access : p_.AccessesOf(i)) {
      if (!access.written) homes_[access.web].shared = true;
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
  return web.weight - (calls_[last - 1].cost - before);
}

void Scan::Place(uint32_t number, std::vector<uint32_t>& order) {
  const Web& web = w_.webs[number];
  Home& home = homes_[number];
  const auto [first, last] = CallsIn(web);
  if (first != last) home.shared = true;
  if (web.in_frame) return;
  if (!web.read) {
    home.kind = Home::Kind::kNowhere;
  } else if (web.constant) {
    home.kind = Home::Kind::kConstant;
  } else if (GainOf(web) > 0) {
    order.push_back(number);
  }
}

bool Scan::CrossesStep(const Web& web) const {
  const auto [first, last] = CallsIn(web);
  for (size_t c = first; c < last && c < first + 4; ++c) {
    if (calls_[c].keeps) return true;
  }
  return false;
}

// A free register: the one it is moved from, or one that C++ keeps or does not
// keep.
int Scan::Choose(const Web& web, uint32_t free) const {
  if (web.moved_from != Web::kNever) {
    const Home& from = homes_[web.moved_from];
    const bool same =
        (from.kind == Home::Kind::kFloat) == (web.bank == jit::Bank::kFloat);
    if (from.in_register() && same && ((free >> from.reg) & 1) != 0) {
      return from.reg;
    }
  }
  if (web.bank != jit::Bank::kFloat && CrossesStep(web) && (free >> 12) != 0) {
    return 31 - std::countl_zero(free);
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
  if (bank.free == 0) {
    auto least = std::min_element(
        bank.active.begin(), bank.active.end(), [&](uint32_t a, uint32_t b) {
          return GainOf(w_.webs[a]) < GainOf(w_.webs[b]);
        });
    if (GainOf(w_.webs[*least]) >= GainOf(web)) return;
    homes_[*least].kind = Home::Kind::kFrame;
    bank.free |= 1u << homes_[*least].reg;
    bank.active.erase(least);
  }
  const int reg = Choose(web, bank.free);
  bank.free &= ~(1u << reg);
  homes_[number].kind = kind;
  homes_[number].reg = static_cast<uint8_t>(reg);
  bank.active.push_back(number);
}

}  // namespace

std::vector<Home> FindHomes(const Program& program, Webs& webs) {
  return Scan(program, webs).Run();
}

}  // namespace eyrie::vm::jit
