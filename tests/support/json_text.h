// Returns a value as JSON, for comparisons with rows of tests.
#ifndef EYRIE_TESTS_SUPPORT_JSON_TEXT_H_
#define EYRIE_TESTS_SUPPORT_JSON_TEXT_H_

#include <string>

#include "abi/value/host_value.h"
#include "abi/value/json_value.h"
#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "base/text_stream.h"

namespace eyrie::tests {

// Returns abi::WriteJson's text.
inline std::string JsonText(const abi::HostValue& value) {
  std::string text;
  const auto append = [&text](absl::string_view piece) {
    absl::StrAppend(&text, piece);
    return absl::OkStatus();
  };
  TextStream stream(append);
  abi::WriteJson(value, stream);
  stream.Finish().IgnoreError();
  return text;
}

}  // namespace eyrie::tests

#endif  // EYRIE_TESTS_SUPPORT_JSON_TEXT_H_
