// Assembles the words of a test's code into bytecode.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <optional>

#include "absl/status/status.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "base/status_macros.h"
#include "tests/support/append.h"
#include "tests/support/module_builder.h"
#include "vm/isa/opcode.h"
#include "vm/isa/operand.h"

namespace eyrie::tests {
namespace {

using vm::OperandKind;
using Bytes = std::vector<uint8_t>;

class Assembler {
 public:
  explicit Assembler(absl::string_view code) {
    // Treats brackets as separate words.
    std::string spaced;
    for (char c : code) {
      bool alone = c == '[' || c == ']' || c == '{' || c == '}';
      absl::StrAppend(&spaced, alone ? " " : "", std::string(1, c),
                      alone ? " " : "");
    }
    words_ = absl::StrSplit(spaced, absl::ByAnyChar(" \n"), absl::SkipEmpty());
  }

  absl::StatusOr<Bytes> Assemble() {
    while (next_ < words_.size()) RETURN_IF_ERROR(One());
    for (const auto& [at, label] : uses_) {
      auto it = labels_.find(label);
      if (it == labels_.end()) return Wrong(label);
      std::memcpy(&bytes_[at], &it->second, sizeof(uint32_t));
    }
    return bytes_;
  }

 private:
  static absl::Status Wrong(absl::string_view word) {
    return absl::InvalidArgumentError(
        absl::StrCat("The word '", word, "' is not understood."));
  }

  const std::string& Word() {
    static const std::string kEnd = "<end>";
    return next_ < words_.size() ? words_[next_++] : kEnd;
  }
  bool Accept(absl::string_view word) {
    if (next_ == words_.size() || words_[next_] != word) return false;
    ++next_;
    return true;
  }

  absl::Status One() {
    const std::string& word = Word();
    if (word.back() == ':') {
      labels_[word.substr(0, word.size() - 1)] =
          static_cast<uint32_t>(bytes_.size());
      bytes_.push_back(0x79);
      return absl::OkStatus();
    }
    if (word == ".byte") return Number<uint8_t>();
    if (word == ".u16") return Number<uint16_t>();
    if (word == ".u32") return Number<uint32_t>();
    if (word == ".align") {
      Align();
      return absl::OkStatus();
    }
    const vm::OpInfo* op = vm::FindOp(absl::string_view(word));
    if (op == nullptr) return Wrong(word);
    if (op->set == vm::OpSet::kF32) bytes_.push_back(vm::kPrefixF32);
    if (op->set == vm::OpSet::kF64) bytes_.push_back(vm::kPrefixF64);
    bytes_.push_back(op->code);
    for (OperandKind kind : op->reads) RETURN_IF_ERROR(Operand(kind));
    for (OperandKind kind : op->writes) RETURN_IF_ERROR(Operand(kind));
    return absl::OkStatus();
  }

  void Align() {
    if (bytes_.size() % 2 != 0) bytes_.push_back(0);
  }

  template <typename T>
  absl::Status Number() {
    const std::string& word = Word();
    if (std::is_floating_point_v<T>) {
      double value;
      if (!absl::SimpleAtod(word, &value)) return Wrong(word);
      Append(bytes_, static_cast<T>(value));
      return absl::OkStatus();
    }
    if (word[0] == '-') {
      int64_t value;
      if (!absl::SimpleAtoi(word, &value)) return Wrong(word);
      Append(bytes_, static_cast<T>(value));
      return absl::OkStatus();
    }
    uint64_t value;
    bool hex = word.substr(0, 2) == "0x";
    if (!(hex ? absl::SimpleHexAtoi(word, &value)
              : absl::SimpleAtoi(word, &value))) {
      return Wrong(word);
    }
    Append(bytes_, static_cast<T>(value));
    return absl::OkStatus();
  }

  // Parses "i3", "r3", "r3!" or a bare number.
  static std::optional<uint16_t> Register(absl::string_view word) {
    uint16_t bits = 0;
    if (!word.empty() && word.back() == '!') {
      bits |= vm::kMoveBit;
      word.remove_suffix(1);
    }
    if (!word.empty() && (word[0] == 'i' || word[0] == 'r')) {
      if (word[0] == 'r') bits |= vm::kRefBit;
      word.remove_prefix(1);
    }
    int value;
    if (!absl::SimpleAtoi(word, &value)) return std::nullopt;
    return static_cast<uint16_t>(static_cast<uint16_t>(value) | bits);
  }

  absl::Status List() {
    if (!Accept("[")) return Wrong(Word());
    Align();
    size_t count_at = bytes_.size();
    uint16_t count = 0;
    Append(bytes_, count);
    while (!Accept("]")) {
      const std::string& word = Word();
      std::vector<std::string> ends = absl::StrSplit(word, '>');
      for (const std::string& end : ends) {
        std::optional<uint16_t> reg = Register(end);
        if (!reg) return Wrong(word);
        Append(bytes_, *reg);
      }
      ++count;
    }
    std::memcpy(&bytes_[count_at], &count, sizeof(count));
    return absl::OkStatus();
  }

  absl::Status Cases() {
    if (!Accept("{")) return Wrong(Word());
    size_t count_at = bytes_.size();
    uint16_t count = 0;
    Append(bytes_, count);
    while (!Accept("}")) {
      RETURN_IF_ERROR(Operand(OperandKind::kBlock));
      RETURN_IF_ERROR(Operand(OperandKind::kRemap));
      ++count;
    }
    std::memcpy(&bytes_[count_at], &count, sizeof(count));
    return absl::OkStatus();
  }

  absl::Status Operand(OperandKind kind) {
    if (vm::IsAlignedList(kind)) return List();
    if (vm::IsRegister(kind)) {
      const std::string& word = Word();
      std::optional<uint16_t> reg = Register(word);
      if (!reg) return Wrong(word);
      Append(bytes_, *reg);
      return absl::OkStatus();
    }
    switch (kind) {
      case OperandKind::kImmI64:
        return Number<uint64_t>();
      case OperandKind::kImmF32:
        return Number<float>();
      case OperandKind::kImmF64:
        return Number<double>();
      case OperandKind::kCases:
        return Cases();
      case OperandKind::kString: {
        const std::string& word = Word();
        if (word.size() < 2 || word.front() != '"' || word.back() != '"') {
          return Wrong(word);
        }
        Append(bytes_, static_cast<uint16_t>(word.size() - 2));
        bytes_.insert(bytes_.end(), word.begin() + 1, word.end() - 1);
        return absl::OkStatus();
      }
      default:
        break;
    }
    if (next_ < words_.size() && words_[next_][0] == '^') {
      uses_.emplace_back(bytes_.size(), Word().substr(1));
      Append(bytes_, uint32_t{0});
      return absl::OkStatus();
    }
    if (next_ < words_.size() && words_[next_][0] == '#') {
      uint32_t import;
      const std::string& word = Word();
      if (!absl::SimpleAtoi(word.substr(1), &import)) return Wrong(word);
      Append(bytes_, import | vm::kImportBit);
      return absl::OkStatus();
    }
    return Number<uint32_t>();
  }

  std::vector<std::string> words_;
  size_t next_ = 0;
  Bytes bytes_;
  std::map<std::string, uint32_t> labels_;
  std::vector<std::pair<size_t, std::string>> uses_;
};

}  // namespace

absl::StatusOr<std::vector<uint8_t>> AssembleCode(absl::string_view code) {
  return Assembler(code).Assemble();
}

}  // namespace eyrie::tests
