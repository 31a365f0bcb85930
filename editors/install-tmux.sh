#!/usr/bin/env bash
# install-tmux.sh prints the tmux in which the tests drive editors that need a
# terminal: the one that EMENDO_TMUX names, else the one on PATH, else Debian
# trixie's, which it puts into .editors the first time.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
. "$root/.tools/debroot.sh"

works() {
	"$1" -V 2>/dev/null | grep -Eq '^tmux ([3-9]|[1-9][0-9])\.'
}

debroot_program EMENDO_TMUX tmux tmux "$root/.editors/tmux" "tmux of 3.0 or later"
