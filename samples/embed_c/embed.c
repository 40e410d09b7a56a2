/* Classifies a picture of a digit: the C API on one page.
 *   embed digits.vmfb < seven.txt */
#include <stdio.h>

#include "eyrie/c.h"

/* Receives the log. The library itself prints nothing. May be called on any
 * thread. */
static void Log(eyrie_severity_t severity, const char* text, size_t length,
                void* user) {
  (void)length;
  fprintf((FILE*)user, "embed: %s%s\n",
          severity == EYRIE_SEVERITY_WARNING ? "warning: " : "", text);
}

/* Prints and frees an error. Returns 0 if there is none, else 1. */
static int Failed(eyrie_error_t* error) {
  if (error == NULL) return 0;
  fprintf(stderr, "embed: %s\n", eyrie_error_message(error));
  eyrie_error_free(error);
  return 1;
}

static int PrintScores(const eyrie_value_t* scores) {
  eyrie_array_t array = {.struct_size = sizeof(array)};
  if (Failed(eyrie_value_get_array(scores, &array))) return 1;
  /* Check the type: the module may be another one than expected. */
  if (array.dtype != EYRIE_DTYPE_F32) {
    fprintf(stderr, "embed: The result's elements are not f32.\n");
    return 1;
  }
  const float* const probabilities = array.data;
  for (size_t i = 0; i < array.size / sizeof(float); ++i) {
    printf("%zu: %.4f\n", i, probabilities[i]);
  }
  return 0;
}

/* All handles are NULL at first, and NULL may be freed. */
typedef struct {
  eyrie_device_t* device;
  eyrie_module_t* module;
  eyrie_context_t* context;
  eyrie_value_t* picture;
  eyrie_value_t* scores;
} Handles;

static int ReadPicture(eyrie_value_t** out_picture) {
  const int64_t shape[] = {8, 8};
  float pixels[64];
  for (int i = 0; i < 64; ++i) {
    if (scanf("%f", &pixels[i]) != 1) {
      fprintf(stderr, "embed: Fewer than 64 pixels are given.\n");
      return 1;
    }
  }
  return Failed(eyrie_value_new_array(EYRIE_DTYPE_F32, 2, shape, pixels,
                                      sizeof(pixels), out_picture));
}

static int Classify(const char* path, Handles* own) {
  const eyrie_device_options_t options = {
      .struct_size = sizeof(options), .log = Log, .log_data = stderr};
  const eyrie_call_args_t args = {
      .struct_size = sizeof(args), .values = &own->picture, .value_count = 1};
  eyrie_function_t* classify = NULL; /* owned by the context */
  if (Failed(eyrie_device_open("local-sync", &options, &own->device)) ||
      Failed(eyrie_module_load_file(path, &own->module)) ||
      Failed(eyrie_context_create(&own->module, 1, &own->device, 1, NULL,
                                  &own->context)) ||
      Failed(
          eyrie_context_find_function(own->context, "classify", &classify)) ||
      ReadPicture(&own->picture) ||
      Failed(eyrie_function_call(classify, &args, NULL, &own->scores, 1))) {
    return 1;
  }
  return PrintScores(own->scores);
}

int main(int argc, char** argv) {
  if (argc != 2) {
    fprintf(stderr, "embed: embed MODULE < PIXELS\n");
    return 1;
  }
  Handles own = {NULL, NULL, NULL, NULL, NULL};
  const int failed = Classify(argv[1], &own);
  eyrie_value_free(own.scores);
  eyrie_value_free(own.picture);
  eyrie_context_release(own.context);
  eyrie_module_release(own.module);
  eyrie_device_release(own.device);
  return failed;
}
