// Unpacks the file into the schema's structs, changes some, and packs them.
#include "tests/fuzz/module_mutator.h"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <memory>
#include <random>
#include <string>
#include <utility>

#include "vm/module/module_object_generated.h"

namespace eyrie::tests {
namespace {

namespace fbs = vm::fbs_object;
using Random = std::mt19937_64;

constexpr uint64_t kMaxBytes = 1 << 20;

size_t Below(Random& random, size_t count) {
  return static_cast<size_t>(random() % count);
}

// Changes a number to one near it or to an edge case.
template <typename T>
void Change(Random& random, T& number) {
  using Limits = std::numeric_limits<T>;
  const T kEdges[] = {T{0},          T{1},          static_cast<T>(-1),
                      Limits::max(), Limits::min(), T{16},
                      T{64}};
  switch (Below(random, 4)) {
    case 0:
      number = kEdges[Below(random, std::size(kEdges))];
      break;
    case 1:
      number = static_cast<T>(number ^ (T{1} << Below(random, 8)));
      break;
    case 2:
      number = static_cast<T>(static_cast<uint64_t>(number) + 1);
      break;
    default:
      number = static_cast<T>(static_cast<uint64_t>(number) - 1);
  }
}

void Change(Random& random, std::string& text) {
  constexpr char kLetters[] = "0iIfFrvCD_.-!";
  const char letter = kLetters[Below(random, sizeof(kLetters) - 1)];
  const size_t at = Below(random, text.size() + 1);
  if (at == text.size() || random() % 2 == 0) {
    text.insert(text.begin() + static_cast<ptrdiff_t>(at), letter);
  } else if (random() % 2 == 0) {
    text.erase(at, 1);
  } else {
    text[at] = letter;
  }
}

// Removes an element, or swaps two.
template <typename T>
void Shuffle(Random& random, std::vector<T>& list) {
  if (list.empty()) return;
  const size_t a = Below(random, list.size());
  const size_t b = Below(random, list.size());
  if (random() % 4 == 0) {
    list.erase(list.begin() + static_cast<ptrdiff_t>(a));
  } else {
    std::swap(list[a], list[b]);
  }
}

// Changes a byte of the bytecode to a small number, because most bytes are
// registers, ordinals or counts; or copies a few bytes to another place.
void ChangeCode(Random& random, std::vector<uint8_t>& code) {
  if (code.size() < 16) return;
  const size_t at = Below(random, code.size());
  switch (Below(random, 4)) {
    case 0:
      code[at] = static_cast<uint8_t>(random() % 16);
      break;
    case 1:
      code[at] = static_cast<uint8_t>(random());
      break;
    case 2:
      code[at] ^= static_cast<uint8_t>(1u << Below(random, 8));
      break;
    default: {
      const size_t size = 1 + Below(random, 12);
      const size_t from = Below(random, code.size() - size);
      const size_t to = Below(random, code.size() - size);
      std::copy_n(code.begin() + static_cast<ptrdiff_t>(from), size,
                  code.begin() + static_cast<ptrdiff_t>(to));
    }
  }
}

void ChangeFunction(Random& random, fbs::Function& function) {
  int32_t offset = function.bytecode_offset();
  int32_t length = function.bytecode_length();
  uint32_t requirements = function.requirements();
  uint16_t blocks = function.block_count();
  uint16_t numbers = function.i32_register_count();
  uint16_t refs = function.ref_register_count();
  switch (Below(random, 6)) {
    case 0:
      Change(random, offset);
      break;
    case 1:
      Change(random, length);
      break;
    case 2:
      Change(random, requirements);
      break;
    case 3:
      Change(random, blocks);
      break;
    case 4:
      Change(random, numbers);
      break;
    default:
      Change(random, refs);
  }
  function =
      fbs::Function(offset, length, requirements, 0, blocks, numbers, refs);
}

template <typename T>
T* Pick(Random& random, std::vector<T>& list) {
  return list.empty() ? nullptr : &list[Below(random, list.size())];
}

void ChangeState(Random& random, fbs::ModuleT& module) {
  if (module.state == nullptr) {
    module.state = std::make_unique<fbs::StateT>();
  }
  Change(random, random() % 2 == 0 ? module.state->global_bytes
                                   : module.state->global_refs);
}

void ChangeRodata(Random& random, fbs::ModuleT& module) {
  auto* rodata = Pick(random, module.rodata);
  if (rodata == nullptr) return;
  Change(random, (*rodata)->external_offset);
  (*rodata)->embedded.resize(Below(random, 64));
}

void ChangeOnce(Random& random, fbs::ModuleT& module) {
  // Usually changes the code, because it has the most effects.
  switch (Below(random, 16)) {
    case 0:
      if (auto* row = Pick(random, module.functions))
        ChangeFunction(random, *row);
      break;
    case 1:
      if (auto* row = Pick(random, module.signatures))
        Change(random, (*row)->calling_convention);
      break;
    case 2:
      if (auto* row = Pick(random, module.exports))
        Change(random, (*row)->function);
      break;
    case 3:
      if (auto* row = Pick(random, module.types))
        Change(random, (*row)->full_name);
      break;
    case 4:
      ChangeState(random, module);
      break;
    case 5:
      ChangeRodata(random, module);
      break;
    case 6:
      Change(random,
             random() % 2 == 0 ? module.bytecode_version : module.requirements);
      break;
    case 7:
      Shuffle(random, module.types);
      break;
    case 8:
      Shuffle(random, module.exports);
      break;
    default:
      ChangeCode(random, module.bytecode);
  }
}

// A location of unknown kind unpacks to null and cannot be packed again.
void DropUnknownLocations(fbs::ModuleT& module) {
  if (module.debug == nullptr) return;
  for (const fbs::LocationUnion& location : module.debug->locations) {
    if (location.value == nullptr) return module.debug.reset();
  }
}

}  // namespace

std::vector<uint8_t> MutateModule(std::span<const uint8_t> file,
                                  uint64_t seed) {
  if (file.size() < 12 || file.size() > kMaxBytes) return {};
  // External rodata may follow the FlatBuffer.
  const uint64_t size =
      uint64_t{flatbuffers::GetPrefixedSize(file.data())} + sizeof(uint32_t);
  if (size > file.size()) return {};
  flatbuffers::Verifier verifier(file.data(), static_cast<size_t>(size),
                                 /*max_depth=*/64, /*max_tables=*/10000);
  if (!fbs::VerifySizePrefixedModuleBuffer(verifier)) return {};
  fbs::ModuleT module;
  fbs::GetSizePrefixedModule(file.data())->UnPackTo(&module);
  DropUnknownLocations(module);
  Random random(seed);
  for (uint64_t left = 1 + random() % 3; left > 0; --left) {
    ChangeOnce(random, module);
  }
  flatbuffers::FlatBufferBuilder builder;
  builder.FinishSizePrefixed(fbs::Module::Pack(builder, &module), "IREE");
  std::vector<uint8_t> changed(builder.GetBufferPointer(),
                               builder.GetBufferPointer() + builder.GetSize());
  const auto rest = file.subspan(static_cast<size_t>(size));
  changed.insert(changed.end(), rest.begin(), rest.end());
  return changed;
}

}  // namespace eyrie::tests
