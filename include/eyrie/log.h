// Where what the library has to say goes to, and what it is.
#ifndef EYRIE_LOG_H_
#define EYRIE_LOG_H_

#include "eyrie/language.h"

#include <cstddef>
#include <functional>
#include <string_view>

#include "eyrie/c.h"

namespace eyrie {

enum class Severity {
  kModule = EYRIE_SEVERITY_MODULE,    // what a module prints or traces
  kNote = EYRIE_SEVERITY_NOTE,        // worth knowing, and no error
  kWarning = EYRIE_SEVERITY_WARNING,  // an error that no call returns
};

// Takes a line, without its end; tensors that a module traces are several. On
// any thread, also on several at once; it must not throw, nor use the library.
// Copies are kept as long as they may be called.
using Log = std::function<void(Severity, std::string_view)>;

namespace internal {

// Puts a log into options of the C API that have none, to be freed by them.
template <typename Options>
void SetLog(const Log& log, Options& options) {
  if (!log) return;
  options.log = [](eyrie_severity_t severity, const char* text, size_t length,
                   void* user) {
    (*static_cast<const Log*>(user))(static_cast<Severity>(severity),
                                     {text, length});
  };
  options.log_data = new Log(log);
  options.free_log_data = [](void* user) { delete static_cast<Log*>(user); };
}

}  // namespace internal
}  // namespace eyrie

#endif  // EYRIE_LOG_H_
