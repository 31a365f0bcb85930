#!/usr/bin/env bash
# install-code-server.sh prints the code-server in which the tests drive VS Code:
# the one that EMENDO_CODE_SERVER names, else the pinned release from npm, which
# it puts into .editors the first time. It needs node and npm. The Node that
# code-server wants, and that runs the tests, is put next to the program.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
release=4.139.1 # VS Code 1.139.1
node_release=24.21.0

works() {
	"$1" --version 2>/dev/null | grep -q "^$2"
}

if [ -n "${EMENDO_CODE_SERVER:-}" ]; then
	works "$EMENDO_CODE_SERVER" 4. || {
		echo "${0##*/}: EMENDO_CODE_SERVER is $EMENDO_CODE_SERVER, which is no code-server: name another or unset it" >&2
		exit 1
	}
	echo "$EMENDO_CODE_SERVER"
	exit
fi
mkdir -p "$root/.editors"
folder=$(cd -P "$root/.editors" && pwd)/code-server
program=$folder/bin/code-server
if works "$program" "$release "; then
	echo "$program"
	exit
fi
if ! command -v node >/dev/null || ! command -v npm >/dev/null; then
	echo "${0##*/}: code-server comes from npm: install node and npm, or name one by EMENDO_CODE_SERVER" >&2
	exit 1
fi

install() {
	npm install --ignore-scripts --omit=dev --no-audit --no-fund --loglevel=error "$@" >&2
}

rm -rf "$folder"
mkdir -p "$folder/bin"
cd "$folder"
echo '{"private": true}' >package.json
platform=node-$(node -p '`${process.platform}-${process.arch}`')
install "$platform@$node_release"
node=$folder/node_modules/$platform
ln -s "$node/bin/node" bin/node
export PATH=$folder/bin:$PATH npm_config_nodedir=$node # headers come with that Node
install "code-server@$release"

# What the package's own script does when it is installed is done here, but for
# building native modules that hosting an extension does not need. npm ci
# refuses the lock file that comes with it, so this is npm install.
cd node_modules/code-server/lib/vscode
install
if command -v g++ >/dev/null && command -v make >/dev/null && command -v python3 >/dev/null; then
	# The first writes log files, the second ends extension hosts whose server is gone.
	npm rebuild --no-audit --no-fund --loglevel=error @vscode/spdlog @vscode/native-watchdog >&2 ||
		echo "${0##*/}: code-server writes no log files, since a module did not build" >&2
fi
# A window reads the manifest of every extension that is there, and starts some. What
# no test needs is a sixth of the time in which a window starts.
needed=(diff git git-base go ipynb javascript json markdown-basics markdown-language-features
	notebook-renderers python shellscript theme-defaults theme-modern-icons theme-seti typescript-basics)
for extension in extensions/*/; do
	name=$(basename "$extension")
	[[ " ${needed[*]} " == *" $name "* ]] || rm -rf "$extension"
done
rm -rf node_modules/@github node_modules/@microsoft/mxc-sdk \
	node_modules/@vscode/windows-* node_modules/@vscode/ripgrep-universal/bin/{darwin,win32}-* \
	node_modules/node-pty/prebuilds/{darwin,win32}-* node_modules/node-pty/{third_party,deps}
find . -name '*.map' -delete

cat >"$program" <<'SCRIPT'
#!/bin/sh
bin=$(cd "$(dirname "$0")" && pwd)
PATH=$bin:$PATH exec "$bin/node" "$bin/../node_modules/code-server/out/node/entry.js" "$@"
SCRIPT
chmod +x "$program"
works "$program" "$release " || {
	echo "${0##*/}: $program does not start: remove $folder and try again, or name one by EMENDO_CODE_SERVER" >&2
	exit 1
}
echo "$program"
