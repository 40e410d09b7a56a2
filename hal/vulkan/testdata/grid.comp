// A test kernel with each kind of resource that a dispatch can bind: a storage
// buffer, a uniform buffer whose number is not the next one, constants, and a
// specialization constant.
// ../regenerate_shaders.sh compiles this to SPIR-V in grid_shader.h.
#version 450

layout(local_size_x = 2) in;
layout(constant_id = 0) const uint scale = 1;
layout(set = 0, binding = 0) buffer Target { uint target[]; };
layout(set = 0, binding = 3) uniform Addend { uint addend; };
layout(push_constant) uniform Constants {
  uint first;
  uint count;
} constants;

// Invocation i of them all, x first, adds i * scale + addend to its word.
void main() {
  uvec3 size = gl_NumWorkGroups * gl_WorkGroupSize;
  uvec3 id = gl_GlobalInvocationID;
  uint i = (id.z * size.y + id.y) * size.x + id.x;
  if (i < constants.count) target[constants.first + i] += i * scale + addend;
}
