#!/bin/sh
# Installs the packages of the extension and of its tests, as package-lock.json pins
# them, unless that was done. It needs Node 20 or later, and npm.
set -eu
cd "$(dirname "$0")"
if [ -e node_modules/.package-lock.json ] && [ ! package-lock.json -nt node_modules/.package-lock.json ]; then
	exit 0
fi
npm ci --ignore-scripts --no-audit --no-fund --loglevel=error >&2
