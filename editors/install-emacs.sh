#!/usr/bin/env bash
# install-emacs.sh prints the Emacs that the tests drive: the one that
# EMENDO_EMACS names, else the one on PATH if it is new enough, else Debian
# trixie's, which it puts into .editors the first time.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
. "$root/.tools/debroot.sh"

works() {
	"$1" -Q --batch --eval '(progn (require (quote eglot)) (kill-emacs (if (>= emacs-major-version 30) 0 1)))' >/dev/null 2>&1
}

# finish makes a script for the program, since Emacs looks for its files where
# it would have been installed.
finish() {
	local folder=$1 script=$2 real version libexec
	real=$folder/usr/bin/emacs-nox
	debroot_bind "$folder" "$real"
	version=$(basename "$(echo "$folder"/usr/share/emacs/[0-9]*)")
	libexec=$(echo "$folder/usr/libexec/emacs/$version"/*-linux-gnu)
	ln -sf "$(echo "$libexec"/emacs-*.pdmp)" "$real.pdmp"
	rm -f "$script"
	cat >"$script" <<-SCRIPT
		#!/bin/sh
		export EMACSLOADPATH="$folder/usr/share/emacs/$version/lisp"
		export EMACSDATA="$folder/usr/share/emacs/$version/etc"
		export EMACSDOC="$folder/usr/share/emacs/$version/etc"
		export EMACSPATH="$libexec"
		export EMACS_INHIBIT_AUTOMATIC_NATIVE_COMPILATION=1
		exec "$real" "\$@"
	SCRIPT
	chmod +x "$script"
}

debroot_program EMENDO_EMACS emacs-nox emacs "$root/.editors/emacs" "Emacs of 30 or later"
