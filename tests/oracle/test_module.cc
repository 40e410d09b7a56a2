// Functions pass numbers on, or wrap integers. No float is computed, so that no
// NaN is created.
// Tested by random_programs_test.cc.
#include "tests/oracle/test_module.h"

#include <cstdint>
#include <optional>
#include <tuple>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "base/ref.h"
#include "tests/support/module_builder.h"
#include "vm/module/verifier.h"
#include "vm/native/native_binding.h"
#include "vm/native/native_module.h"
#include "vm/run/bytecode_module.h"
#include "vm/run/interpreter.h"

namespace eyrie::tests {
namespace {

using vm::Bind;
using vm::Spread;

struct State : vm::ModuleState {
  int calls_until_ready = 2;
  Ref<RefObject> held;
};

std::optional<int32_t> QuickAdd(int32_t a, int32_t b) {
  return static_cast<int32_t>(static_cast<uint32_t>(a) +
                              static_cast<uint32_t>(b));
}
absl::StatusOr<int32_t> Add(State&, int32_t a, int32_t b) {
  return *QuickAdd(a, b);
}

absl::StatusOr<std::tuple<float, Ref<RefObject>, int64_t, double, int32_t>>
Reorder(State&, int32_t a, double b, RefObject* object, int64_t c, float d) {
  return std::tuple(d, Ref<RefObject>::Share(object), c, b, a);
}

absl::StatusOr<int64_t> Sum(State&, int32_t scale,
                            Spread<int32_t, int64_t> pairs) {
  uint64_t sum = pairs.size();
  for (size_t i = 0; i < pairs.size(); ++i) {
    sum = sum * 31 + static_cast<uint64_t>(pairs.get<0>(i)) *
                         static_cast<uint64_t>(pairs.get<1>(i));
  }
  return static_cast<int64_t>(sum * static_cast<uint64_t>(scale));
}

// Returns the ref at an index, or null, and the number between two spans.
absl::StatusOr<std::tuple<Ref<RefObject>, int32_t>> Pick(
    State&, Spread<RefObject*> refs, int32_t index, Spread<float> floats) {
  const auto at = static_cast<uint32_t>(index);
  RefObject* picked = at < refs.size() ? refs.get(at) : nullptr;
  return std::tuple(Ref<RefObject>::Share(picked),
                    static_cast<int32_t>(floats.size()));
}

absl::StatusOr<int32_t> FailSome(State&, int32_t a) {
  if (a % 16 == 3) return absl::DataLossError("The function gives up.");
  return a;
}
std::optional<int32_t> QuickFailSome(int32_t a) {
  if (a % 4 == 3) return std::nullopt;
  return a;
}

// Returns Pending for two of three calls, unless the argument is even.
absl::StatusOr<int32_t> Slow(State& state, int32_t a) {
  if (a % 2 != 0 && state.calls_until_ready-- > 0) return vm::Pending();
  state.calls_until_ready = 2;
  return a;
}

// Returns the argument of the previous call.
absl::StatusOr<Ref<RefObject>> Hold(State& state, RefObject* object) {
  return std::exchange(state.held, Ref<RefObject>::Share(object));
}

constexpr vm::NativeFunction kFunctions[] = {
    Bind<Add, QuickAdd>("add", "0ii_i"),
    Bind<Reorder>("reorder", "0iFrIf_frIFi"),
    Bind<Sum>("sum", "0iCiID_I"),
    Bind<Pick>("pick", "0CrDiCfD_ri"),
    Bind<FailSome, QuickFailSome>("fail_some", "0i_i"),
    Bind<Slow>("slow", "0i_i"),
    Bind<Hold>("hold", "0r_r"),
};

std::shared_ptr<const vm::Module> CreateNative() {
  return *vm::NativeModule::Create(
      "native", 1, kFunctions,
      []() -> absl::StatusOr<std::unique_ptr<vm::ModuleState>> {
        return std::make_unique<State>();
      });
}

struct LibraryFunction {
  const char* name;
  const char* convention;
  const char* code;
};

// Global 0 counts calls; ref 0 holds the argument of `keep`. Import 0 is
// native.add.
constexpr LibraryFunction kLibrary[] = {
    {"mix", "0iIrfFr_rFfIri", "e: return [r1! i6 i4 i2 r0 i0]"},
    {"count", "0v_i",
     "e: global.load.i32 0 i0 const.i32 1 i1 add.i32 i0 i1 i0 "
     "global.store.i32 0 i0 return [i0]"},
    {"keep", "0r_r",
     "e: global.load.ref 0 0 r1! global.store.ref 0 0 r0! return [r1!]"},
    {"half", "0i_i",
     "e: const.i32 15 i1 and.i32 i0 i1 i2 cmp.eq.i32 i2 i1 i3 "
     "cond_br i3 ^odd [] ^even [] odd: fail i1 \"half\" "
     "even: const.i32 1 i1 shr.i32.s i0 i1 i0 return [i0]"},
    {"nap", "0ir_ri", "e: yield ^on [i0>i2 r0!>r2] on: return [r2 i2]"},
    {"deep", "0i_ii",
     "e: call 3 [i0] [i1] call #0 [i0 i1] [i2] call 1 [] [i3] "
     "return [i2 i3]"},
};

std::shared_ptr<const vm::Module> CreateLibrary() {
  ModuleBuilder module;
  module.name = "library";
  module.requirements = 0xF;
  module.debug_database = false;
  module.types = {"?"};
  module.AddImport("native.add", "0ii_i");
  for (const LibraryFunction& function : kLibrary) {
    module.AddFunction(function.name, function.convention, function.code)
        .requirements = 0xF;
  }
  return *vm::BytecodeModule::Create(
      vm::InterpreterHandlers(), *vm::LoadModule(module.Build(), "library"));
}

}  // namespace

std::vector<std::shared_ptr<const vm::Module>> ImportedModules() {
  static const auto* const kModules =
      new std::vector<std::shared_ptr<const vm::Module>>{CreateNative(),
                                                         CreateLibrary()};
  return *kModules;
}

const std::vector<ImportedFunction>& ImportedFunctions() {
  static const auto* const kImported = [] {
    auto* all = new std::vector<ImportedFunction>;
    for (const vm::NativeFunction& function : kFunctions) {
      all->push_back(
          {absl::StrCat("native.", function.name), function.signature});
    }
    for (const LibraryFunction& function : kLibrary) {
      all->push_back(
          {absl::StrCat("library.", function.name), function.convention});
    }
    return all;
  }();
  return *kImported;
}

}  // namespace eyrie::tests
