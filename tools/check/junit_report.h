// Results as GoogleTest's XML, which tools for JUnit's format can read.
//
// Tested by junit_report_test.cc, check_test.txt.
#ifndef EYRIE_TOOLS_CHECK_JUNIT_REPORT_H_
#define EYRIE_TOOLS_CHECK_JUNIT_REPORT_H_

#include <span>
#include <string>

#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "tools/check/test_plan.h"
#include "tools/check/test_record.h"

namespace eyrie::tools {

// Returns the XML. `order` has the indices of the selected tests; those without
// a record were not run. The plan's other tests are disabled. An expected
// failure is reported as skipped, with its reason.
std::string JUnitXml(const TestPlan& plan, std::span<const size_t> order,
                     std::span<const TestRecord> records, absl::Time begin,
                     absl::Duration elapsed);

// Escapes text for an attribute or between elements. Characters that XML does
// not allow become '?'.
std::string XmlText(absl::string_view text);

}  // namespace eyrie::tools

#endif  // EYRIE_TOOLS_CHECK_JUNIT_REPORT_H_
