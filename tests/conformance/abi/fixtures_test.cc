// Signatures in handwritten modules. Each must equal its parsed and printed
// form, which shows that every length in it is right.
#include <cstdio>
#include <filesystem>
#include <string>

#include "abi/call/session.h"
#include "abi/v0/raw_signature.h"
#include "abi/v0/sip_signature.h"
#include "abi/v0/testing/writers.h"
#include "absl/strings/string_view.h"
#include "gtest/gtest.h"
#include "tests/support/status_text.h"
#include "vm/module/module_def.h"

namespace eyrie::abi::v0 {
namespace {

// Returns the text parsed and printed again, or the parser's error.
template <typename Signature>
std::string Again(absl::string_view text) {
  const auto signature = Signature::Parse(text);
  return signature.ok() ? Mangle(*signature) : StatusText(signature);
}

int CheckModule(const vm::ModuleDef& module) {
  int checked = 0;
  for (const vm::FunctionDef& function : module.functions) {
    for (const vm::Attribute& attribute : function.attributes) {
      if (attribute.key != "f" && attribute.key != "sip") continue;
      EXPECT_EQ(attribute.key == "f" ? Again<RawSignature>(attribute.value)
                                     : Again<SipSignature>(attribute.value),
                attribute.value);
      ++checked;
    }
  }
  return checked;
}

TEST(Fixtures, SignaturesAreWrittenAsTheyAreRead) {
  int checked = 0;
  for (const auto& entry :
       std::filesystem::recursive_directory_iterator("tests/modules")) {
    if (entry.path().extension() != ".vmfb") continue;
    SCOPED_TRACE(entry.path().string());
    const auto program = LoadProgram(entry.path().string());
    ASSERT_TRUE(program.ok()) << StatusText(program);
    checked += CheckModule((*program)->def());
  }
  std::printf("%d signatures\n", checked);
  EXPECT_GT(checked, 100);
}

}  // namespace
}  // namespace eyrie::abi::v0
