// Parameters of modules from files, descriptors, memory and functions.
//
//   eyrie::Parameters parameters;
//   auto added = parameters.AddDescriptor(fd, "model");
//   auto context = eyrie::Context::Create(*device, *module,
//                                         {.parameters = &parameters});
// See c_parameters.h.
#ifndef EYRIE_PARAMETERS_H_
#define EYRIE_PARAMETERS_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <utility>

#include "eyrie/c_linker.h"
#include "eyrie/c_parameters.h"
#include "eyrie/result.h"

namespace eyrie {

// A range of a file, in bytes; a size of 0 means up to its end.
struct FileRange {
  uint64_t offset = 0;
  uint64_t size = 0;
};

// How devices use memory of parameters: they get copies, or use it in place
// without writing (eyrie_memory_use_t).
enum class MemoryUse { kCopy, kLendConst };

// A set of parameters, for any number of contexts. A context takes the
// parameters that are added before it is created. Two threads must not add
// parameters at the same time, or while a context is created. Copies refer to
// the same set. If a key is added twice to a scope, the first one is used.
// Functions that add return the errors of their namesakes in c_parameters.h,
// such as ALREADY_EXISTS if a file has two equal keys. After an error, nothing
// was added, and `release` was called.
class Parameters {
 public:
  Parameters() : handle_(eyrie_parameters_create()) {}

  // Adds the parameters of a .irpa, .safetensors or .gguf file, which is mapped
  // and must not change as long as the set or a context with it exists.
  Result<void> AddFile(const std::string& path, const std::string& scope = "") {
    return Done(eyrie_parameters_add_file(get(), scope.c_str(), path.c_str()));
  }
  // Adds those in a range of an open regular file. The descriptor may be
  // closed.
  Result<void> AddDescriptor(int descriptor, const std::string& scope = "",
                             FileRange range = {}) {
    return Done(eyrie_parameters_add_descriptor(
        get(), scope.c_str(), descriptor, range.offset, range.size));
  }
  // Adds those of a file in memory, which must be valid and must not change
  // until `release` is called: once, on any thread, when neither the set nor a
  // context uses it.
  Result<void> AddMemory(std::span<const std::byte> file,
                         const std::string& scope = "",
                         MemoryUse use = MemoryUse::kCopy,
                         std::function<void()> release = nullptr) {
    const internal::Release kept(std::move(release));
    return Done(eyrie_parameters_add_memory(get(), scope.c_str(), file.data(),
                                            file.size(), static_cast<int>(use),
                                            kept.function, kept.user));
  }
  // Adds one parameter whose bytes are in memory, as for AddMemory.
  Result<void> AddBytes(const std::string& key,
                        std::span<const std::byte> bytes,
                        const std::string& scope = "",
                        MemoryUse use = MemoryUse::kCopy,
                        std::function<void()> release = nullptr) {
    const internal::Release kept(std::move(release));
    return Done(eyrie_parameters_add_bytes(
        get(), scope.c_str(), key.c_str(), bytes.data(), bytes.size(),
        static_cast<int>(use), kept.function, kept.user));
  }

  // Stores the bytes of a parameter, from `offset` on, at `target`. May be
  // called on any thread, and on several at the same time. Must not throw or
  // use a context.
  using Reader =
      std::function<Result<void>(uint64_t offset, std::span<std::byte> target)>;
  // Adds one parameter of `size` bytes, which `read` reads when a module loads
  // it, in pieces.
  Result<void> AddReader(const std::string& key, uint64_t size, Reader read,
                         const std::string& scope = "") {
    return Done(eyrie_parameters_add_reader(
        get(), scope.c_str(), key.c_str(), size,
        [](uint64_t offset, void* target, size_t count,
           void* user) -> eyrie_error_t* {
          const Result<void> done = (*static_cast<Reader*>(user))(
              offset, {static_cast<std::byte*>(target), count});
          if (done) return nullptr;
          return eyrie_error_create(done.error().code(),
                                    done.error().message().c_str());
        },
        new Reader(std::move(read)),
        [](void* user) { delete static_cast<Reader*>(user); }));
  }

  eyrie_parameters_t* get() const { return handle_.get(); }

 private:
  static Result<void> Done(eyrie_error_t* error) {
    if (error != nullptr) return Error(error);
    return {};
  }

  internal::SharedHandle<eyrie_parameters_t, eyrie_parameters_retain,
                         eyrie_parameters_release>
      handle_;
};

}  // namespace eyrie

#endif  // EYRIE_PARAMETERS_H_
