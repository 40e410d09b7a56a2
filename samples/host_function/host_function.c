/* Gives a compiled model a function of this program: host_function shop.vmfb */
#include <stdio.h>
#include <stdlib.h>

#include "eyrie/c_linker.h"

static eyrie_error_t* Discount(eyrie_host_call_t* call,
                               const eyrie_slot_t* arguments,
                               eyrie_slot_t* results, void* user) {
  (void)call, (void)user;
  results[0].f32 = arguments[0].f32 * (arguments[1].i32 == 7 ? 0.9f : 1.0f);
  return NULL;
}

static void Check(eyrie_error_t* error) {
  if (error == NULL) return;
  fprintf(stderr, "host_function: %s\n", eyrie_error_message(error));
  eyrie_error_free(error);
  exit(1);
}

int main(int argc, char** argv) {
  eyrie_linker_t* const linker = eyrie_linker_create();
  Check(eyrie_linker_define(linker, "shop.discount", "(f32, i32) -> f32",
                            Discount, NULL, NULL));
  eyrie_context_options_t options = {sizeof(options), .linker = linker};
  eyrie_context_t* context;
  Check(eyrie_context_open(argv[argc - 1], "local-sync", &options, &context));
  eyrie_function_t* total; /* owned by the context */
  Check(eyrie_context_find_function(context, "total", &total));
  eyrie_value_t *arguments[] = {NULL, eyrie_value_new_i32(7)}, *result = NULL;
  Check(eyrie_value_new_array(EYRIE_DTYPE_F32, 1, (int64_t[]){3},
                              (float[]){10, 20, 30}, 12, &arguments[0]));
  const eyrie_call_args_t args = {sizeof(args), .values = arguments,
                                  .value_count = 2};
  Check(eyrie_function_call(total, &args, NULL, &result, 1));
  double number = 0;
  if (eyrie_value_get_f64(result, &number)) printf("%.2f\n", number);
  eyrie_value_free(result);
  for (int i = 0; i < 2; ++i) eyrie_value_free(arguments[i]);
  eyrie_context_release(context);
  eyrie_linker_release(linker);
}
