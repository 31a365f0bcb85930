#!/usr/bin/env bash
# install-bubblewrap.sh prints the bubblewrap that the tests of the sandbox use:
# the one that EMENDO_BWRAP names, else the system's, else Debian trixie's, which
# it puts into .build the first time. emendo itself uses the system's alone.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
folder=$root/.build/bubblewrap

works() {
	"$1" --version >/dev/null 2>&1
}

if [ -n "${EMENDO_BWRAP:-}" ]; then
	works "$EMENDO_BWRAP" || {
		echo "install-bubblewrap.sh: EMENDO_BWRAP is $EMENDO_BWRAP, which does not start: name another or unset it" >&2
		exit 1
	}
	echo "$EMENDO_BWRAP"
	exit
fi
if found=$(command -v bwrap) && works "$found"; then
	echo "$found"
	exit
fi
if ! works "$folder/usr/bin/bwrap"; then
	if ! command -v apt-get >/dev/null || ! command -v dpkg-deb >/dev/null; then
		echo "install-bubblewrap.sh: there is no bubblewrap, and it is installed by itself on Debian alone: install it or name it by EMENDO_BWRAP" >&2
		exit 1
	fi
	. "$root/editors/debroot.sh"
	rm -rf "$folder"
	debroot trixie "$folder" bubblewrap patchelf
	debroot_bind "$folder" "$folder/usr/bin/bwrap"
	works "$folder/usr/bin/bwrap" || {
		echo "install-bubblewrap.sh: the bubblewrap in $folder does not start: remove that folder and try again, or name one by EMENDO_BWRAP" >&2
		exit 1
	}
fi
echo "$folder/usr/bin/bwrap"
