#!/usr/bin/env bash
# install.sh prints the llama.cpp server that the tests talk to: the one that
# EMENDO_LLAMA_SERVER names, else Debian's, which it puts into .editors the first time.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
. "$root/.tools/debroot.sh"

works() {
	"$1" --version 2>&1 | grep -Eq '^version: '
}

# finish binds the server to the libraries of the folder. Some of these name the system's
# folders for their own. The code for this processor is loaded from beside the program.
finish() {
	local folder=$1 program=$2 loader libraries library
	debroot_bind "$folder" "$program"
	loader=$(find "$folder" -name 'ld-linux*.so.*' -print -quit)
	libraries=$(dirname "$(find "$folder/usr/lib" -maxdepth 2 -name 'libc.so.6' -print -quit)")
	for library in "$libraries"/llama/*.so "$libraries"/lib{llama,mtmd,ggml}*.so.*; do
		[ -L "$library" ] || "$loader" --library-path "$libraries" "$folder/usr/bin/patchelf" --remove-rpath "$library"
	done
	ln -sf "$libraries"/ggml/backends*/*.so "$folder/usr/bin/"
}

mkdir -p "$root/.editors"
debroot_program EMENDO_LLAMA_SERVER llama.cpp-tools llama-server "$(cd -P "$root/.editors" && pwd)/llama-server" "llama.cpp server" forky
