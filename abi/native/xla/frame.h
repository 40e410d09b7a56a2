// A call frame and all data that it points to but buffers, built once and
// filled for each call.
//
// Used by one call at a time.
// Tested by tools/native_test.sh.
#ifndef EYRIE_ABI_NATIVE_XLA_FRAME_H_
#define EYRIE_ABI_NATIVE_XLA_FRAME_H_

#include <array>
#include <cstdint>
#include <deque>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "abi/native/attributes.h"
#include "abi/native/ffi_types.h"
#include "abi/native/xla/context.h"
#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "eyrie/xla_ffi.h"

namespace eyrie::native {

// Returns the address of a library's symbol.
using SymbolFinder =
    absl::FunctionRef<absl::StatusOr<void*>(const std::string& name)>;

// Attributes in the form that handlers receive, built once per import and read
// by every call. Owns all data that its structs point to. Immutable; cannot be
// copied or moved.
class AttributePack {
 public:
  // NOT_FOUND: the library does not have a symbol.
  static absl::StatusOr<std::unique_ptr<const AttributePack>> Create(
      Attributes attributes, SymbolFinder find_symbol);

  AttributePack(const AttributePack&) = delete;
  AttributePack& operator=(const AttributePack&) = delete;

  const eyrie_ffi_attributes_t& attributes() const { return attributes_; }
  // Returns the index of an attribute. `name` must exist.
  size_t IndexOf(const std::string& name) const;

 private:
  AttributePack() = default;
  absl::Status Fill(SymbolFinder find_symbol);
  absl::StatusOr<void*> Add(const Attribute& value, SymbolFinder find_symbol);

  Attributes tree_;
  eyrie_ffi_attributes_t attributes_ = {};
  std::vector<int32_t> kinds_;
  std::vector<eyrie_ffi_bytes_t*> names_;
  std::vector<void*> values_;
  // The data that the structs point to; deques keep addresses stable.
  std::deque<eyrie_ffi_bytes_t> texts_;
  std::deque<eyrie_ffi_scalar_t> scalars_;
  std::deque<eyrie_ffi_array_t> arrays_;
  std::deque<int64_t> addresses_;
  std::vector<std::unique_ptr<const AttributePack>> dictionaries_;
};

// The handlers of an import's stages, all of one version. Null: no such stage.
struct FfiHandlers {
  std::array<eyrie_ffi_handler_t*, EYRIE_FFI_STAGES> stages = {};
  int minor = 0;
};

class FfiFrame {
 public:
  // Passes these buffers, at most, and the pack's attributes. All must outlive
  // the frame.
  FfiFrame(const FfiHandlers& handlers, const AttributePack& pack,
           FfiContext& context, std::span<eyrie_ffi_buffer_t> args,
           std::span<eyrie_ffi_buffer_t> results);
  FfiFrame(const FfiFrame&) = delete;
  FfiFrame& operator=(const FfiFrame&) = delete;

  // Sets the number of arguments in this call.
  void set_arg_count(size_t count) {
    frame_.args.count = static_cast<int64_t>(count);
  }

  // Adds an attribute whose value is set per call and replaces the pack's at
  // `index`.
  void AddScalar(size_t index, FfiType type);
  void AddText(size_t index);
  // Values of the added attributes, in the order of the calls; 8 bytes, of
  // which the low ones are used.
  uint64_t& scalar(size_t index) { return scalar_bits_[index]; }
  eyrie_ffi_bytes_t& text(size_t index) { return texts_[index]; }

  // Calls the handlers of all stages from prepare on. The future is null if the
  // handler is done. UNKNOWN: a handler threw an exception.
  absl::Status Run(Ref<eyrie_ffi_future>& future);
  // Calls the stage instantiate, which has no arguments.
  absl::Status Instantiate();

 private:
  absl::Status RunStage(int32_t stage, Ref<eyrie_ffi_future>& future);
  void OwnAttributes();

  const FfiHandlers& handlers_;
  FfiContext& context_;
  const bool one_stage_;
  eyrie_ffi_call_frame_t frame_ = {};
  std::vector<int32_t> kinds_;
  std::vector<void*> pointers_;
  // The per-call attributes. Capacity is reserved, so addresses are stable.
  std::vector<void*> attributes_;
  std::vector<eyrie_ffi_scalar_t> scalars_;
  std::vector<uint64_t> scalar_bits_;
  std::vector<eyrie_ffi_bytes_t> texts_;
};

}  // namespace eyrie::native

#endif  // EYRIE_ABI_NATIVE_XLA_FRAME_H_
