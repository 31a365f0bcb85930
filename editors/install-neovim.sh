#!/usr/bin/env bash
# install-neovim.sh prints the Neovim that the tests drive: the one that
# EMENDO_NVIM names, else the one on PATH if it is new enough, else Debian
# trixie's, which it puts into .editors the first time.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
folder=${here%/*}/.editors/neovim

# works PROGRAM says whether it is a Neovim of 0.10 or later.
works() {
	"$1" --clean --headless -l /dev/stdin >/dev/null 2>&1 <<<'os.exit(vim.fn.has("nvim-0.10") == 1 and 0 or 1)'
}

if [ -n "${EMENDO_NVIM:-}" ]; then
	works "$EMENDO_NVIM" || {
		echo "install-neovim.sh: EMENDO_NVIM is $EMENDO_NVIM, which is no Neovim of 0.10 or later: name another or unset it" >&2
		exit 1
	}
	echo "$EMENDO_NVIM"
	exit
fi
if found=$(command -v nvim) && works "$found"; then
	echo "$found"
	exit
fi
if ! works "$folder/usr/bin/nvim"; then
	if ! command -v apt-get >/dev/null || ! command -v dpkg-deb >/dev/null; then
		echo "install-neovim.sh: there is no Neovim of 0.10 or later, and it is installed by itself on Debian alone: put one on PATH or name it by EMENDO_NVIM" >&2
		exit 1
	fi
	. "$here/debroot.sh"
	rm -rf "$folder"
	debroot trixie "$folder" neovim patchelf
	debroot_bind "$folder" "$folder/usr/bin/nvim"
	works "$folder/usr/bin/nvim" || {
		echo "install-neovim.sh: the Neovim in $folder does not start: remove that folder and try again, or name one by EMENDO_NVIM" >&2
		exit 1
	}
fi
echo "$folder/usr/bin/nvim"
