#!/usr/bin/env bash
# install-lsp-mode.sh prints the folder with Emacs's package lsp-mode and those that it
# needs, each in a folder of its own: the one that EMENDO_LSP_MODE names, else Debian
# trixie's, which it puts into .editors the first time.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
. "$root/.tools/debroot.sh"

if [ -n "${EMENDO_LSP_MODE:-}" ]; then
	echo "$EMENDO_LSP_MODE"
	exit
fi
mkdir -p "$root/.editors"
folder=$(cd -P "$root/.editors" && pwd)/lsp-mode
packages=$folder/usr/share/emacs/site-lisp/elpa-src
if ! compgen -G "$packages/lsp-mode-*/lsp-mode.el" >/dev/null; then
	if ! command -v apt-get >/dev/null || ! command -v dpkg-deb >/dev/null; then
		echo "${0##*/}: lsp-mode is installed by itself on Debian alone: name a folder with it by EMENDO_LSP_MODE" >&2
		exit 1
	fi
	rm -rf "$folder"
	debroot trixie "$folder" elpa-lsp-mode
fi
echo "$packages"
