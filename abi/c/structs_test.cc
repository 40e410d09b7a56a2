// Tests that every struct of the C API can grow: it has a size, smaller ones of
// older headers are taken, and unknown members of newer ones are errors.
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <regex>
#include <set>
#include <string>

#include "absl/strings/str_cat.h"
#include "eyrie/c.h"
#include "eyrie/c_external.h"
#include "eyrie/c_linker.h"
#include "eyrie/c_needs.h"
#include "eyrie/c_program.h"
#include "eyrie/c_state.h"
#include "eyrie/c_trace.h"
#include "gtest/gtest.h"
#include "tests/support/lavapipe.h"

namespace eyrie {
namespace {

// A struct as a newer header has it, followed by one more member.
template <typename T>
struct Newer {
  T known = {};
  uint64_t unknown = 0;
};

std::string ErrorOf(eyrie_error_t* error) {
  if (error == nullptr) return "OK";
  const std::string text = eyrie_error_message(error);
  eyrie_error_free(error);
  return text;
}

// A function that takes a struct, and the size of the struct's first version.
template <typename T>
struct Taker {
  std::string what;  // in messages
  size_t first;
  std::function<eyrie_error_t*(T* given)> take;
};

template <typename T>
void Check(const Taker<T>& taker, const std::function<void(T&)>& fill) {
  SCOPED_TRACE(taker.what);
  const auto call = [&](size_t size, uint64_t unknown) {
    Newer<T> newer;
    fill(newer.known);
    newer.known.struct_size = size;
    newer.unknown = unknown;
    return ErrorOf(taker.take(&newer.known));
  };
  EXPECT_EQ(
      call(taker.first - 1, 0),
      absl::StrCat("The struct_size of ", taker.what, " (", taker.first - 1,
                   ") is below that of the first "
                   "version (",
                   taker.first, ")."));
  EXPECT_EQ(call(taker.first, 0), "OK");
  EXPECT_EQ(call(sizeof(T), 1), "OK");
  EXPECT_EQ(call(sizeof(Newer<T>), 0), "OK");
  EXPECT_EQ(call(sizeof(Newer<T>), 1),
            absl::StrCat("Byte ", sizeof(T), " of ", taker.what,
                         " is set, but this library, which is older than the "
                         "header, knows only ",
                         sizeof(T), " bytes."));
}

class Structs : public testing::Test {
 protected:
  Structs() {
    EXPECT_EQ(ErrorOf(eyrie_device_open("local-sync", nullptr, &device_)),
              "OK");
    EXPECT_EQ(ErrorOf(eyrie_module_load_file("tests/modules/3.13/counter.vmfb",
                                             &module_)),
              "OK");
    EXPECT_EQ(ErrorOf(eyrie_context_create(&module_, 1, &device_, 1, nullptr,
                                           &context_)),
              "OK");
    EXPECT_EQ(
        ErrorOf(eyrie_context_find_function(
            context_, eyrie_module_function(module_, 0)->name, &function_)),
        "OK");
  }
  ~Structs() override {
    eyrie_context_release(context_);
    eyrie_module_release(module_);
    eyrie_device_release(device_);
  }

  eyrie_device_t* device_ = nullptr;
  eyrie_module_t* module_ = nullptr;
  eyrie_context_t* context_ = nullptr;
  eyrie_function_t* function_ = nullptr;
};

template <typename T>
void Nothing(T&) {}

constexpr char kManifest[] = R"json({"module": "m", "functions": {
    "f": {"convention": "memref", "type": "() -> ()"}}})json";

TEST_F(Structs, OfTheCallerHaveAnySize) {
  Check<eyrie_device_options_t>(
      {"the device options", sizeof(eyrie_device_options_t),
       [](eyrie_device_options_t* given) {
         eyrie_device_t* device = nullptr;
         eyrie_error_t* error = eyrie_device_open("local-sync", given, &device);
         eyrie_device_release(device);
         return error;
       }},
      Nothing<eyrie_device_options_t>);
  Check<eyrie_context_options_t>(
      {"the context options", sizeof(eyrie_context_options_t),
       [&](eyrie_context_options_t* given) {
         eyrie_context_t* context = nullptr;
         eyrie_error_t* error =
             eyrie_context_create(&module_, 1, &device_, 1, given, &context);
         eyrie_context_release(context);
         return error;
       }},
      Nothing<eyrie_context_options_t>);
  Check<eyrie_call_options_t>({"the call options", sizeof(eyrie_call_options_t),
                               [&](eyrie_call_options_t* given) {
                                 eyrie_value_t* result = nullptr;
                                 eyrie_error_t* error = eyrie_function_call(
                                     function_, nullptr, given, &result, 1);
                                 eyrie_value_free(result);
                                 return error;
                               }},
                              Nothing<eyrie_call_options_t>);
  Check<eyrie_call_args_t>({"the call's arguments", sizeof(eyrie_call_args_t),
                            [&](eyrie_call_args_t* given) {
                              eyrie_value_t* result = nullptr;
                              eyrie_error_t* error = eyrie_function_call(
                                  function_, given, nullptr, &result, 1);
                              eyrie_value_free(result);
                              return error;
                            }},
                           Nothing<eyrie_call_args_t>);
  Check<eyrie_trace_options_t>(
      {"the trace options", sizeof(eyrie_trace_options_t),
       [](eyrie_trace_options_t* given) {
         eyrie_trace_t* trace = nullptr;
         eyrie_error_t* error = eyrie_trace_create(given, &trace);
         eyrie_trace_free(trace);
         return error;
       }},
      Nothing<eyrie_trace_options_t>);
}

TEST_F(Structs, OfVulkanHaveAnySize) {
  Check<eyrie_vulkan_device_t>(
      {"the Vulkan device", sizeof(eyrie_vulkan_device_t),
       [](eyrie_vulkan_device_t* given) {
         eyrie_device_options_t options = {};
         options.struct_size = sizeof(options);
         options.vulkan_device = given;
         eyrie_device_t* device = nullptr;
         eyrie_error_t* error =
             eyrie_device_open("local-sync", &options, &device);
         eyrie_device_release(device);
         return error;
       }},
      Nothing<eyrie_vulkan_device_t>);
  Check<eyrie_external_memory_t>(
      {"the external memory", sizeof(eyrie_external_memory_t),
       [&](eyrie_external_memory_t* given) -> eyrie_error_t* {
         const int64_t shape[] = {1};
         eyrie_value_t* value = nullptr;
         eyrie_error_t* error = eyrie_value_new_imported(
             device_, EYRIE_DTYPE_UI8, 1, shape, given, &value);
         // CPU devices import nothing, but read the struct first.
         if (eyrie_error_code(error) != EYRIE_UNIMPLEMENTED) return error;
         eyrie_error_free(error);
         return nullptr;
       }},
      Nothing<eyrie_external_memory_t>);
}

TEST_F(Structs, OfArraysHaveAnySize) {
  const auto one_byte = [](eyrie_array_t& array) {
    static const uint8_t byte = 1;
    array.dtype = EYRIE_DTYPE_UI8;
    array.data = &byte;
    array.size = 1;
  };
  Check<eyrie_array_t>({"the array", sizeof(eyrie_array_t),
                        [](eyrie_array_t* given) {
                          eyrie_value_t* value = nullptr;
                          eyrie_error_t* error = eyrie_value_new_borrowed(
                              given, nullptr, nullptr, &value);
                          eyrie_value_free(value);
                          return error;
                        }},
                       one_byte);
  Check<eyrie_array_t>({"the array", sizeof(eyrie_array_t),
                        [](eyrie_array_t* given) {
                          eyrie_value_t* value = eyrie_value_new_null();
                          eyrie_error_t* error =
                              eyrie_value_set_array(value, given);
                          eyrie_value_free(value);
                          return error;
                        }},
                       one_byte);
}

TEST_F(Structs, OfNativeFunctionsHaveAnySize) {
  static int code = 0;
  Check<eyrie_native_symbol_t>(
      {"the symbols", sizeof(eyrie_native_symbol_t),
       [](eyrie_native_symbol_t* given) {
         eyrie_native_library_t* library = nullptr;
         eyrie_native_source_t source = {};
         source.struct_size = sizeof(source);
         source.manifest_text = kManifest;
         source.symbols = given;
         source.symbol_count = 1;
         eyrie_error_t* error = eyrie_native_library_open(&source, &library);
         eyrie_native_library_release(library);
         return error;
       }},
      [](eyrie_native_symbol_t& symbol) {
        symbol.name = "_mlir_ciface_f";
        symbol.address = &code;
      });
  Check<eyrie_native_source_t>(
      {"the native library", sizeof(eyrie_native_source_t),
       [](eyrie_native_source_t* given) {
         eyrie_native_library_t* library = nullptr;
         eyrie_error_t* error = eyrie_native_library_open(given, &library);
         eyrie_native_library_release(library);
         return error;
       }},
      [](eyrie_native_source_t& source) {
        static const eyrie_native_symbol_t symbol = {sizeof(symbol),
                                                     "_mlir_ciface_f", &code};
        source.manifest_text = kManifest;
        source.symbols = &symbol;
        source.symbol_count = 1;
      });
  Check<eyrie_native_data_t>({"the user data", sizeof(eyrie_native_data_t),
                              [&](eyrie_native_data_t* given) {
                                eyrie_context_options_t options = {};
                                options.struct_size = sizeof(options);
                                options.native_data = given;
                                options.native_data_count = 1;
                                eyrie_context_t* context = nullptr;
                                eyrie_error_t* error =
                                    eyrie_context_create(&module_, 1, &device_,
                                                         1, &options, &context);
                                eyrie_context_release(context);
                                return error;
                              }},
                             [](eyrie_native_data_t& data) {
                               data.type = "T";
                               data.data = &code;
                             });
}

// Entries of an array have the same distance, which their size tells.
TEST_F(Structs, InArraysHaveOneSize) {
  static int code = 0;
  Newer<eyrie_native_data_t> rows[2];
  for (size_t i = 0; i < 2; ++i) {
    rows[i].known = {sizeof(rows[0]), i == 0 ? "A" : "B", &code};
  }
  const auto create = [&] {
    eyrie_context_options_t options = {};
    options.struct_size = sizeof(options);
    options.native_data = &rows[0].known;
    options.native_data_count = 2;
    eyrie_context_t* context = nullptr;
    const std::string text = ErrorOf(
        eyrie_context_create(&module_, 1, &device_, 1, &options, &context));
    eyrie_context_release(context);
    return text;
  };
  EXPECT_EQ(create(), "OK");
  rows[1].known.type = "A";
  EXPECT_EQ(create(), "The user data of the type 'A' is given twice.");
  rows[1].known.struct_size = 0;
  EXPECT_EQ(create(),
            "The struct_size of the user data is 0 in entry 1 and 32 in entry "
            "0.");
}

// Structs that the library fills: the caller's size decides what is written.
TEST_F(Structs, ThatTheLibraryFills) {
  Newer<eyrie_array_t> array;
  Newer<eyrie_context_usage_t> usage;
  const int64_t shape[] = {1};
  eyrie_value_t* value = nullptr;
  ASSERT_EQ(
      ErrorOf(eyrie_value_new_array(EYRIE_DTYPE_UI8, 1, shape, "x", 1, &value)),
      "OK");
  array.unknown = usage.unknown = 7;
  for (const size_t more : {0, 8}) {
    array.known.struct_size = sizeof(array.known) + more;
    usage.known.struct_size = sizeof(usage.known) + more;
    EXPECT_EQ(ErrorOf(eyrie_value_get_array(value, &array.known)), "OK");
    EXPECT_EQ(ErrorOf(eyrie_context_usage(context_, &usage.known)), "OK");
    EXPECT_EQ(array.known.size, 1u);
    EXPECT_EQ(array.unknown + usage.unknown, 14u);
  }
  array.known.struct_size = usage.known.struct_size = 8;
  EXPECT_EQ(ErrorOf(eyrie_value_get_array(value, &array.known)),
            "The struct_size of the array (8) is below that of the first "
            "version (56).");
  EXPECT_EQ(ErrorOf(eyrie_context_usage(context_, &usage.known)),
            "The struct_size of the usage (8) is below that of the first "
            "version (32).");
  eyrie_value_free(value);
}

TEST_F(Structs, ThatTheLibraryReturnsHaveTheirSize) {
  // Keeps the driver loaded, so that its known leaks can be suppressed.
  ChooseLavapipe();
  const eyrie_device_list_t* const devices = eyrie_device_list_create();
  EXPECT_EQ(eyrie_module_function(module_, 0)->struct_size,
            sizeof(eyrie_function_info_t));
  EXPECT_EQ(eyrie_module_import(module_, 0)->struct_size,
            sizeof(eyrie_import_info_t));
  EXPECT_EQ(eyrie_function_signature(function_)->struct_size,
            sizeof(eyrie_signature_t));
  EXPECT_EQ(eyrie_function_signature(function_)->results[0]->struct_size,
            sizeof(eyrie_argument_info_t));
  EXPECT_EQ(eyrie_function_statistics(function_)->struct_size,
            sizeof(eyrie_call_statistics_t));
  EXPECT_EQ(devices->devices[0]->struct_size, sizeof(eyrie_device_info_t));
  eyrie_device_list_free(devices);
}

// A member of a later version must not lie where this one has padding: an older
// program would leave it unset, and struct_size would not tell.
template <typename T, typename Member>
bool Ends(Member T::* last) {
  const T of = {};
  const auto* const begin = reinterpret_cast<const char*>(&of);
  const auto* const end = reinterpret_cast<const char*>(&(of.*last) + 1);
  return static_cast<size_t>(end - begin) == sizeof(T);
}

TEST(StructsOfHeaders, HaveNoPaddingAtTheirEnd) {
  EXPECT_TRUE(Ends(&eyrie_argument_info_t::shape));
  EXPECT_TRUE(Ends(&eyrie_array_t::size));
  EXPECT_TRUE(Ends(&eyrie_call_args_t::out_count));
  EXPECT_TRUE(Ends(&eyrie_call_options_t::signal));
  EXPECT_TRUE(Ends(&eyrie_call_statistics_t::bytes));
  EXPECT_TRUE(Ends(&eyrie_context_options_t::parameters));
  EXPECT_TRUE(Ends(&eyrie_context_usage_t::peak_memory));
  EXPECT_TRUE(Ends(&eyrie_device_info_t::error));
  EXPECT_TRUE(Ends(&eyrie_device_list_t::count));
  EXPECT_TRUE(Ends(&eyrie_device_options_t::vulkan_device));
  EXPECT_TRUE(Ends(&eyrie_external_memory_t::offset));
  EXPECT_TRUE(Ends(&eyrie_function_info_t::declaration));
  EXPECT_TRUE(Ends(&eyrie_global_info_t::reserved));
  EXPECT_TRUE(Ends(&eyrie_host_call_info_t::signal));
  EXPECT_TRUE(Ends(&eyrie_import_info_t::reserved));
  EXPECT_TRUE(Ends(&eyrie_kernel_time_t::total_ns));
  EXPECT_TRUE(Ends(&eyrie_linked_program_t::target_count));
  EXPECT_TRUE(Ends(&eyrie_native_data_t::data));
  EXPECT_TRUE(Ends(&eyrie_native_source_t::symbol_count));
  EXPECT_TRUE(Ends(&eyrie_native_symbol_t::address));
  EXPECT_TRUE(Ends(&eyrie_needs_t::scope_count));
  EXPECT_TRUE(Ends(&eyrie_signature_t::reserved));
  EXPECT_TRUE(Ends(&eyrie_trace_options_t::max_bytes));
  EXPECT_TRUE(Ends(&eyrie_vulkan_device_t::reserved));
}

// Every struct of the headers begins with its size, but for two that are parts
// of a union.
TEST(StructsOfHeaders, BeginWithTheirSize) {
  const std::set<std::string> kFixed = {"eyrie_bytes_t"};
  const std::regex kStruct(R"(typedef struct (\w+) \{\s+([^;]*);)");
  int found = 0;
  for (const auto& entry :
       std::filesystem::directory_iterator("include/eyrie")) {
    const std::string name = entry.path().filename();
    if (name.rfind("c.h", 0) != 0 && name.rfind("c_", 0) != 0) continue;
    std::ifstream file(entry.path());
    const std::string text((std::istreambuf_iterator<char>(file)), {});
    for (std::sregex_iterator at(text.begin(), text.end(), kStruct), end;
         at != end; ++at) {
      ++found;
      if (kFixed.count((*at)[1]) != 0) continue;
      EXPECT_EQ((*at)[2], "size_t struct_size") << (*at)[1] << " in " << name;
    }
  }
  EXPECT_GE(found, 18);
}

}  // namespace
}  // namespace eyrie
