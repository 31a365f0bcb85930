#!/bin/sh
# Installs the ACP clients that the tests of this folder drive, as package-lock.json pins
# them, unless that was done. It needs Node 20 or later, and npm.
set -eu
cd "$(dirname "$0")"
if [ -e node_modules/.package-lock.json ] && [ ! package-lock.json -nt node_modules/.package-lock.json ]; then
	exit 0
fi
# npm ci refuses the lock file, which npm writes without a dependency's optional packages
# for other systems.
npm install --no-save --ignore-scripts --no-audit --no-fund --loglevel=error >&2
