#!/usr/bin/env bash
# install.sh prints a folder with zsh and fish for the tests of completion: links to
# those on PATH, else to Debian trixie's, which it puts into .editors the first time.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
. "$root/.tools/debroot.sh"

works() { "$1" -c 'exit 0' 2>/dev/null; }

# zsh looks for its modules and functions in /usr, unless it is told.
finish() {
	debroot_bind "$1" "$(readlink -f "$2")"
}

bin=$root/.editors/shells
mkdir -p "$bin"
for shell in zsh fish; do
	program=$(debroot_program "" "$shell" "$shell" "$root/.editors/$shell" "$shell")
	ln -sfn "$program" "$bin/$shell"
done
echo "$bin"
