// What a function takes and returns as its caller sees it: names and types
// from the best source that its export has.
//
//   iree.abi, or else d    JSON records, "a" for arguments and "r" for results
//   sip, f                 V0: structures, and the raw types in them
//   iree.abi.declaration   the source's own types
//   calling convention     registers alone
// docs/abi.md has the rules. A signature is also the plan of a call: marshal.h
// walks its types. Immutable once read.
// Tested by signature_test.cc, json_fuzz.cc.
#ifndef EYRIE_ABI_SIGNATURE_H_
#define EYRIE_ABI_SIGNATURE_H_

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
#include "vm/isa/callconv.h"
#include "vm/module/module_def.h"
#include "vm/isa/value.h"

namespace eyrie::abi {

struct Member;
struct StructuredCall;
struct Structures;

// A type as a caller sees it.
struct Type {
  enum class Kind : uint8_t {
    kUnknown,      // anything
    kNull,         // a null reference
    kScalar,       // a number or boolean
    kArray,        // of numbers: carried by a buffer view
    kRefArray,     // of anything else: a list of values and one of dimensions
    kBytes,        // carried by a vm.buffer
    kByteList,     // carried by a list of i8
    kBuffer,       // a hal.buffer: bytes on a device
    kList,         // slots of their own types
    kTuple,        // the same, read-only to the caller
    kDict,         // the same, with keys
    kHomogeneous,  // any number of elements of one type: members[0]
    kAnyList,      // any number of elements of any types
    kFence,
  };
  static constexpr int64_t kDynamic = -1;

  Kind kind = Kind::kUnknown;
  // Of scalars and arrays; kNone if not known. i1 is Bool8; an integer of a
  // width without a name has its code (hal/element_type.h).
  hal::ElementType element = hal::ElementType::kNone;
  bool ranked = false;          // of arrays
  bool takes_keywords = false;  // a dict of keyword arguments (sdict_kwargs)
  std::vector<int64_t> shape;   // kDynamic where not known
  std::vector<Member> members;
  std::string text;  // the name of a type that is not known here

  bool is(Kind other) const { return kind == other; }
  // True for what a caller may give as nested lists with fixed slots.
  bool is_structure() const {
    return kind == Kind::kList || kind == Kind::kTuple || kind == Kind::kDict;
  }
  // "i32", "?x4xf32", "*xf32", "[i32, f32]", "(i32,)", "{a: i32}",
  // "list<i32>", "bytes", "unknown".
  std::string ToString() const;
};

struct Member {
  std::string key;  // of dicts
  Type type;
};

// "i32", or the name of a width without one.
std::string ElementText(hal::ElementType element);

// An argument or result.
struct Parameter {
  std::string name;      // may be empty
  bool keyword = false;  // may be given by name
  Type type;
  vm::ValueType carrier = vm::ValueType::kRef;
  // Of an argument that is storage for a result: the result's index.
  std::optional<int> storage_of;
};

enum class SignatureSource : uint8_t {
  kReflection,
  kV0,
  kDeclaration,
  kConvention,
};

// What the raw convention of V0 adds to a signature.
struct RawCall {
  v0::RawSignature signature;
  // The function that allocates results (attribute fbr); may be empty.
  std::string allocator;
  // What the function takes behind the arguments of the signature: storage
  // for results, each with the index of its own.
  std::vector<Parameter> storage;
  // The function returns nothing: its results are the storage it fills.
  bool fills = false;
};

class Signature {
 public:
  static constexpr size_t kMaxDepth = 32;  // of types within types
  static constexpr size_t kMaxRank = 64;

  // INVALID_ARGUMENT: the records are malformed, with the byte, or speak of
  // other arguments than the convention has. Whatever a record adds to what
  // is known here is an unknown type or passed over.
  static absl::StatusOr<Signature> Read(
      absl::string_view function, std::span<const vm::Attribute> attributes,
      const vm::CallingConvention& convention);
  // The same from declaration and convention alone.
  static Signature ReadDeclared(absl::string_view function,
                                std::span<const vm::Attribute> attributes,
                                const vm::CallingConvention& convention);

  absl::string_view function() const { return function_; }
  SignatureSource source() const { return source_; }
  // "iree.abi", "d", "sip", "f", "iree.abi.declaration", "calling
  // convention".
  absl::string_view source_name() const { return source_name_; }
  // Text for a reader, from a record or attribute "doc"; may be empty.
  const std::string& doc() const { return doc_; }

  // Without the fences of an asynchronous function, and in V0 without storage.
  std::span<const Parameter> arguments() const { return arguments_; }
  // As the caller sees them: one list may stand for all that is returned.
  std::span<const Parameter> results() const { return results_; }
  // What the function returns, or fills. If results_are_slots(), one for each
  // slot of the only result, else one for each of results().
  std::span<const vm::ValueType> result_carriers() const { return carriers_; }
  bool results_are_slots() const { return results_are_slots_; }

  // Of a function of V0's raw convention; else null. What structures are made
  // of has it, not they.
  const RawCall* raw() const { return raw_.get(); }
  // Of a function of V0's structures; else null. structures.h has it.
  const StructuredCall* structured() const { return structured_.get(); }
  const std::shared_ptr<const RawCall>& shared_raw() const { return raw_; }

  // "argument 0 ('x')", "result 1"; of what structures are made of,
  // "argument 0 ('x')['a']".
  std::string ArgumentName(size_t index) const;
  std::string ResultName(size_t index) const;
  // "add(x: 4xf32, y: ?xf32) -> 4xf32"; names before a '/' are no keywords.
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
  // Of what structures are made of: where in them each stands.
  std::shared_ptr<const Structures> places_;
};

// True if two fences follow the arguments: wait and signal.
bool TakesFences(std::span<const vm::Attribute> attributes,
                 const vm::CallingConvention& convention);

}  // namespace eyrie::abi

#endif  // EYRIE_ABI_SIGNATURE_H_
