// Walks the instructions of a SPIR-V module.
//
// Source: SPIR-V specification, "Physical Layout" and "Instructions".
#include "hal/vulkan/spirv_scan.h"

#include <algorithm>
#include <cstring>
#include <limits>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "base/checked_math.h"
#include "base/hash_map.h"
#include "base/status_macros.h"
#include "spirv/unified1/spirv.hpp11"

namespace eyrie::hal::vulkan {
namespace {

constexpr size_t kHeaderWords = 5;
constexpr uint32_t kSwappedMagic = 0x03022307;
constexpr uint32_t kNewestVersion = 0x00010600;
// Source: SPIR-V specification, "Universal Limits".
constexpr uint32_t kMaxBound = 4194303;

// The instructions of interest and the least number of words of each.
struct Row {
  spv::Op opcode;
  const char* name;
  uint16_t least_words;
};
constexpr Row kRows[] = {
    {spv::Op::OpExtension, "OpExtension", 2},
    {spv::Op::OpMemoryModel, "OpMemoryModel", 3},
    {spv::Op::OpEntryPoint, "OpEntryPoint", 4},
    {spv::Op::OpExecutionMode, "OpExecutionMode", 3},
    {spv::Op::OpExecutionModeId, "OpExecutionModeId", 3},
    {spv::Op::OpCapability, "OpCapability", 2},
    {spv::Op::OpTypeBool, "OpTypeBool", 2},
    {spv::Op::OpTypeInt, "OpTypeInt", 4},
    {spv::Op::OpTypeFloat, "OpTypeFloat", 3},
    {spv::Op::OpTypeVector, "OpTypeVector", 4},
    {spv::Op::OpTypeMatrix, "OpTypeMatrix", 4},
    {spv::Op::OpTypeArray, "OpTypeArray", 4},
    {spv::Op::OpTypeStruct, "OpTypeStruct", 2},
    {spv::Op::OpTypePointer, "OpTypePointer", 4},
    {spv::Op::OpConstant, "OpConstant", 4},
    {spv::Op::OpSpecConstant, "OpSpecConstant", 4},
    {spv::Op::OpConstantComposite, "OpConstantComposite", 3},
    {spv::Op::OpSpecConstantComposite, "OpSpecConstantComposite", 3},
    {spv::Op::OpVariable, "OpVariable", 4},
    {spv::Op::OpDecorate, "OpDecorate", 3},
};

const Row* FindRow(uint32_t opcode) {
  for (const Row& row : kRows) {
    if (static_cast<uint32_t>(row.opcode) == opcode) return &row;
  }
  return nullptr;
}

uint64_t Times(uint64_t a, uint64_t b) {
  return CheckedMul(a, b).value_or(std::numeric_limits<uint64_t>::max());
}

template <typename Map, typename Value>
Value Find(const Map& map, uint32_t key, Value otherwise) {
  auto it = map.find(key);
  return it == map.end() ? otherwise : it->second;
}

// One instruction. The first word is its opcode and length.
struct Instruction {
  std::span<const uint32_t> words;
  size_t place;  // index of the first word in the module
  const char* name;

  uint32_t operator[](size_t index) const { return words[index]; }
  size_t size() const { return words.size(); }

  absl::Status Need(size_t least) const {
    if (words.size() >= least) return absl::OkStatus();
    return absl::InvalidArgumentError(
        absl::StrCat("The shader's ", name, " at word ", place, " has ",
                     words.size(), " words; the least is ", least, "."));
  }
};

// Reads a null-terminated string of whole words that begins at word `first`;
// sets `first` to the word after it.
absl::StatusOr<std::string> ReadText(const Instruction& from, size_t& first) {
  const size_t bytes = (from.size() - first) * sizeof(uint32_t);
  const char* text = reinterpret_cast<const char*>(from.words.data() + first);
  const size_t length = strnlen(text, bytes);
  if (length == bytes) {
    return absl::InvalidArgumentError(
        absl::StrCat("The shader's ", from.name, " at word ", from.place,
                     " has an unterminated string."));
  }
  first += length / sizeof(uint32_t) + 1;
  return std::string(text, length);
}

class Scanner {
 public:
  explicit Scanner(std::span<const uint32_t> words) : words_(words) {}

  absl::StatusOr<SpirvFacts> Run() {
    RETURN_IF_ERROR(ReadHeader());
    for (size_t at = kHeaderWords; at < words_.size();) {
      const uint32_t count = words_[at] >> 16;
      if (count == 0 || count > words_.size() - at) {
        return absl::InvalidArgumentError(
            absl::StrCat("The shader's instruction at word ", at, " has ",
                         count, " words; ", words_.size() - at, " are left."));
      }
      if (const Row* row = FindRow(words_[at] & 0xFFFF)) {
        const Instruction it = {words_.subspan(at, count), at, row->name};
        RETURN_IF_ERROR(it.Need(row->least_words));
        RETURN_IF_ERROR(Read(row->opcode, it));
      }
      at += count;
    }
    return std::move(facts_);
  }

 private:
  absl::Status ReadHeader();
  absl::Status Read(spv::Op opcode, const Instruction& it);
  absl::Status ReadEntryPoint(const Instruction& it);
  absl::Status ReadExecutionMode(spv::Op opcode, const Instruction& it);
  absl::Status ReadDecoration(const Instruction& it);
  void ReadCapability(uint32_t capability);
  void ReadType(spv::Op opcode, const Instruction& it);
  uint64_t SizeOf(uint32_t type) const {
    return Find(facts_.type_sizes, type, uint64_t{0});
  }

  std::span<const uint32_t> words_;
  HashSet<uint32_t> capabilities_;
  SpirvFacts facts_;
};

absl::Status Scanner::ReadHeader() {
  if (words_.size() < kHeaderWords) {
    return absl::InvalidArgumentError(
        absl::StrCat("The shader has ", words_.size(),
                     " words; SPIR-V has at least ", kHeaderWords, "."));
  }
  if (words_[0] == kSwappedMagic) {
    return absl::InvalidArgumentError(
        "The shader is SPIR-V in the other byte order; Vulkan takes the "
        "machine's own.");
  }
  if (words_[0] != spv::MagicNumber) {
    return absl::InvalidArgumentError(absl::StrCat(
        "The shader begins with ", absl::Hex(words_[0], absl::kZeroPad8),
        "h instead of ", absl::Hex(spv::MagicNumber, absl::kZeroPad8),
        "h: it is not SPIR-V."));
  }
  facts_.version = words_[1];
  if ((facts_.version & 0xFF0000FF) != 0 || facts_.version < 0x00010000) {
    return absl::InvalidArgumentError(
        absl::StrCat("The shader's version word (", absl::Hex(facts_.version),
                     "h) is not a SPIR-V version."));
  }
  if (facts_.version > kNewestVersion) {
    return absl::UnimplementedError(
        absl::StrCat("The shader uses SPIR-V ", facts_.version >> 16, ".",
                     facts_.version >> 8 & 0xFF, "; the newest known is 1.6."));
  }
  if (words_[3] == 0 || words_[3] > kMaxBound) {
    return absl::InvalidArgumentError(
        absl::StrCat("The shader's ids are below ", words_[3],
                     "; the bound is 1 to ", kMaxBound, "."));
  }
  return absl::OkStatus();
}

absl::Status Scanner::Read(spv::Op opcode, const Instruction& it) {
  switch (opcode) {
    case spv::Op::OpCapability:
      ReadCapability(it[1]);
      return absl::OkStatus();
    case spv::Op::OpExtension: {
      size_t first = 1;
      ASSIGN_OR_RETURN(std::string name, ReadText(it, first));
      facts_.extensions.push_back({std::move(name), it.place});
      return absl::OkStatus();
    }
    case spv::Op::OpMemoryModel:
      if (facts_.model) {
        return absl::InvalidArgumentError("The shader has two memory models.");
      }
      facts_.model = {it[1], it[2]};
      return absl::OkStatus();
    case spv::Op::OpEntryPoint:
      return ReadEntryPoint(it);
    case spv::Op::OpExecutionMode:
    case spv::Op::OpExecutionModeId:
      return ReadExecutionMode(opcode, it);
    case spv::Op::OpDecorate:
      return ReadDecoration(it);
    case spv::Op::OpConstant:
    case spv::Op::OpSpecConstant:
      facts_.constants[it[2]] =
          it.size() == 4 ? it[3] : uint64_t{it[4]} << 32 | it[3];
      return absl::OkStatus();
    case spv::Op::OpConstantComposite:
    case spv::Op::OpSpecConstantComposite:
      facts_.composites[it[2]] = it.words.subspan(3);
      return absl::OkStatus();
    case spv::Op::OpVariable:
      if (it[3] != static_cast<uint32_t>(spv::StorageClass::Function)) {
        facts_.variables[it[2]] = {it[3], it[1]};
      }
      return absl::OkStatus();
    default:
      ReadType(opcode, it);
      return absl::OkStatus();
  }
}

void Scanner::ReadCapability(uint32_t capability) {
  if (capabilities_.insert(capability).second) {
    facts_.capabilities.push_back(capability);
  }
}

absl::Status Scanner::ReadEntryPoint(const Instruction& it) {
  size_t first = 3;
  ASSIGN_OR_RETURN(std::string name, ReadText(it, first));
  if (it[1] != static_cast<uint32_t>(spv::ExecutionModel::GLCompute)) {
    return absl::OkStatus();
  }
  facts_.entry_points.push_back(
      {it[2], std::move(name), it.words.subspan(first)});
  return absl::OkStatus();
}

absl::Status Scanner::ReadExecutionMode(spv::Op opcode, const Instruction& it) {
  const bool by_id = opcode == spv::Op::OpExecutionModeId;
  if (!by_id &&
      it[2] >= static_cast<uint32_t>(spv::ExecutionMode::DenormPreserve) &&
      it[2] <= static_cast<uint32_t>(spv::ExecutionMode::RoundingModeRTZ)) {
    RETURN_IF_ERROR(it.Need(4));
    facts_.float_controls.push_back({it[2], it[3]});
    return absl::OkStatus();
  }
  const spv::ExecutionMode mode =
      by_id ? spv::ExecutionMode::LocalSizeId : spv::ExecutionMode::LocalSize;
  if (it[2] != static_cast<uint32_t>(mode)) return absl::OkStatus();
  RETURN_IF_ERROR(it.Need(6));
  const SpirvFacts::LocalSize size = {{it[3], it[4], it[5]}, by_id};
  if (!facts_.local_sizes.insert({it[1], size}).second) {
    return absl::InvalidArgumentError(
        absl::StrCat("The shader's ", it.name, " at word ", it.place,
                     " gives a function a second workgroup size."));
  }
  return absl::OkStatus();
}

absl::Status Scanner::ReadDecoration(const Instruction& it) {
  switch (static_cast<spv::Decoration>(it[2])) {
    case spv::Decoration::NoSignedWrap:
    case spv::Decoration::NoUnsignedWrap:
      facts_.has_wrap_decoration = true;
      return absl::OkStatus();
    case spv::Decoration::DescriptorSet:
      RETURN_IF_ERROR(it.Need(4));
      facts_.decorations[it[1]].set = it[3];
      return absl::OkStatus();
    case spv::Decoration::Binding:
      RETURN_IF_ERROR(it.Need(4));
      facts_.decorations[it[1]].binding = it[3];
      return absl::OkStatus();
    case spv::Decoration::SpecId:
      RETURN_IF_ERROR(it.Need(4));
      facts_.spec_ids.push_back(it[3]);
      return absl::OkStatus();
    case spv::Decoration::BuiltIn:
      RETURN_IF_ERROR(it.Need(4));
      if (it[3] == static_cast<uint32_t>(spv::BuiltIn::WorkgroupSize)) {
        facts_.workgroup_size = it[1];
      }
      return absl::OkStatus();
    default:
      return absl::OkStatus();
  }
}

// Sizes are without padding: a lower bound for any layout.
void Scanner::ReadType(spv::Op opcode, const Instruction& it) {
  uint64_t& size = facts_.type_sizes[it[1]];
  switch (opcode) {
    case spv::Op::OpTypeBool:
      size = sizeof(uint32_t);
      return;
    case spv::Op::OpTypeInt:
    case spv::Op::OpTypeFloat:
      size = it[2] / 8;
      return;
    case spv::Op::OpTypeVector:
    case spv::Op::OpTypeMatrix:
      size = Times(SizeOf(it[2]), it[3]);
      return;
    case spv::Op::OpTypeArray:
      size = Times(SizeOf(it[2]), Find(facts_.constants, it[3], uint64_t{0}));
      return;
    case spv::Op::OpTypeStruct: {
      uint64_t sum = 0;
      for (const uint32_t member : it.words.subspan(2)) {
        sum = CheckedAdd(sum, SizeOf(member))
                  .value_or(std::numeric_limits<uint64_t>::max());
      }
      size = sum;
      return;
    }
    default:  // a pointer: 64 bits if it is in memory
      size = sizeof(uint64_t);
      facts_.pointees[it[1]] = it[3];
      return;
  }
}

}  // namespace

bool SpirvFacts::HasExtension(absl::string_view name) const {
  return std::any_of(
      extensions.begin(), extensions.end(),
      [name](const Extension& extension) { return extension.name == name; });
}

absl::StatusOr<SpirvFacts> ScanSpirv(std::span<const uint32_t> words) {
  return Scanner(words).Run();
}

}  // namespace eyrie::hal::vulkan
