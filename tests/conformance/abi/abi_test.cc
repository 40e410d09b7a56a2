// Runs the tables of tests/conformance/abi: calls in JSON, the values that the
// callee receives, and the results or the error.
//
//   convention 0ir_r       a function that does not exist: its arguments are
//   iree.abi {"a": …}      encoded, shown, and decoded as the same types
//   declaration … f … sip  (optional)
//   module abi_echo f      or a function of a module of every release, or of
//   module v0.vmasm f      a text module next to the table
//   call [1, [2]]          positional arguments
//   kwargs {"x": 1}        named arguments (optional)
//   seen / result / error  the expected outcome
// UPDATE_TO=folder writes the tables with actual outcomes to that folder.
#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "abi/call/invoker.h"
#include "abi/call/session.h"
#include "abi/signature/signature_reader.h"
#include "abi/signature/structures.h"
#include "abi/tensor/tensor_text.h"
#include "abi/value/decoder.h"
#include "abi/value/json_value.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "base/json.h"
#include "gtest/gtest.h"
#include "tests/support/files.h"
#include "tests/support/json_text.h"
#include "tests/support/releases.h"
#include "tests/support/status_text.h"
#include "vm/asm/assembler.h"
#include "vm/object/buffer.h"
#include "vm/object/list.h"

namespace eyrie::abi {
namespace {

// Attributes that a row may give, by key.
constexpr absl::string_view kAttributes[] = {
    "iree.abi", "d", "f", "fv", "fbr", "sip", "sipv", "abi", "abiv"};

// Returns a value as the callee receives it.
std::string Show(const vm::Value& value) {
  switch (value.type()) {
    case vm::ValueType::kI32:
      return absl::StrCat("i32=", value.i32());
    case vm::ValueType::kI64:
      return absl::StrCat("i64=", value.i64());
    case vm::ValueType::kF32:
      return absl::StrCat("f32=", value.f32());
    case vm::ValueType::kF64:
      return absl::StrCat("f64=", value.f64());
    case vm::ValueType::kRef:
      break;
  }
  if (value.ref() == nullptr) return "null";
  if (auto* view = RefCast<hal::BufferView>(value.ref())) {
    std::string text = absl::StrCat(view->ShapeAndType(), "=");
    const auto bytes = BytesOf(*view);
    if (!bytes.ok()) return StatusText(bytes);
    AppendElements(*bytes, SpecOf(*view), 64, FloatCase::kLower, text);
    return text;
  }
  if (auto* buffer = RefCast<vm::Buffer>(value.ref())) {
    return "buffer " +
           tests::JsonText(HostValue::Bytes(std::string(buffer->text())));
  }
  auto* list = RefCast<vm::List>(value.ref());
  if (list == nullptr) return value.ref()->type().name;
  std::string text =
      absl::StrCat("list<", list->element_type().ToString(), ">(");
  for (size_t i = 0; i < list->size(); ++i) {
    absl::StrAppend(&text, i ? ", " : "", Show(*list->Get(i)));
  }
  return text + ")";
}

std::string Returned(std::span<const HostValue> values) {
  std::string text = "result";
  for (const HostValue& value : values) {
    text += &value == values.data() ? " " : " | ";
    text += tests::JsonText(value);
  }
  return text;
}

struct Arguments {
  HostValue::Items positional;
  HostValue::Entries named;
};

absl::StatusOr<HostValue> ReadValue(const std::string& text) {
  const auto json = ParseJson(text);
  if (!json.ok()) return json.status();
  return FromJson(*json, JsonFiles::kRefused);
}

// The outcome of a call: lines to compare.
using Outcome = std::vector<std::string>;

class Table {
 public:
  explicit Table(std::string path) : path_(std::move(path)) {}

  // Runs the table. Returns its text with the actual outcomes.
  std::string Run() {
    std::ifstream file(path_);
    EXPECT_TRUE(file.good()) << path_;
    std::string line;
    while (std::getline(file, line)) {
      ++line_;
      const size_t space = std::min(line.find(' '), line.size());
      const std::string key = line.substr(0, space);
      const std::string rest = line.substr(std::min(space + 1, line.size()));
      if (key == "seen" || key == "result" || key == "error") {
        want_.push_back(line);
        continue;
      }
      if (key != "kwargs") Finish();
      out_ << line << "\n";
      Take(key, rest);
    }
    Finish();
    EXPECT_GT(calls_, 0) << path_;
    return out_.str();
  }

 private:
  void Take(const std::string& key, const std::string& rest) {
    if (key == "convention") {
      convention_ = rest;
      attributes_.clear();
      module_.clear();
    } else if (key == "module") {
      const std::vector<std::string> words = absl::StrSplit(rest, ' ');
      module_ = words[0];
      function_ = words.size() > 1 ? words[1] : "";
    } else if (std::find(std::begin(kAttributes), std::end(kAttributes), key) !=
               std::end(kAttributes)) {
      attributes_[key] = rest;
    } else if (key == "declaration") {
      attributes_["iree.abi.declaration"] = rest;
    } else if (key == "call") {
      call_ = rest;
      kwargs_.clear();
    } else if (key == "kwargs") {
      kwargs_ = rest;
    } else if (!key.empty() && key[0] != '#') {
      ADD_FAILURE() << path_ << ":" << line_ << ": unknown word " << key;
    }
  }

  void Finish() {
    if (call_) {
      ++calls_;
      Outcome got;
      if (module_.empty()) {
        got = Imagine();
      } else {
        for (const char* release : tests::kReleases) {
          const Outcome one = CallModule(release);
          if (got.empty()) got = one;
          EXPECT_EQ(one, got) << release << "/" << module_ << " " << function_;
        }
      }
      EXPECT_EQ(got, want_) << path_ << ":" << line_ << ": call " << *call_;
      for (const std::string& line : got) out_ << line << "\n";
    }
    want_.clear();
    call_.reset();
  }

  absl::StatusOr<Arguments> ReadArguments() const {
    Arguments arguments;
    auto positional = ReadValue(*call_);
    if (!positional.ok()) return positional.status();
    arguments.positional = *positional->items();
    if (kwargs_.empty()) return arguments;
    auto named = ReadValue(kwargs_);
    if (!named.ok()) return named.status();
    arguments.named = *named->entries();
    return arguments;
  }

  static Outcome Failed(const absl::Status& status) {
    return {absl::StrCat("error ", StatusText(status))};
  }

  // Encodes and decodes arguments of a function that does not exist.
  Outcome Imagine() {
    const auto convention = vm::CallingConvention::Parse(convention_);
    if (!convention.ok()) return Failed(convention.status());
    std::vector<vm::Attribute> attributes;
    for (const auto& [key, text] : attributes_) {
      attributes.push_back({key, text});
    }
    const auto signature = ReadSignature("f", attributes, *convention);
    if (!signature.ok()) return Failed(signature.status());
    const auto arguments = ReadArguments();
    if (!arguments.ok()) return Failed(arguments.status());
    auto invoker = Invoker::WithoutFunction(device(), *signature);
    auto values = invoker.Encode(arguments->positional, arguments->named);
    if (!values.ok()) return Failed(values.status());
    Outcome outcome = {"seen"};
    for (const vm::Value& value : *values) {
      outcome[0] += " " + Show(value) + ";";
    }
    outcome[0] = std::string(absl::StripSuffix(outcome[0], ";"));
    const StructuredCall* structured = signature->structured();
    const Signature& flat = structured ? *structured->flat : *signature;
    std::vector<HostValue> results;
    for (size_t i = 0; i < values->size(); ++i) {
      CallStatistics statistics;
      Decoder decoder(&statistics);
      auto result = decoder.Decode((*values)[i], flat.arguments()[i].type);
      if (!result.ok()) return Failed(result.status());
      results.push_back(*std::move(result));
    }
    outcome.push_back(Returned(results));
    return outcome;
  }

  absl::StatusOr<Program> Load(const char* release) const {
    if (!absl::EndsWith(module_, ".vmasm")) {
      return LoadProgram(
          absl::StrCat("tests/modules/", release, "/", module_, ".vmfb"));
    }
    const auto bytes = vm::Assemble(
        FileText(absl::StrCat("tests/conformance/abi/", module_)), module_);
    if (!bytes.ok()) return bytes.status();
    return LoadProgram(*bytes, module_);
  }

  Outcome CallModule(const char* release) {
    auto program = Load(release);
    if (!program.ok()) return Failed(program.status());
    auto session = Session::Create({*program}, {device()});
    if (!session.ok()) return Failed(session.status());
    auto callable = (*session)->Lookup(function_);
    if (!callable.ok()) return Failed(callable.status());
    auto invoker = Invoker::Create(**session, *callable);
    if (!invoker.ok()) return Failed(invoker.status());
    const auto arguments = ReadArguments();
    if (!arguments.ok()) return Failed(arguments.status());
    std::vector<HostValue> results;
    const absl::Status status =
        invoker->Call(arguments->positional, arguments->named, results);
    // Omits the backtrace, which differs between releases.
    if (!status.ok()) {
      const std::vector<std::string> lines =
          absl::StrSplit(StatusText(status), '\n');
      return {absl::StrCat("error ", lines[0])};
    }
    return {Returned(results)};
  }

  static Ref<hal::Device> device() {
    return (*OpenDevices({}, hal::DriverOptions()))[0];
  }

  std::string path_;
  int line_ = 0;
  int calls_ = 0;
  std::string convention_, module_, function_, kwargs_;
  std::map<std::string, std::string> attributes_;
  std::optional<std::string> call_;
  Outcome want_;
  std::ostringstream out_;
};

class AbiTables : public testing::TestWithParam<const char*> {};

TEST_P(AbiTables, Run) {
  const std::string name = absl::StrCat(GetParam(), ".txt");
  const std::string table =
      Table(absl::StrCat("tests/conformance/abi/", name)).Run();
  if (const char* folder = std::getenv("UPDATE_TO")) {
    std::ofstream(absl::StrCat(folder, "/", name)) << table;
  }
}

INSTANTIATE_TEST_SUITE_P(Abi, AbiTables,
                         testing::Values("scalars", "arrays", "structures",
                                         "modules", "names", "bytes", "raw",
                                         "raw_results", "raw_fills", "sip"));

}  // namespace
}  // namespace eyrie::abi
