// Reads parameter files while allocations fail.
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "gtest/gtest.h"
#include "hal/parameters/irpa_writer.h"
#include "hal/parameters/parameter_formats.h"
#include "hal/parameters/parameter_index.h"
#include "hal/parameters/test_support.h"
#include "tests/support/failing_allocations.h"

namespace eyrie::hal {
namespace {

// More entries than fit in kSmallBytes, and a key that does not fit, either.
constexpr int kEntryCount = 3000;

std::string Key(int index) {
  return index == 7 ? std::string(100000, 'k') : absl::StrCat("key", index);
}

Bytes Irpa() {
  std::vector<ParameterSource> sources(kEntryCount);
  Bytes bytes;
  for (int i = 0; i < kEntryCount; ++i) {
    sources[i].key = Key(i);
    sources[i].content = ParameterSource::Content::kSplat;
    sources[i].length = 8;
  }
  EXPECT_TRUE(WriteIrpa(sources, 64, [&](std::span<const uint8_t> more) {
                bytes.insert(bytes.end(), more.begin(), more.end());
                return absl::OkStatus();
              }).ok());
  return bytes;
}

Bytes Gguf() {
  Writer writer;
  writer.Text("GGUF").Put<uint32_t>(3);
  writer.Put<uint64_t>(kEntryCount).Put<uint64_t>(0);
  for (int i = 0; i < kEntryCount; ++i) {
    writer.Counted(Key(i)).Put<uint32_t>(1).Put<uint64_t>(8);
    writer.Put<uint32_t>(0).Put<uint64_t>(uint64_t{32} * i);
  }
  return writer.PadTo(32).Zeros(size_t{32} * kEntryCount).bytes();
}

// The keys are short, because the JSON reader allocates every text as it is
// read.
Bytes Safetensors() {
  std::string header = "{";
  for (int i = 0; i < kEntryCount; ++i) {
    absl::StrAppend(&header, i == 0 ? "" : ",", "\"key", i,
                    R"(":{"dtype":"F32","shape":[2],"data_offsets":[)", i * 8,
                    ",", (i + 1) * 8, "]}");
  }
  header += "}";
  return Writer().Counted(header).Zeros(size_t{8} * kEntryCount).bytes();
}

absl::Status ReadAll(const Bytes& bytes) {
  ParameterIndex index;
  ASSIGN_OR_RETURN(std::vector<ParameterEntry> entries,
                   ParseParameters(bytes, ""));
  const Ref<ParameterFile> file = ParameterFile::FromBytes({}, "no bytes");
  for (ParameterEntry& entry : entries) entry.storage = Splat();
  RETURN_IF_ERROR(index.Add(std::move(entries), file));
  EXPECT_NE(index.Find("key2999"), nullptr);
  return absl::OkStatus();
}

TEST(ParametersNoMemory, Files) {
  const Bytes irpa = Irpa();
  const Bytes gguf = Gguf();
  const Bytes safetensors = Safetensors();
  tests::FailEach({
      {"irpa", [&] { return ReadAll(irpa); }, 4},
      {"gguf", [&] { return ReadAll(gguf); }, 5},
      {"safetensors", [&] { return ReadAll(safetensors); }, 5},
  });
}

}  // namespace
}  // namespace eyrie::hal
