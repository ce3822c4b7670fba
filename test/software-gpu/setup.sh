#!/bin/bash
# usage: test/software-gpu/setup.sh [FOLDER]      Debian 12 (bookworm), root; FOLDER defaults to .cache/software-gpu
#
# A WebGPU with shader-f16 on a machine without a GPU, for tests: a copy of Debian's Chromium that finds Mesa's lavapipe
# (Vulkan on the processor) and takes it, through the layer beside this script, for the software device that it trusts.
# Afterwards FOLDER/run.env says how to start it: SOFTWARE_GPU_CHROMIUM, SOFTWARE_GPU_FLAGS and the Vulkan variables.
# Run again, it only checks that everything is there and up to date.
set -Eeuo pipefail

source_folder=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
target=${1:-$source_folder/../../.cache/software-gpu}
mkdir -p "$target"
target=$(cd "$target" && pwd)
layer=$source_folder/cpu_device_as_swiftshader.c
export DEBIAN_FRONTEND=noninteractive

say() { printf 'software GPU: %s\n' "$*" >&2; }
# Its version, or nothing: dpkg-query fails for a package that was never here, which is no failure of this script.
installed() { { dpkg-query -W -f='${db:Status-Status} ${Version}' "$1" 2>/dev/null || true; } | sed -n 's/^installed //p'; }
trap 'say "line $LINENO failed"' ERR
need_root() {
  if [ "$(id -u)" != 0 ]; then
    say "$1 has to be installed, which needs root"
    exit 1
  fi
}

# bookworm's own Mesa (22.3) is too old for Chromium's WebGPU; backports have a newer one on the same mirrors.
install_mesa() {
  need_root 'mesa-vulkan-drivers (24 or newer)'
  # shellcheck disable=SC1091
  if ! (. /etc/os-release && [ "${VERSION_CODENAME:-}" = bookworm ]); then
    say 'Mesa 24 or newer is needed; only on Debian bookworm does this script know where to get it'
    exit 1
  fi
  local mirror
  apt-get update -qq
  mirror=$(apt-get indextargets --format '$(SITE) $(CODENAME)' 'Created-By: Packages' | awk '$2 == "bookworm" { print $1; exit }')
  if [ -z "$mirror" ]; then
    say "apt names no mirror of bookworm: its backports, which hold Mesa, are beside it"
    exit 1
  fi
  echo "deb $mirror bookworm-backports main" >/etc/apt/sources.list.d/tabd-test-backports.list
  apt-get update -qq
  apt-get install -y -qq -t bookworm-backports mesa-vulkan-drivers
}

mesa=$(installed mesa-vulkan-drivers)
if ! dpkg --compare-versions "${mesa:-0}" ge 24; then install_mesa; fi
missing=()
for package in chromium libvulkan-dev gcc libc6-dev; do
  [ -n "$(installed "$package")" ] || missing+=("$package")
done
if [ "${#missing[@]}" -gt 0 ]; then
  need_root "${missing[*]}"
  apt-get update -qq
  apt-get install -y -qq "${missing[@]}"
fi

stamp="$(installed chromium) $(installed mesa-vulkan-drivers) $(cat "${BASH_SOURCE[0]}" "$layer" | sha256sum) $target"
if [ -f "$target/run.env" ] && [ "$(cat "$target/stamp" 2>/dev/null)" = "$stamp" ]; then
  say "ready in $target"
  exit 0
fi
rm -f "$target/stamp"

mkdir -p "$target/layer"
gcc -shared -fPIC -O2 -Wall -Wextra -fvisibility=hidden -o "$target/layer/libcpu_device_as_swiftshader.so" "$layer"
cat >"$target/layer/cpu_device_as_swiftshader.json" <<JSON
{
  "file_format_version": "1.2.0",
  "layer": {
    "name": "VK_LAYER_TABD_cpu_device_as_swiftshader",
    "type": "GLOBAL",
    "library_path": "./libcpu_device_as_swiftshader.so",
    "api_version": "1.3.0",
    "implementation_version": "1",
    "description": "CPU devices carry SwiftShader's ids (tests only)"
  }
}
JSON

# The copy lacks SwiftShader, which Chromium would prefer.
rm -rf "$target/chromium"
cp -a /usr/lib/chromium "$target/chromium"
rm -f "$target"/chromium/libvk_swiftshader.so "$target"/chromium/vk_swiftshader_icd.json

lavapipe=$(find /usr/share/vulkan/icd.d -name 'lvp_icd*.json' | head -n 1)
cat >"$target/run.env" <<ENV
export SOFTWARE_GPU=1
export VK_DRIVER_FILES=$lavapipe VK_ICD_FILENAMES=$lavapipe
export VK_LAYER_PATH=$target/layer VK_INSTANCE_LAYERS=VK_LAYER_TABD_cpu_device_as_swiftshader
export SOFTWARE_GPU_CHROMIUM=$target/chromium/chromium
export SOFTWARE_GPU_FLAGS="--enable-unsafe-webgpu --use-webgpu-adapter=swiftshader --disable-gpu-sandbox"
ENV
printf '%s' "$stamp" >"$target/stamp"
say "ready in $target"
