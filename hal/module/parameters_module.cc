// Validates the arguments of load, gather and scatter, and of the load, read
// and write of 20231113, which name one key.
//
// Keys are a table of (offset, length) pairs of 32-bit numbers into a block of
// text. Spans are triples of 64-bit numbers: the offset in the parameter, the
// offset in the buffer, and the length. Source of the format:
// compiler/src/iree/compiler/Modules/IO/Parameters/io_parameters.imports.mlir.
#include "hal/module/parameters_module.h"

#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/byte_reader.h"
#include "base/checked_math.h"
#include "base/status_macros.h"
#include "hal/module/arguments.h"
#include "hal/module/parameter_transfers.h"
#include "hal/module/state.h"
#include "vm/native/native_binding.h"
#include "vm/object/buffer.h"
#include "vm/object/list.h"

namespace eyrie::hal {
namespace {

constexpr uint32_t kVersion = 0;
constexpr uint64_t kKeySize = 2 * sizeof(uint32_t);
constexpr uint64_t kSpanSize = 3 * sizeof(uint64_t);

class ParametersState final : public HalModuleState {
 public:
  ParametersState(std::shared_ptr<const HalModuleConfig> config,
                  std::shared_ptr<const ParameterScopes> scopes)
      : HalModuleState(std::move(config)), scopes_(std::move(scopes)) {}

  // Finds a parameter as ParameterScopes::Find does. If only files without a
  // scope are given, they serve one scope of the program, the first that is
  // found in them: compilers name theirs "model".
  absl::StatusOr<const Parameter*> Find(absl::string_view scope,
                                        absl::string_view key) {
    const auto& given = scopes_->scopes();
    const bool is_alone = given.size() == 1 && given[0].first.empty();
    if (!is_alone || (served_ && *served_ != scope)) {
      return scopes_->Find(scope, key);
    }
    auto found = scopes_->Find("", key);
    if (found.ok() && !served_) served_ = std::string(scope);
    return found;
  }

 private:
  std::shared_ptr<const ParameterScopes> scopes_;
  std::optional<std::string> served_;  // by files without a scope
};

// A range of a parameter that a call requests.
struct Request {
  const Parameter* parameter;
  ParameterSpan span;
};

// Finds a parameter and checks the span. Takes fuel, because there may be
// millions. OUT_OF_RANGE: the span exceeds the parameter. NOT_FOUND: the
// parameter does not exist.
absl::StatusOr<Request> FindRequest(ParametersState& state,
                                    absl::string_view scope,
                                    absl::string_view key,
                                    const ParameterSpan& span) {
  RETURN_IF_ERROR(state.Work(1));
  RETURN_IF_ERROR(state.WorkOnBytes(uint64_t{key.size()} + scope.size()));
  ASSIGN_OR_RETURN(const Parameter* const parameter, state.Find(scope, key));
  if (!RangeFits(span.parameter_offset, span.length, parameter->length)) {
    return absl::OutOfRangeError(absl::StrCat(
        span.length, " bytes at offset ", span.parameter_offset,
        " are not within the parameter ", QuotedName(parameter->key),
        ", which has ", parameter->length, " bytes."));
  }
  return Request{parameter, span};
}

// The requests of a call: keys of one scope, each with a span.
class Requests {
 public:
  // INVALID_ARGUMENT: the spans are not triples, or not one per key.
  static absl::StatusOr<Requests> Read(ParametersState& state,
                                       const vm::Buffer* scope,
                                       const vm::Buffer& key_table,
                                       const vm::Buffer& key_data,
                                       const vm::Buffer& spans);

  uint64_t count() const { return spans_.size() / kSpanSize; }
  // Reads a request. OUT_OF_RANGE: the key exceeds the text. Otherwise fails as
  // FindRequest.
  absl::StatusOr<Request> At(uint64_t index) const;

 private:
  Requests() = default;

  ParametersState* state_ = nullptr;
  absl::string_view scope_;
  std::span<const uint8_t> table_;
  absl::string_view text_;
  std::span<const uint8_t> spans_;
};

absl::StatusOr<Requests> Requests::Read(ParametersState& state,
                                        const vm::Buffer* scope,
                                        const vm::Buffer& key_table,
                                        const vm::Buffer& key_data,
                                        const vm::Buffer& spans) {
  Requests requests;
  requests.state_ = &state;
  if (scope != nullptr) requests.scope_ = scope->text();
  requests.table_ = key_table.bytes();
  requests.text_ = key_data.text();
  requests.spans_ = spans.bytes();
  if (spans.size() % kSpanSize != 0) {
    return absl::InvalidArgumentError(
        absl::StrCat("The table of spans has ", spans.size(),
                     " bytes; expected a multiple of ", kSpanSize, "."));
  }
  if (requests.count() > key_table.size() / kKeySize) {
    return absl::InvalidArgumentError(
        absl::StrCat("The table of keys has ", key_table.size(),
                     " bytes; expected at least ", requests.count() * kKeySize,
                     ", a key of ", kKeySize, " bytes for each span."));
  }
  return requests;
}

absl::StatusOr<Request> Requests::At(uint64_t index) const {
  const uint8_t* pair = table_.data() + index * kKeySize;
  const uint32_t offset = LoadLittleEndian<uint32_t>(pair);
  const uint32_t length = LoadLittleEndian<uint32_t>(pair + sizeof(offset));
  if (!RangeFits(offset, length, text_.size())) {
    return absl::OutOfRangeError(absl::StrCat("Key ", index, " has ", length,
                                              " bytes at offset ", offset,
                                              " of ", text_.size(), "."));
  }
  return FindRequest(
      *state_, scope_, text_.substr(offset, length),
      LoadLittleEndian<ParameterSpan>(spans_.data() + index * kSpanSize));
}
static_assert(sizeof(ParameterSpan) == kSpanSize);

absl::StatusOr<Ref<vm::List>> LoadAll(const ParametersState& state,
                                      const Requests& requests,
                                      const BufferParams& params,
                                      ParameterTransfers& transfers) {
  ASSIGN_OR_RETURN(
      Ref<vm::List> buffers,
      vm::List::Create({vm::ElementType::Kind::kRef, &Buffer::kType},
                       requests.count(), state.memory()));
  RETURN_IF_ERROR(buffers->Resize(requests.count()));
  for (uint64_t i = 0; i < requests.count(); ++i) {
    ASSIGN_OR_RETURN(const Request request, requests.At(i));
    ASSIGN_OR_RETURN(Ref<Buffer> buffer,
                     transfers.Load(*request.parameter, params, request.span));
    RETURN_IF_ERROR(buffers->SetRef(i, std::move(buffer)));
  }
  return buffers;
}

absl::StatusOr<Ref<vm::List>> Load(ParametersState& state, Device& device,
                                   int64_t, Fence* wait, Fence* signal,
                                   vm::Buffer* scope, int64_t target_affinity,
                                   int32_t memory_types, int32_t buffer_usage,
                                   vm::Buffer& key_table, vm::Buffer& key_data,
                                   vm::Buffer& spans) {
  ParameterTransfers transfers(state, device, wait, signal);
  const absl::StatusOr<Requests> requests =
      Requests::Read(state, scope, key_table, key_data, spans);
  if (!requests.ok()) return transfers.End(requests.status());
  absl::StatusOr<Ref<vm::List>> buffers =
      LoadAll(state, *requests,
              state.CreateParams(device.allocator(), memory_types, buffer_usage,
                                 target_affinity),
              transfers);
  RETURN_IF_ERROR(transfers.End(buffers.status()));
  return buffers;
}

// The request of an import of 20231113, like Requests with one key.
struct OneRequest {
  // OUT_OF_RANGE: a number is negative. Otherwise fails as FindRequest.
  static absl::StatusOr<OneRequest> Read(ParametersState& state,
                                         const vm::Buffer* scope,
                                         const vm::Buffer& key,
                                         int64_t parameter_offset,
                                         int64_t buffer_offset, int64_t length);

  uint64_t count() const { return 1; }
  absl::StatusOr<Request> At(uint64_t) const { return only; }

  Request only;
};

absl::StatusOr<OneRequest> OneRequest::Read(
    ParametersState& state, const vm::Buffer* scope, const vm::Buffer& key,
    int64_t parameter_offset, int64_t buffer_offset, int64_t length) {
  ParameterSpan span;
  ASSIGN_OR_RETURN(span.parameter_offset,
                   ReadSize("offset of a parameter", parameter_offset));
  ASSIGN_OR_RETURN(span.buffer_offset,
                   ReadSize("offset of a buffer", buffer_offset));
  ASSIGN_OR_RETURN(span.length, ReadSize("length of a parameter", length));
  ASSIGN_OR_RETURN(
      const Request request,
      FindRequest(state, scope == nullptr ? absl::string_view() : scope->text(),
                  key.text(), span));
  return OneRequest{request};
}

absl::StatusOr<Ref<Buffer>> LoadOne(ParametersState& state, Device& device,
                                    int64_t, Fence* wait, Fence* signal,
                                    vm::Buffer* scope, vm::Buffer& key,
                                    int64_t offset, int64_t target_affinity,
                                    int32_t memory_types, int32_t buffer_usage,
                                    int64_t length) {
  ParameterTransfers transfers(state, device, wait, signal);
  const absl::StatusOr<OneRequest> one =
      OneRequest::Read(state, scope, key, offset, 0, length);
  if (!one.ok()) return transfers.End(one.status());
  absl::StatusOr<Ref<Buffer>> buffer =
      transfers.Load(*one->only.parameter,
                     state.CreateParams(device.allocator(), memory_types,
                                        buffer_usage, target_affinity),
                     one->only.span);
  RETURN_IF_ERROR(transfers.End(buffer.status()));
  return buffer;
}

// Calls `transfer` for each request, on a device that can use the buffer.
// `Source` is Requests or OneRequest.
template <typename Source, typename Transfer>
absl::Status ForEach(ParametersState& state, Device& device,
                     const Buffer& buffer, Fence* wait, Fence* signal,
                     const absl::StatusOr<Source>& requests,
                     Transfer transfer) {
  QueueFences fences = state.Fences(wait, signal);
  ASSIGN_OR_RETURN(Device* const at,
                   state.group().Reaching(device, buffer, fences));
  ParameterTransfers transfers(state, *at, wait, signal);
  absl::Status status = requests.status();
  for (uint64_t i = 0; status.ok() && i < requests->count(); ++i) {
    const absl::StatusOr<Request> request = requests->At(i);
    status = request.status();
    if (status.ok()) status = transfer(transfers, *request);
  }
  return transfers.End(status);
}

// Copies the requested ranges of parameters to `target`.
template <typename Source>
absl::Status ReadEach(ParametersState& state, Device& device, Buffer& target,
                      Fence* wait, Fence* signal,
                      const absl::StatusOr<Source>& requests) {
  return ForEach(state, device, target, wait, signal, requests,
                 [&](ParameterTransfers& transfers, const Request& request) {
                   return transfers.Read(*request.parameter, request.span,
                                         Ref<Buffer>::Share(&target));
                 });
}

// Copies ranges of `source` to the requested ranges of parameters.
template <typename Source>
absl::Status WriteEach(ParametersState& state, Device& device, Buffer& source,
                       Fence* wait, Fence* signal,
                       const absl::StatusOr<Source>& requests) {
  return ForEach(state, device, source, wait, signal, requests,
                 [&](ParameterTransfers& transfers, const Request& request) {
                   return transfers.Write(Ref<Buffer>::Share(&source),
                                          *request.parameter, request.span);
                 });
}

absl::Status Gather(ParametersState& state, Device& device, int64_t,
                    Fence* wait, Fence* signal, vm::Buffer* scope,
                    Buffer& target, vm::Buffer& key_table, vm::Buffer& key_data,
                    vm::Buffer& spans) {
  return ReadEach(state, device, target, wait, signal,
                  Requests::Read(state, scope, key_table, key_data, spans));
}

absl::Status ReadOne(ParametersState& state, Device& device, int64_t,
                     Fence* wait, Fence* signal, vm::Buffer* scope,
                     vm::Buffer& key, int64_t offset, Buffer& target,
                     int64_t target_offset, int64_t length) {
  return ReadEach(
      state, device, target, wait, signal,
      OneRequest::Read(state, scope, key, offset, target_offset, length));
}

absl::Status Scatter(ParametersState& state, Device& device, int64_t,
                     Fence* wait, Fence* signal, Buffer& source,
                     vm::Buffer* scope, vm::Buffer& key_table,
                     vm::Buffer& key_data, vm::Buffer& spans) {
  return WriteEach(state, device, source, wait, signal,
                   Requests::Read(state, scope, key_table, key_data, spans));
}

absl::Status WriteOne(ParametersState& state, Device& device, int64_t,
                      Fence* wait, Fence* signal, vm::Buffer* scope,
                      vm::Buffer& key, int64_t offset, Buffer& source,
                      int64_t source_offset, int64_t length) {
  return WriteEach(
      state, device, source, wait, signal,
      OneRequest::Read(state, scope, key, offset, source_offset, length));
}

constexpr vm::NativeFunction kParameterImports[] = {
#define HAL_IMPORT(name, signature, function, first, last, ...) \
  vm::Bind<function>(name, signature),
#include "hal/module/parameters_imports.def"
#undef HAL_IMPORT
};

}  // namespace

absl::StatusOr<std::shared_ptr<const vm::NativeModule>> CreateParametersModule(
    std::vector<Ref<Device>> devices,
    std::shared_ptr<const ParameterScopes> scopes) {
  if (scopes == nullptr) scopes = std::make_shared<const ParameterScopes>();
  auto config = std::make_shared<const HalModuleConfig>(
      HalModuleConfig{DeviceGroup(std::move(devices)), {}});
  return vm::NativeModule::Create(
      kParametersModuleName, kVersion, kParameterImports,
      [config, scopes]() -> absl::StatusOr<std::unique_ptr<vm::ModuleState>> {
        return std::make_unique<ParametersState>(config, scopes);
      });
}

}  // namespace eyrie::hal
