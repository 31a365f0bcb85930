#!/usr/bin/env bash
# release.sh builds the archives and packages of a snapshot twice, and fails if the
# two differ in anything but the SBOMs. They are in .build/release afterwards. With
# arguments it runs goreleaser with them instead, as the release workflow does.
#
# GORELEASER and CYCLONEDX name the two programs.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
export EMENDO_TAP_TOKEN=${EMENDO_TAP_TOKEN:-}
PATH=$(dirname "$CYCLONEDX"):$PATH # goreleaser looks for it there

if [ $# -gt 0 ]; then
	cd "$root"
	exec "$GORELEASER" "$@"
fi

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# snapshot FOLDER builds the commit in a clone and prints the checksums. Each clone is
# in a folder of its own, so that no path gets into the archives unnoticed.
snapshot() (
	git clone --quiet "$root" "$1"
	cd "$1"
	"$GORELEASER" release --snapshot --clean --skip=publish >&2
	grep -v '\.cdx\.json$' .build/release/checksums.txt | sort -k 2
)

if [ -n "$(git -C "$root" status --porcelain)" ]; then
	echo "release.sh: the folder has changes that are not committed, which are left out" >&2
fi
first=$(snapshot "$work/first")
second=$(snapshot "$work/second")
if [ "$first" != "$second" ]; then
	echo "release.sh: the two builds differ:" >&2
	diff <(echo "$first") <(echo "$second") >&2
	exit 1
fi
rm -rf "$root/.build/release"
mkdir -p "$root/.build"
mv "$work/second/.build/release" "$root/.build/release"
echo "$first"
echo "release.sh: both builds have these checksums"
