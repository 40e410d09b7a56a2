#!/bin/sh
# Compiles fill.comp to fill_shader.h and testdata/grid.comp to
# testdata/grid_shader.h, with Debian's glslang-tools. Run it after changes, and
# then ./eyrie format. An argument names another folder to write to.
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
