// Builds the tree from the events of nlohmann's parser, which does not recurse
// and does not throw here.
#include "base/json.h"

#include <iterator>
#include <nlohmann/json.hpp>
#include <type_traits>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/allocate.h"
#include "base/plain_text.h"

namespace eyrie {
namespace {

using Kind = Json::Kind;

// Counts the bytes that the parser has read.
class CountingIterator {
 public:
  using iterator_category = std::input_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char*;
  using reference = const char&;

  CountingIterator(const char* at, size_t* count) : at_(at), count_(count) {}
  reference operator*() const { return *at_; }
  CountingIterator& operator++() {
    ++at_;
    ++*count_;
    return *this;
  }
  friend bool operator==(const CountingIterator& a, const CountingIterator& b) {
    return a.at_ == b.at_;
  }

 private:
  const char* at_;
  size_t* count_;
};

class Builder {
 public:
  explicit Builder(const size_t* count) : count_(count) {}

  bool null() { return Add(Kind::kNull) != nullptr; }
  bool boolean(bool value) {
    Json* const added = Add(Kind::kBool);
    if (added != nullptr) added->boolean = value;
    return added != nullptr;
  }
  bool number_integer(int64_t value) {
    Json* const added = Add(Kind::kInt, /*lookahead=*/1);
    if (added != nullptr) added->integer = value;
    return added != nullptr;
  }
  bool number_unsigned(uint64_t value) {
    const bool fits = value <= uint64_t{INT64_MAX};
    Json* const added = Add(fits ? Kind::kInt : Kind::kUint, /*lookahead=*/1);
    if (added != nullptr) added->natural = value;
    return added != nullptr;
  }
  bool number_float(double value, const std::string&) {
    Json* const added = Add(Kind::kFloat, /*lookahead=*/1);
    if (added != nullptr) added->number = value;
    return added != nullptr;
  }
  bool string(std::string& value) {
    Json* const added = Add(Kind::kString);
    if (added != nullptr) added->text = std::move(value);
    return added != nullptr;
  }
  bool binary(nlohmann::json::binary_t&) { return false; }  // not in text
  bool start_array(size_t) { return Open(Kind::kArray); }
  bool end_array() { return Close(); }
  bool start_object(size_t) { return Open(Kind::kObject); }
  bool key(std::string& value) {
    status_ = PushBack(open_.back()->keys, std::move(value), kWhat);
    return status_.ok();
  }
  bool end_object() { return Close(); }

  template <typename Exception>
  bool parse_error(size_t position, const std::string& token,
                   const Exception&) {
    const size_t at = position > 0 ? position - 1 : 0;
    if (std::is_same_v<Exception, nlohmann::json::out_of_range>) {
      Refuse(absl::StrCat("The number ", PlainText(token, kLongestToken),
                          " at byte ", at, " is out of range for f64."));
      return false;
    }
    Refuse(token.empty() || token[0] == '\0'
               ? absl::StrCat("The JSON text is malformed at byte ", at, ".")
               : absl::StrCat("The JSON text is malformed at byte ", at,
                              ", after '", Printable(token), "'."));
    return false;
  }

  // The error with which the last event ended the parsing.
  const absl::Status& status() const { return status_; }
  Json Take() { return std::move(root_); }

 private:
  static constexpr size_t kLongestToken = 24;
  static constexpr char kWhat[] = "the values of a JSON text";

  void Refuse(absl::string_view sentence) {
    status_ = absl::InvalidArgumentError(sentence);
  }

  // Returns the end of a token, with '?' for bytes that are not printable
  // ASCII.
  static std::string Printable(absl::string_view token) {
    if (token.size() > kLongestToken) {
      token.remove_prefix(token.size() - kLongestToken);
    }
    std::string text;
    for (const char c : token) text += c >= ' ' && c < 0x7F ? c : '?';
    return text;
  }

  // Adds a value to the innermost open list or object. The parser has read
  // `lookahead` bytes beyond it. Returns null if there is no memory.
  Json* Add(Kind kind, size_t lookahead = 0) {
    Json* place = &root_;
    if (!open_.empty()) {
      std::vector<Json>& items = open_.back()->items;
      status_ = ReserveMore(items, 1, kWhat);
      if (!status_.ok()) return nullptr;
      place = &items.emplace_back();
    }
    place->kind = kind;
    const size_t read = *count_;
    place->offset = read > lookahead ? read - 1 - lookahead : 0;
    return place;
  }

  bool Open(Kind kind) {
    if (open_.size() == Json::kMaxDepth) {
      Refuse(absl::StrCat("The JSON text is nested ", open_.size() + 1,
                          " deep at byte ", *count_ - 1, "; the limit is ",
                          Json::kMaxDepth, "."));
      return false;
    }
    // The pointer stays valid: while this value is open, nothing is added to
    // the list that contains it.
    open_.push_back(Add(kind));
    return open_.back() != nullptr;
  }

  bool Close() {
    open_.pop_back();
    return true;
  }

  const size_t* count_;
  Json root_;
  std::vector<Json*> open_;
  absl::Status status_;
};

// Prints nearly always as few digits as std::to_chars, whose tables take 140
// KB.
template <typename T>
void AppendShort(T number, std::string& out) {
  char text[64];
  const char* const end =
      nlohmann::detail::to_chars(text, text + sizeof(text), number);
  out.append(text, static_cast<size_t>(end - text));
}

}  // namespace

const Json* Json::Find(absl::string_view key) const {
  for (size_t i = 0; i < keys.size(); ++i) {
    if (keys[i] == key) return &items[i];
  }
  return nullptr;
}

std::string Json::Describe() const {
  switch (kind) {
    case Kind::kNull:
      return "null";
    case Kind::kBool:
      return boolean ? "true" : "false";
    case Kind::kInt:
      return absl::StrCat("the number ", integer);
    case Kind::kUint:
      return absl::StrCat("the number ", natural);
    case Kind::kFloat:
      return absl::StrCat("the number ", number);
    case Kind::kString:
      return "a string";
    case Kind::kArray:
      return "an array";
    case Kind::kObject:
      return "an object";
  }
  return "";
}

absl::StatusOr<Json> ParseJson(absl::string_view text) {
  size_t count = 0;
  Builder builder(&count);
  const CountingIterator begin(text.data(), &count);
  const CountingIterator end(text.data() + text.size(), &count);
  if (!nlohmann::json::sax_parse(begin, end, &builder)) {
    return builder.status();
  }
  return builder.Take();
}

void AppendJsonFloat(float number, std::string& out) {
  AppendShort(number, out);
}

void AppendJsonFloat(double number, std::string& out) {
  AppendShort(number, out);
}

void AppendJsonText(absl::string_view text, std::string& out) {
  std::string quoted;
  for (const char c : text) {
    switch (c) {
      case '"':
        quoted += "\\\"";
        break;
      case '\\':
        quoted += "\\\\";
        break;
      case '\b':
        quoted += "\\b";
        break;
      case '\f':
        quoted += "\\f";
        break;
      case '\n':
        quoted += "\\n";
        break;
      case '\r':
        quoted += "\\r";
        break;
      case '\t':
        quoted += "\\t";
        break;
      default:
        if (static_cast<uint8_t>(c) < ' ') {
          absl::StrAppend(&quoted, "\\u",
                          absl::Hex(static_cast<uint8_t>(c), absl::kZeroPad4));
        } else {
          quoted += c;
        }
    }
  }
  out += EscapeJsonControls(quoted);
}

void AppendJsonString(absl::string_view text, std::string& out) {
  out += '"';
  AppendJsonText(text, out);
  out += '"';
}

bool IsUtf8(absl::string_view bytes) {
  while (!bytes.empty()) {
    const size_t length = Utf8Length(bytes);
    if (length == 0) return false;
    bytes.remove_prefix(length);
  }
  return true;
}

}  // namespace eyrie
