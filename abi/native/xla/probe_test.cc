// Tests the answers of handlers to a query for their version.
#include "abi/native/xla/probe.h"

#include <unistd.h>

#include <cstdint>
#include <string>
#include <vector>

#include "abi/native/ffi_registry.h"
#include "abi/native/xla/api.h"
#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "tests/support/status_text.h"

namespace eyrie::native {
namespace {

// The answer of the handler below.
struct Answer {
  bool silent = false;
  int32_t major = 0;
  int32_t minor = 0;
  uint32_t traits = 0;
  int64_t state_type = 0;
  int32_t error = 0;
};
Answer answer;

eyrie_ffi_error_t* Answering(eyrie_ffi_call_frame_t* frame) {
  if (answer.silent) return nullptr;
  if (answer.error != 0) {
    eyrie_ffi_error_create_t error = {
        EYRIE_FFI_SIZE(eyrie_ffi_error_create_t, code), nullptr, "No.",
        answer.error};
    return frame->api->error_create(&error);
  }
  auto* const asked =
      reinterpret_cast<eyrie_ffi_metadata_extension_t*>(frame->extension);
  asked->metadata->api_version.major = answer.major;
  asked->metadata->api_version.minor = answer.minor;
  asked->metadata->traits = answer.traits;
  if (answer.minor >= 2) asked->metadata->state_type = answer.state_type;
  return nullptr;
}

TEST(Probe, Answers) {
  const struct {
    Answer answer;
    const char* want;  // "minor traits state", or part of the error
  } kRows[] = {
      {{.minor = 1}, "1 0 0"},
      {{.minor = 1, .traits = EYRIE_FFI_COMMAND_BUFFER_COMPATIBLE}, "1 1 0"},
      {{.minor = 2, .state_type = 12}, "2 0 12"},
      {{.minor = 3, .traits = 1, .state_type = 34}, "3 1 34"},
      // Bits of later versions are kept, too.
      {{.minor = 3, .traits = 0x80000001}, "3 2147483649 0"},
      {{.minor = 4, .state_type = 5}, "4 0 5"},
      {{.minor = 5}, "5 0 0"},
      // Later versions are accepted; only the first number must be known.
      {{.minor = 9, .state_type = 7}, "9 0 7"},
      {{.major = 1, .minor = 1}, "UNIMPLEMENTED: "},
      {{.minor = -1}, "UNIMPLEMENTED: "},
      {{.silent = true}, "INVALID_ARGUMENT: "},
      {{.error = 9},
       "FAILED_PRECONDITION: The handler, asked for its version, failed: No."},
  };
  for (const auto& row : kRows) {
    SCOPED_TRACE(row.want);
    answer = row.answer;
    const auto metadata = ProbeHandler(Answering);
    const std::string text =
        metadata.ok() ? absl::StrCat(metadata->minor, " ", metadata->traits,
                                     " ", metadata->state_type)
                      : StatusText(metadata);
    EXPECT_EQ(text.substr(0, std::string(row.want).size()), row.want) << text;
  }
}

TEST(Probe, CallsSymbolsInAChildFirst) {
  answer = {.minor = 3};
  const auto metadata = ProbeSymbol(Answering);
  ASSERT_TRUE(metadata.ok()) << StatusText(metadata);
  EXPECT_EQ(metadata->minor, 3);
  // Would end this process.
  EXPECT_EQ(
      StatusText(ProbeSymbol(
          [](eyrie_ffi_call_frame_t*) -> eyrie_ffi_error_t* { ::_exit(7); })),
      "INVALID_ARGUMENT: The symbol is not an XLA FFI handler: it did not "
      "answer when a child process asked it for its version. The child "
      "process ended with exit code 7.");
  // The text and code of an error come from the child.
  answer = {.error = 9};
  EXPECT_EQ(StatusText(ProbeSymbol([](eyrie_ffi_call_frame_t* frame) {
              return Answering(frame);
            })),
            "FAILED_PRECONDITION: The handler, asked for its version, failed: "
            "No.");
}

TEST(Probe, CallsSymbolsTogether) {
  answer = {.minor = 3};
  eyrie_ffi_handler_t* const good = [](eyrie_ffi_call_frame_t* frame) {
    return Answering(frame);
  };
  eyrie_ffi_handler_t* const other = [](eyrie_ffi_call_frame_t* frame) {
    answer.minor = 4;
    return Answering(frame);
  };
  eyrie_ffi_handler_t* const crashing =
      [](eyrie_ffi_call_frame_t*) -> eyrie_ffi_error_t* { ::_exit(7); };
  ProbeTogether(std::vector<eyrie_ffi_handler_t*>{good, crashing});
  EXPECT_FALSE(ProbeSymbol(crashing).ok());
  ProbeTogether(std::vector<eyrie_ffi_handler_t*>{good, other});
  EXPECT_EQ(answer.minor, 3);  // it ran in another process
  EXPECT_TRUE(ProbeSymbol(other).ok());
  EXPECT_EQ(answer.minor, 4);
}

TEST(Registry, KeepsTraitsOfHandlers) {
  FfiRegistry registry;
  const RegistrationScope scope(registry);
  eyrie_ffi_handler_register_t args = {
      EYRIE_FFI_SIZE(eyrie_ffi_handler_register_t, traits),
      nullptr,
      {"f", 1},
      {"Host", 4},
      {{nullptr, nullptr, nullptr, Answering}},
      EYRIE_FFI_COMMAND_BUFFER_COMPATIBLE};
  ASSERT_EQ(XLA_FFI_GetApi()->handler_register(&args), nullptr);
  const RegisteredHandler* const handler = registry.FindHandler("f", "cpu");
  ASSERT_NE(handler, nullptr);
  EXPECT_EQ(handler->traits, 1u);
  EXPECT_EQ(handler->platform, "Host");
  EXPECT_EQ(handler->bundle.stages[EYRIE_FFI_EXECUTE], Answering);
  EXPECT_EQ(registry.FindHandler("g", "Host"), nullptr);
}

}  // namespace
}  // namespace eyrie::native
