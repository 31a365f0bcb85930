#!/usr/bin/env bash
# install-bubblewrap.sh prints the bubblewrap that the tests of the sandbox use:
# the one that EMENDO_BWRAP names, else the system's, else Debian trixie's, which
# it puts into .build the first time. emendo itself uses the system's alone.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
. "$root/.tools/debroot.sh"

works() {
	"$1" --version >/dev/null 2>&1
}

debroot_program EMENDO_BWRAP bubblewrap bwrap "$root/.build/bubblewrap" "bubblewrap that starts"
