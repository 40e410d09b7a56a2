#include "vm/jit/thunks.h"

#include <cstddef>
#include <cstring>
#include <memory>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "asmjit/core.h"
#include "base/status_macros.h"
#include "vm/jit/errors.h"
#include "vm/jit/thunk_writer.h"

namespace eyrie::vm::jit {
namespace {

// A thunk: the field for its address, its name for debuggers, and what writes
// it.
struct Thunk {
  size_t field;
  const char* name;
  void (*write)(ThunkWriter& writer);
};

template <auto kFunction, bool kKeeps>
void WriteEdge(ThunkWriter& writer) {
  writer.CallEdge(reinterpret_cast<uint64_t>(kFunction), kKeeps);
}

template <void (ThunkWriter::*kWrite)()>
void Write(ThunkWriter& writer) {
  (writer.*kWrite)();
}

using T = CompiledThunks;
using W = ThunkWriter;
constexpr Thunk kThunks[] = {
    {offsetof(T, enter), "eyrie::enter", &Write<&W::Enter>},
    {offsetof(T, step), "eyrie::step", &WriteEdge<&CompiledRunStep, false>},
    {offsetof(T, slow_step), "eyrie::slow_step",
     &WriteEdge<&CompiledRunStep, true>},
    {offsetof(T, import), "eyrie::import", &Write<&W::CallImport>},
    {offsetof(T, yieldable), "eyrie::yieldable",
     &WriteEdge<&CompiledImport, false>},
    {offsetof(T, charge), "eyrie::charge", &WriteEdge<&CompiledCharge, true>},
    {offsetof(T, leave), "eyrie::leave", &WriteEdge<&CompiledLeave, false>},
    {offsetof(T, uncompiled), "eyrie::uncompiled", &Write<&W::Resolve>},
    {offsetof(T, drop), "eyrie::drop", &Write<&W::Drop>},
};

// Returns the start of each thunk.
std::vector<asmjit::Label> WriteAll(ThunkWriter& writer) {
  asmjit::BaseAssembler& a = writer.assembler();
  std::vector<asmjit::Label> labels;
  a.embedUInt64(0, 2);  // sanitizers may read before a function
  for (const Thunk& thunk : kThunks) {
    a.align(asmjit::AlignMode::kCode, 16);
    labels.push_back(a.newLabel());
    a.bind(labels.back());
    writer.Note(0);
    thunk.write(writer);
  }
  return labels;
}

}  // namespace

absl::StatusOr<ThunkCode> CreateThunks(CodeMemory& memory) {
  const auto failed = [] {
    return absl::ResourceExhaustedError(
        "Cannot create the code that all compiled functions call; there may "
        "not be enough memory.");
  };
  asmjit::CodeHolder code;
  Errors errors;
  if (code.init(asmjit::Environment::host()) != asmjit::kErrorOk) {
    return failed();
  }
  code.setErrorHandler(&errors);
  const std::unique_ptr<ThunkWriter> writer = NewThunkWriter(code);
  const std::vector<asmjit::Label> labels = WriteAll(*writer);
  if (errors.any() || code.flatten() != asmjit::kErrorOk ||
      code.resolveUnresolvedLinks() != asmjit::kErrorOk ||
      code.relocateToBase(0) != asmjit::kErrorOk) {
    return failed();
  }
  std::vector<uint8_t> bytes(code.codeSize());
  if (code.copyFlattenedData(bytes.data(), bytes.size()) != asmjit::kErrorOk) {
    return failed();
  }
  ThunkCode made = {};
  ASSIGN_OR_RETURN(made.code, memory.Publish(bytes.data(), bytes.size()));
  made.size = bytes.size();
  made.unwinding = std::move(writer->unwinding());
  for (size_t i = 0; i < labels.size(); ++i) {
    const uint64_t begin = code.labelOffset(labels[i]);
    const uint64_t end =
        i + 1 < labels.size() ? code.labelOffset(labels[i + 1]) : made.size;
    made.names.push_back({kThunks[i].name, begin, end - begin});
    const uint8_t* const place = made.code + begin;
    std::memcpy(reinterpret_cast<uint8_t*>(&made.thunks) + kThunks[i].field,
                &place, sizeof(place));
  }
  return made;
}

}  // namespace eyrie::vm::jit
