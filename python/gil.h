// Scopes with and without the GIL, which are safe while the interpreter exits.
//
// Before 3.14, Python ends a thread that requests the GIL at that time. If C++
// functions are on the thread's stack, that aborts the process. So calls on
// daemon threads that return so late block until the process exits.
// Tested by ended_calls_test.py.
#ifndef EYRIE_PYTHON_GIL_H_
#define EYRIE_PYTHON_GIL_H_

#include <nanobind/nanobind.h>

namespace eyrie::python {

// Sets the main thread by its Python identifier. Must be called at import, and
// in the child of a fork.
void SetMainThread(unsigned long ident);
bool IsMainThread();

// Must be destroyed on the main thread, after all exit handlers of the program.
// The destructor prevents other threads from taking the GIL.
struct AtEnd {
  AtEnd() = default;
  AtEnd(const AtEnd&) = delete;
  AtEnd& operator=(const AtEnd&) = delete;
  ~AtEnd();
};

// Releases the GIL within a scope.
class WithoutGil {
 public:
  WithoutGil() : state_(PyEval_SaveThread()) {}
  WithoutGil(const WithoutGil&) = delete;
  WithoutGil& operator=(const WithoutGil&) = delete;
  ~WithoutGil();

 private:
  PyThreadState* const state_;
};

// Acquires the GIL within a scope, on any thread, even if it already has it.
class WithGil {
 public:
  WithGil();
  WithGil(const WithGil&) = delete;
  WithGil& operator=(const WithGil&) = delete;
  ~WithGil();

  // False if the GIL cannot be acquired because the interpreter exits.
  explicit operator bool() const { return has_; }

 private:
  bool has_;
  PyGILState_STATE state_;
};

}  // namespace eyrie::python

#endif  // EYRIE_PYTHON_GIL_H_
