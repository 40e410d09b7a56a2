// Programs, and programs that a device has loaded.
// Tested by pjrt_test.cc.
#ifndef EYRIE_PLUGINS_PJRT_EXECUTABLE_H_
#define EYRIE_PLUGINS_PJRT_EXECUTABLE_H_

#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "eyrie/c.h"
#include "plugins/pjrt/buffer.h"
#include "plugins/pjrt/c_types.h"
#include "plugins/pjrt/client.h"
#include "plugins/pjrt/ffi.h"
#include "plugins/pjrt/owned.h"
#include "plugins/pjrt/program_compiler.h"
#include "plugins/pjrt/program_image.h"

namespace eyrie::pjrt {

using ModuleHandle = Owned<eyrie_module_t, eyrie_module_release>;
using ContextHandle = Owned<eyrie_context_t, eyrie_context_release>;

// A program, and its results in the form that the C interface has. Immutable.
class Executable {
 public:
  Executable(ImagePtr image, Interface interface);

  const ProgramImage& image() const { return *image_; }
  const ImagePtr& image_pointer() const { return image_; }
  const Interface& interface() const { return interface_; }

  const std::vector<Buffer_Type>& result_types() const { return types_; }
  // The dimensions of all results, and how many each one has.
  const std::vector<int64_t>& dims() const { return dims_; }
  const std::vector<size_t>& ranks() const { return ranks_; }
  // The kinds of memory of the arguments or results, with their lengths.
  const char* const* kinds() const { return kinds_.data(); }
  const size_t* kind_sizes() const { return kind_sizes_.data(); }

  MemoryLayout** argument_layouts() const { return argument_layouts_.data(); }
  MemoryLayout** result_layouts() const { return result_layouts_.data(); }

 private:
  const ImagePtr image_;
  const Interface interface_;
  // The C interface has no const.
  mutable std::vector<MemoryLayout*> argument_layouts_;
  mutable std::vector<MemoryLayout*> result_layouts_;
  std::vector<Buffer_Type> types_;
  std::vector<int64_t> dims_;
  std::vector<size_t> ranks_;
  std::vector<const char*> kinds_;
  std::vector<size_t> kind_sizes_;
};

// An argument of an execution.
struct Argument {
  ContentPtr content;
  // The execution may overwrite it, if nothing else refers to it.
  bool is_given = false;
};

// A program on a device. Executions on several threads have contexts of their
// own, so a program must keep no state between them, as those of JAX do not.
// Thread-safe.
class LoadedProgram {
 public:
  // Creates the first context. Fails as eyrie_module_load_memory,
  // eyrie_context_create and InterfaceOf do.
  static absl::StatusOr<std::unique_ptr<LoadedProgram>> Load(Client& client,
                                                             ImagePtr image,
                                                             Device& device);

  Device& device() const { return device_; }
  Device* const* devices() const { return devices_; }
  const Executable& executable() const { return *executable_; }

  // Executions fail from now on with FAILED_PRECONDITION.
  void Delete();
  bool is_deleted() const;

  // Executes the program with arrays that are ready. Stores one array for each
  // result. Fails as eyrie_function_call does. INVALID_ARGUMENT: a result is
  // not the one of the program's interface.
  absl::Status Run(std::span<const Argument> arguments,
                   std::span<ValueHandle> results);

 private:
  // A context with its function, which one thread at a time uses.
  struct Lane {
    ContextHandle context;
    eyrie_function_t* function = nullptr;
  };

  LoadedProgram(Client& client, Device& device)
      : client_(client.shared_from_this()),
        device_(device),
        devices_{&device} {}

  absl::StatusOr<Lane> NewLane() const;
  absl::StatusOr<Lane> TakeLane();
  void GiveLane(Lane lane);

  const std::shared_ptr<Client> client_;  // owns the device
  Device& device_;
  Device* devices_[1];
  std::unique_ptr<const Executable> executable_;
  mutable std::mutex mutex_;  // guards all below
  ModuleHandle module_;       // null: deleted
  LibraryHandle library_;     // null: the program has no imports
  std::string function_;      // the name of the function
  std::vector<Lane> lanes_;   // that no thread uses
};

// A client's handle of a loaded program, which executions keep while they run.
class LoadedExecutable {
 public:
  explicit LoadedExecutable(std::shared_ptr<LoadedProgram> program)
      : program_(std::move(program)) {}

  LoadedProgram& program() const { return *program_; }
  const std::shared_ptr<LoadedProgram>& shared() const { return program_; }

 private:
  const std::shared_ptr<LoadedProgram> program_;
};

}  // namespace eyrie::pjrt

#endif  // EYRIE_PLUGINS_PJRT_EXECUTABLE_H_
