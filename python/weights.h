// Parameters of modules that are arrays or bytes of Python.
#ifndef EYRIE_PYTHON_WEIGHTS_H_
#define EYRIE_PYTHON_WEIGHTS_H_

#include <nanobind/nanobind.h>

#include <vector>

#include "eyrie/parameters.h"
#include "eyrie/value.h"

namespace eyrie::python {

// A set of parameters, and the objects whose memory it uses. Devices get copies
// when a context is created.
class Weights {
 public:
  // Each row is (scope, key, object). Arrays that are not dense are copied by
  // NumPy. Raises what FromPython raises; TypeError if an object is neither an
  // array nor bytes; eyrie.Error if a scope has two equal keys.
  explicit Weights(const std::vector<nanobind::tuple>& rows);
  Weights(const Weights&) = delete;
  Weights& operator=(const Weights&) = delete;

  const Parameters& set() const { return set_; }

 private:
  std::vector<Value> values_;
  Parameters set_;  // uses the memory of values_
};

}  // namespace eyrie::python

#endif  // EYRIE_PYTHON_WEIGHTS_H_
