#!/usr/bin/env bash
# Compiles every program as it was, and as converted with HIP's names read as CUDA's again; runs both on
# this machine's GPU and compares what they print. One line a program; exit code 1 if one differs.
#
#     benchmarks/lanes/device.sh [FOLDER]
#
# FOLDER is what `python -m benchmarks.lanes.device FOLDER` wrote, here or elsewhere. Needs nvcc.
set -u
folder=$(realpath "${1:-build/lanes/device}")
export folder
export compile="${NVCC:-nvcc} -std=c++17 -arch=${ARCH:-sm_90} -w"

compare() {
    local name=$1 bin=$folder/bin/$1 said
    shift
    mkdir -p "$(dirname "$bin")"
    said=$(cd "$folder/original" && $compile "$@" -o "$bin.original" 2>&1) ||
        { printf '%-40soriginal not compiled: %s\n' "$name" "$(head -1 <<<"$said")"; return; }
    said=$(cd "$folder/converted" && $compile -include "$folder/include/$name/hip_to_cuda.h" \
        -I "$folder/include/$name" -I "$folder/converted" "$@" -o "$bin.converted" 2>&1) ||
        { printf '%-40sconverted not compiled: %s\n' "$name" "$(head -1 <<<"$said")"; return; }
    local first second
    first=$(timeout 20 "$bin.original" 2>&1; echo "exit code $?")
    second=$(timeout 20 "$bin.converted" 2>&1; echo "exit code $?")
    if [ "$first" != "$second" ]; then
        printf '%-40sdifferent: %s, then %s\n' "$name" "${first//$'\n'/ }" "${second//$'\n'/ }"
    else
        printf '%-40ssame: %s\n' "$name" "$(tail -2 <<<"$first" | tr '\n' ' ')"
    fi
}
export -f compare

xargs -P "${JOBS:-$(nproc)}" -L 1 bash -c 'compare "$@"' _ <"$folder/plan" | tee "$folder/compared"
echo "$(grep -c ' same: PASSED exit code 0' "$folder/compared") of $(wc -l <"$folder/plan") the same and passed"
! grep -qv ' same: PASSED exit code 0' "$folder/compared"
