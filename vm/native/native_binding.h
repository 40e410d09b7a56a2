// Turns a C++ function into one that modules can import.
//
//   absl::StatusOr<int64_t> BufferLength(HalState& state, hal::Buffer& buffer);
//   constexpr NativeFunction kRows[] = {
//       Bind<BufferLength>("buffer.length", "0r_I"),
//   };
//
// Tested by native_module_test.cc.
#ifndef EYRIE_VM_NATIVE_NATIVE_BINDING_H_
#define EYRIE_VM_NATIVE_NATIVE_BINDING_H_

#include <cstdint>
#include <cstring>
#include <optional>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/ref.h"
#include "vm/isa/value.h"
#include "vm/module/module.h"

namespace eyrie::vm {

struct NativeFunction {
  const char* name;
  const char* signature;  // calling convention, "0rIi_r"
  DirectThunk thunk;
  QuickThunk quick = nullptr;
};

// Returns the status with which a native function reports that its result is
// not ready, instead of blocking. An import called by call.yieldable then
// suspends the invocation; it is called again with the same arguments when the
// invocation resumes. Other callers receive the status itself, UNAVAILABLE.
absl::Status Pending();
bool IsPending(const absl::Status& status);

namespace binding_internal {

inline absl::Status ErrorOf(absl::Status status) { return status; }
template <typename T>
absl::Status ErrorOf(absl::StatusOr<T> result) {
  return std::move(result).status();
}

// Not defined: a call in a constant expression stops the build, and its name is
// the error message.
void SignatureDiffersFromTheFunctionsType();

// An argument whose type does not match the function.
struct Mismatch {
  int index;
  const RefType* want;
  const RefObject* got;

  absl::Status ToStatus() const;
};

template <typename T>
inline constexpr bool kIsRefPointer =
    std::is_pointer_v<T> &&
    std::is_base_of_v<RefObject, std::remove_const_t<std::remove_pointer_t<T>>>;

// Reports whether a T* may point to the object.
template <typename T>
bool IsA(const RefObject* object) {
  if constexpr (std::is_same_v<std::remove_const_t<T>, RefObject>) {
    return true;
  } else {
    return &object->type() == &std::remove_const_t<T>::kType;
  }
}

template <typename T>
constexpr char Letter() {
  if constexpr (std::is_same_v<T, int32_t>)
    return 'i';
  else if constexpr (std::is_same_v<T, int64_t>)
    return 'I';
  else if constexpr (std::is_same_v<T, float>)
    return 'f';
  else if constexpr (std::is_same_v<T, double>)
    return 'F';
  else
    return 'r';
}

// Reads the value at a place in the frame; for a reference, the object.
template <typename T>
T ReadAt(const uint8_t* frame, uint32_t place) {
  if constexpr (kIsRefPointer<T>) {
    RefObject* object;
    std::memcpy(&object, frame + place, sizeof(object));
    return static_cast<T>(object);
  } else {
    T value;
    std::memcpy(&value, frame + place, sizeof(value));
    return value;
  }
}

}  // namespace binding_internal

// The elements of one variadic argument. The types of refs have been checked.
template <typename... Ts>
class Spread {
 public:
  Spread(const uint8_t* frame, const uint32_t* places)
      : frame_(frame), places_(places) {}

  size_t size() const { return places_[0] & ~kPlaceCount; }
  bool empty() const { return size() == 0; }

  // Returns the I-th member of element `index`, which must be less than size().
  template <size_t I = 0>
  auto get(size_t index) const {
    using T = std::tuple_element_t<I, std::tuple<Ts...>>;
    return binding_internal::ReadAt<T>(frame_,
                                       places_[1 + index * sizeof...(Ts) + I]);
  }

 private:
  const uint8_t* frame_;
  const uint32_t* places_;
};

namespace binding_internal {

// Reads a parameter of type P from the place at `*next` and advances `next`.
// Returns false if the value has the wrong type, or is null but must not be;
// sets all members of `mismatch` except the index.
template <typename P>
struct Reader {
  static constexpr int kLetters = 1;
  static constexpr void Write(char*& out) { *out++ = Letter<P>(); }
  using Held = P;
  static bool Read(const uint8_t* frame, const uint32_t*& next, Held& held,
                   Mismatch& mismatch) {
    held = ReadAt<P>(frame, *next++);
    if constexpr (kIsRefPointer<P>) {
      using Object = std::remove_const_t<std::remove_pointer_t<P>>;
      if constexpr (!std::is_same_v<Object, RefObject>) {
        if (held != nullptr && !IsA<Object>(held)) [[unlikely]] {
          mismatch.want = &Object::kType;
          mismatch.got = held;
          return false;
        }
      }
    }
    return true;
  }
  static P Get(const uint8_t*, const Held& held) { return held; }
};

template <typename T>
struct Reader<T&> {
  static constexpr int kLetters = 1;
  static constexpr void Write(char*& out) { *out++ = 'r'; }
  using Held = T*;
  static bool Read(const uint8_t* frame, const uint32_t*& next, Held& held,
                   Mismatch& mismatch) {
    held = ReadAt<T*>(frame, *next++);
    if (held != nullptr && IsA<T>(held)) [[likely]]
      return true;
    mismatch.want = &std::remove_const_t<T>::kType;
    mismatch.got = held;
    return false;
  }
  static T& Get(const uint8_t*, const Held& held) { return *held; }
};

template <typename... Ts>
struct Reader<Spread<Ts...>> {
  static constexpr int kLetters = 2 + sizeof...(Ts);
  static constexpr void Write(char*& out) {
    *out++ = 'C';
    ((*out++ = Letter<Ts>()), ...);
    *out++ = 'D';
  }
  using Held = const uint32_t*;
  static bool Read(const uint8_t* frame, const uint32_t*& next, Held& held,
                   Mismatch& mismatch) {
    held = next;
    const uint32_t count = *next++ & ~kPlaceCount;
    if constexpr (!(kIsRefPointer<Ts> || ...)) {
      next += count * sizeof...(Ts);
      return true;
    }
    for (uint32_t i = 0; i < count; ++i) {
      if (!(ReadMember<Ts>(frame, next, mismatch) && ...)) [[unlikely]]
        return false;
    }
    return true;
  }
  static Spread<Ts...> Get(const uint8_t* frame, const Held& held) {
    return Spread<Ts...>(frame, held);
  }

 private:
  template <typename T>
  static bool ReadMember(const uint8_t* frame, const uint32_t*& next,
                         Mismatch& mismatch) {
    typename Reader<T>::Held member;
    return Reader<T>::Read(frame, next, member, mismatch);
  }
};

// Drops the references that a call moves: `*next` is their number, and their
// places follow. Returns the places of the results.
const uint32_t* GiveUpSome(uint8_t* frame, const uint32_t* next);
inline const uint32_t* GiveUp(uint8_t* frame, const uint32_t* next) {
  return *next == 0 ? next + 1 : GiveUpSome(frame, next);
}

// Stores a result of type R at the place `*next` and advances `next`.
template <typename R>
struct Writer {
  static constexpr int kLetters = 1;
  static constexpr void Letters(char*& out) { *out++ = Letter<R>(); }
  static void Write(uint8_t* frame, const uint32_t*& next, R&& value) {
    std::memcpy(frame + *next++, &value, sizeof(value));
  }
};

template <typename T>
struct Writer<Ref<T>> {
  static constexpr int kLetters = 1;
  static constexpr void Letters(char*& out) { *out++ = 'r'; }
  static void Write(uint8_t* frame, const uint32_t*& next, Ref<T>&& value) {
    RefObject*& to = *reinterpret_cast<RefObject**>(frame + *next++);
    RefObject* const old = std::exchange(to, value.release());
    if (old != nullptr) old->DropRef();
  }
};

template <typename... Rs>
struct Writer<std::tuple<Rs...>> {
  static constexpr int kLetters = (Writer<Rs>::kLetters + ... + 0);
  static constexpr void Letters(char*& out) { (Writer<Rs>::Letters(out), ...); }
  static void Write(uint8_t* frame, const uint32_t*& next,
                    std::tuple<Rs...>&& values) {
    std::apply(
        [&](auto&&... value) {
          (Writer<Rs>::Write(frame, next, std::move(value)), ...);
        },
        std::move(values));
  }
};

// The value type of a function's return type R, and whether it can fail.
template <typename R>
inline constexpr bool kCanFail = std::is_same_v<R, absl::Status>;
template <typename T>
inline constexpr bool kCanFail<absl::StatusOr<T>> = true;

template <typename R>
struct Unwrap {
  using type = R;
};
template <typename T>
struct Unwrap<absl::StatusOr<T>> {
  using type = T;
};
template <typename R>
using ResultOf = typename Unwrap<R>::type;

template <auto kFunction, typename F>
struct Binding;

template <auto kFunction, typename R, typename State, typename... Ps>
struct Binding<kFunction, R (*)(State&, Ps...)> {
  static constexpr bool kHasResult = !std::is_same_v<R, absl::Status>;

  static constexpr bool Matches(std::string_view signature) {
    char text[4 + (Reader<Ps>::kLetters + ... + 0) + 16] = {'0'};
    char* out = text + 1;
    (Reader<Ps>::Write(out), ...);
    if (sizeof...(Ps) == 0) *out++ = 'v';
    *out++ = '_';
    if constexpr (kHasResult) {
      Writer<ResultOf<R>>::Letters(out);
    } else {
      *out++ = 'v';
    }
    return signature == std::string_view(text, out - text);
  }

  static absl::Status Thunk(ModuleState* state, uint8_t* frame,
                            const uint32_t* places) {
    return Call(state, frame, places, Indices());
  }

  template <std::optional<ResultOf<R>> (*kQuick)(Ps...)>
  static bool Quick(uint8_t* frame, const uint32_t* places) {
    return CallQuick<kQuick>(frame, places, Indices());
  }

 private:
  using Indices = std::index_sequence_for<Ps...>;
  using AllHeld = std::tuple<typename Reader<Ps>::Held...>;

  template <size_t... Is>
  static bool Read([[maybe_unused]] const uint8_t* frame, const uint32_t*& next,
                   AllHeld& held, Mismatch& mismatch,
                   std::index_sequence<Is...>) {
    return ((Reader<Ps>::Read(frame, next, std::get<Is>(held), mismatch) ||
             (mismatch.index = static_cast<int>(Is), false)) &&
            ...);
  }

  template <size_t... Is>
  static absl::Status Call(ModuleState* state, uint8_t* frame,
                           const uint32_t* next,
                           std::index_sequence<Is...> indices) {
    AllHeld held;
    [[maybe_unused]] Mismatch mismatch;
    if (!Read(frame, next, held, mismatch, indices)) [[unlikely]]
      return mismatch.ToStatus();
    State& self = static_cast<State&>(*state);
    R result = kFunction(self, Reader<Ps>::Get(frame, std::get<Is>(held))...);
    if constexpr (kCanFail<R>) {
      if (!result.ok()) [[unlikely]]
        return ErrorOf(std::move(result));
    }
    next = GiveUp(frame, next);
    if constexpr (!kCanFail<R>) {
      Writer<R>::Write(frame, next, std::move(result));
    } else if constexpr (kHasResult) {
      Writer<ResultOf<R>>::Write(frame, next, *std::move(result));
    }
    return absl::OkStatus();
  }

  template <std::optional<ResultOf<R>> (*kQuick)(Ps...), size_t... Is>
  static bool CallQuick(uint8_t* frame, const uint32_t* next,
                        std::index_sequence<Is...> indices) {
    static_assert(kHasResult, "A quick function gives a result.");
    AllHeld held;
    [[maybe_unused]] Mismatch mismatch;
    if (!Read(frame, next, held, mismatch, indices)) [[unlikely]]
      return false;
    if (*next++ != 0) [[unlikely]]
      return false;  // dropping references is left to the direct thunk
    std::optional<ResultOf<R>> result =
        kQuick(Reader<Ps>::Get(frame, std::get<Is>(held))...);
    if (!result) [[unlikely]]
      return false;
    Writer<ResultOf<R>>::Write(frame, next, *std::move(result));
    return true;
  }
};

}  // namespace binding_internal

// Returns a row for a native module's table. Does not compile unless the
// signature matches the C++ type.
//
// The calling convention is derived from the C++ type and compared at compile
// time. Parameters after the state may be:
//   int32_t int64_t float double    i I f F
//   T&                              r: a T, never null
//   T*                              r: a T or null; RefObject* takes any type
//   Spread<Ts...>                   C…D: tuples of the above (T* for refs)
// Results: Status, or StatusOr of one value, Ref<T>, or a std::tuple of them;
// or one of these alone if the function cannot fail. Refs are borrowed for the
// call; a function that retains one must share it.
//
// A quick function takes the same arguments except the state and returns the
// function's result as an optional. It must have no side effects, and must
// return null if the function would fail, wait or have side effects. It makes
// functions fast that loops call often.
template <auto kFunction, auto kQuick = nullptr>
consteval NativeFunction Bind(const char* name, const char* signature) {
  using B = binding_internal::Binding<kFunction, decltype(kFunction)>;
  if (!B::Matches(signature)) {
    binding_internal::SignatureDiffersFromTheFunctionsType();
  }
  if constexpr (std::is_null_pointer_v<decltype(kQuick)>) {
    return {name, signature, &B::Thunk, nullptr};
  } else {
    return {name, signature, &B::Thunk, &B::template Quick<kQuick>};
  }
}

}  // namespace eyrie::vm

#endif  // EYRIE_VM_NATIVE_NATIVE_BINDING_H_
