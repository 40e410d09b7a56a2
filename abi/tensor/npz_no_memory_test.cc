// Tests that reading a .npz file survives failing allocations.
#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "abi/tensor/npz.h"
#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "base/status_macros.h"
#include "gtest/gtest.h"
#include "tests/support/failing_allocations.h"

namespace eyrie::abi {
namespace {

std::span<const uint8_t> BytesOf(const std::string& text) {
  return {reinterpret_cast<const uint8_t*>(text.data()), text.size()};
}

// Returns the bytes as a stored block of deflate, which begins with five more
// bytes.
std::string Deflated(const std::string& bytes) {
  constexpr size_t kMax = 65535;
  std::string packed;
  for (size_t at = 0; at < bytes.size(); at += kMax) {
    const size_t size = std::min(kMax, bytes.size() - at);
    packed.push_back(at + size == bytes.size() ? 1 : 0);
    for (const size_t word : {size, ~size}) {
      packed.push_back(static_cast<char>(word));
      packed.push_back(static_cast<char>(word >> 8));
    }
    packed += bytes.substr(at, size);
  }
  return packed;
}

TEST(NpzNoMemory, Directories) {
  ZipWriter writer;
  for (int i = 0; i < 6000; ++i) writer.Add(absl::StrCat("m", i), "");
  const std::string file = writer.Finish();
  tests::FailEach(
      {{"6000 members", [&] { return ReadNpz(BytesOf(file)).status(); }, 6}});
}

TEST(NpzNoMemory, Members) {
  const std::string bytes(1 << 20, 'x');
  const std::string packed = Deflated(bytes);
  ZipWriter writer;
  writer.Add("m", bytes);
  const std::string file = writer.Finish();
  const auto members = ReadNpz(BytesOf(file));
  ASSERT_TRUE(members.ok()) << members.status();
  ZipMember member = (*members)[0];
  member.method = kZipDeflated;
  member.packed = BytesOf(packed);
  tests::FailEach(
      {{"1 MiB inflated", [&] { return ReadMember(member).status(); }, 2}});
}

}  // namespace
}  // namespace eyrie::abi
