// Tests the texts of inputs, outputs and comparisons with tables.
#include <filesystem>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include "abi/call/compare.h"
#include "abi/call/session.h"
#include "abi/call/value_reader.h"
#include "abi/call/value_text.h"
#include "abi/call/value_writer.h"
#include "abi/signature/declaration.h"
#include "abi/tensor/npy.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "gtest/gtest.h"
#include "tests/support/files.h"
#include "tests/support/status_text.h"
#include "vm/object/buffer.h"
#include "vm/object/list.h"

namespace eyrie::abi {
namespace {

class FunctionIo : public testing::Test {
 protected:
  FunctionIo() : home_(std::filesystem::current_path()) {
    std::filesystem::current_path(testing::TempDir());
    device_ = (*OpenDevices({}, hal::DriverOptions()))[0];
    WriteFile("a.bin", std::string("\1\2\3\4\5\6\7\10", 8));
    WriteFile("text.txt", "hello");
    std::string npy = NpyHeader(*hal::TensorType::ParseStatic("2xi8"));
    WriteFile("two.npy", npy + "\1\2" + npy + "\3\4");
    ZipWriter zip;
    zip.Add("x.npy", npy + "\5\6");
    zip.Add("y.npy", npy + "\7\10");
    std::string two = zip.Finish();
    WriteFile("two.npz", two);
    two[two.find("NUMPY") + 120] ^= 1;  // a byte of the first array
    WriteFile("damaged.npz", two);
  }

  ~FunctionIo() override { std::filesystem::current_path(home_); }

  void WriteFile(const std::string& name, const std::string& contents) {
    std::ofstream(name, std::ios::binary) << contents;
  }

  // Parses slots from "i F r:tensor<4xf32>": a register letter and a declared
  // type.
  std::vector<ValueSlot> Slots(absl::string_view text) {
    std::vector<ValueSlot> slots;
    declared_.clear();
    const std::vector<std::string> words =
        absl::StrSplit(text, ' ', absl::SkipEmpty());
    declared_.reserve(words.size());
    for (const std::string& word : words) {
      ValueSlot slot;
      slot.type = vm::ValueTypeOf(word[0]).value();
      slot.name = absl::StrCat("argument ", slots.size());
      if (word.size() > 2) {
        declared_.push_back(ParseDeclaredType(word.substr(2)));
        slot.declared = &declared_.back();
      }
      slots.push_back(slot);
    }
    return slots;
  }

  // Reads texts that are separated by ';'.
  absl::StatusOr<std::vector<ParsedValue>> Read(absl::string_view slots,
                                                absl::string_view texts) {
    std::vector<std::string> list;
    for (absl::string_view text : absl::StrSplit(texts, ';')) {
      list.emplace_back(text);
    }
    if (texts.empty()) list.clear();
    ValueReader reader(device_, "--input");
    const std::vector<ValueSlot> rows = Slots(slots);
    return reader.Read(list, rows);
  }

  // Returns the values as they are printed, or the error.
  std::string ReadText(absl::string_view slots, absl::string_view texts) {
    const auto values = Read(slots, texts);
    if (!values.ok()) return StatusText(values);
    std::string out;
    for (const ParsedValue& value : *values) {
      std::string text;
      AppendValue(value.value, PrintOptions(), text);
      absl::StrAppend(&out, out.empty() ? "" : "; ",
                      absl::StrReplaceAll(text, {{"\n", " "}}),
                      value.ignored ? " ignored" : "");
    }
    return out;
  }

  std::filesystem::path home_;
  Ref<hal::Device> device_;
  std::vector<Type> declared_;
};

TEST_F(FunctionIo, Inputs) {
  const struct {
    const char* slots;
    const char* texts;
    const char* want;
  } kRows[] = {
      {"i I f F", "7;-8;1.5;-2.25", "i32=7; i64=-8; f32=1.5; f64=-2.25"},
      {"i i", "4294967295;0x10", "i32=-1; i32=16"},
      {"i f", "i32=7;f32=1.5", "i32=7; f32=1.5"},  // as results are printed
      {"i:i8 i:i8 i:i16", "-1;200;-32768", "i32=-1; i32=200; i32=-32768"},
      {"i:i2 i:i4 i:i4 i:i4", "-1;-8;15;-1", "i32=-1; i32=-8; i32=15; i32=-1"},
      {"i:i1 i:i1", "true;0", "i32=1; i32=0"},
      {"i:f16 i:f16 i:bf16", "1.5;0x3C00;1", "i32=15872; i32=15360; i32=16256"},
      {"f:f16", "1.5", "f32=1.5"},  // as release 3.3 passes f16
      // In the format of printed results, it is bits.
      {"i:f16 i:bf16 i:f8E5M2", "i32=15872;i32=-128;i32=60",
       "i32=15872; i32=-128; i32=60"},
      {"i:f16 i:f8E4M3FN", "f16=15872;f8E4M3FN=1", "i32=29632; i32=56"},
      {"I:index", "12", "i64=12"},
      {"i", "+5", "i32=5"},
      {"r", "2x2xf32=1 2 3 4", "hal.buffer_view 2x2xf32=[1 2][3 4]"},
      {"r", " 3xi8=7 ", "hal.buffer_view 3xi8=7 7 7"},
      {"r", "\"3xi8=7\"", "hal.buffer_view 3xi8=7 7 7"},
      {"r", "0x4xf32", "hal.buffer_view 0x4xf32="},
      {"r", "&4xi8=1", "hal.buffer 0x01010101"},
      {"r i f r", "(null);(null);(ignored);(ignored)",
       "(null); i32=0; f32=0 ignored; (null) ignored"},
      {"r:!util.buffer", "hello", "vm.buffer \"hello\""},
      {"r:!util.buffer", "@text.txt", "vm.buffer \"hello\""},
      {"r r r", "4xi8=@a.bin;4xi8=+a.bin;2xi16=@a.bin",
       "hal.buffer_view 4xi8=1 2 3 4; hal.buffer_view 4xi8=5 6 7 8; "
       "hal.buffer_view 2xi16=513 1027"},
      {"r r r", "@two.npy;+two.npy;@two.npy",
       "hal.buffer_view 2xsi8=1 2; hal.buffer_view 2xsi8=3 4; "
       "hal.buffer_view 2xsi8=1 2"},
      {"r r", "*two.npy",
       "hal.buffer_view 2xsi8=1 2; hal.buffer_view "
       "2xsi8=3 4"},
      {"r r", "@two.npy;*two.npy",
       "hal.buffer_view 2xsi8=1 2; "
       "hal.buffer_view 2xsi8=3 4"},
      {"r r", "@two.npz",
       "hal.buffer_view 2xsi8=5 6; hal.buffer_view "
       "2xsi8=7 8"},
      {"r r", "@two.npz:y;@two.npz:x",
       "hal.buffer_view 2xsi8=7 8; "
       "hal.buffer_view 2xsi8=5 6"},
      {"r r", "+two.npz;+two.npz",
       "hal.buffer_view 2xsi8=5 6; "
       "hal.buffer_view 2xsi8=7 8"},
      // Errors.
      {"i", "7;8",
       "INVALID_ARGUMENT: Only 1 value is taken; one more is given. "
       "(--input='8')"},
      {"r", "4xf32=1 two 3 4",
       "INVALID_ARGUMENT: Element 1 'two' is not a number. (--input='4xf32=1 "
       "two 3 4', argument 0)"},
      {"f r", "1;4xf99=1",
       "INVALID_ARGUMENT: Unknown element type 'f99'; did you mean f16, f32 or "
       "f64? (--input='4xf99=1', argument 1)"},
      {"i", "two",
       "INVALID_ARGUMENT: 'two' is not a number; i32 is expected. "
       "(--input='two', argument 0)"},
      {"i", "0x 10",
       "INVALID_ARGUMENT: '0x 10' is not a number; i32 is expected. "
       "(--input='0x 10', argument 0)"},
      {"i", "1.5",
       "INVALID_ARGUMENT: '1.5' is not a whole number, as i32 needs; i32 is "
       "expected. (--input='1.5', argument 0)"},
      {"i:i8", "300",
       "INVALID_ARGUMENT: '300' does not fit i8 (-128 to 255); i8 is expected. "
       "(--input='300', argument 0)"},
      {"i", "4xf32=1",
       "INVALID_ARGUMENT: '4xf32=1' is not a number; i32 is expected. "
       "(--input='4xf32=1', argument 0)"},
      {"r", "7",
       "INVALID_ARGUMENT: '7' has no shape and element type, as in 4x2xf32=1. "
       "(--input='7', argument 0)"},
      {"r", " ",
       "INVALID_ARGUMENT: The text of a value is empty. (--input=' ', argument "
       "0)"},
      {"r:!util.list<?>", "[1 2]",
       "UNIMPLEMENTED: A list has no text on the command line. "
       "(--input='[1 2]', argument 0)"},
      {"i", "@two.npy",
       "INVALID_ARGUMENT: An array is given; argument 0, i32, is expected. "
       "(--input='@two.npy', argument 0)"},
      {"r", "*two.npy",
       "INVALID_ARGUMENT: 'two.npy' gives 2 arrays; the function takes 1 more. "
       "(--input='*two.npy', argument 0)"},
      // Nothing is inflated, so the damage is not found.
      {"r", "@damaged.npz",
       "INVALID_ARGUMENT: 'damaged.npz' gives 2 arrays; the function takes 1 "
       "more. (--input='@damaged.npz', argument 0)"},
      // A scalar may be an array of rank 0.
      {"r i", "@damaged.npz",
       "INVALID_ARGUMENT: The .npz file is damaged: the checksum of 'x.npy' "
       "differs. (array 'x') (--input='@damaged.npz', argument 0)"},
      {"r r", "@damaged.npz",
       "INVALID_ARGUMENT: The .npz file is damaged: the checksum of 'x.npy' "
       "differs. (array 'x') (--input='@damaged.npz', argument 0)"},
      {"r r", "@two.npz;+two.npz",
       "INVALID_ARGUMENT: Only 2 values are taken; one more is given. "
       "(--input='+two.npz')"},
      {"r", "@two.npz:z",
       "NOT_FOUND: The file has no array 'z'; it has 'x', 'y'. "
       "(--input='@two.npz:z', argument 0)"},
      {"r", "4xf32=@a.bin",
       "OUT_OF_RANGE: 4xf32 needs 16 bytes; 'a.bin' has 8 from offset 0 on. "
       "(--input='4xf32=@a.bin', argument 0)"},
      {"r", "@a.bin",
       "INVALID_ARGUMENT: 'a.bin' is neither .npy nor .npz; bytes need a "
       "shape and an element type before them, as in 4x2xf32=@a.bin. "
       "(--input='@a.bin', argument 0)"},
  };
  for (const auto& row : kRows) {
    EXPECT_EQ(ReadText(row.slots, row.texts), row.want);
  }
  EXPECT_EQ(Read("r", "@missing.npy").status().code(),
            absl::StatusCode::kNotFound);
}

// The public tools read narrow floats as bits. They read wide floats, and
// narrow floats in float registers, as numbers.
TEST_F(FunctionIo, PublicScalars) {
  const struct {
    const char* slots;
    const char* text;
    const char* want;
  } kRows[] = {
      {"i:f16", "15872", "i32=15872"},
      {"i:bf16", "16256", "i32=16256"},
      {"i:f8E5M2", "60", "i32=60"},
      {"i:f16", "-1", "i32=-1"},
      {"i:f16", "0x3E00", "i32=15872"},
      {"i:f16", "i32=15872", "i32=15872"},
      {"i:f16", "f16=15872", "i32=29632"},
      {"i:f16", "1.5",
       "INVALID_ARGUMENT: '1.5' is not a whole number, as i32 needs; f16 is "
       "expected. (--input='1.5', argument 0)"},
      {"f:f16", "1.5", "f32=1.5"},
      {"f", "15872", "f32=15872"},
      {"i:i8", "-5", "i32=-5"},
  };
  for (const auto& row : kRows) {
    ValueReader reader(device_, "--input", NarrowFloats::kBits);
    const std::vector<ValueSlot> slots = Slots(row.slots);
    const std::string text = row.text;
    const auto values = reader.Read({&text, 1}, slots);
    std::string out = StatusText(values);
    if (values.ok()) {
      out.clear();
      AppendValue((*values)[0].value, PrintOptions(), out);
    }
    EXPECT_EQ(out, row.want) << row.slots << " " << row.text;
  }
}

TEST_F(FunctionIo, Printing) {
  const auto list = *vm::List::Create({}, 0);
  ASSERT_TRUE(list->Append(vm::Value(int32_t{7})).ok());
  ASSERT_TRUE(list->Append((*Read("r", "2xf32=1 2"))[0].value).ok());
  ASSERT_TRUE(list->Append(vm::Value(Ref<RefObject>())).ok());
  const auto bytes = *vm::List::Create({vm::ElementType::Kind::kI8}, 0);
  ASSERT_TRUE(bytes->Append(vm::Value(int32_t{-3})).ok());
  const vm::Value values[] = {
      vm::Value(1.5f),
      vm::Value(1.23456789012345),
      vm::Value(Ref<RefObject>(list)),
      vm::Value(Ref<RefObject>(bytes)),
      vm::Value(Ref<RefObject>(*vm::Buffer::CopyText("a\"b\\c\n\xC3\xA9"))),
      vm::Value(Ref<RefObject>(*vm::Buffer::CopyText("\xFF\x01"))),
      vm::Value(Ref<RefObject>(*vm::Buffer::CopyText(""))),
      vm::Value(Ref<RefObject>()),
  };
  std::string out;
  AppendValues("result", values, PrintOptions(), out);
  EXPECT_EQ(out,
            "result[0]: f32=1.5\n"
            "result[1]: f64=1.23457\n"
            "result[2]: vm.list\n"
            "child_list[0]: i32=7\n"
            "child_list[1]: hal.buffer_view\n2xf32=1 2\n"
            "child_list[2]: (null)\n\n"
            "result[3]: vm.list\nchild_list[0]: i8=-3\n\n"
            "result[4]: vm.buffer\n\"a\\\"b\\\\c\\n\xC3\xA9\"\n"
            "result[5]: vm.buffer\n0xFF01\n"
            "result[6]: vm.buffer\n\"\"\n"
            "result[7]: (null)\n");
  const auto tensors = *Read("r", "2xf32=1 2");
  hal::BufferView* view[] = {
      static_cast<hal::BufferView*>(tensors[0].value.ref())};
  out.clear();
  AppendTrace("key", view, PrintOptions(), out);
  EXPECT_EQ(out, "=== key ===\n2xf32=1 2\n\n");
}

// Lists may contain themselves, each other many times, and very many values.
TEST_F(FunctionIo, BoundsLists) {
  const auto list = [](vm::ElementType type, uint64_t size) {
    Ref<vm::List> made = *vm::List::Create(type, size);
    EXPECT_TRUE(made->Resize(size).ok());
    return made;
  };
  const auto text = [](const Ref<vm::List>& of) {
    std::string out;
    AppendValue(vm::Value(Ref<RefObject>(of)), PrintOptions(), out);
    return out;
  };
  const auto any = vm::ElementType{};
  Ref<vm::List> self = list(any, 1);
  ASSERT_TRUE(self->Set(0, vm::Value(Ref<RefObject>(self))).ok());
  const std::string deep = text(self);
  EXPECT_TRUE(
      absl::EndsWith(deep, "vm.list\n(not shown: nested more than 128 deep)" +
                               std::string(128, '\n')))
      << deep;
  ASSERT_TRUE(self->Set(0, vm::Value(Ref<RefObject>())).ok());

  // 60 lists, each of which contains the next one twice.
  Ref<vm::List> outer = list(any, 1);
  for (int i = 0; i < 60; ++i) {
    Ref<vm::List> holder = list(any, 2);
    ASSERT_TRUE(holder->Set(0, vm::Value(Ref<RefObject>(outer))).ok());
    ASSERT_TRUE(holder->Set(1, vm::Value(Ref<RefObject>(outer))).ok());
    outer = std::move(holder);
  }
  std::string out;
  const vm::Value values[] = {vm::Value(Ref<RefObject>(outer)),
                              vm::Value(Ref<RefObject>(outer)),
                              vm::Value(int32_t{7})};
  AppendValues("result", values, PrintOptions(), out);
  EXPECT_LE(out.size(), (16 << 20) + 4096);
  const std::string cut = "(not shown: lists give more than 16 MiB of text)\n";
  EXPECT_TRUE(absl::EndsWith(
      out, cut + "\nresult[1]: vm.list\n" + cut + "\nresult[2]: i32=7\n"))
      << out.substr(out.size() - 200);
}

// Writes values that are read from texts, with one --output text for each, and
// commits.
TEST_F(FunctionIo, Outputs) {
  const std::string npy = NpyHeader(*hal::TensorType::ParseStatic("2xi8"));
  const std::string scalar = NpyHeader(*hal::TensorType::ParseStatic("i32"));
  const auto values = *Read("r r i r:!util.buffer", "2xi8=1 2;2xi8=3 4;7;hi");
  WriteFile("kept.bin", "old");
  ValueWriter writer{PrintOptions()};
  std::string printed;
  const struct {
    int value;
    const char* output;
  } kRows[] = {
      {0, "-"},         {0, ""},       {0, "@o.npy"}, {1, "+o.npy"},
      {2, "@s.npy"},    {0, "@b.bin"}, {1, "+b.bin"}, {3, "+b.bin"},
      {1, "+kept.bin"}, {0, "@o.npz"}, {1, "+o.npz"}, {2, "-"},
  };
  for (const auto& row : kRows) {
    EXPECT_EQ(
        StatusText(writer.Write(row.output, values[row.value].value, printed)),
        "OK");
  }
  EXPECT_EQ(FileText("kept.bin"), "old");  // unchanged before Commit
  EXPECT_EQ(StatusText(writer.Commit()), "OK");
  EXPECT_EQ(printed, "hal.buffer_view\n2xi8=1 2\ni32=7\n");
  EXPECT_EQ(FileText("o.npy"), npy + "\1\2" + npy + "\3\4");
  EXPECT_EQ(FileText("s.npy"), scalar + std::string("\7\0\0\0", 4));
  EXPECT_EQ(FileText("b.bin"), "\1\2\3\4hi");
  EXPECT_EQ(FileText("kept.bin"), "old\3\4");
  EXPECT_EQ(ReadText("r r", "@o.npz"),
            "hal.buffer_view 2xsi8=1 2; hal.buffer_view 2xsi8=3 4");
  // Another run appends to the files.
  ValueWriter next{PrintOptions()};
  EXPECT_TRUE(next.Write("+o.npz", values[0].value, printed).ok());
  EXPECT_TRUE(next.Commit().ok());
  EXPECT_EQ(ReadText("r", "@o.npz:arr_2"), "hal.buffer_view 2xsi8=1 2");
  EXPECT_EQ(StatusText(next.Write("o.npy", values[0].value, printed)),
            "INVALID_ARGUMENT: --output='o.npy' is neither '-' nor '@file' nor "
            "'+file'.");
  EXPECT_EQ(next.Write("@/no/such/dir/x.bin", values[0].value, printed).code(),
            absl::StatusCode::kNotFound);
}

TEST_F(FunctionIo, Comparisons) {
  constexpr char kView[] =
      "; expected that the view is equal to contents of a view of ";
  const struct {
    const char* slots;
    const char* expected;
    const char* actual;
    std::string want;  // "" if the values match
  } kRows[] = {
      {"i I f F", "1;2;3;4", "1;2;3;4", ""},
      {"i", "1", "2",
       "[FAILED] result[0]: i32 values differ\n  expected: 1\n  actual: 2\n"},
      {"i f", "(ignored);1", "2;1.00001", ""},
      {"f", "1", "1.001",
       "[FAILED] result[0]: f32 values differ\n  expected: 1\n  actual: "
       "1.001\n"},
      {"r", "4xf32=1 2 3 nan", "4xf32=1 2 3.00005 nan", ""},
      {"r", "4xf32=11 22 33 44.5", "4xf32=11 22 33 44",
       absl::StrCat("[FAILED] result[0]: element at index 3 (44) does not "
                    "match the expected (44.5)",
                    kView,
                    "4xf32\n  expected:\n4xf32=11 22 33 44.5\n  actual:\n"
                    "4xf32=11 22 33 44\n")},
      {"r", "5xf32=1", "4xf32=1",
       absl::StrCat("[FAILED] result[0]: metadata is 4xf32; expected that the "
                    "view matches 5xf32",
                    kView,
                    "5xf32\n  expected:\n5xf32=1 1 1 1 1\n  actual:\n4xf32=1 1 "
                    "1 1\n")},
      {"r", "2xf16=1 2", "2xf16=1.0009 2", ""},
      {"r", "2xbf16=1 100", "2xbf16=1.0078 100", ""},
      {"r", "2xf64=1 2", "2xf64=1.00005 2", ""},
      {"r", "2xsi32=1 2", "2xi32=1 2", ""},  // .npy has no signless integers
      {"r", "2xui32=1 2", "2xsi32=1 2", ""},
      {"r", "2xi8=200 1", "2xsi8=-56 1", ""},
      // The same bits are another number.
      {"r", "2xui8=1 200", "2xsi8=1 -56",
       absl::StrCat(
           "[FAILED] result[0]: element at index 1 (-56) does not "
           "match the expected (200)",
           kView, "2xui8\n  expected:\n2xui8=1 200\n  actual:\n2xsi8=1 -56\n")},
      {"r", "2xi4=1 2", "2xi4=1 2", ""},
      {"r", "2xf8E5M2=1 2", "2xf8E5M2=1 2", ""},
      {"r", "(null)", "(null)", ""},
      {"r", "(null)", "1xi8=1",
       "[FAILED] result[0]: variant types mismatch; expected empty but got "
       "hal.buffer_view\n"},
      {"r:!util.buffer", "hi", "hi", ""},
      {"r:!util.buffer", "hi", "ho",
       "[FAILED] result[0]: the bytes differ\n  expected:\n\"hi\"\n  actual:\n"
       "\"ho\"\n"},
      {"i i", "1", "1;2", "[FAILED] expected 1 list elements but 2 provided\n"},
  };
  for (const auto& row : kRows) {
    std::vector<vm::Value> actual;
    const auto expected = *Read(row.slots, row.expected);
    const auto read = *Read(row.slots, row.actual);
    for (const ParsedValue& value : read) actual.push_back(value.value);
    const Comparison comparison =
        *CompareValues(expected, actual, Tolerance(), PrintOptions());
    EXPECT_EQ(comparison.same, row.want.empty());
    EXPECT_EQ(comparison.text, row.want);
  }
  Tolerance exact;
  exact.exact = true;
  const auto expected = *Read("r", "1xf32=1");
  const auto actual = *Read("r", "1xf32=1.00001");
  const std::vector<vm::Value> values = {actual[0].value};
  EXPECT_FALSE(CompareValues(expected, values, exact, PrintOptions())->same);
}

}  // namespace
}  // namespace eyrie::abi
