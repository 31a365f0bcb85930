#!/usr/bin/env bash
# install.sh prints the folder with two programs of others that read SARIF, which it puts into
# .editors the first time: Microsoft's Multitool from npm, which checks a file by the official
# schema, and sarif-tools from PyPI. It wants node, npm and Python.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
multitool=5.7.0 tools=3.0.5

mkdir -p "$root/.editors"
folder=$(cd -P "$root/.editors" && pwd)/sarif
if [ ! -e "$folder/installed-$multitool-$tools" ]; then
	for needed in npm python3; do
		command -v $needed >/dev/null || {
			echo "${0##*/}: the programs that read SARIF need $needed: install it" >&2
			exit 1
		}
	done
	rm -rf "$folder"
	mkdir -p "$folder"
	cd "$folder"
	echo '{"private": true}' >package.json
	npm install --ignore-scripts --no-audit --no-fund --loglevel=error "@microsoft/sarif-multitool@$multitool" >&2
	chmod +x node_modules/@microsoft/sarif-multitool-*/Sarif.Multitool # which its own script would do
	python3 -m venv python
	python/bin/pip install --quiet --disable-pip-version-check "sarif-tools==$tools" >&2
	touch "installed-$multitool-$tools"
fi
echo "$folder"
