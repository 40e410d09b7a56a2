#!/usr/bin/env bash
# Two ranks fit one line together and must get the same result. A process
# without the other rank fits only its own points.
# Arguments: the tool, the plug-in, the module, the points of rank 0, and of 1.
set -euo pipefail
eyrie=$1
plugin=$2
module=$3
export POINTS=${4%0.json}

if ! command -v mpirun > /dev/null; then
  echo "SKIPPED: this needs mpirun (Debian: openmpi-bin)."
  exit 0
fi
# In a container there is no ssh, processes may not read each other's memory,
# and there may be fewer processors than ranks.
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_plm_rsh_agent=/bin/false
export OMPI_MCA_hwloc_base_binding_policy=none OMPI_MCA_btl=self,vader
export OMPI_MCA_btl_vader_single_copy_mechanism=none
export OMPI_MCA_mpi_yield_when_idle=1 OMPI_MCA_orte_tmpdir_base=/tmp

check() {  # expected output, output
  if [[ $2 != "$1" ]]; then
    printf 'prints "%s"; expected "%s"\n' "$2" "$1" >&2
    exit 1
  fi
}
weights() {  # reads the output and prints the weights with two digits
  python3 -c 'import json, sys
for line in sys.stdin:
  if line.startswith("["):
    print(*(f"{weight:.2f}" for weight in json.loads(line)))'
}

fit=("$eyrie" run "$module" --function=fit --output=json)
check '2.00 -0.50' "$("${fit[@]}" --args="$(cat "$4")" | weights)"
check '2.00 -1.50' "$("${fit[@]}" --args="$(cat "$5")" | weights)"
# shellcheck disable=SC2016
got=$(mpirun -n 2 sh -c \
  'exec "$@" --args="$(cat "$POINTS$OMPI_COMM_WORLD_RANK.json")"' \
  sh "${fit[@]}" --collectives="$plugin" 2>&1 < /dev/null) ||
  { echo "$got" >&2; exit 1; }
check $'2.00 -1.00\n2.00 -1.00' "$(weights <<< "$got")"
# All ranks must print the same.
check 1 "$(grep '^\[' <<< "$got" | sort -u | wc -l)"
