#!/bin/sh
# Builds bench/thomas.cu by hand, without CMake and without the libraries it does not need, runs it
# and plots: device_thomas.sh [folder for the results] [commit]. Two minutes on a machine with a
# GPU, nvcc, cuSPARSE and, for the plots, matplotlib.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
out=${1:-$root/build/thomas}
commit=${2:-unknown}
cuda=${CUDA_HOME:-/usr/local/cuda}
build=$root/build/thomas
mkdir -p "$out" "$build"
cd "$root"
for name in solver/thomas/arrangement solver/thomas/variable solver/thomas/choice \
            solver/thomas/host solver/cuda/device_error; do
  g++ -std=c++20 -O3 -ffp-contract=off -fopenmp -I. -c $name.cpp -o "$build/$(basename $name).o"
done
for name in solver/thomas/device solver/cuda/device bench/thomas; do
  "$cuda/bin/nvcc" -std=c++20 -O3 -arch=sm_90 --expt-relaxed-constexpr -I. \
    -c $name.cu -o "$build/$(echo $name | tr / _).o" &
done
wait
g++ -fopenmp -o "$build/bench_thomas" "$build"/*.o -L"$cuda/lib64" -Wl,-rpath,"$cuda/lib64" \
  -lcusparse -lcudart_static -lrt -ldl -lpthread
"$build/bench_thomas" --out "$out/thomas.json" --commit "$commit"
python3 bench/plot_thomas.py "$out/thomas.json" "$out" || echo "no plots"
