/* A program in C that uses Eyrie: adds two vectors and prints errors.
 *   add add.vmfb
 */
#include <stdio.h>
#include <string.h>

#include "eyrie/c.h"

static int Fail(eyrie_error_t* error) {
  fprintf(stderr, "add: %s\n", eyrie_error_message(error));
  eyrie_error_free(error);
  return 1;
}

static eyrie_error_t* Call(eyrie_context_t* context) {
  const int64_t shape[] = {4};
  const float numbers[] = {1, 2, 3, 4};
  eyrie_value_t* arguments[2] = {NULL, NULL};
  eyrie_value_t* sum = NULL;
  eyrie_function_t* add = NULL;
  eyrie_array_t array = {.struct_size = sizeof(array)};
  eyrie_error_t* error = eyrie_context_find_function(context, "add", &add);
  for (int i = 0; i < 2 && error == NULL; ++i) {
    error = eyrie_value_new_array(EYRIE_DTYPE_F32, 1, shape, numbers,
                                  sizeof(numbers), &arguments[i]);
  }
  eyrie_call_args_t args = {.struct_size = sizeof(args)};
  args.values = arguments;
  args.value_count = 2;
  if (error == NULL) error = eyrie_function_call(add, &args, NULL, &sum, 1);
  if (error == NULL) error = eyrie_value_get_array(sum, &array);
  if (error == NULL) {
    float sums[4];
    memcpy(sums, array.data, sizeof(sums));
    printf("%s: %g %g %g %g\n", eyrie_version(), sums[0], sums[1], sums[2],
           sums[3]);
  }
  eyrie_value_free(sum);
  eyrie_value_free(arguments[0]);
  eyrie_value_free(arguments[1]);
  return error;
}

int main(int argc, char** argv) {
  eyrie_device_t* device = NULL;
  eyrie_module_t* module = NULL;
  eyrie_context_t* context = NULL;
  if (argc != 2) return 2;
  eyrie_error_t* error = eyrie_device_open("local-sync", NULL, &device);
  if (error == NULL) error = eyrie_module_load_file(argv[1], &module);
  if (error == NULL) {
    error = eyrie_context_create(&module, 1, &device, 1, NULL, &context);
  }
  if (error == NULL) error = Call(context);
  eyrie_context_release(context);
  eyrie_module_release(module);
  eyrie_device_release(device);
  return error == NULL ? 0 : Fail(error);
}
