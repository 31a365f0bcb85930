#!/usr/bin/env bash
# install.sh prints the folder of the language servers that the tests start, gopls
# and typescript-language-server, pinned, for the search path. It installs them into
# .editors the first time, which needs Go, Node 20 or later and npm.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(cd "$here/../.." && pwd)
gopls=v0.21.0

mkdir -p "$root/.editors"
folder=$(cd -P "$root/.editors" && pwd)/language-servers
stamp=$folder/installed-$gopls-$(cksum <"$here/package-lock.json" | tr ' ' -)
if [ ! -e "$stamp" ]; then
	rm -rf "$folder"
	mkdir -p "$folder/bin"
	cp "$here/package.json" "$here/package-lock.json" "$folder"
	npm ci --prefix "$folder" --ignore-scripts --no-audit --no-fund >&2
	ln -s ../node_modules/typescript-language-server/lib/cli.mjs "$folder/bin/typescript-language-server"
	(cd "$folder" && GOWORK=off GOBIN="$folder/bin" "${GO:-go}" install "golang.org/x/tools/gopls@$gopls") >&2
	touch "$stamp"
fi
echo "$folder/bin"
