// The GIL, which no thread asks for any more when the interpreter ends.
//
// Python before 3.14 ends a thread that asks then, and with it the process if
// there are C++ functions on its stack. So calls of other threads, daemons,
// that return as late as that stay where they are.
// Tested by ended_calls_test.py.
#ifndef EYRIE_PYTHON_GIL_H_
#define EYRIE_PYTHON_GIL_H_

#include <nanobind/nanobind.h>

namespace eyrie::python {

// Says which thread is the main one, by Python's number of it: at the import,
// and in the child of a fork.
void SetMainThread(unsigned long ident);
bool IsMainThread();

// Its end comes after all handlers of the program's exit, on the main thread,
// which alone has the GIL from there on.
struct AtEnd {
  AtEnd() = default;
  AtEnd(const AtEnd&) = delete;
  AtEnd& operator=(const AtEnd&) = delete;
  ~AtEnd();
};

// Gives it up in a scope.
class WithoutGil {
 public:
  WithoutGil() : state_(PyEval_SaveThread()) {}
  WithoutGil(const WithoutGil&) = delete;
  WithoutGil& operator=(const WithoutGil&) = delete;
  ~WithoutGil();

 private:
  PyThreadState* const state_;
};

// Takes it in a scope, on any thread, whether it has it or not.
class WithGil {
 public:
  WithGil();
  WithGil(const WithGil&) = delete;
  WithGil& operator=(const WithGil&) = delete;
  ~WithGil();

  // False: it is not to be had.
  explicit operator bool() const { return has_; }

 private:
  bool has_;
  PyGILState_STATE state_;
};

}  // namespace eyrie::python

#endif  // EYRIE_PYTHON_GIL_H_
