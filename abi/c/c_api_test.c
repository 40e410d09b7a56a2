/* Tests the C API in C11: the headers compile without extensions, a module is
 * loaded and called, another one is rejected, and a call waits for a fence.
 */
#include <stdio.h>
#include <string.h>

#include "eyrie/c.h"
#include "eyrie/c_fence.h"
#include "eyrie/c_trace.h"

static int Expect(int condition, const char* what) {
  if (!condition) fprintf(stderr, "c_api_test: %s\n", what);
  return condition ? 0 : 1;
}

static int ExpectError(eyrie_error_t* error, eyrie_code_t code,
                       const char* message) {
  int failures = Expect(error != NULL, "an error is expected");
  if (error == NULL) return failures;
  failures += Expect(eyrie_error_code(error) == code, "another code");
  failures += Expect(strcmp(eyrie_error_message(error), message) == 0,
                     eyrie_error_message(error));
  eyrie_error_free(error);
  return failures;
}

/* Computes x - 2 y of two floats each, with y by name and x not dense. */
static int CallByName(eyrie_device_t* device) {
  const float memory[] = {9, 0, 7, 0};
  const float halves[] = {1, 3};
  const int64_t shape[] = {2};
  const int64_t strides[] = {8};
  const eyrie_array_t array = {sizeof(array), EYRIE_DTYPE_F32, 1, shape,
                               strides,       memory,          0};
  float written[] = {0, 0, 0, 0};
  const eyrie_array_t target = {sizeof(target), EYRIE_DTYPE_F32, 1, shape,
                                strides,        written,         0};
  const char* names[] = {"y"};
  eyrie_value_t* out = NULL;
  eyrie_module_t* module = NULL;
  eyrie_context_t* context = NULL;
  eyrie_function_t* function = NULL;
  eyrie_value_t* arguments[2] = {NULL, NULL};
  eyrie_value_t* result = NULL;
  const eyrie_call_args_t one = {
      .struct_size = sizeof(one), .values = arguments, .value_count = 1};
  const eyrie_call_args_t named = {.struct_size = sizeof(named),
                                   .values = arguments,
                                   .value_count = 2,
                                   .names = names,
                                   .name_count = 1};
  const eyrie_call_args_t with_out = {
      sizeof(with_out), arguments, 2, names, 1, &out, 1};
  eyrie_array_t read = {.struct_size = sizeof(read)};
  int failures = 0;
  failures +=
      Expect(!eyrie_module_load_file("tests/modules/3.13/abi_v1.vmfb", &module),
             "no module");
  failures +=
      Expect(!eyrie_context_create(&module, 1, &device, 1, NULL, &context),
             "no context");
  failures += Expect(!eyrie_context_find_function(context, "named", &function),
                     "no function");
  failures += Expect(eyrie_function_signature(function)->argument_count == 2,
                     "other arguments");
  failures += Expect(
      !eyrie_value_new_borrowed(&array, NULL, NULL, &arguments[0]), "no array");
  failures += Expect(!eyrie_value_new_array(EYRIE_DTYPE_F32, 1, shape, halves,
                                            sizeof(halves), &arguments[1]),
                     "no array");
  failures += ExpectError(
      eyrie_function_call(function, &one, NULL, &result, 1),
      EYRIE_INVALID_ARGUMENT,
      "Function 'named': missing argument 'y': named(x: ?xf32, y: ?xf32) -> "
      "(output0: ?xf32).");
  failures += Expect(!eyrie_function_call(function, &named, NULL, &result, 1),
                     "no call");
  failures += Expect(!eyrie_value_get_array(result, &read) && read.size == 8 &&
                         ((const float*)read.data)[0] == 7,
                     "another result");
  failures += Expect(eyrie_function_statistics(function)->packed == 1,
                     "other statistics");
  failures += Expect(!eyrie_value_new_borrowed(&target, NULL, NULL, &out),
                     "no array for the result");
  failures +=
      Expect(!eyrie_function_call(function, &with_out, NULL, &result, 1) &&
                 written[0] == 7 && written[1] == 0 && written[2] == 1,
             "another result in memory");
  eyrie_cancel_token_t* token = eyrie_cancel_token_create();
  const eyrie_call_options_t options = {.struct_size = sizeof(options),
                                        .cancel = token};
  failures +=
      Expect(!eyrie_function_call(function, &named, &options, &result, 1),
             "no call with options");
  eyrie_cancel_token_cancel(token);
  eyrie_error_t* error =
      eyrie_function_call(function, &named, &options, &result, 1);
  failures += Expect(eyrie_error_code(error) == EYRIE_CANCELLED,
                     "a call that is not cancelled");
  eyrie_error_free(error);
  eyrie_cancel_token_release(token);
  failures += Expect(!eyrie_context_failed(context), "a failed context");
  eyrie_value_free(out);
  eyrie_value_free(arguments[0]);
  eyrie_value_free(arguments[1]);
  eyrie_value_free(result);
  eyrie_context_release(context);
  eyrie_module_release(module);
  return failures;
}

/* The calls of a callback. */
typedef struct Told {
  int times;
  eyrie_code_t code;
} Told;

static void Tell(void* user, eyrie_error_t* error) {
  Told* told = (Told*)user;
  ++told->times;
  told->code = error == NULL ? EYRIE_OK : eyrie_error_code(error);
  eyrie_error_free(error);
}

/* Signals one fence and fails another. */
static int SignalFences(eyrie_device_t* device) {
  eyrie_fence_t* fences[2] = {NULL, NULL};
  Told told[2] = {{0, EYRIE_UNKNOWN}, {0, EYRIE_UNKNOWN}};
  eyrie_error_t* error = NULL;
  int reached = 1;
  int failures = 0;
  for (int i = 0; i < 2; ++i) {
    failures += Expect(!eyrie_fence_create(device, &fences[i]), "no fence");
    eyrie_fence_on_done(fences[i], Tell, &told[i]);
  }
  failures += Expect(!eyrie_fence_query(fences[0], &reached) && reached == 0,
                     "reached at first");
  error = eyrie_fence_wait(fences[0], 1000);
  failures += Expect(eyrie_error_code(error) == EYRIE_DEADLINE_EXCEEDED,
                     "a wait that is not over");
  eyrie_error_free(error);
  failures += Expect(told[0].times == 0, "told too early");

  failures += Expect(!eyrie_fence_signal(fences[0]), "not signalled");
  failures += Expect(!eyrie_fence_query(fences[0], &reached) && reached == 1,
                     "not reached");
  failures += Expect(!eyrie_fence_wait(fences[0], -1), "no end of a wait");
  failures += Expect(told[0].times == 1 && told[0].code == EYRIE_OK,
                     "told something else");
  error = eyrie_fence_signal(fences[0]);
  failures += Expect(eyrie_error_code(error) == EYRIE_INVALID_ARGUMENT,
                     "signalled twice");
  eyrie_error_free(error);

  eyrie_fence_fail(fences[1], EYRIE_DATA_LOSS, "The sensor is broken.");
  failures += ExpectError(eyrie_fence_query(fences[1], &reached),
                          EYRIE_DATA_LOSS, "The sensor is broken.");
  failures += ExpectError(eyrie_fence_wait(fences[1], -1), EYRIE_DATA_LOSS,
                          "The sensor is broken.");
  failures += Expect(told[1].times == 1 && told[1].code == EYRIE_DATA_LOSS,
                     "told of another failure");
  for (int i = 0; i < 2; ++i) {
    eyrie_fence_retain(fences[i]);
    eyrie_fence_release(fences[i]);
    eyrie_fence_release(fences[i]);
  }
  eyrie_fence_release(NULL);
  return failures;
}

/* Starts a sum that waits for a fence of the host. */
static int StartAfterFence(eyrie_device_t* device) {
  const float numbers[] = {1, 2, 3, 4};
  const int64_t shape[] = {4};
  eyrie_module_t* module = NULL;
  eyrie_context_t* context = NULL;
  eyrie_function_t* function = NULL;
  eyrie_fence_t* wait = NULL;
  eyrie_fence_t* signal = NULL;
  eyrie_value_t* arguments[2] = {NULL, NULL};
  const eyrie_call_args_t args = {
      .struct_size = sizeof(args), .values = arguments, .value_count = 2};
  eyrie_call_options_t options = {.struct_size = sizeof(options)};
  eyrie_value_t* result = NULL;
  eyrie_array_t read = {.struct_size = sizeof(read)};
  int reached = 1;
  int failures = 0;
  failures += Expect(
      !eyrie_module_load_file("tests/modules/3.13/add.async.vmfb", &module),
      "no module");
  failures +=
      Expect(!eyrie_context_create(&module, 1, &device, 1, NULL, &context),
             "no context");
  failures += Expect(!eyrie_context_find_function(context, "add", &function),
                     "no function");
  failures += Expect(!eyrie_fence_create(device, &wait), "no fence");
  failures += Expect(!eyrie_fence_create(device, &signal), "no fence");
  for (int i = 0; i < 2; ++i) {
    failures +=
        Expect(!eyrie_value_new_array(EYRIE_DTYPE_F32, 1, shape, numbers,
                                      sizeof(numbers), &arguments[i]),
               "no array");
  }
  options.wait = wait;
  options.signal = signal;
  failures +=
      Expect(!eyrie_function_call(function, &args, &options, &result, 1),
             "not started");
  failures += Expect(!eyrie_fence_query(signal, &reached) && reached == 0,
                     "ready before it begins");
  failures += Expect(!eyrie_fence_signal(wait), "not signalled");
  failures += Expect(!eyrie_fence_wait(signal, -1), "no results");
  failures += Expect(!eyrie_value_get_array(result, &read) && read.size == 16 &&
                         ((const float*)read.data)[3] == 8,
                     "another sum");
  failures += Expect(!eyrie_context_failed(context), "failed before it did");
  eyrie_context_cancel(context);
  failures += Expect(eyrie_context_failed(context), "not failed");
  eyrie_value_free(arguments[0]);
  eyrie_value_free(arguments[1]);
  eyrie_value_free(result);
  eyrie_fence_release(wait);
  eyrie_fence_release(signal);
  eyrie_context_release(context);
  eyrie_module_release(module);
  return failures;
}

int main(void) {
  const char text[] = "func.func @f() { return }";
  eyrie_module_t* module = NULL;
  eyrie_device_t* device = NULL;
  eyrie_device_options_t options = {.struct_size = sizeof(options)};
  eyrie_value_t* value = eyrie_value_new_f64(0.5);
  double number = 0;
  int failures = 0;

  failures += Expect(strcmp(eyrie_version(), "0.1.0") == 0, "another version");
  failures += ExpectError(
      eyrie_module_load_memory(text, sizeof(text) - 1, EYRIE_MEMORY_COPY, NULL,
                               NULL, &module),
      EYRIE_INVALID_ARGUMENT,
      "The module in memory is MLIR text, not a compiled module.");
  failures += Expect(module == NULL, "a module of text");
  failures += Expect(eyrie_device_open("local-sync", &options, &device) == NULL,
                     "no device");
  failures +=
      Expect(eyrie_value_kind(value) == EYRIE_KIND_FLOAT, "another kind");
  failures += Expect(eyrie_value_get_f64(value, &number) && number == 0.5,
                     "another number");
  eyrie_value_free(value);
  failures += CallByName(device);
  failures += SignalFences(device);
  failures += StartAfterFence(device);
  eyrie_device_release(device);
  eyrie_error_free(NULL);
  return failures;
}
