// Tests that the library owns callback data in every case: its destructor runs
// exactly once, also if the function that took it fails. Descriptors remain the
// caller's in every case but one, which closes them if it succeeds.
#include <fcntl.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <string>
#include <vector>

#include "abi/c/testing/c_value_text.h"
#include "absl/strings/str_cat.h"
#include "eyrie/c.h"
#include "eyrie/c_external.h"
#include "eyrie/c_linker.h"
#include "eyrie/c_parameters.h"
#include "gtest/gtest.h"
#include "tests/support/files.h"

namespace eyrie {
namespace {

constexpr char kModule[] = "tests/modules/3.13/add.vmfb";

void Count(void* user) { ++*static_cast<int*>(user); }

// A call that takes `user` with the destructor Count. It releases what it made,
// so that the data is not needed any more, and returns the error's code.
struct Row {
  const char* name;
  std::function<eyrie_error_t*(int* user)> take;
  eyrie_code_t want;
};

void Check(const std::vector<Row>& rows) {
  for (const Row& row : rows) {
    SCOPED_TRACE(row.name);
    int freed = 0;
    eyrie_error_t* const error = row.take(&freed);
    EXPECT_EQ(eyrie_error_code(error), row.want) << eyrie_error_message(error);
    EXPECT_EQ(freed, 1);
    eyrie_error_free(error);
  }
}

eyrie_error_t* Load(const void* data, size_t size, eyrie_memory_use_t use,
                    int* user) {
  eyrie_module_t* module = nullptr;
  eyrie_error_t* const error =
      eyrie_module_load_memory(data, size, use, Count, user, &module);
  eyrie_module_release(module);
  return error;
}

TEST(Ownership, OfModulesAndArrays) {
  static const std::string module = FileText(kModule);
  static const int64_t shape[] = {1};
  static const uint8_t byte = 1;
  const auto borrow = [](size_t size, size_t struct_size, int* user) {
    eyrie_array_t array = {struct_size, EYRIE_DTYPE_UI8, 1,   shape,
                           nullptr,     &byte,           size};
    eyrie_value_t* value = nullptr;
    eyrie_error_t* const error =
        eyrie_value_new_borrowed(&array, Count, user, &value);
    eyrie_value_free(value);
    return error;
  };
  Check({
      {"lent module",
       [](int* user) {
         return Load(module.data(), module.size(), EYRIE_MEMORY_LEND_CONST,
                     user);
       },
       EYRIE_OK},
      {"copied module",
       [](int* user) {
         return Load(module.data(), module.size(), EYRIE_MEMORY_COPY, user);
       },
       EYRIE_OK},
      {"no module",
       [](int* user) { return Load("text", 4, EYRIE_MEMORY_LEND_CONST, user); },
       EYRIE_INVALID_ARGUMENT},
      {"an unknown use",
       [](int* user) { return Load(module.data(), module.size(), 7, user); },
       EYRIE_INVALID_ARGUMENT},
      {"array",
       [&](int* user) { return borrow(1, sizeof(eyrie_array_t), user); },
       EYRIE_OK},
      {"wrong size",
       [&](int* user) { return borrow(2, sizeof(eyrie_array_t), user); },
       EYRIE_INVALID_ARGUMENT},
      {"wrong struct_size", [&](int* user) { return borrow(1, 8, user); },
       EYRIE_INVALID_ARGUMENT},
      {"object",
       [](int* user) -> eyrie_error_t* {
         eyrie_value_free(eyrie_value_new_object("test.object", user, Count));
         return nullptr;
       },
       EYRIE_OK},
      {"allocator",
       [](int* user) -> eyrie_error_t* {
         eyrie_allocator_release(eyrie_allocator_create(
             [](size_t size, size_t, void*) { return std::malloc(size); },
             [](void* memory, size_t, void*) { std::free(memory); }, user,
             Count));
         return nullptr;
       },
       EYRIE_OK},
  });
}

TEST(Ownership, OfLogs) {
  const auto log = [](eyrie_severity_t, const char*, size_t, void*) {};
  const auto open = [log](const char* name, int jit, int* user) {
    eyrie_device_options_t options = {};
    options.struct_size = sizeof(options);
    options.log = log;
    options.log_data = user;
    options.free_log_data = Count;
    options.jit = jit;
    eyrie_device_t* device = nullptr;
    eyrie_error_t* const error = eyrie_device_open(name, &options, &device);
    eyrie_device_release(device);
    return error;
  };
  const auto create = [log](const char* path, int64_t timeout, int* user) {
    eyrie_context_options_t options = {};
    options.struct_size = sizeof(options);
    options.log = log;
    options.log_data = user;
    options.free_log_data = Count;
    options.timeout_ns = timeout;
    eyrie_context_t* context = nullptr;
    eyrie_error_t* const error =
        eyrie_context_open(path, "local-sync", &options, &context);
    eyrie_context_release(context);
    return error;
  };
  Check({
      {"device", [&](int* user) { return open("local-sync", 0, user); },
       EYRIE_OK},
      {"no device", [&](int* user) { return open("none", 0, user); },
       EYRIE_NOT_FOUND},
      {"unknown jit", [&](int* user) { return open("local-sync", 7, user); },
       EYRIE_INVALID_ARGUMENT},
      {"context", [&](int* user) { return create(kModule, 0, user); },
       EYRIE_OK},
      {"no file", [&](int* user) { return create("none.vmfb", 0, user); },
       EYRIE_NOT_FOUND},
      {"negative timeout", [&](int* user) { return create(kModule, -1, user); },
       EYRIE_INVALID_ARGUMENT},
  });
}

TEST(Ownership, OfHostFunctions) {
  const auto define = [](const char* name, const char* signature, int* user) {
    eyrie_linker_t* const linker = eyrie_linker_create();
    eyrie_error_t* const error = eyrie_linker_define(
        linker, name, signature,
        [](eyrie_host_call_t*, const eyrie_slot_t*, eyrie_slot_t*,
           void*) -> eyrie_error_t* { return nullptr; },
        user, Count);
    eyrie_linker_release(linker);
    return error;
  };
  const auto set_state = [](int times, int* user) {
    eyrie_linker_t* const linker = eyrie_linker_create();
    eyrie_error_t* error = nullptr;
    for (int i = 0; i < times && error == nullptr; ++i) {
      error = eyrie_linker_set_state(
          linker, "host",
          [](void*, void**) -> eyrie_error_t* { return nullptr; }, nullptr,
          i == times - 1 ? user : nullptr, i == times - 1 ? Count : nullptr);
    }
    eyrie_linker_release(linker);
    return error;
  };
  Check({
      {"function", [&](int* user) { return define("a.b", "() -> ()", user); },
       EYRIE_OK},
      {"no name", [&](int* user) { return define("a", "() -> ()", user); },
       EYRIE_INVALID_ARGUMENT},
      {"no signature", [&](int* user) { return define("a.b", "(", user); },
       EYRIE_INVALID_ARGUMENT},
      {"state", [&](int* user) { return set_state(1, user); }, EYRIE_OK},
      {"state twice", [&](int* user) { return set_state(2, user); },
       EYRIE_ALREADY_EXISTS},
  });
}

TEST(Ownership, OfParameters) {
  using Add = std::function<eyrie_error_t*(eyrie_parameters_t*, int* user)>;
  const auto add = [](const Add& to) {
    return [to](int* user) {
      eyrie_parameters_t* const parameters = eyrie_parameters_create();
      eyrie_error_t* const error = to(parameters, user);
      eyrie_parameters_release(parameters);
      return error;
    };
  };
  Check({
      {"memory", add([](eyrie_parameters_t* to, int* user) {
         return eyrie_parameters_add_memory(to, nullptr, "text", 4,
                                            EYRIE_MEMORY_COPY, Count, user);
       }),
       EYRIE_INVALID_ARGUMENT},
      {"bytes", add([](eyrie_parameters_t* to, int* user) {
         return eyrie_parameters_add_bytes(to, nullptr, "key", "text", 4,
                                           EYRIE_MEMORY_COPY, Count, user);
       }),
       EYRIE_OK},
      {"an unknown use", add([](eyrie_parameters_t* to, int* user) {
         return eyrie_parameters_add_bytes(to, nullptr, "key", "text", 4, 7,
                                           Count, user);
       }),
       EYRIE_INVALID_ARGUMENT},
      {"reader", add([](eyrie_parameters_t* to, int* user) {
         return eyrie_parameters_add_reader(
             to, nullptr, "key", 4,
             [](uint64_t, void*, size_t, void*) -> eyrie_error_t* {
               return nullptr;
             },
             user, Count);
       }),
       EYRIE_OK},
  });
}

TEST(Ownership, OfFenceCallbacks) {
  eyrie_device_t* device = nullptr;
  ASSERT_EQ(eyrie_device_open("local-sync", nullptr, &device), nullptr);
  const auto done = [](void* user, eyrie_error_t* error) {
    eyrie_error_free(error);
    Count(user);
  };
  const auto after = [&](const std::function<void(eyrie_fence_t*)>& end) {
    return [&, end](int* user) -> eyrie_error_t* {
      eyrie_fence_t* fence = nullptr;
      eyrie_error_t* error = eyrie_fence_create(device, &fence);
      if (error != nullptr) return error;
      eyrie_fence_on_done(fence, done, user);
      end(fence);
      eyrie_fence_release(fence);
      return nullptr;
    };
  };
  Check({
      {"signalled", after([](eyrie_fence_t* fence) {
         eyrie_error_free(eyrie_fence_signal(fence));
       }),
       EYRIE_OK},
      {"failed", after([](eyrie_fence_t* fence) {
         eyrie_fence_fail(fence, EYRIE_ABORTED, "");
       }),
       EYRIE_OK},
      {"released", after([](eyrie_fence_t*) {}), EYRIE_OK},
  });
  eyrie_device_release(device);
}

// Reports whether the descriptor is open, and closes it.
bool IsStillOpen(int descriptor) { return close(descriptor) == 0; }

TEST(Ownership, DescriptorsRemainTheCallers) {
  eyrie_device_t* device = nullptr;
  ASSERT_EQ(eyrie_device_open("local-sync", nullptr, &device), nullptr);
  const struct {
    const char* name;
    const char* path;
    std::function<eyrie_error_t*(int descriptor)> take;
    eyrie_code_t want;
  } rows[] = {
      {"module", kModule,
       [](int descriptor) {
         eyrie_module_t* module = nullptr;
         eyrie_error_t* const error =
             eyrie_module_load_descriptor(descriptor, 0, 0, &module);
         eyrie_module_release(module);
         return error;
       },
       EYRIE_OK},
      {"no module", "/dev/null",
       [](int descriptor) {
         eyrie_module_t* module = nullptr;
         return eyrie_module_load_descriptor(descriptor, 0, 0, &module);
       },
       EYRIE_INVALID_ARGUMENT},
      {"no parameters", kModule,
       [](int descriptor) {
         eyrie_parameters_t* const parameters = eyrie_parameters_create();
         eyrie_error_t* const error = eyrie_parameters_add_descriptor(
             parameters, nullptr, descriptor, 0, 0);
         eyrie_parameters_release(parameters);
         return error;
       },
       EYRIE_INVALID_ARGUMENT},
      {"import to a CPU", kModule,
       [device](int descriptor) {
         const int64_t shape[] = {1};
         eyrie_external_memory_t memory = {};
         memory.struct_size = sizeof(memory);
         memory.kind = EYRIE_EXTERNAL_OPAQUE_FD;
         memory.descriptor = descriptor;
         memory.size = 64;
         eyrie_value_t* value = nullptr;
         return eyrie_value_new_imported(device, EYRIE_DTYPE_UI8, 1, shape,
                                         &memory, &value);
       },
       EYRIE_UNIMPLEMENTED},
  };
  for (const auto& row : rows) {
    SCOPED_TRACE(row.name);
    const int descriptor = open(row.path, O_RDONLY | O_CLOEXEC);
    ASSERT_GE(descriptor, 0);
    eyrie_error_t* const error = row.take(descriptor);
    EXPECT_EQ(eyrie_error_code(error), row.want) << eyrie_error_message(error);
    eyrie_error_free(error);
    EXPECT_TRUE(IsStillOpen(descriptor));
  }
  eyrie_device_release(device);
}

}  // namespace
}  // namespace eyrie
