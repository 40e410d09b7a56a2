// The arguments and results of a function, as its caller sees them: names and
// types from the best source in its export.
//
//   iree.abi, or else d    JSON records, "a" for arguments and "r" for results
//   sip, f                 V0: structures, and the raw types in them
//   iree.abi.declaration   the types in the source code
//   calling convention     only registers
// docs/abi.md has the rules. abi/value/encoder.h encodes calls by a signature's
// types. Immutable once read.
// Tested by signature_test.cc, abi/call/testing/json_fuzz.cc.
#ifndef EYRIE_ABI_SIGNATURE_SIGNATURE_H_
#define EYRIE_ABI_SIGNATURE_SIGNATURE_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "abi/v0/raw_signature.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "hal/element_type.h"
#include "hal/tensor_type.h"
#include "vm/isa/callconv.h"
#include "vm/isa/value.h"
#include "vm/module/module_def.h"

namespace eyrie::abi {

struct Member;
struct StructuredCall;
struct Structures;

// A type as a caller sees it. The tensor's type is that of an array; a scalar
// has its element, and an array of references its dimensions.
struct Type : hal::TensorType {
  enum class Kind : uint8_t {
    kUnknown,      // anything
    kNull,         // a null reference
    kScalar,       // a number or boolean
    kArray,        // numbers: passed as a buffer view
    kRefArray,     // other elements: lists of values and dimensions
    kBytes,        // passed as a vm.buffer
    kByteList,     // passed as a list of i8
    kBuffer,       // a hal.buffer: bytes on a device
    kList,         // slots, each with its own type
    kTuple,        // the same, read-only to the caller
    kDict,         // the same, with keys
    kHomogeneous,  // any number of elements of one type: members[0]
    kAnyList,      // any number of elements of any types
    kFence,
  };

  Type();
  // Returns the type that says nothing.
  static const Type& Any();

  // i1 is Bool8. An integer of an unusual width has its code
  // (hal/element_type.h).
  Kind kind = Kind::kUnknown;
  bool takes_keywords = false;  // a dict of keyword arguments (sdict_kwargs)
  std::vector<Member> members;
  std::string text;  // the name of an unknown type or element

  bool is(Kind other) const { return kind == other; }
  // Reports whether the type is a list, tuple or dict with fixed slots.
  bool is_structure() const {
    return kind == Kind::kList || kind == Kind::kTuple || kind == Kind::kDict;
  }
  // Reports whether the type is passed as a list.
  bool is_list() const {
    return is_structure() || kind == Kind::kHomogeneous ||
           kind == Kind::kRefArray || kind == Kind::kAnyList ||
           kind == Kind::kByteList;
  }
  // Returns "i32", "?x4xf32", "*xf32", "array", "[i32, f32]", "(i32,)", "{a:
  // i32}", "list<i32>", "bytes" or "unknown".
  std::string ToString() const;
  // Returns how a tensor differs from an array of this type; see TensorType.
  std::string Difference(hal::ElementType given,
                         std::span<const int64_t> given_shape) const {
    return TensorType::Difference(given, given_shape, ToString());
  }
  std::string ShapeDifference(std::span<const int64_t> given) const {
    return TensorType::ShapeDifference(given, ToString());
  }
};

struct Member {
  std::string key;  // for dicts
  Type type;
};

inline Type::Type() { ranked = false; }

// Returns the type's name: "i32". Integers of unusual widths are named the same
// way.
std::string ElementText(hal::ElementType element);

// An argument or result.
struct Parameter {
  std::string name;      // may be empty
  bool keyword = false;  // may be given by name
  Type type;
  vm::ValueType carrier = vm::ValueType::kRef;
  // The index of the result that this argument is storage for, if it is.
  std::optional<int> storage_of;
};

enum class SignatureSource : uint8_t {
  kReflection,
  kV0,
  kDeclaration,
  kInferred,  // from the function's code
  kConvention,
};

// The part of a signature that only functions with V0's raw convention have.
struct RawCall {
  v0::RawSignature signature;
  // The name of the function that allocates results (attribute fbr); may be
  // empty.
  std::string allocator;
  // The arguments after those of the signature: storage for results. Each has
  // the index of its result.
  std::vector<Parameter> storage;
  // True if the function returns nothing and its results are the storage that
  // it fills.
  bool fills = false;
};

class Signature {
 public:
  static constexpr size_t kMaxDepth = 32;  // of nested types
  static constexpr size_t kMaxRank = 64;

  absl::string_view function() const { return function_; }
  SignatureSource source() const { return source_; }
  // One of "iree.abi", "d", "sip", "f", "iree.abi.declaration", "inferred" and
  // "calling convention".
  absl::string_view source_name() const { return source_name_; }
  // Documentation for users, from a record or the attribute "doc"; may be
  // empty.
  const std::string& doc() const { return doc_; }

  // Excludes the fences of an asynchronous function and, in V0, storage.
  std::span<const Parameter> arguments() const { return arguments_; }
  // The results as the caller sees them: one list may combine all values that
  // the function returns.
  std::span<const Parameter> results() const { return results_; }
  // The types of the values that the function returns or fills. If
  // results_are_slots(), there is one for each slot of the only result, else
  // one for each result.
  std::span<const vm::ValueType> result_carriers() const { return carriers_; }
  bool results_are_slots() const { return results_are_slots_; }

  // For a function with V0's raw convention; else null. A signature with
  // structures has null, and its flat signature has the RawCall.
  const RawCall* raw() const { return raw_.get(); }
  // For a function with V0's structures; else null. See structures.h.
  const StructuredCall* structured() const { return structured_.get(); }
  const std::shared_ptr<const RawCall>& shared_raw() const { return raw_; }

  // Return "argument 0 ('x')" or "result 1"; in a flat signature the place in
  // the structures, "argument 0 ('x')['a']".
  std::string ArgumentName(size_t index) const;
  std::string ResultName(size_t index) const;
  // Returns "(x: 4xf32, y: ?xf32)". As in Python, arguments before a '/' cannot
  // be passed by name.
  std::string ArgumentsText() const;
  // Returns "add(x: 4xf32, y: ?xf32) -> 4xf32".
  std::string ToString() const;

 private:
  friend class SignatureReader;
  friend class StructureReader;

  std::string function_;
  SignatureSource source_ = SignatureSource::kConvention;
  std::string source_name_;
  std::string doc_;
  std::vector<Parameter> arguments_;
  std::vector<Parameter> results_;
  std::vector<vm::ValueType> carriers_;
  bool results_are_slots_ = false;
  std::shared_ptr<const RawCall> raw_;
  std::shared_ptr<const StructuredCall> structured_;
  // For a flat signature: the places of its values in the structures.
  std::shared_ptr<const Structures> places_;
};

}  // namespace eyrie::abi

#endif  // EYRIE_ABI_SIGNATURE_SIGNATURE_H_
