// Results as the XML that GoogleTest writes, which readers of JUnit's know.
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

// Of the tests of `order`, by index: those without a record were not run. The
// plan's others are disabled. Expected failures are skipped tests there, with
// the reason.
std::string JUnitXml(const TestPlan& plan, std::span<const size_t> order,
                     std::span<const TestRecord> records, absl::Time begin,
                     absl::Duration elapsed);

// A text as a part of XML, in an attribute or between elements: what XML cannot
// hold becomes '?'.
std::string XmlText(absl::string_view text);

}  // namespace eyrie::tools

#endif  // EYRIE_TOOLS_CHECK_JUNIT_REPORT_H_
