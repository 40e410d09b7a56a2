#include "abi/v0/raw_signature.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "abi/v0/mangle.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/status_macros.h"

namespace eyrie::abi::v0 {
namespace {

using hal::ElementType;
using Kind = RawType::Kind;

// The element types in the order of their numbers. The first is the default.
constexpr struct {
  ElementType type;
  absl::string_view name;
} kScalarTypes[] = {
    {ElementType::kFloat32, "float32"}, {ElementType::kFloat16, "float16"},
    {ElementType::kFloat64, "float64"}, {ElementType::kBfloat16, "bfloat16"},
    {ElementType::kSint8, "sint8"},     {ElementType::kSint16, "sint16"},
    {ElementType::kSint32, "sint32"},   {ElementType::kSint64, "sint64"},
    {ElementType::kUint8, "uint8"},     {ElementType::kUint16, "uint16"},
    {ElementType::kUint32, "uint32"},   {ElementType::kUint64, "uint64"},
};

// The tags of types.
constexpr struct {
  char tag;
  Kind kind;
} kKinds[] = {
    {'B', Kind::kBuffer},
    {'S', Kind::kScalar},
    {'O', Kind::kRefObject},
    {'U', Kind::kUnrecognized},
};

constexpr char kElementTag = 't';
constexpr char kDimensionTag = 'd';
constexpr char kLayoutTag = 'c';

size_t NumberOf(ElementType type) {
  const auto* row = std::find_if(
      std::begin(kScalarTypes), std::end(kScalarTypes),
      [type](const auto& candidate) { return candidate.type == type; });
  return row - std::begin(kScalarTypes);
}

// Reads the parts of a type's span in the order of the grammar: element type,
// dimensions, layout.
class TypeReader {
 public:
  explicit TypeReader(RawType& type) : type_(type) {}

  absl::Status Read(const Component& component) {
    const bool has_element =
        type_.kind == Kind::kBuffer || type_.kind == Kind::kScalar;
    if (component.tag == kElementTag && has_element) return Element(component);
    if (type_.kind == Kind::kBuffer) {
      if (component.tag == kDimensionTag) return Dimension(component);
      if (component.tag == kLayoutTag) return Order(component);
    }
    return ErrorAt(component.offset,
                   absl::StrCat(TagText(component.tag), " is in a type '",
                                NameOfKind(), "', which does not allow it."));
  }

 private:
  absl::string_view NameOfKind() const {
    for (const auto& row : kKinds) {
      if (row.kind == type_.kind) return absl::string_view(&row.tag, 1);
    }
    return "";
  }

  absl::Status Element(const Component& component) {
    if (read_any_) {
      return ErrorAt(component.offset,
                     "an element type must come first in its type.");
    }
    read_any_ = true;
    const size_t count = std::size(kScalarTypes);
    if (component.integer < 0 ||
        static_cast<uint64_t>(component.integer) >= count) {
      return ErrorAt(component.offset,
                     absl::StrCat("element type ", component.integer,
                                  "; expected 0 to ", count - 1, "."));
    }
    type_.element = kScalarTypes[component.integer].type;
    return absl::OkStatus();
  }

  absl::Status Dimension(const Component& component) {
    read_any_ = true;
    if (type_.layout != Layout::kUnspecified) {
      return ErrorAt(component.offset,
                     "a dimension must come before the layout.");
    }
    if (component.integer < RawType::kDynamic) {
      return ErrorAt(component.offset,
                     absl::StrCat("dimension ", component.integer,
                                  " is less than -1, which means dynamic."));
    }
    if (type_.shape.size() == RawType::kMaxRank) {
      return ErrorAt(component.offset,
                     absl::StrCat("a dimension above the limit of ",
                                  RawType::kMaxRank, "."));
    }
    type_.shape.push_back(component.integer);
    return absl::OkStatus();
  }

  absl::Status Order(const Component& component) {
    read_any_ = true;
    if (type_.layout != Layout::kUnspecified) {
      return ErrorAt(component.offset, "a second layout.");
    }
    if (component.integer != 0 && component.integer != 1) {
      return ErrorAt(component.offset,
                     absl::StrCat("layout ", component.integer,
                                  "; 0 is row-major, 1 is column-major."));
    }
    type_.layout =
        component.integer == 0 ? Layout::kRowMajor : Layout::kColumnMajor;
    return absl::OkStatus();
  }

  RawType& type_;
  bool read_any_ = false;
};

absl::StatusOr<RawType> ReadType(const Component& component) {
  RawType type;
  const auto* row = std::find_if(
      std::begin(kKinds), std::end(kKinds),
      [&](const auto& candidate) { return candidate.tag == component.tag; });
  if (row == std::end(kKinds)) {
    return ErrorAt(component.offset,
                   absl::StrCat(TagText(component.tag),
                                " is not a type ('B', 'S', 'O' or 'U')."));
  }
  type.kind = row->kind;
  TypeReader reader(type);
  RETURN_IF_ERROR(SignatureParser(component).Visit(
      [&](const Component& part) { return reader.Read(part); }));
  return type;
}

absl::StatusOr<std::vector<RawType>> ReadTypes(const Component& span) {
  std::vector<RawType> types;
  RETURN_IF_ERROR(SignatureParser(span).Visit(
      [&](const Component& component) -> absl::Status {
        ASSIGN_OR_RETURN(RawType type, ReadType(component));
        types.push_back(std::move(type));
        return absl::OkStatus();
      }));
  return types;
}

std::string JoinTypes(const std::vector<RawType>& types) {
  return absl::StrJoin(types, ", ", [](std::string* out, const RawType& type) {
    out->append(type.ToString());
  });
}

}  // namespace

absl::string_view ScalarTypeName(ElementType type) {
  const size_t number = NumberOf(type);
  return number < std::size(kScalarTypes) ? kScalarTypes[number].name : "";
}

std::vector<ElementType> ScalarTypes() {
  std::vector<ElementType> types;
  for (const auto& row : kScalarTypes) types.push_back(row.type);
  return types;
}

bool RawType::is_static() const {
  if (kind == Kind::kScalar) return true;
  return kind == Kind::kBuffer && TensorType::is_static();
}

std::string RawType::ToString() const {
  switch (kind) {
    case Kind::kBuffer:
      break;
    case Kind::kScalar:
      return std::string(ScalarTypeName(element));
    case Kind::kRefObject:
      return "RefObject<?>";
    case Kind::kUnrecognized:
      return "!UNKNOWN!";
  }
  const hal::TensorType dimensions = {hal::ElementType::kNone, shape};
  absl::string_view order;
  if (layout == Layout::kRowMajor) order = ", row-major";
  if (layout == Layout::kColumnMajor) order = ", column-major";
  return absl::StrCat("Buffer<", ScalarTypeName(element), "[",
                      dimensions.ToString(), "]", order, ">");
}

absl::StatusOr<RawSignature> RawSignature::Parse(absl::string_view text) {
  SignatureParser parser(text);
  RawSignature signature;
  ASSIGN_OR_RETURN(const Component inputs, parser.Expect('I', "the inputs"));
  ASSIGN_OR_RETURN(signature.inputs, ReadTypes(inputs));
  ASSIGN_OR_RETURN(const Component results, parser.Expect('R', "the results"));
  ASSIGN_OR_RETURN(signature.results, ReadTypes(results));
  RETURN_IF_ERROR(parser.ExpectEnd("the results"));
  return signature;
}

std::string RawSignature::ToString() const {
  return absl::StrCat("(", JoinTypes(inputs), ") -> (", JoinTypes(results),
                      ")");
}

}  // namespace eyrie::abi::v0
