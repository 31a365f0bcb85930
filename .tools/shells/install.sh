#!/usr/bin/env bash
# install.sh prints a folder with zsh and fish for the tests of completion: those on
# PATH, else Debian trixie's, which it puts into .editors the first time.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
. "$root/.tools/debroot.sh"

works() { "$1" -c 'exit 0' >/dev/null 2>&1; }

bin=$root/.editors/shells
mkdir -p "$bin"
for shell in zsh fish; do
	program=$(debroot_program "EMENDO_${shell^^}" "$shell" "$shell" "$root/.editors/$shell" "$shell")
	share=${program%/bin/"$shell"}/share
	# Unpacked elsewhere than in /usr, each has to be told where its files are.
	case $shell in
	zsh)
		modules=$(find "${share%/share}/lib/" -name zle.so -path '*/zsh/zle.so' -print -quit)
		printf 'module_path=(%q)\nfpath=(%q)\n' "${modules%/zsh/zle.so}" "$share/zsh/functions" >"$bin/.zshenv"
		printf '#!/bin/sh\nZDOTDIR=%q exec %q "$@"\n' "$bin" "$program" >"$bin/$shell"
		;;
	fish)
		printf '#!/bin/sh\nexec %q --init-command %q "$@"\n' "$program" "set fish_function_path '$share/fish/functions'" >"$bin/$shell"
		;;
	esac
	chmod +x "$bin/$shell"
done
echo "$bin"
