// Loads a compiled module and calls its functions. Start here.
//
//   auto device = eyrie::Device::Open("local-sync");
//   auto module = eyrie::Module::Load("model.vmfb");
//   auto context = eyrie::Context::Create(*device, *module);
//   auto results = context->Call("predict", {image, "label", 3});
//
// A Module is immutable and may be shared by threads. A Context has the
// module's globals; only one thread at a time may use it.
#ifndef EYRIE_RUNTIME_H_
#define EYRIE_RUNTIME_H_

// Out of memory: see c.h. The library returns RESOURCE_EXHAUSTED for blocks
// whose size is decided by a module, a file or the caller. Memory that these
// headers allocate themselves, for std::vector and std::string, fails with
// std::bad_alloc, as elsewhere in the program.

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "eyrie/c.h"
#include "eyrie/c_state.h"
#include "eyrie/call_options.h"
#include "eyrie/device.h"
#include "eyrie/function.h"
#include "eyrie/linker.h"
#include "eyrie/log.h"
#include "eyrie/native_library.h"
#include "eyrie/parameters.h"
#include "eyrie/result.h"
#include "eyrie/typed_function.h"
#include "eyrie/value.h"

namespace eyrie {

// A loaded and verified module. Copies refer to the same module.
class Module {
 public:
  // Loads and verifies a file (.vmfb). The file is mapped, so it must not
  // change as long as the module or a context of it exists. NOT_FOUND: no such
  // file. INVALID_ARGUMENT or OUT_OF_RANGE: it is not a module, or a malformed
  // one. UNIMPLEMENTED: a version or feature that this library does not
  // support. Other errors are those of eyrie_module_load_file.
  static Result<Module> Load(const std::string& path) {
    if (path.find('\0') != std::string::npos) {
      return Error(EYRIE_INVALID_ARGUMENT,
                   "The path of the module has a NUL byte.");
    }
    eyrie_module_t* handle = nullptr;
    if (eyrie_error_t* error = eyrie_module_load_file(path.c_str(), &handle)) {
      return Error(error);
    }
    return Module(handle);
  }
  // Loads a file's bytes in memory, which are copied.
  static Result<Module> Load(std::span<const std::byte> bytes) {
    eyrie_module_t* handle = nullptr;
    if (eyrie_error_t* error = eyrie_module_load_memory(
            bytes.data(), bytes.size(), EYRIE_MEMORY_COPY, nullptr, nullptr,
            &handle)) {
      return Error(error);
    }
    return Module(handle);
  }

  // Loads bytes without copying them. They must be valid and must not change
  // until `release` is called: once, on any thread, when nothing uses the
  // module. If this fails, `release` is called, too. See
  // eyrie_module_load_memory.
  static Result<Module> Borrow(std::span<const std::byte> bytes,
                               std::function<void()> release = nullptr) {
    const internal::Release kept(std::move(release));
    eyrie_module_t* handle = nullptr;
    if (eyrie_error_t* error = eyrie_module_load_memory(
            bytes.data(), bytes.size(), EYRIE_MEMORY_LEND_CONST, kept.function,
            kept.user, &handle)) {
      return Error(error);
    }
    return Module(handle);
  }
  // Loads a range of an open regular file, which is mapped and must not change
  // as long as the module or a context of it exists. The descriptor may be
  // closed. See eyrie_module_load_descriptor.
  static Result<Module> LoadDescriptor(int descriptor, FileRange range = {}) {
    eyrie_module_t* handle = nullptr;
    if (eyrie_error_t* error = eyrie_module_load_descriptor(
            descriptor, range.offset, range.size, &handle)) {
      return Error(error);
    }
    return Module(handle);
  }

  std::string name() const { return eyrie_module_name(get()); }
  // Returns the exported functions. The strings are valid as long as the
  // module.
  std::vector<eyrie_function_info_t> functions() const {
    std::vector<eyrie_function_info_t> list(eyrie_module_function_count(get()));
    for (size_t i = 0; i < list.size(); ++i) {
      list[i] = internal::CopyOf(eyrie_module_function(get(), i));
    }
    return list;
  }

  // Returns the functions that the module imports. The strings are valid as
  // long as the module.
  std::vector<eyrie_import_info_t> imports() const {
    std::vector<eyrie_import_info_t> list(eyrie_module_import_count(get()));
    for (size_t i = 0; i < list.size(); ++i) {
      list[i] = internal::CopyOf(eyrie_module_import(get(), i));
    }
    return list;
  }

  // Returns the globals that have names: those that the source declares public.
  // The strings are valid as long as the module.
  std::vector<eyrie_global_info_t> globals() const {
    std::vector<eyrie_global_info_t> list(eyrie_module_global_count(get()));
    for (size_t i = 0; i < list.size(); ++i) {
      list[i] = internal::CopyOf(eyrie_module_global(get(), i));
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

// The globals of a context at one moment (Context::TakeSnapshot). Immutable;
// may be shared by threads. Copies refer to the same snapshot.
class Snapshot {
 public:
  // Takes ownership of a handle.
  explicit Snapshot(eyrie_snapshot_t* handle) : handle_(handle) {}
  eyrie_snapshot_t* get() const { return handle_.get(); }

 private:
  internal::SharedHandle<eyrie_snapshot_t, eyrie_snapshot_retain,
                         eyrie_snapshot_release>
      handle_;
};

// The limits of a context and what its modules can use. By default only the
// stack is limited. A call that exceeds a limit fails with RESOURCE_EXHAUSTED,
// or with DEADLINE_EXCEEDED for the timeout. This fails its context
// permanently: later calls return FAILED_PRECONDITION. Other contexts are not
// affected. CallOptions limit a single call without this effect.
struct ContextOptions {
  // Units per call; 0 means no limit. Each backward branch, each call, and each
  // KiB that an instruction or import processes takes 1 unit. docs/limits.md
  // lists what else takes fuel.
  uint64_t fuel = 0;
  // Per call, with the wait for results; 0 means no limit. Native code is not
  // interrupted; the call fails when the code returns.
  std::chrono::nanoseconds timeout{0};
  // Bytes of host and device memory in use at a time; 0 means no limit.
  uint64_t max_memory = 0;
  size_t max_stack = 0;  // bytes; 0 means 4 MiB
  // Files that modules load parameters from: .irpa, .safetensors or .gguf, each
  // as "path" or "scope=path"; a path with a '=' is given as "=path". If two
  // files of a scope have the same key, the first one is used. They must not
  // change as long as the context exists.
  std::vector<std::string> parameter_files = {};
  // Libraries with functions that the modules may import. The context retains
  // them.
  std::vector<const NativeLibrary*> native_libraries = {};
  // Functions of the host that the modules may import. The context keeps them.
  const Linker* linker = nullptr;
  // User data that native code can ask for, by its type's name. The pointers
  // must not be null, and must be valid as long as the context exists.
  std::map<std::string, void*> native_data = {};
  // Receives the messages of the context; if empty, the log of its first device
  // does.
  Log log = nullptr;
  // The limits of all initializers together, instead of `fuel` and `timeout`;
  // 0 means that this limit of a call applies to them.
  uint64_t initializer_fuel = 0;
  std::chrono::nanoseconds initializer_timeout{0};
  // The globals to begin with; no initializers run then. The modules and
  // devices must be those of the snapshot.
  const Snapshot* snapshot = nullptr;
  // More parameters; the context keeps them.
  const Parameters* parameters = nullptr;
};

// Linked modules with their own globals. Only one thread at a time may use a
// context and its functions and calls, except for Cancel. Retains its modules,
// devices and native libraries.
class Context {
 public:
  // Creates a context of one module on one device. Returns the errors of
  // eyrie_context_create, such as NOT_FOUND if an import is
  // missing, or the error of an initializer.
  static Result<Context> Create(const Device& device, const Module& module,
                                const ContextOptions& choices = {}) {
    return Create({&device}, {&module}, choices);
  }
  // Creates a context of several modules, each linked to those before it, on
  // several devices. Arguments are placed on the first device. docs/devices.md
  // says how modules select devices.
  static Result<Context> Create(const std::vector<const Device*>& on,
                                const std::vector<const Module*>& of,
                                const ContextOptions& choices = {}) {
    std::vector<eyrie_module_t*> modules;
    for (const Module* module : of) modules.push_back(module->get());
    std::vector<eyrie_device_t*> devices;
    for (const Device* device : on) devices.push_back(device->get());
    std::vector<const char*> paths;
    for (const std::string& path : choices.parameter_files) {
      paths.push_back(path.c_str());
    }
    std::vector<eyrie_native_library_t*> libraries;
    for (const NativeLibrary* library : choices.native_libraries) {
      libraries.push_back(library->get());
    }
    std::vector<eyrie_native_data_t> data;
    for (const auto& [type, object] : choices.native_data) {
      data.push_back({sizeof(eyrie_native_data_t), type.c_str(), object});
    }
    eyrie_context_options_t options = {};
    options.struct_size = sizeof(options);
    options.fuel = choices.fuel;
    options.timeout_ns = choices.timeout.count();
    options.max_memory = choices.max_memory;
    options.max_stack = choices.max_stack;
    options.parameter_files = paths.data();
    options.parameter_file_count = paths.size();
    options.native_libraries = libraries.data();
    options.native_library_count = libraries.size();
    options.native_data = data.data();
    options.native_data_count = data.size();
    internal::SetLog(choices.log, options);
    options.linker = choices.linker ? choices.linker->get() : nullptr;
    options.initializer_fuel = choices.initializer_fuel;
    options.initializer_timeout_ns = choices.initializer_timeout.count();
    options.snapshot = choices.snapshot ? choices.snapshot->get() : nullptr;
    options.parameters =
        choices.parameters ? choices.parameters->get() : nullptr;
    eyrie_context_t* handle = nullptr;
    if (eyrie_error_t* error =
            eyrie_context_create(modules.data(), modules.size(), devices.data(),
                                 devices.size(), &options, &handle)) {
      return Error(error);
    }
    return Context(handle);
  }

  // Finds a function by "module.function" or by "function". A name without a
  // module is looked up in the last module first. NOT_FOUND: no such function;
  // the message lists those that exist.
  Result<Function> Find(const std::string& name) {
    eyrie_function_t* handle = nullptr;
    if (eyrie_error_t* error =
            eyrie_context_find_function(get(), name.c_str(), &handle)) {
      return Error(error);
    }
    return Function(handle);
  }

  // Finds a function with C++ types: Find<Tensor<float>(Tensor<float>,
  // float)>("f"). INVALID_ARGUMENT: the function has other types.
  template <typename Signature>
  Result<TypedFunction<Signature>> Find(const std::string& name) {
    auto found = Find(name);
    if (!found) return found.error();
    return TypedFunction<Signature>::Bind(*found);
  }

  // Finds and calls a function, and waits for its results. Returns the errors
  // of Find and of Function::Call.
  Result<std::vector<Value>> Call(const std::string& function,
                                  RowOf<Value> arguments,
                                  RowOf<Value::Entry> named = {},
                                  const CallOptions& options = {}) {
    auto found = Find(function);
    if (!found) return found.error();
    return found->Call(arguments, named, options);
  }

  // Returns or sets a global, "name" or "module.name"; Module::globals lists
  // them. NOT_FOUND: no such global, or a constant is set. Otherwise fails as
  // Function::Call does.
  Result<Value> GetGlobal(const std::string& name) {
    eyrie_value_t* value = nullptr;
    if (eyrie_error_t* error =
            eyrie_context_copy_global(get(), name.c_str(), &value)) {
      return Error(error);
    }
    return Value::Adopt(value);
  }
  Result<void> SetGlobal(const std::string& name, const Value& value) {
    if (eyrie_error_t* error =
            eyrie_context_set_global(get(), name.c_str(), value.get())) {
      return Error(error);
    }
    return {};
  }

  // Copies all globals. Constants are shared, so this is cheap. The results of
  // earlier calls must be ready, and no pending call may exist. Fails as
  // eyrie_snapshot_create does.
  Result<Snapshot> TakeSnapshot() {
    eyrie_snapshot_t* snapshot = nullptr;
    if (eyrie_error_t* error = eyrie_snapshot_create(get(), &snapshot)) {
      return Error(error);
    }
    return Snapshot(snapshot);
  }
  // Sets all globals to those of a snapshot of the same modules and devices.
  // Fails as eyrie_context_restore does.
  Result<void> Restore(const Snapshot& snapshot) {
    if (eyrie_error_t* error = eyrie_context_restore(get(), snapshot.get())) {
      return Error(error);
    }
    return {};
  }

  // Returns the fuel that the last call used, and the memory in use. Must be
  // called while no call runs. See eyrie_context_usage.
  eyrie_context_usage_t usage() const {
    eyrie_context_usage_t usage = {};
    usage.struct_size = sizeof(usage);
    // Fails only if the library is older than this header.
    eyrie_error_free(eyrie_context_usage(get(), &usage));
    return usage;
  }

  // Ends the running call, or the next one, with CANCELLED, and fails the
  // context permanently. May be called from any thread and from a signal
  // handler, as long as the context exists.
  void Cancel() { eyrie_context_cancel(get()); }

  // Reports whether a call has exceeded a limit or the context was cancelled.
  // If so, all later calls fail. To continue, create a new context.
  bool failed() const { return eyrie_context_failed(get()) != 0; }

  eyrie_context_t* get() const { return handle_.get(); }

 private:
  explicit Context(eyrie_context_t* handle) : handle_(handle) {}
  internal::Handle<eyrie_context_t, eyrie_context_release> handle_;
};

}  // namespace eyrie

#endif  // EYRIE_RUNTIME_H_
