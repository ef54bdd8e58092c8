#!/usr/bin/env bash
# Puts the images that the contract tests run into an engine, without a registry: images.sh SOCKET
#   busybox:local, busybox:next   Debian's static busybox, with a page in /www
set -euo pipefail
socket=$1
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
mkdir -p "$dir/bin" "$dir/www" "$dir/tmp"
cp "$(command -v busybox)" "$dir/bin/busybox"
for applet in sh httpd sleep nslookup cat echo ls test true false env id nc kill; do ln -s busybox "$dir/bin/$applet"; done
for tag in local next; do
  echo "page of $tag" >"$dir/www/index.html"
  tar -C "$dir" -c . | curl -fsS --unix-socket "$socket" -X POST -H 'Content-Type: application/x-tar' --data-binary @- \
    "http://engine/images/create?fromSrc=-&repo=busybox&tag=$tag" >/dev/null
done
