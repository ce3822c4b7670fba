#!/bin/bash
# usage: KIT/run.sh RESULTS ROW [...]      on a machine with a GPU, in the unpacked kit
#
# Each row has a time limit, and a failing row does not stop the next. RESULTS/ROW.log holds what it printed, and
# RESULTS/summary.txt its end, its seconds, and the largest memory in use on the GPU.
# A row is one of `rows.js` (images, embeddings, chats, page, scripts), or a recording: `sd15`, `cpu:sd15`, `tab:sd15`.
set -uo pipefail
kit=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
mkdir -p "$1"
results=$(cd "$1" && pwd)
shift
cd "$kit"
export TABD_GPU_KIT=$kit PATH=$kit/bin:$PATH
export LD_LIBRARY_PATH=${LD_LIBRARY_PATH:-}
# Without the libraries of GL beside it, a loader starts no driver of NVIDIA.
{ ldconfig -p | grep -q libvulkan.so.1 && ldconfig -p | grep -q libGLdispatch.so.0; } || export LD_LIBRARY_PATH=$kit/lib-vulkan:$LD_LIBRARY_PATH
if [ -z "${VK_DRIVER_FILES:-}" ]; then
  icd=$(find /usr/share/vulkan/icd.d /etc/vulkan/icd.d /usr/local/nvidia/share/vulkan/icd.d -name 'nvidia_icd*.json' 2>/dev/null | head -n 1)
  [ -z "$icd" ] || export VK_DRIVER_FILES=$icd VK_ICD_FILENAMES=$icd
fi
dist=node_modules/tabd-shim/dist
limit=${ROW_SECONDS:-240}

browser_environment() {
  export SOFTWARE_GPU_CHROMIUM=$kit/chromium/usr/lib/chromium/chromium-headless-shell TABD_CHROMIUM=$kit/chromium/usr/lib/chromium/chromium-headless-shell
  export SOFTWARE_GPU_FLAGS=${SOFTWARE_GPU_FLAGS:-"--enable-unsafe-webgpu --enable-features=Vulkan,VulkanFromANGLE,DefaultANGLEVulkan --use-angle=vulkan --use-vulkan=native --ignore-gpu-blocklist --disable-vulkan-surface --disable-gpu-sandbox"}
  export LD_LIBRARY_PATH=$LD_LIBRARY_PATH:$kit/lib
  cat >"$kit/fonts.conf" <<XML
<?xml version="1.0"?><!DOCTYPE fontconfig SYSTEM "fonts.dtd"><fontconfig><dir>$kit/fonts</dir><cachedir>/tmp/font-cache</cachedir></fontconfig>
XML
  export FONTCONFIG_FILE=$kit/fonts.conf
}

# Prompts of T5 need a tokenizer, which the kit lacks.
without_text() { case $1 in flux_dev | sd3_medium | stable_audio | te_qwen25_7b) echo --no-text ;; esac; }

run_row() {
  case $1 in
    images | embeddings | chats) timeout -k 5 "$limit" node $dist/rows.js "$1" ;;
    page | scripts) (browser_environment && timeout -k 5 "$limit" node $dist/rows.js "$1") ;;
    cpu:*) timeout -k 5 "$limit" node $dist/replay.js "${1#*:}" --cpu --numbers checkpoints $(without_text "${1#*:}") ;;
    tab:*) (browser_environment && timeout -k 5 "$limit" node $dist/replay.js "${1#*:}" --browser --page replay-page --numbers checkpoints) ;;
    *) timeout -k 5 "$limit" node $dist/replay.js "$1" --numbers checkpoints $(without_text "$1") ;;
  esac
}

for row in "$@"; do
  log=$results/${row/:/-}.log
  memory=$(mktemp)
  sampler=
  if command -v nvidia-smi >/dev/null; then
    nvidia-smi --query-gpu=memory.used,utilization.gpu --format=csv,noheader,nounits -lms 250 >"$memory" 2>/dev/null &
    sampler=$!
  fi
  start=$(date +%s.%N)
  run_row "$row" >"$log" 2>&1
  code=$?
  [ -z "$sampler" ] || kill "$sampler"
  largest=$(sort -n "$memory" | tail -n 1 | cut -d, -f1)
  printf '%s: exit code %s, %.1f s, at most %s MiB on the GPU\n' "$row" "$code" "$(echo "$(date +%s.%N) $start" | awk '{ print $1 - $2 }')" "${largest:-unknown}" | tee -a "$results/summary.txt"
  rm -f "$memory"
done
