# Functions for scripts that run `atoll up` and a Docker engine in one folder, $work: sourced by scripts/example and scripts/crash.
# shellcheck shell=bash

data=$work/data
engine_dir=$work/engine
manifests=$work/manifests # the example's own, with the socket of the engine that was found
export KUBECONFIG=$work/kubeconfig
atoll=build/release/atoll
began=$(date +%s)

say() { printf '%s\n' "$*"; }
step() { printf '[%3d s] %s\n' $(($(date +%s) - began)) "$*"; }
die() {
  say "$(basename "$0"): failed: $*"
  say "--- last lines of atoll's log ($work/atoll.log):"
  tail -15 "$work/atoll.log" 2>/dev/null || true
  exit 1
}

is_mine() { [ -n "${1:-}" ] && tr '\0' ' ' <"/proc/$1/cmdline" 2>/dev/null | grep -qF -- "$work"; }

stop_atoll() { # [SIGNAL]
  local pid i
  pid=$(cat "$work/atoll.pid" 2>/dev/null || true)
  is_mine "$pid" || return 0
  kill "-${1:-TERM}" "$pid"
  for i in $(seq 100); do kill -0 "$pid" 2>/dev/null || return 0; sleep 0.1; done
  say "atoll did not end within 10 s of SIG${1:-TERM}"
  kill -9 "$pid"
}

start_atoll() {
  setsid "$atoll" up --data-dir "$data" --kubeconfig "$KUBECONFIG" >"$work/atoll.out" 2>>"$work/atoll.log" </dev/null &
  local pid=$! i
  disown $pid # its end is not for the shell to tell
  echo $pid >"$work/atoll.pid"
  for i in $(seq 150); do
    kubectl get --raw /readyz >/dev/null 2>&1 && return
    kill -0 $pid 2>/dev/null || die "atoll up ended: $(tail -1 "$work/atoll.log")"
    sleep 0.1
  done
  die "atoll up was not ready within 15 s"
}

# Finds an engine that answers, or starts one; makes the image and the manifests for it. Sets socket and own_engine.
prepare() { # EXAMPLE
  mkdir -p "$work"
  chmod 700 "$work"
  own_engine=no
  if [ -d "$engine_dir" ] || ! socket=$(scripts/engine find); then
    own_engine=yes
    socket=$(scripts/engine up "$engine_dir")
  fi
  scripts/demo-image "$socket" atoll-demo:1
  rm -rf "$manifests"
  cp -r "examples/$1" "$manifests"
  sed -i "s|unix:///var/run/docker.sock|unix://$socket|" "$manifests"/*.yaml
}

engine() { docker -H "unix://$socket" "$@"; }

delete_all() { kubectl delete -f "$manifests" --ignore-not-found --timeout=60s; }

# Fails if the engine or the API server still has anything of ours.
nothing_left() {
  local what rows
  for what in $(seq 50); do # the engine removes what has ended a moment after it has ended
    [ "$(engine ps -aq --filter label=dev.atoll.owner | wc -l)" != 0 ] || break
    sleep 0.2
  done
  [ "$(engine ps -aq --filter label=dev.atoll.owner | wc -l)" = 0 ] || die "containers are left: $(engine ps -a --filter label=dev.atoll.owner)"
  [ "$(engine network ls -q --filter label=dev.atoll.owner | wc -l)" = 0 ] || die "networks are left"
  for what in service config secret; do # the engine may have left the swarm: then there is nothing to list
    rows=$({ engine $what ls -q 2>/dev/null || true; } | wc -l)
    [ "$rows" = 0 ] || die "$rows ${what}s are left: $(engine $what ls)"
  done
  [ -z "$(kubectl get atoll -A -o name)" ] || die "objects are left: $(kubectl get atoll -A -o name)"
}

# Ends atoll and the engine, and proves that no process and no file is left.
finish() {
  stop_atoll
  [ $own_engine = no ] || scripts/engine down "$engine_dir"
  ! pgrep -f -- "$work" >/dev/null || die "processes are left: $(pgrep -af -- "$work")"
  rm -rf "$work"
  [ ! -e "$work" ] || die "files are left in $work"
}
