// Hashes of lengths around the ends of blocks, as sha256sum prints them.
#include "base/sha256.h"

#include <string>

#include "absl/strings/escaping.h"
#include "absl/strings/string_view.h"
#include "gtest/gtest.h"

namespace eyrie {
namespace {

TEST(Sha256, EqualsSha256sum) {
  const struct {
    std::string text;
    const char* hash;
  } kRows[] = {
      {"",
       "e3b0c44298fc1c149afbf4c8996fb924"
       "27ae41e4649b934ca495991b7852b855"},
      {"abc",
       "ba7816bf8f01cfea414140de5dae2223"
       "b00361a396177a9cb410ff61f20015ad"},
      {std::string(55, 'a'),
       "9f4390f8d30c2dd92ec9f095b65e2b9a"
       "e9b0a925a5258e241c9f1e910f734318"},
      {std::string(56, 'a'),
       "b35439a4ac6f0948b6d6f9e3c6af0f5f"
       "590ce20f1bde7090ef7970686ec6738a"},
      {std::string(63, 'a'),
       "7d3e74a05d7db15bce4ad9ec0658ea98"
       "e3f06eeecf16b4c6fff2da457ddc2f34"},
      {std::string(64, 'a'),
       "ffe054fe7ae0cb6dc65c3af9b61d5209"
       "f439851db43d0ba5997337df154668eb"},
      {std::string(65, 'a'),
       "635361c48bb9eab14198e76ea8ab7f1a"
       "41685d6ad62aa9146d301d4f17eb0ae0"},
      {std::string(119, 'a'),
       "31eba51c313a5c08226adf18d4a359cf"
       "dfd8d2e816b13f4af952f7ea6584dcfb"},
      {std::string(120, 'a'),
       "2f3d335432c70b580af0e8e1b3674a7c"
       "020d683aa5f73aaaedfdc55af904c21c"},
      {std::string(1000000, 'a'),
       "cdc76e5c9914fb9281a1c7e284d73e67"
       "f1809a48a497200e046d39ccc7112cd0"},
  };
  for (const auto& row : kRows) {
    const auto hash = Sha256(
        {reinterpret_cast<const uint8_t*>(row.text.data()), row.text.size()});
    EXPECT_EQ(absl::BytesToHexString(absl::string_view(
                  reinterpret_cast<const char*>(hash.data()), hash.size())),
              row.hash)
        << row.text.size();
  }
}

}  // namespace
}  // namespace eyrie
