#!/bin/bash
# usage: PART/unpack.sh KIT      takes the slices of one part of the kit to KIT, and unpacks the pieces that are complete
set -Eeuo pipefail
part=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
mkdir -p "$1/slices"
cd "$1"
mv "$part"/*.tar.xz.* slices/
for last in slices/*.last; do
  [ -e "$last" ] || continue
  archive=${last%.*.last}
  count=$((10#$(echo "${last%.last}" | sed 's/.*\.//') + 1))
  slices=("$archive".*)
  [ "${#slices[@]}" -eq "$count" ] || continue
  # Python reads every form of archive, also where xz is missing.
  cat "${slices[@]}" | python3 -c "import sys, tarfile; tarfile.open(fileobj=sys.stdin.buffer, mode='r|*').extractall('.')"
  rm "${slices[@]}"
  echo "unpacked $(basename "$archive")"
done
# The archive of the browser's package has its place below usr/.
if [ -e usr/lib/chromium ] && [ -e chromium/usr/lib/chromium ]; then
  mv usr/lib/chromium/* chromium/usr/lib/chromium/
  rm -rf usr
fi
