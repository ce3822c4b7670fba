#!/bin/bash
# usage: scripts/gpu/pack.sh KIT [MEGABYTES]      Debian, after `npm ci && npm run build`; needs a network
#
# Makes a kit for a machine with a GPU and without a network: Node, the packages, a browser, weights, and the programs of
# the rows of docs/verification.md. KIT/parts/ holds it in folders of MEGABYTES (60) each, in the order of their use.
# KIT/work/ keeps what was made, so that a second run is quick.
set -Eeuo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(cd "$here/../.." && pwd)
kit=$(mkdir -p "$1" && cd "$1" && pwd)
limit=$((${2:-60} * 1000000))
work=$kit/work
pieces=$kit/pieces
tree=$work/tree
modules=$tree/node_modules
mkdir -p "$work" "$pieces" "$tree"
cd "$root"

say() { printf 'kit: %s\n' "$*" >&2; }
version() { node -p "require('$root/node_modules/$1/package.json').version"; }

# Compresses paths of the tree into a piece, unless it exists.
piece() {
  local name=$1
  shift
  [ -f "$pieces/$name.tar.xz" ] && return
  say "piece $name"
  tar -C "$tree" -c "$@" | xz -T0 -2 >"$pieces/$name.part"
  mv "$pieces/$name.part" "$pieces/$name.tar.xz"
}

# The published package of the shim, as npm installs it, and the driver of the browser.
install_packages() {
  [ -f "$work/installed" ] && return
  say 'npm packages'
  cp -r node-shim/. "$work/shim"
  cp -r dist/app "$work/shim/dist/app"
  (cd "$work/shim" && npm pack --ignore-scripts --silent --pack-destination "$work" >/dev/null)
  echo '{"private":true}' >"$tree/package.json"
  (cd "$tree" && npm install --ignore-scripts --no-audit --no-fund --silent "$work"/tabd-shim-*.tgz \
    "playwright-core@$(version playwright-core)")
  touch "$work/installed"
}

# Only what this platform loads.
prune_packages() {
  find "$modules/onnxruntime-node/bin" -mindepth 2 -maxdepth 2 ! -name linux -exec rm -rf {} +
  rm -rf "$modules"/onnxruntime-node/bin/napi-v*/linux/arm64
  rm -rf "$modules/node-llama-cpp/llama/gitRelease.bundle" "$modules"/@libsql/*musl "$modules/@types"
}

# A copy of the libraries that files of the tree need, besides those of the compiler and of libc.
libraries() {
  mkdir -p "$tree/lib"
  ldd "$@" 2>/dev/null | awk '$2 == "=>" && $3 ~ /^\// { print $3 }' | sort -u |
    grep -Ev '/(libc|libm|libdl|libpthread|librt|libresolv|libutil|ld-linux[^/]*|libstdc\+\+|libgcc_s)\.so' |
    while read -r library; do cp -nL "$library" "$tree/lib/"; done
}

# Debian's Chromium without a window. Its archive is already compressed, and is taken as it is.
browser() {
  [ -f "$pieces/60-browser.tar.xz" ] && return
  say 'browser'
  mkdir -p "$work/debs" "$work/browser" "$tree/chromium/usr/lib"
  (cd "$work/debs" && apt-get download -qq chromium-headless-shell chromium-common 2>/dev/null)
  dpkg -x "$work"/debs/chromium-headless-shell_*.deb "$work/browser"
  dpkg -x "$work"/debs/chromium-common_*.deb "$work/common"
  cp -r "$work/common/usr/lib/chromium" "$tree/chromium/usr/lib/"
  (cd "$tree/chromium/usr/lib/chromium" &&
    rm -rf libVkLayer* libVkICD* libvk_swiftshader.so vk_swiftshader_icd.json chrome_crashpad_handler ./*.TOC &&
    find locales -type f ! -name 'en-US*' -delete)
  libraries "$work/browser/usr/lib/chromium/chromium-headless-shell"
  # Loaded by name.
  for library in libsoftokn3 libfreebl3 libfreeblpriv3 libnssckbi; do
    find /usr/lib/x86_64-linux-gnu -name "$library.so" -exec cp -nL {} "$tree/lib/" \;
  done
  mkdir -p "$tree/fonts"
  cp /usr/share/fonts/truetype/dejavu/DejaVuSans.ttf "$tree/fonts/"
  piece 55-browser-parts chromium lib fonts node_modules/playwright-core replay-page
  ar p "$work"/debs/chromium-headless-shell_*.deb data.tar.xz >"$pieces/60-browser.tar.xz"
}

# A Vulkan loader, and libraries of GL and X that drivers need even without a screen.
vulkan() {
  mkdir -p "$tree/lib-vulkan"
  (mkdir -p "$work/gl" && cd "$work/gl" && apt-get download -qq libvulkan1 libglvnd0 libglx0 libegl1 libgl1 2>/dev/null)
  local package library
  for package in "$work"/gl/*.deb; do dpkg -x "$package" "$work/gl"; done
  cp -n "$work"/gl/usr/lib/x86_64-linux-gnu/*.so.? "$tree/lib-vulkan/"
  for library in libX11.so.6 libXext.so.6 libxcb.so.1 libXau.so.6 libXdmcp.so.6 libbsd.so.0 libmd.so.0; do
    cp -nL "/usr/lib/x86_64-linux-gnu/$library" "$tree/lib-vulkan/"
  done
}

# A home into which the program has pulled a model.
home_with() {
  [ -d "$tree/home-$1" ] && return
  say "model $2"
  node "$modules/tabd-shim/dist/cli.js" pull "$2" --home "$tree/home-$1" >/dev/null
}

install_packages
prune_packages
npx tsx scripts/gpu/bundle.ts "$modules/tabd-shim/dist" "$tree/replay-page"
vulkan
mkdir -p "$tree/bin" "$tree/checkpoints/numbers"
[ -f "$tree/bin/node" ] || { cp "$(command -v node)" "$tree/bin/node" && strip --strip-unneeded "$tree/bin/node"; }
cp "$here/run.sh" "$tree/"
if [ -d "${TABD_RECORDINGS:-../shared/checkpoints}" ]; then
  cp -r "${TABD_RECORDINGS:-../shared/checkpoints}"/{recipe.py,manifests,numbers} "$tree/checkpoints/"
fi
home_with chat smollm2:135m
home_with embed all-minilm

piece 10-node bin
piece 20-tabd --exclude=node_modules/@node-llama-cpp --exclude=node_modules/playwright-core \
  --exclude=node_modules/tabd-shim/dist/app --exclude='node_modules/.*' \
  node_modules checkpoints lib-vulkan run.sh package.json
piece 22-llama node_modules/@node-llama-cpp/linux-x64 node_modules/@node-llama-cpp/linux-x64-vulkan
piece 30-emoji node_modules/tabd-shim/dist/app
[ -f "$pieces/50-chat.tar.xz" ] || tar -C "$tree" -cf "$pieces/50-chat.tar.xz" home-chat
browser
[ -f "$pieces/70-embed.tar.xz" ] || tar -C "$tree" -cf "$pieces/70-embed.tar.xz" home-embed
[ -z "${TABD_GPU_CUDA:-}" ] || piece 80-cuda node_modules/@node-llama-cpp/linux-x64-cuda

# Pieces in slices, and the slices in folders below the limit.
rm -rf "$kit/parts"
part=1
size=0
for archive in "$pieces"/*.tar.xz; do
  rest=$(stat -c %s "$archive")
  offset=0
  index=0
  while [ "$rest" -gt 0 ]; do
    if [ $((limit - size)) -lt 1000000 ]; then part=$((part + 1)) size=0; fi
    folder=$kit/parts/$(printf '%02d' "$part")
    mkdir -p "$folder"
    slice=$((rest < limit - size ? rest : limit - size))
    last=$([ "$slice" -eq "$rest" ] && echo last || echo more)
    dd if="$archive" of="$folder/$(basename "$archive").$(printf '%03d' $index).$last" \
      bs=1M iflag=skip_bytes,count_bytes skip="$offset" count="$slice" status=none
    offset=$((offset + slice)) rest=$((rest - slice)) size=$((size + slice)) index=$((index + 1))
  done
done
for folder in "$kit"/parts/*; do
  cp "$here/unpack.sh" "$folder/"
  say "$folder: $(du -sm "$folder" | cut -f1) MB: $(find "$folder" -name '*.tar.xz.*' -printf '%f ')"
done
