// Loads a compiled module and calls its functions. Start here.
//
//   auto device = eyrie::Device::Open("local-sync");
//   auto module = eyrie::Module::Load("model.vmfb");
//   auto context = eyrie::Context::Create(*device, *module);
//   auto results = context->Call("predict", {image, "label", 3});
//
// A Module is immutable and shared by threads; a Context has the module's
// globals and serves one thread at a time.
#ifndef EYRIE_RUNTIME_H_
#define EYRIE_RUNTIME_H_

// Out of memory: what c.h says. The library returns RESOURCE_EXHAUSTED for
// blocks whose size a module, a file or the caller decides. What these headers
// allocate themselves, std::vectors and std::strings in the program's own code,
// fails as all of the program's does: by std::bad_alloc.

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "eyrie/c.h"
#include "eyrie/device.h"
#include "eyrie/function.h"
#include "eyrie/log.h"
#include "eyrie/native_library.h"
#include "eyrie/result.h"
#include "eyrie/typed_function.h"
#include "eyrie/value.h"

namespace eyrie {

// Copies are the same module.
class Module {
 public:
  // Maps the file, which must not change while the module lives.
  // NOT_FOUND, or INVALID_ARGUMENT with what is wrong with the file.
  static Result<Module> Load(const std::string& path) {
    eyrie_module_t* handle = nullptr;
    if (eyrie_error_t* error = eyrie_module_load_file(path.c_str(), &handle)) {
      return Error(error);
    }
    return Module(handle);
  }
  // Copies the bytes.
  static Result<Module> Load(std::span<const std::byte> bytes) {
    eyrie_module_t* handle = nullptr;
    if (eyrie_error_t* error =
            eyrie_module_load_memory(bytes.data(), bytes.size(), &handle)) {
      return Error(error);
    }
    return Module(handle);
  }

  std::string name() const { return eyrie_module_name(get()); }
  // The exported functions; strings live as long as the module.
  std::vector<eyrie_function_info_t> functions() const {
    std::vector<eyrie_function_info_t> list(eyrie_module_function_count(get()));
    for (size_t i = 0; i < list.size(); ++i) {
      list[i] = eyrie_module_function(get(), i);
    }
    return list;
  }

  eyrie_module_t* get() const { return handle_.get(); }

 private:
  explicit Module(eyrie_module_t* handle) : handle_(handle) {}
  internal::SharedHandle<eyrie_module_t, eyrie_module_retain,
                         eyrie_module_release>
      handle_;
};

// What a context may use; all but the stack is without limit at first. A call
// that passes a limit fails, RESOURCE_EXHAUSTED or DEADLINE_EXCEEDED, and its
// context with it: later calls are FAILED_PRECONDITION. Others go on.
struct Limits {
  // Of each call; 0: any. A branch backwards, a call, and each KiB that an
  // instruction or import works on take 1 unit, before they are done.
  // docs/limits.md has what else takes some.
  uint64_t fuel = 0;
  // Of each call, with the wait for its results; 0: any. Native code is not
  // interrupted: the call fails when it comes back.
  std::chrono::nanoseconds timeout{0};
  uint64_t max_memory = 0;  // bytes, host and device, held at a time; 0: any
  size_t max_stack = 0;     // bytes; 0: 4 MiB
};

class Context {
 public:
  // One module on one device. `parameter_files` are what it loads parameters
  // from, .irpa, .safetensors or .gguf: "path", or "scope=path". Functions of
  // `natives` are imports that it may have. `log` takes what is said in it;
  // without one the device's does.
  static Result<Context> Create(
      const Device& device, const Module& module, const Limits& limits = {},
      const std::vector<std::string>& parameter_files = {},
      const Natives& natives = {}, const Log& log = nullptr) {
    return Create({&device}, {&module}, limits, parameter_files, natives, log);
  }
  // Modules, those that others import first, on the devices that they find in
  // this order. Arguments go to the first; docs/devices.md has the rest.
  static Result<Context> Create(
      const std::vector<const Device*>& on,
      const std::vector<const Module*>& of, const Limits& limits = {},
      const std::vector<std::string>& parameter_files = {},
      const Natives& natives = {}, const Log& log = nullptr) {
    std::vector<eyrie_module_t*> modules;
    for (const Module* module : of) modules.push_back(module->get());
    std::vector<eyrie_device_t*> devices;
    for (const Device* device : on) devices.push_back(device->get());
    std::vector<const char*> paths;
    for (const std::string& path : parameter_files) {
      paths.push_back(path.c_str());
    }
    std::vector<eyrie_native_library_t*> libraries;
    for (const NativeLibrary* library : natives.libraries) {
      libraries.push_back(library->get());
    }
    std::vector<eyrie_native_data_t> data;
    for (const auto& [type, object] : natives.user_data) {
      data.push_back({type.c_str(), object});
    }
    eyrie_context_options_t options = {};
    options.struct_size = sizeof(options);
    options.fuel = limits.fuel;
    options.timeout_ns = limits.timeout.count();
    options.max_memory = limits.max_memory;
    options.max_stack = limits.max_stack;
    options.parameter_files = paths.data();
    options.parameter_file_count = paths.size();
    options.native_libraries = libraries.data();
    options.native_library_count = libraries.size();
    options.native_data = data.data();
    options.native_data_count = data.size();
    internal::SetLog(log, options);
    eyrie_context_t* handle = nullptr;
    if (eyrie_error_t* error = eyrie_context_create_with_options(
            modules.data(), modules.size(), devices.data(), devices.size(),
            &options, &handle)) {
      return Error(error);
    }
    return Context(handle);
  }

  // "module.function", or "function", which is sought in the last module first.
  // NOT_FOUND names those that there are.
  Result<Function> Find(const std::string& name) {
    eyrie_function_t* handle = nullptr;
    if (eyrie_error_t* error =
            eyrie_context_function(get(), name.c_str(), &handle)) {
      return Error(error);
    }
    return Function(handle);
  }

  // The same with C++ types: Find<Tensor<float>(Tensor<float>, float)>("f").
  // INVALID_ARGUMENT: the function has others.
  template <typename Signature>
  Result<TypedFunction<Signature>> Find(const std::string& name) {
    auto found = Find(name);
    if (!found) return found.error();
    return TypedFunction<Signature>::Bind(*found);
  }

  // Calls a function once, and waits for the results.
  Result<std::vector<Value>> Call(const std::string& function,
                                  RowOf<Value> arguments,
                                  RowOf<Value::Entry> named = {}) {
    auto found = Find(function);
    if (!found) return found.error();
    return found->Call(arguments, named);
  }

  // Ends the running call, or the next, with CANCELLED, and fails the context.
  // From any thread while the context lives, and from a signal handler.
  void Cancel() { eyrie_context_cancel(get()); }

  // True: a call has passed a limit, or was cancelled, and calls fail from now
  // on, whatever they are. Another context goes on, with globals of its own.
  bool failed() const { return eyrie_context_failed(get()) != 0; }

  eyrie_context_t* get() const { return handle_.get(); }

 private:
  explicit Context(eyrie_context_t* handle) : handle_(handle) {}
  internal::Handle<eyrie_context_t, eyrie_context_free> handle_;
};

}  // namespace eyrie

#endif  // EYRIE_RUNTIME_H_
