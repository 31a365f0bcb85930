#!/usr/bin/env bash
# Builds a release and puts it on the servers of one stage.
set -euo pipefail

readonly ROOT="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)"
readonly KEEP_RELEASES=5
STAGE="staging"
DRY_RUN=0
VERSION=""

usage() {
  cat <<USAGE
usage: $(basename "$0") [--stage NAME] [--version VERSION] [--dry-run]
USAGE
}

log() {
  printf '%s %s\n' "$(date -u +%H:%M:%S)" "$*" >&2
}

run() {
  if [[ "$DRY_RUN" -eq 1 ]]; then
    log "would run: $*"
    return 0
  fi
  "$@"
}

while [[ $# -gt 0 ]]; do
  case "$1" in
    --stage)
      STAGE="$2"
      shift 2
      ;;
    --version)
      VERSION="$2"
      shift 2
      ;;
    --dry-run)
      DRY_RUN=1
      shift
      ;;
    *)
      usage
      exit 64
      ;;
  esac
done

build() {
  log "building $VERSION"
  run make -C "$ROOT" clean dist VERSION="$VERSION"
  run tar -C "$ROOT/dist" -czf "$ROOT/release-$VERSION.tar.gz" .
}

upload() {
  local host="$1"
  log "uploading to $host"
  run scp -q "$ROOT/release-$VERSION.tar.gz" "$host:/srv/app/releases/"
  run ssh "$host" "cd /srv/app/releases && tar -xzf release-$VERSION.tar.gz"
}

activate() {
  local host="$1"
  log "activating on $host"
  run ssh "$host" "ln -sfn /srv/app/releases/$VERSION /srv/app/current"
  run ssh "$host" "ls -1dt /srv/app/releases/* | tail -n +$((KEEP_RELEASES + 1)) | xargs -r rm -rf"
}

main() {
  [[ -n "$VERSION" ]] || VERSION="$(git -C "$ROOT" describe --tags --always)"
  build
  while read -r host; do
    upload "$host"
    activate "$host"
  done < "$ROOT/stages/$STAGE.hosts"
  log "done: $VERSION on $STAGE"
}

main
