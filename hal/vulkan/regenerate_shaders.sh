#!/bin/sh
# Writes fill_shader.h from fill.comp, and testdata/grid_shader.h from
# grid.comp, with Debian's glslang-tools. Run by hand after a change, with the
# folder to write to if it is another one, and ./eyrie format.
# Tested by shaders_test.sh.
set -eu
folder=$(cd "$(dirname "$0")" && pwd)
target=${1:-$folder}

# regenerate SHADER HEADER NAME
regenerate() {
  guard=EYRIE_HAL_VULKAN_$(echo "$2" | tr 'a-z/.' 'A-Z__')_
  {
    name=$(basename "$1")
    echo "// The SPIR-V of $name, as regenerate_shaders.sh has made it."
    echo "#ifndef $guard"
    echo "#define $guard"
    echo
    echo "#include <cstdint>"
    echo
    echo "namespace eyrie::hal::vulkan {"
    echo
    echo "inline constexpr uint32_t $3[] = {"
    glslangValidator -V --target-env vulkan1.2 -g0 -x -S comp \
      -o /dev/stdout "$folder/$1" | grep '0x' | sed 's/^[ \t]*/    /'
    echo "};"
    echo
    echo "}  // namespace eyrie::hal::vulkan"
    echo
    echo "#endif  // $guard"
  } > "$target/$2"
}

regenerate fill.comp fill_shader.h kFillShader
regenerate testdata/grid.comp testdata/grid_shader.h kGridShader
