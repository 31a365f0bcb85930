#!/usr/bin/env bash
# install-helix.sh prints the Helix that the tests drive: the one that
# EMENDO_HELIX names, else the one on PATH if it is new enough, else Debian
# trixie's, which it puts into .editors the first time. With a release for its
# argument, as in install-helix.sh sid, it is that release's in any case.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
. "$root/.tools/debroot.sh"

works() {
	"$1" --version 2>/dev/null | grep -Eq '^helix (2[5-9]|[3-9][0-9])\.'
}

if [ $# -gt 0 ]; then # its own variable and no name on PATH
	debroot_program "EMENDO_HELIX_${1^^}" hx hx "$root/.editors/helix-$1" "Helix of 25.01 or later" "$1"
else
	debroot_program EMENDO_HELIX hx hx "$root/.editors/helix" "Helix of 25.01 or later"
fi
