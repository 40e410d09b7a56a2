// Tests which --output texts are accepted, and the contents of the files.
#include "abi/call/value_writer.h"

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "abi/call/session.h"
#include "abi/call/value_reader.h"
#include "abi/call/value_text.h"
#include "abi/tensor/npz.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "gtest/gtest.h"
#include "tests/support/files.h"
#include "tests/support/status_text.h"

namespace eyrie::abi {
namespace {

// Returns a tensor, a scalar and a buffer.
std::vector<ParsedValue> Values() {
  const Ref<hal::Device> device = (*OpenDevices({}, hal::DriverOptions()))[0];
  const std::string texts[] = {"2xi8=1 2", "7", "hi"};
  Type bytes;
  bytes.kind = Type::Kind::kBytes;
  const ValueSlot slots[] = {{vm::ValueType::kRef, nullptr, "tensor"},
                             {vm::ValueType::kI32, nullptr, "scalar"},
                             {vm::ValueType::kRef, &bytes, "buffer"}};
  return *ValueReader(device, "--input").Read(texts, slots);
}

void WriteFile(const std::string& name, const std::string& contents) {
  std::ofstream(name, std::ios::binary) << contents;
}

// Each row is a run: its texts, and the result of Prepare. After a '|' follows
// the result of writing the values 2xi8, i32 and !util.buffer.
TEST(ValueWriter, Refuses) {
  std::filesystem::current_path(testing::TempDir());
  const std::vector<ParsedValue> values = Values();
  WriteFile("no.npz", "this is no archive, and is kept");
  WriteFile("no.NPZ", "this is no archive, and is kept");
  WriteFile("old.bin", "old");
  ZipWriter twice;
  twice.Add("a.npy", "1");
  twice.Add("a.npy", "2");
  const std::string two = twice.Finish();
  WriteFile("two.npz", two);
  const char* const kRows[][2] = {
      {"@f.bin;+f.bin;+f.bin", "OK|OK"},
      {"+g.bin;+g.bin;+g.bin", "OK|OK"},
      {"@/dev/null;@/dev/null;@/dev/null", "OK|OK"},
      {"@h.bin;@h.bin",
       "INVALID_ARGUMENT: --output='@h.bin' would replace the result before it "
       "in the same file; '+' appends."},
      {"+old.bin;@./old.bin",
       "INVALID_ARGUMENT: --output='@./old.bin' would replace the result "
       "before "
       "it in the same file; '+' appends."},
      {"+no.npz",
       "INVALID_ARGUMENT: The .npz file is damaged: it ends without a ZIP "
       "directory. "
       "(file 'no.npz')"},
      {"f.bin",
       "INVALID_ARGUMENT: --output='f.bin' is neither '-' nor '@file' "
       "nor '+file'."},
      {"@", "INVALID_ARGUMENT: --output='@' names no file."},
      {"@/no/dir/f.npy",
       "NOT_FOUND: Cannot create /no/dir/f.npy: No such file "
       "or directory."},
      {";;@o.json", "OK|OK"},  // a buffer's bytes may be JSON
      {";;+o.PNG", "OK|OK"},
      {"@o.csv",
       "OK|INVALID_ARGUMENT: --output='@o.csv' would contain only the value's "
       "bytes, which are not a .csv file. Use .npy or .npz for a NumPy array, "
       ".bin "
       "for its bytes, '-' for its text, or --output=json for JSON on standard "
       "output."},
      {";@o.Json",
       "OK|INVALID_ARGUMENT: --output='@o.Json' would contain only the value's "
       "bytes, which are not a .json file. Use .npy or .npz for a NumPy array, "
       ".bin for its bytes, '-' for its text, or --output=json for JSON on "
       "standard output."},
      {"@o.raw;@o.f32;@json", "OK|OK"},
      {"@u.NPY", "OK|OK"},
      {"+u.Npy", "OK|OK"},
      {"@u.NPZ", "OK|OK"},
      {"+no.NPZ",
       "INVALID_ARGUMENT: The .npz file is damaged: it ends without a ZIP "
       "directory. "
       "(file 'no.NPZ')"},
      {"+two.npz",
       "INVALID_ARGUMENT: The .npz file has two members named 'a.npy'. (file "
       "'two.npz')"},
      {"@a.json/f;@.d/f",
       "NOT_FOUND: Cannot create a.json/f: No such file or "
       "directory."},
  };
  for (const auto& row : kRows) {
    SCOPED_TRACE(row[0]);
    const std::vector<std::string> texts = absl::StrSplit(row[0], ';');
    ValueWriter writer{PrintOptions()};
    absl::Status status = writer.Prepare(texts);
    std::string got = StatusText(status);
    if (status.ok()) {
      std::string printed;
      for (size_t i = 0; i < texts.size() && status.ok(); ++i) {
        status = writer.Write(texts[i], values[i].value, printed);
      }
      if (status.ok()) status = writer.Commit();
      absl::StrAppend(&got, "|", StatusText(status));
    }
    EXPECT_EQ(got, row[1]);
  }
  EXPECT_EQ(FileText("f.bin"), std::string("\1\2\7\0\0\0hi", 8));
  EXPECT_EQ(FileText("g.bin"), std::string("\1\2\7\0\0\0hi", 8));
  EXPECT_EQ(FileText("o.json"), "hi");
  EXPECT_EQ(FileText("old.bin"), "old");
  EXPECT_EQ(FileText("two.npz"), two);
  for (const char* name : {"u.NPY", "u.Npy"}) {
    EXPECT_EQ(FileText(name).substr(0, 6), "\x93NUMPY") << name;
  }
  EXPECT_EQ(FileText("u.NPZ").substr(0, 2), "PK");
  EXPECT_EQ(FileText("no.npz"), "this is no archive, and is kept");
  for (const char* name : {"h.bin", "o.csv", "o.Json"}) {
    EXPECT_FALSE(std::filesystem::exists(name)) << name;
  }
}

}  // namespace
}  // namespace eyrie::abi
