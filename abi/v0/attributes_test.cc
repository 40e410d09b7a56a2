// Tests both sets of V0 attributes, and unknown versions.
#include "abi/v0/attributes.h"

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "tests/support/status_text.h"

namespace eyrie::abi::v0 {
namespace {

// Returns "raw=… sip=… allocator=…", "none", or the error.
std::string ReadText(const std::vector<vm::Attribute>& attributes) {
  const auto found = Attributes::Read(attributes);
  if (!found.ok()) return StatusText(found);
  std::string text;
  if (found->raw) absl::StrAppend(&text, "raw=", *found->raw, " ");
  if (found->sip) absl::StrAppend(&text, "sip=", *found->sip, " ");
  if (found->result_allocator) {
    absl::StrAppend(&text, "allocator=", *found->result_allocator, " ");
  }
  return found->empty() ? absl::StrCat(text, "none") : text;
}

TEST(Attributes, Read) {
  const struct {
    std::vector<vm::Attribute> attributes;
    const char* want;
  } kRows[] = {
      {{}, "none"},
      {{{"iree.abi", "{}"}, {"d", "{}"}, {"fv", "7"}}, "none"},
      {{{"fv", "1"}, {"f", "F"}}, "raw=F "},
      {{{"f", "F"}, {"fbr", "__allocate"}}, "raw=F allocator=__allocate "},
      {{{"sipv", "1"}, {"sip", "S"}, {"fv", "1"}, {"f", "F"}}, "raw=F sip=S "},
      {{{"sip", ""}}, "sip= "},
      // The earlier set.
      {{{"abi", "raw"}, {"abiv", "1"}, {"f", "F"}}, "raw=F "},
      {{{"abi", "sip"}, {"abiv", "1"}, {"sip", "S"}, {"f", "F"}, {"fv", "1"}},
       "raw=F sip=S "},
      {{{"abi", "sip"}, {"sip", "S"}}, "sip=S "},
      // Unknown versions and conventions.
      {{{"fv", "2"}, {"f", "F"}},
       "UNIMPLEMENTED: Version '2' of the V0 convention 'raw' (attribute 'fv') "
       "is not known; version 1 is."},
      {{{"sipv", "\n"}, {"sip", "S"}},
       "UNIMPLEMENTED: Version '\\n' of the V0 convention 'sip' (attribute "
       "'sipv') is not known; version 1 is."},
      {{{"abi", "sip"}, {"abiv", "0"}, {"sip", "S"}},
       "UNIMPLEMENTED: Version '0' of the V0 convention 'sip' (attribute "
       "'abiv') is not known; version 1 is."},
      {{{"abi", "raw"}, {"abiv", "1"}, {"fv", "3"}, {"f", "F"}},
       "UNIMPLEMENTED: Version '3' of the V0 convention 'raw' (attribute 'fv') "
       "is not known; version 1 is."},
      {{{"abi", "memref"}, {"f", "F"}},
       "UNIMPLEMENTED: The calling convention 'memref' (attribute 'abi') is "
       "not known; 'raw' and 'sip' are."},
      {{{"abiv", "1"}, {"f", "F"}},
       "INVALID_ARGUMENT: Attribute 'abiv' is '1', and the convention whose "
       "version it is, attribute 'abi' ('raw' or 'sip'), is missing."},
      {{{"abi", "raw"}, {"f", "F"}, {"fv", "1"}}, "raw=F "},
      {{{"abi", "raw"}, {"abiv", ""}, {"f", "F"}},
       "UNIMPLEMENTED: Version '' of the V0 convention 'raw' (attribute "
       "'abiv') is not known; version 1 is."},
      {{{"abi", "sip"}, {"f", "F"}},
       "INVALID_ARGUMENT: Attribute 'abi' is 'sip', and its signature, "
       "attribute 'sip', is missing."},
      {{{"abi", "raw"}},
       "INVALID_ARGUMENT: Attribute 'abi' is 'raw', and its signature, "
       "attribute 'f', is missing."},
  };
  for (const auto& row : kRows) {
    EXPECT_EQ(ReadText(row.attributes), row.want) << &row - kRows;
  }
}

}  // namespace
}  // namespace eyrie::abi::v0
