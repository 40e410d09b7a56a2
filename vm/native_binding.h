// Turns a C++ function into a function modules can import.
//
//   absl::StatusOr<int64_t> BufferLength(HalState& state, hal::Buffer& buffer);
//   constexpr NativeFunction kRows[] = {
//       Bind<BufferLength>("buffer.length", "0r_I"),
//   };
//
// Tested by native_module_test.cc.
#ifndef EYRIE_VM_NATIVE_BINDING_H_
#define EYRIE_VM_NATIVE_BINDING_H_

#include <cstdint>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/ref.h"
#include "vm/module.h"
#include "vm/value.h"

namespace eyrie::vm {

struct NativeFunction {
  const char* name;
  const char* signature;  // calling convention, "0rIi_r"
  NativeThunk thunk;
};

// What a native function returns when its result is not ready and it does not
// want to block: an import called by call.yieldable then suspends the
// invocation and is called again, with the same arguments, when it is resumed.
// Other callers get UNAVAILABLE.
absl::Status Pending();
bool IsPending(const absl::Status& status);

namespace binding_internal {

// Never defined: a call in a constant expression stops the build by this name.
void SignatureDiffersFromTheFunctionsType();

absl::Status NullArgument(int index, const RefType& want);
absl::Status WrongArgument(int index, const RefType& want, const RefType& got);

template <typename T>
inline constexpr bool kIsRefPointer =
    std::is_pointer_v<T> &&
    std::is_base_of_v<RefObject, std::remove_const_t<std::remove_pointer_t<T>>>;

// A T or null from a ref slot; false if the object is of another type.
template <typename T>
bool ReadRef(RefObject* object, T*& out) {
  if constexpr (std::is_same_v<std::remove_const_t<T>, RefObject>) {
    out = object;
    return true;
  } else {
    using Object = std::remove_const_t<T>;
    out = RefCast<Object>(object);
    return object == nullptr || out != nullptr;
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

template <typename T>
T ReadSlot(const Slot& slot) {
  if constexpr (std::is_same_v<T, int32_t>)
    return slot.i32;
  else if constexpr (std::is_same_v<T, int64_t>)
    return slot.i64;
  else if constexpr (std::is_same_v<T, float>)
    return slot.f32;
  else if constexpr (std::is_same_v<T, double>)
    return slot.f64;
  else
    return static_cast<T>(slot.ref);
}

}  // namespace binding_internal

// The elements of one variadic argument. Refs in it are type-checked already.
template <typename... Ts>
class Spread {
 public:
  explicit Spread(const Slot* slots) : slots_(slots) {}

  size_t size() const { return static_cast<size_t>(slots_[0].i64); }
  bool empty() const { return size() == 0; }

  // The I-th member of element `index`, which must be below size().
  template <size_t I = 0>
  auto get(size_t index) const {
    using T = std::tuple_element_t<I, std::tuple<Ts...>>;
    return binding_internal::ReadSlot<T>(slots_[1 + index * sizeof...(Ts) + I]);
  }

 private:
  const Slot* slots_;
};

namespace binding_internal {

// Reads parameter type P from `*cursor` and moves the cursor behind it.
template <typename P>
struct Reader {
  static constexpr int kLetters = 1;
  static constexpr void Write(char*& out) { *out++ = Letter<P>(); }
  using Held = P;
  static absl::Status Read(const Slot*& cursor, int index, Held& held) {
    if constexpr (kIsRefPointer<P>) {
      RefObject* object = (cursor++)->ref;
      if (!ReadRef(object, held)) [[unlikely]] {
        using Object = std::remove_const_t<std::remove_pointer_t<P>>;
        if constexpr (!std::is_same_v<Object, RefObject>) {
          return WrongArgument(index, Object::kType, object->type());
        }
      }
    } else {
      held = ReadSlot<P>(*cursor++);
    }
    return absl::OkStatus();
  }
  static P Get(const Held& held) { return held; }
};

template <typename T>
struct Reader<T&> {
  static constexpr int kLetters = 1;
  static constexpr void Write(char*& out) { *out++ = 'r'; }
  using Held = T*;
  static absl::Status Read(const Slot*& cursor, int index, Held& held) {
    using Object = std::remove_const_t<T>;
    RefObject* object = (cursor++)->ref;
    if (object == nullptr) [[unlikely]] {
      return NullArgument(index, Object::kType);
    }
    held = RefCast<Object>(object);
    if (held == nullptr) [[unlikely]] {
      return WrongArgument(index, Object::kType, object->type());
    }
    return absl::OkStatus();
  }
  static T& Get(const Held& held) { return *held; }
};

template <typename... Ts>
struct Reader<Spread<Ts...>> {
  static constexpr int kLetters = 2 + sizeof...(Ts);
  static constexpr void Write(char*& out) {
    *out++ = 'C';
    ((*out++ = Letter<Ts>()), ...);
    *out++ = 'D';
  }
  using Held = const Slot*;
  static absl::Status Read(const Slot*& cursor, int index, Held& held) {
    held = cursor;
    const size_t count = static_cast<size_t>(cursor->i64);
    ++cursor;
    for (size_t i = 0; i < count; ++i) {
      absl::Status status;
      ((status.ok() ? void(status = CheckElement<Ts>(*cursor++, index))
                    : void()),
       ...);
      if (!status.ok()) [[unlikely]]
        return status;
    }
    return absl::OkStatus();
  }
  static Spread<Ts...> Get(const Held& held) { return Spread<Ts...>(held); }

 private:
  template <typename T>
  static absl::Status CheckElement(const Slot& slot, int index) {
    if constexpr (kIsRefPointer<T>) {
      using Object = std::remove_const_t<std::remove_pointer_t<T>>;
      T object;
      if (!ReadRef(slot.ref, object)) [[unlikely]] {
        if constexpr (!std::is_same_v<Object, RefObject>) {
          return WrongArgument(index, Object::kType, slot.ref->type());
        }
      }
    }
    return absl::OkStatus();
  }
};

// Packs result type R.
template <typename R>
struct Writer {
  static constexpr int kLetters = 1;
  static constexpr void Letters(char*& out) { *out++ = Letter<R>(); }
  static void Write(Slot*& cursor, R&& value) {
    Slot slot;
    if constexpr (std::is_same_v<R, int32_t>)
      slot.i32 = value;
    else if constexpr (std::is_same_v<R, int64_t>)
      slot.i64 = value;
    else if constexpr (std::is_same_v<R, float>)
      slot.f32 = value;
    else if constexpr (std::is_same_v<R, double>)
      slot.f64 = value;
    else
      slot.ref = value.release();
    *cursor++ = slot;
  }
};

template <typename... Rs>
struct Writer<std::tuple<Rs...>> {
  static constexpr int kLetters = sizeof...(Rs);
  static constexpr void Letters(char*& out) { (Writer<Rs>::Letters(out), ...); }
  static void Write(Slot*& cursor, std::tuple<Rs...>&& values) {
    std::apply(
        [&](auto&&... value) {
          (Writer<Rs>::Write(cursor, std::move(value)), ...);
        },
        std::move(values));
  }
};

template <auto kFunction, typename F>
struct Binding;

template <auto kFunction, typename R, typename State, typename... Ps>
struct Binding<kFunction, R (*)(State&, Ps...)> {
  static constexpr bool kHasResult = !std::is_same_v<R, absl::Status>;

  template <typename T>
  struct Unwrap;
  template <typename T>
  struct Unwrap<absl::StatusOr<T>> {
    using type = T;
  };

  static constexpr bool Matches(std::string_view signature) {
    char text[4 + (Reader<Ps>::kLetters + ... + 0) + 16] = {'0'};
    char* out = text + 1;
    (Reader<Ps>::Write(out), ...);
    if (sizeof...(Ps) == 0) *out++ = 'v';
    *out++ = '_';
    if constexpr (kHasResult) {
      Writer<typename Unwrap<R>::type>::Letters(out);
    } else {
      *out++ = 'v';
    }
    return signature == std::string_view(text, out - text);
  }

  static absl::Status Thunk(ModuleState* state, const Slot* args,
                            Slot* results) {
    return Call(state, args, results, std::index_sequence_for<Ps...>());
  }

 private:
  template <size_t... Is>
  static absl::Status Call(ModuleState* state, const Slot* args, Slot* results,
                           std::index_sequence<Is...>) {
    std::tuple<typename Reader<Ps>::Held...> held;
    const Slot* cursor = args;
    absl::Status status;
    (void)cursor;
    const bool read =
        ((status = Reader<Ps>::Read(cursor, Is, std::get<Is>(held)),
          status.ok()) &&
         ...);
    if (!read) [[unlikely]]
      return status;
    State& self = static_cast<State&>(*state);
    if constexpr (kHasResult) {
      R result = kFunction(self, Reader<Ps>::Get(std::get<Is>(held))...);
      if (!result.ok()) [[unlikely]]
        return std::move(result).status();
      Writer<typename Unwrap<R>::type>::Write(results, *std::move(result));
      return absl::OkStatus();
    } else {
      return kFunction(self, Reader<Ps>::Get(std::get<Is>(held))...);
    }
  }
};

}  // namespace binding_internal

// A row for a native module's table. The signature must be the one the C++
// type has, or this does not compile.
//
// The calling convention is derived from the C++ type and compared with the
// row's at compile time. Parameters after the state may be:
//   int32_t int64_t float double    i I f F
//   T&                              r: a T, never null
//   T*                              r: a T or null; RefObject* takes any type
//   Spread<Ts...>                   C…D: tuples of the above (T* for refs)
// Results: Status, or StatusOr of one value, Ref<T>, or a std::tuple of them.
// Refs are borrowed for the call; a function that keeps one shares it.
template <auto kFunction>
consteval NativeFunction Bind(const char* name, const char* signature) {
  using B = binding_internal::Binding<kFunction, decltype(kFunction)>;
  if (!B::Matches(signature)) {
    binding_internal::SignatureDiffersFromTheFunctionsType();
  }
  return {name, signature, &B::Thunk};
}

}  // namespace eyrie::vm

#endif  // EYRIE_VM_NATIVE_BINDING_H_
