#!/bin/sh
# Writes fill_shader.h from fill.comp, with Debian's glslang-tools. Run by hand
# after a change; a test compares the two where glslang is installed.
set -eu
folder=$(cd "$(dirname "$0")" && pwd)
{
  echo "// The SPIR-V of fill.comp, as regenerate_shaders.sh has made it."
  echo "#ifndef EYRIE_HAL_VULKAN_FILL_SHADER_H_"
  echo "#define EYRIE_HAL_VULKAN_FILL_SHADER_H_"
  echo
  echo "#include <cstdint>"
  echo
  echo "namespace eyrie::hal::vulkan {"
  echo
  echo "inline constexpr uint32_t kFillShader[] = {"
  glslangValidator -V --target-env vulkan1.2 -g0 -x -S comp \
    -o /dev/stdout "$folder/fill.comp" | grep '0x' | sed 's/^[ \t]*/    /'
  echo "};"
  echo
  echo "}  // namespace eyrie::hal::vulkan"
  echo
  echo "#endif  // EYRIE_HAL_VULKAN_FILL_SHADER_H_"
} > "$folder/fill_shader.h"
