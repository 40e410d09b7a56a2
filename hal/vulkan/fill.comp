// Fills byte ranges that vkCmdFillBuffer cannot: any offset and length, and
// patterns of up to eight bytes. Each invocation handles one word and changes
// only those of its bytes that are in the range.
// regenerate_shaders.sh compiles this to SPIR-V in fill_shader.h.
#version 450

layout(local_size_x = 64) in;
layout(set = 0, binding = 0) buffer Words { uint words[]; };

// Byte i of [begin, end) of the binding becomes byte i % 8 of the pattern.
layout(push_constant) uniform Range {
  uint begin;
  uint end;
  uint first_word;
  uint pattern_low;
  uint pattern_high;
} range;

void main() {
  uint word = range.first_word + gl_GlobalInvocationID.x;
  uint at = word * 4;
  if (at >= range.end) return;
  uint mask = 0;
  uint value = 0;
  for (uint k = 0; k < 4; ++k) {
    uint position = at + k;
    if (position < range.begin || position >= range.end) continue;
    uint i = (position - range.begin) & 7;
    uint half_pattern = i < 4 ? range.pattern_low : range.pattern_high;
    value |= ((half_pattern >> ((i & 3) * 8)) & 0xFF) << (k * 8);
    mask |= 0xFFu << (k * 8);
  }
  if (mask == 0xFFFFFFFFu) {
    words[word] = value;
  } else if (mask != 0) {
    atomicAnd(words[word], ~mask);
    atomicOr(words[word], value);
  }
}
