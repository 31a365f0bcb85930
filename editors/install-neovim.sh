#!/usr/bin/env bash
# install-neovim.sh prints the Neovim that the tests drive: the one that
# EMENDO_NVIM names, else the one on PATH if it is new enough, else Debian
# trixie's, which it puts into .editors the first time. With a release for its
# argument, as in install-neovim.sh sid, it is that release's in any case.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
. "$root/.tools/debroot.sh"

works() {
	"$1" --clean --headless -l /dev/stdin >/dev/null 2>&1 <<<'os.exit(vim.fn.has("nvim-0.10") == 1 and 0 or 1)'
}

if [ $# -gt 0 ]; then # its own variable and no name on PATH
	debroot_program "EMENDO_NVIM_${1^^}" neovim nvim "$root/.editors/neovim-$1" "Neovim of 0.10 or later" "$1"
else
	debroot_program EMENDO_NVIM neovim nvim "$root/.editors/neovim" "Neovim of 0.10 or later"
fi
