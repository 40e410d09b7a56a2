// Assembles shaders from text, for tests.
//
// In "Capability 1; MemoryModel 0 1; EntryPoint 5 1 'main' 7", each instruction
// ends at a semicolon. It is an opcode name without "Op", or a number, followed
// by numbers and quoted strings.
#ifndef EYRIE_HAL_VULKAN_SPIRV_TEXT_H_
#define EYRIE_HAL_VULKAN_SPIRV_TEXT_H_

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"

namespace eyrie::hal::vulkan {

inline uint32_t SpirvOpcode(absl::string_view name) {
  constexpr struct {
    const char* name;
    uint32_t opcode;
  } kOpcodes[] = {
      {"Nop", 0},
      {"Extension", 10},
      {"MemoryModel", 14},
      {"EntryPoint", 15},
      {"ExecutionMode", 16},
      {"Capability", 17},
      {"TypeVoid", 19},
      {"TypeBool", 20},
      {"TypeInt", 21},
      {"TypeFloat", 22},
      {"TypeVector", 23},
      {"TypeMatrix", 24},
      {"TypeArray", 28},
      {"TypeRuntimeArray", 29},
      {"TypeStruct", 30},
      {"TypePointer", 32},
      {"TypeFunction", 33},
      {"Constant", 43},
      {"ConstantComposite", 44},
      {"SpecConstant", 50},
      {"SpecConstantComposite", 51},
      {"Function", 54},
      {"FunctionEnd", 56},
      {"Variable", 59},
      {"Decorate", 71},
      {"Label", 248},
      {"Return", 253},
      {"ExecutionModeId", 331},
  };
  for (const auto& row : kOpcodes) {
    if (name == row.name) return row.opcode;
  }
  uint32_t number = 0;
  if (!absl::SimpleAtoi(name, &number)) std::abort();
  return number;
}

// Assembles one instruction.
inline std::vector<uint32_t> AssembleInstruction(absl::string_view text) {
  std::vector<uint32_t> words;
  for (absl::string_view token : absl::StrSplit(text, ' ', absl::SkipEmpty())) {
    if (words.empty()) {
      words.push_back(SpirvOpcode(token));
    } else if (absl::ConsumePrefix(&token, "'")) {
      absl::ConsumeSuffix(&token, "'");
      const size_t first = words.size();
      words.resize(first + token.size() / 4 + 1);
      std::memcpy(&words[first], token.data(), token.size());
    } else {
      words.push_back(0);
      if (!absl::SimpleAtoi(token, &words.back())) std::abort();
    }
  }
  words[0] |= static_cast<uint32_t>(words.size()) << 16;
  return words;
}

// Assembles a module: a header with an id bound of 100, and the instructions.
inline std::vector<uint32_t> AssembleSpirv(absl::string_view text,
                                           uint32_t version = 0x00010300) {
  std::vector<uint32_t> words = {0x07230203, version, 0, 100, 0};
  for (absl::string_view line : absl::StrSplit(text, ';')) {
    if (absl::StripAsciiWhitespace(line).empty()) continue;
    const std::vector<uint32_t> instruction = AssembleInstruction(line);
    words.insert(words.end(), instruction.begin(), instruction.end());
  }
  return words;
}

}  // namespace eyrie::hal::vulkan

#endif  // EYRIE_HAL_VULKAN_SPIRV_TEXT_H_
