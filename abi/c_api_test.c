/* The C API from C11: the header compiles without extensions, and a module is
 * loaded and refused.
 */
#include <stdio.h>
#include <string.h>

#include "eyrie/c.h"

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

int main(void) {
  const char text[] = "func.func @f() { return }";
  eyrie_module_t* module = NULL;
  eyrie_device_t* device = NULL;
  eyrie_device_options_t options = {sizeof(options), 0, 0};
  eyrie_value_t* value = eyrie_value_f64(0.5);
  int failures = 0;

  failures += Expect(strcmp(eyrie_version(), "0.1.0") == 0, "another version");
  failures += ExpectError(
      eyrie_module_load_memory(text, sizeof(text) - 1, &module),
      EYRIE_INVALID_ARGUMENT,
      "The module in memory is MLIR text, not a compiled module.");
  failures += Expect(module == NULL, "a module of text");
  failures += Expect(eyrie_device_open("local-sync", &options, &device) == NULL,
                     "no device");
  failures += Expect(eyrie_value_kind(value) == EYRIE_KIND_F64, "another kind");
  failures += Expect(eyrie_value_get_f64(value) == 0.5, "another number");
  eyrie_value_free(value);
  eyrie_device_release(device);
  eyrie_error_free(NULL);
  return failures;
}
