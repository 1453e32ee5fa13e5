#!/bin/sh
# Tests and measures hines_batch and stone on a GPU, from a build folder: under 4 minutes.
#   bench/device_hines.sh BUILD_FOLDER RESULT_FOLDER
# With two GPUs the part `devices` runs too. Draw with bench/plot_hines_batch.py.
set -eu
build=$1 results=$2
mkdir -p "$results"
cd "$build"
REQUIRE_GPU=1 ctest -L gpu -R 'HinesBatch|Stone' --output-on-failure
for part in classes variable devices; do
  bench/bench_hines_batch --part $part --json "$results/hines_$part.json"
done
bench/bench_stone --json "$results/stone.json"
