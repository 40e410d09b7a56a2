// Numbers pass through or wrap: no float is computed, so that no NaN is made.
#include "tests/oracle/test_module.h"

#include <cstdint>
#include <tuple>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/ref.h"

namespace eyrie::tests {
namespace {

using vm::Bind;
using vm::Spread;

struct State : vm::ModuleState {
  int calls_until_ready = 2;
  Ref<RefObject> held;
};

absl::StatusOr<int32_t> Add(State&, int32_t a, int32_t b) {
  return static_cast<int32_t>(static_cast<uint32_t>(a) +
                              static_cast<uint32_t>(b));
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

// The ref at an index, or null, and a number from between two spans.
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

// Not ready at two of three calls, unless the argument is even.
absl::StatusOr<int32_t> Slow(State& state, int32_t a) {
  if (a % 2 != 0 && state.calls_until_ready-- > 0) return vm::Pending();
  state.calls_until_ready = 2;
  return a;
}

// Gives what it was given the time before.
absl::StatusOr<Ref<RefObject>> Hold(State& state, RefObject* object) {
  return std::exchange(state.held, Ref<RefObject>::Share(object));
}

constexpr vm::NativeFunction kFunctions[] = {
    Bind<Add>("add", "0ii_i"),
    Bind<Reorder>("reorder", "0iFrIf_frIFi"),
    Bind<Sum>("sum", "0iCiID_I"),
    Bind<Pick>("pick", "0CrDiCfD_ri"),
    Bind<FailSome>("fail_some", "0i_i"),
    Bind<Slow>("slow", "0i_i"),
    Bind<Hold>("hold", "0r_r"),
};

}  // namespace

std::span<const vm::NativeFunction> TestModuleFunctions() { return kFunctions; }

std::shared_ptr<const vm::NativeModule> MakeTestModule() {
  return *vm::NativeModule::Create(
      "native", 1, kFunctions,
      []() -> absl::StatusOr<std::unique_ptr<vm::ModuleState>> {
        return std::make_unique<State>();
      });
}

}  // namespace eyrie::tests
