#include "vm/jit/inlining.h"

#include <algorithm>
#include <span>

#include "vm/jit/treatment.h"

namespace eyrie::vm::jit {
namespace {

constexpr size_t kMaxInstructions = 8;       // including the return
constexpr uint32_t kMaxInlinedBytes = 128;   // of bytecode
constexpr uint32_t kMaxFrameBytes = 1 << 9;  // larger ones are not examined
// Limits for one caller, which bound the time and memory to compile it.
constexpr size_t kMaxCallees = 32;
constexpr size_t kMaxCopies = 64;

bool IsShort(const FunctionCode& function) {
  const std::span arguments(function.arguments, function.argument_count);
  return function.code_size <= kMaxInlinedBytes &&
         function.frame_bytes <= kMaxFrameBytes && ReturnsOneNumber(function) &&
         std::ranges::none_of(arguments, [](const ArgumentPlace& argument) {
           return argument.type == ValueType::kRef;
         });
}

bool OnlyComputes(const Program& program) {
  const std::vector<Instruction>& all = program.instructions;
  return program.blocks.size() == 1 && all.size() <= kMaxInstructions &&
         IsReturn(all.back()) &&
         std::all_of(all.begin(), all.end() - 1, Computes);
}

// Reports whether no number lives in the frame or in a register that callers
// rely on.
bool StaysInFreeRegisters(const Body& body) {
  if (!body.webs.zeroed.empty()) return false;
  const std::vector<PassedNumber> passed =
      PassedNumbers(*body.program.function);
  for (size_t w = 0; w < body.homes.size(); ++w) {
    const Home& home = body.homes[w];
    const Web& web = body.webs.webs[w];
    if (home.kind == Home::Kind::kFrame || IsKept(home)) return false;
    if (!web.entry || !home.in_register()) continue;
    if (std::none_of(passed.begin(), passed.end(),
                     [&](auto& number) { return Fits(number, web, home); })) {
      return false;
    }
  }
  return true;
}

// Returns null if the function must be called.
std::shared_ptr<const Body> Read(const BytecodeModule& module,
                                 const FunctionCode& function, Looks& looks) {
  auto body = std::make_shared<Body>();
  body->program = ReadProgram(module, function.ordinal, looks);
  if (looks.stopped() || !OnlyComputes(body->program)) return nullptr;
  if (!FindWebs(body->program, body->webs, looks)) return nullptr;
  body->homes = FindHomes(body->program, body->webs, looks);
  if (looks.stopped()) return nullptr;
  return StaysInFreeRegisters(*body) ? body : nullptr;
}

}  // namespace

Inlined FindInlined(const Program& program, Looks& looks) {
  Inlined inlined;
  std::map<const FunctionCode*, std::shared_ptr<const Body>> bodies;
  for (uint32_t n = 0; n < program.instructions.size(); ++n) {
    const Instruction& i = program.instructions[n];
    if (looks.Stop()) break;
    if (!i.is(Lowered::kCallFunction)) continue;
    const FunctionCode* const callee =
        LoweredAt<LoweredCallFunction>(i.at).callee;
    if (!IsShort(*callee)) continue;
    if (bodies.size() == kMaxCallees && !bodies.contains(callee)) continue;
    auto [body, is_new] = bodies.try_emplace(callee);
    if (is_new) body->second = Read(*program.module, *callee, looks);
    if (body->second != nullptr) inlined[n] = body->second;
    if (inlined.size() == kMaxCopies) break;
  }
  return inlined;
}

}  // namespace eyrie::vm::jit
