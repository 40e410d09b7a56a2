// The log, which receives the messages of the library.
#ifndef EYRIE_LOG_H_
#define EYRIE_LOG_H_

#include <cstddef>
#include <functional>
#include <string_view>

#include "eyrie/c.h"
#include "eyrie/language.h"

namespace eyrie {

// The kind of a message.
enum class Severity {
  kModule = EYRIE_SEVERITY_MODULE,    // printed or traced by a module
  kNote = EYRIE_SEVERITY_NOTE,        // information, not an error
  kWarning = EYRIE_SEVERITY_WARNING,  // an error that no function returns
};

// Receives a message without a newline at its end; a traced tensor is one
// message of several lines. May be called on any thread, and on several at the
// same time. Must not throw or use the library. Devices and contexts keep
// copies.
using Log = std::function<void(Severity, std::string_view)>;

namespace internal {

// Sets the log in options of the C API, which then own a copy of it.
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
