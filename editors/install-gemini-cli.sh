#!/usr/bin/env bash
# install-gemini-cli.sh prints the script of the Gemini CLI that the tests of the
# companion run with node: the one that EMENDO_GEMINI_CLI names, else the pinned
# release from npm, which it puts into .editors the first time.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
release=0.61.0

if [ -n "${EMENDO_GEMINI_CLI:-}" ]; then
	[ -f "$EMENDO_GEMINI_CLI" ] || {
		echo "${0##*/}: EMENDO_GEMINI_CLI is $EMENDO_GEMINI_CLI, which does not exist: name another or unset it" >&2
		exit 1
	}
	echo "$EMENDO_GEMINI_CLI"
	exit
fi
mkdir -p "$root/.editors"
folder=$(cd -P "$root/.editors" && pwd)/gemini-cli
package=$folder/node_modules/@google/gemini-cli
if ! grep -q "\"version\": \"$release\"" "$package/package.json" 2>/dev/null; then
	if ! command -v npm >/dev/null; then
		echo "${0##*/}: Gemini CLI comes from npm: install node and npm, or name one by EMENDO_GEMINI_CLI" >&2
		exit 1
	fi
	rm -rf "$folder"
	mkdir -p "$folder"
	cd "$folder"
	echo '{"private": true}' >package.json
	npm install --ignore-scripts --omit=optional --no-audit --no-fund --loglevel=error "@google/gemini-cli@$release" >&2
fi
echo "$package/bundle/gemini.js"
