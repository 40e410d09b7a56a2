#include "vm/jit/residents.h"

namespace eyrie::vm::jit {

Residents::Residents(const Body& body) : webs_(body.webs.webs) {
  for (uint32_t web = 0; web < webs_.size(); ++web) {
    const Home& home = body.homes[web];
    if (!home.in_register()) continue;
    const int bank = home.kind == Home::Kind::kFloat ? kMaxRegisters : 0;
    by_register_[home.reg + bank].push_back(web);
  }
  for (uint8_t reg = 0; reg < kMaxRegisters; ++reg) {
    const bool kept = ((kMachineRegisters.kept >> reg) & 1) != 0;
    if (kept && !by_register_[reg].empty()) kept_.push_back(reg);
  }
  for (std::vector<uint32_t>& list : by_register_) {
    std::sort(list.begin(), list.end(), [&](uint32_t a, uint32_t b) {
      return webs_[a].begin < webs_[b].begin;
    });
  }
}

}  // namespace eyrie::vm::jit
