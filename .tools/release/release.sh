#!/usr/bin/env bash
# release.sh builds the archives and packages of a snapshot twice, and fails if the
# two differ in anything but the SBOMs. They are in .build/release afterwards. With
# arguments it runs goreleaser with them instead, as the release workflow does.
#
# GORELEASER and EMENDO_CYCLONEDX name the two programs.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
export EMENDO_CYCLONEDX EMENDO_TAP_TOKEN=${EMENDO_TAP_TOKEN:-}

if [ $# -gt 0 ]; then
	cd "$root"
	exec "$GORELEASER" "$@"
fi

# snapshot FOLDER builds in a checkout and prints the checksums.
snapshot() (
	cd "$1"
	"$GORELEASER" release --snapshot --clean --skip=publish >&2
	grep -v '\.cdx\.json$' .build/release/checksums.txt | sort -k 2
)

# The second build is in another folder, so that no path gets into the archives. Both
# are of the commit.
other=$(mktemp -d)
trap 'git -C "$root" worktree remove --force "$other/emendo"; rm -rf "$other"' EXIT
git -C "$root" worktree add --quiet --detach "$other/emendo" HEAD
if [ -n "$(git -C "$root" status --porcelain)" ]; then
	echo "release.sh: the folder has changes that are not committed; the second build is without them" >&2
fi
first=$(snapshot "$root")
second=$(snapshot "$other/emendo")
if [ "$first" != "$second" ]; then
	echo "release.sh: the two builds differ:" >&2
	diff <(echo "$first") <(echo "$second") >&2
	exit 1
fi
echo "$first"
echo "release.sh: both builds have these checksums"
