/* Registers jaxlib's own LAPACK handlers, which are in Python capsules.
 *
 * When opened as a native library, starts Python in the process, imports jaxlib
 * and reads the handlers' addresses from the capsules. Python is not needed
 * later. Does not link Python: EYRIE_LIBPYTHON is the path of its library. Run
 * by jaxlib_test.py; lapack.json is the manifest. */
#include <dlfcn.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "eyrie/xla_ffi.h"

extern const eyrie_ffi_api_t* XLA_FFI_GetApi(void);

typedef struct _object PyObject;

/* The functions of Python's C API: result, name, parameters. */
#define PYTHON_FUNCTIONS(F)                                                \
  F(void, Py_InitializeEx, (int))                                          \
  F(void, PyErr_Print, (void))                                             \
  F(void*, PyEval_SaveThread, (void))                                      \
  F(PyObject*, PyImport_ImportModule, (const char*))                       \
  F(PyObject*, PyObject_CallMethod, (PyObject*, const char*, const char*)) \
  F(int, PyDict_Next, (PyObject*, ptrdiff_t*, PyObject**, PyObject**))     \
  F(const char*, PyUnicode_AsUTF8, (PyObject*))                            \
  F(const char*, PyCapsule_GetName, (PyObject*))                           \
  F(void*, PyCapsule_GetPointer, (PyObject*, const char*))

static struct {
#define FIELD(result, name, parameters) result(*name) parameters;
  PYTHON_FUNCTIONS(FIELD)
#undef FIELD
} python;

static int FindPython(void) {
  const char* path = getenv("EYRIE_LIBPYTHON");
  if (path == NULL) path = "libpython3.11.so.1.0";
  /* Global, so that extension modules find Python's functions. */
  void* library = dlopen(path, RTLD_NOW | RTLD_GLOBAL);
  if (library == NULL) {
    fprintf(stderr, "capsules: %s\n", dlerror());
    return 0;
  }
#define FIND(result, name, parameters)                  \
  *(void**)(void*)&python.name = dlsym(library, #name); \
  if (python.name == NULL) return 0;
  PYTHON_FUNCTIONS(FIND)
#undef FIND
  return 1;
}

static void Register(const char* name, void* handler) {
  static const char kPlatform[] = "Host";
  eyrie_ffi_handler_register_t args = {
      EYRIE_FFI_SIZE(eyrie_ffi_handler_register_t, traits),
      NULL,
      {name, strlen(name)},
      {kPlatform, strlen(kPlatform)},
      {{NULL, NULL, NULL, NULL}},
      0};
  memcpy(&args.bundle.stages[EYRIE_FFI_EXECUTE], &handler, sizeof(handler));
  if (XLA_FFI_GetApi()->handler_register(&args) != NULL) {
    fprintf(stderr, "capsules: %s is not registered\n", name);
  }
}

/* Returns 0 if Python has an error to print. */
static int RegisterCapsules(void) {
  PyObject* module = python.PyImport_ImportModule("jaxlib.cpu._lapack");
  if (module == NULL) return 0;
  /* Loads SciPy's LAPACK. */
  if (python.PyObject_CallMethod(module, "initialize", NULL) == NULL) return 0;
  PyObject* all = python.PyObject_CallMethod(module, "registrations", NULL);
  if (all == NULL) return 0;
  ptrdiff_t at = 0;
  PyObject* key;
  PyObject* capsule;
  while (python.PyDict_Next(all, &at, &key, &capsule)) {
    const char* name = python.PyUnicode_AsUTF8(key);
    const char* capsule_name = python.PyCapsule_GetName(capsule);
    void* handler = python.PyCapsule_GetPointer(capsule, capsule_name);
    if (name == NULL || handler == NULL) return 0;
    Register(name, handler);
  }
  return 1;
}

__attribute__((constructor)) static void RegisterAll(void) {
  if (!FindPython()) return;
  python.Py_InitializeEx(0); /* without signal handlers */
  if (!RegisterCapsules()) python.PyErr_Print();
  python.PyEval_SaveThread();
}
