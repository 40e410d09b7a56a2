// Functions of the host that modules import.
//
//   eyrie::Linker linker;
//   auto defined = linker.Define("host.scale", [](float x, int32_t by) {
//     return x * by;
//   });
//   auto context = eyrie::Context::Create(*device, *module,
//                                         {.linker = &linker});
// host_types.h lists the types of arguments and results.
#ifndef EYRIE_LINKER_H_
#define EYRIE_LINKER_H_

#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "eyrie/c_linker.h"
#include "eyrie/host_types.h"
#include "eyrie/native_library.h"
#include "eyrie/result.h"
#include "eyrie/value.h"

namespace eyrie {

// A set of host functions, for any number of contexts. A context takes the
// functions that are defined when it is created, and keeps them. Two threads
// must not define functions at the same time, or while a context is created.
class Linker {
 public:
  Linker() : handle_(eyrie_linker_create()) {}

  // Defines "module.function". The signature is that of `function`, which may
  // have a HostCall& as its first parameter. It may return a value, a
  // std::tuple of several, void, or a Result of one of these. If it fails or
  // throws, the module's call fails with its code and message. Threads may call
  // it at the same time, each for its own context.
  //
  // INVALID_ARGUMENT: the name is not "module.function". ALREADY_EXISTS: it is
  // already defined.
  template <typename F>
  Result<void> Define(const std::string& name, F function) {
    return DefineAs(name, "", std::move(function));
  }
  // Defines a function that returns before its results are ready. Its first
  // parameter is a HostCall&. It may read its arguments when call.wait() is
  // reached, and must ensure that call.signal() is signalled or failed.
  template <typename F>
  Result<void> DefineAsync(const std::string& name, F function) {
    return DefineAs(name, "async ", std::move(function));
  }
  // Defines a function of any types, for example with dicts. c_linker.h has the
  // text of signatures: "({a: i32}, bytes) -> (f32, list)".
  Result<void> DefineAny(const std::string& name, const std::string& signature,
                         std::function<Result<std::vector<Value>>(
                             HostCall& call, std::span<const Value> arguments)>
                             function) {
    using F = decltype(function);
    return Done(eyrie_linker_define(
        get(), name.c_str(), signature.c_str(), internal::CallAnyHost<F>,
        new F(std::move(function)), internal::DeleteHost<F>));
  }

  // Gives each context its own T for the functions of a module, which find it
  // as call.state<T>(). `create` returns a std::unique_ptr<T>. ALREADY_EXISTS:
  // the module has a state.
  template <typename T, typename F>
  Result<void> SetState(const std::string& module, F create) {
    return Done(eyrie_linker_set_state(
        get(), module.c_str(),
        [](void* user, void** out_state) -> eyrie_error_t* {
          return internal::Guarded([&]() -> eyrie_error_t* {
            std::unique_ptr<T> state = (*static_cast<F*>(user))();
            *out_state = state.release();
            return nullptr;
          });
        },
        internal::DeleteHost<T>, new F(std::move(create)),
        internal::DeleteHost<F>));
  }

  // Adds all functions of a native library. ALREADY_EXISTS: a name is already
  // defined.
  Result<void> AddLibrary(const NativeLibrary& library) {
    return Done(eyrie_linker_add_library(get(), library.get()));
  }
  // Defines a memref function that is linked into this program: `function` is
  // "_mlir_ciface_…", and `type` its type, "(memref<?xf32>) -> f32". A wrong
  // type is undefined behaviour. UNIMPLEMENTED: this machine cannot call it.
  template <typename R, typename... Args>
  Result<void> DefineMemref(const std::string& name, const std::string& type,
                            R (*function)(Args...)) {
    return Done(eyrie_linker_define_memref(get(), name.c_str(), type.c_str(),
                                           reinterpret_cast<void*>(function)));
  }
  // Defines an XLA FFI handler that is linked into this program. `declaration`
  // is its JSON object in a manifest (docs/native.md), without "convention" and
  // "symbol".
  template <typename R, typename... Args>
  Result<void> DefineXlaFfi(const std::string& name,
                            const std::string& declaration,
                            R (*handler)(Args...)) {
    return Done(eyrie_linker_define_xla_ffi(get(), name.c_str(),
                                            declaration.c_str(),
                                            reinterpret_cast<void*>(handler)));
  }

  // Returns the names of all functions, such as "host.scale", in order.
  std::vector<std::string> functions() const {
    std::vector<std::string> names(eyrie_linker_count(get()));
    for (size_t i = 0; i < names.size(); ++i) {
      names[i] = eyrie_linker_name(get(), i);
    }
    return names;
  }

  eyrie_linker_t* get() const { return handle_.get(); }

 private:
  static Result<void> Done(eyrie_error_t* error) {
    if (error != nullptr) return Error(error);
    return {};
  }
  template <typename F>
  Result<void> DefineAs(const std::string& name, const char* prefix,
                        F function) {
    using Host = internal::HostFunctionOf<F>;
    return Done(eyrie_linker_define(
        get(), name.c_str(), (prefix + Host::Signature()).c_str(), Host::Call,
        new F(std::move(function)), internal::DeleteHost<F>));
  }

  internal::SharedHandle<eyrie_linker_t, eyrie_linker_retain,
                         eyrie_linker_release>
      handle_;
};

}  // namespace eyrie

#endif  // EYRIE_LINKER_H_
