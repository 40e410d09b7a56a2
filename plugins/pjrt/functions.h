// Declares what implements each function of api.def.
//
// They have the names of the C interface. `args` is a copy of the caller's
// struct in which handles are not null and missing fields are 0; what a
// function writes to it reaches the caller if it returns OK. Thread-safe, as
// the C interface is.
// Tested by pjrt_test.cc.
#ifndef EYRIE_PLUGINS_PJRT_FUNCTIONS_H_
#define EYRIE_PLUGINS_PJRT_FUNCTIONS_H_

#include <cstddef>
#include <string>

#include "absl/status/status.h"
#include "plugins/pjrt/c_types.h"

namespace eyrie::pjrt {

#define FUNCTION(name, fields) absl::Status name(name##_Args& args);
#include "plugins/pjrt/api.def"

// Stores a text, which the object owns, in two fields.
inline void SetText(const std::string& text, const char*& data, size_t& size) {
  data = text.data();
  size = text.size();
}

// The deleter that a caller gets with an object.
template <typename T>
void Delete(T* object) {
  delete object;
}

}  // namespace eyrie::pjrt

#endif  // EYRIE_PLUGINS_PJRT_FUNCTIONS_H_
