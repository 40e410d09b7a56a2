// Fills bytes that vkCmdFillBuffer cannot: any offset and length, patterns of
// up to eight bytes. Each invocation sees to one word, of which it changes
// nothing but the bytes that are to be filled.
// fill_shader.h holds the SPIR-V of it; regenerate_shaders.sh makes that.
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
